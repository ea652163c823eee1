"""Whole numbers that are codes are grouped by their first digits, not by intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from anonymizer import AnonymizerWarning, propose
from anonymizer.hierarchy import parse_spec
from anonymizer.proposal.codes import looks_like_codes, spec_of_codes


def test_zip_codes_that_pandas_read_as_numbers_keep_their_first_digits() -> None:
    random = np.random.default_rng(3)
    codes = random.choice([501, 544, 2139, 2140, 10001, 10002, 60601, 94110, 94112, 2138, 33101,
                           33102, 73301, 80201], 2_000)  # fmt: skip
    frame = pd.DataFrame({"zip": codes, "sex": random.choice(["f", "m"], 2_000)})
    with pytest.warns(AnonymizerWarning, match="read as codes: 'zip'"):
        proposal = propose(frame, quasi=["zip"], rows_are_people=True)
    hierarchy = proposal.policy.hierarchy("zip")
    rows = {row[0]: row for row in hierarchy.rows()}
    assert rows["2139"] == ("2139", "0213*", "021**", "02***", "0****", "*")
    assert rows["501"][2] == "005**"


@pytest.mark.parametrize(
    ("name", "numbers", "codes"),
    [
        ("postcode", range(1000, 9000, 17), True),
        ("school", [s * 1000 + n for s in range(11, 30, 4) for n in range(40)], True),
        ("year", range(1950, 2020), False),
        ("wage", range(1000, 9999, 13), False),
        ("age", range(18, 95), False),
        ("zip", range(5), False),
        ("count", range(3000), False),
    ],
)
def test_codes_are_told_by_name_or_by_blocks(name: str, numbers: object, codes: bool) -> None:
    texts = [str(number) for number in numbers]  # type: ignore[attr-defined]
    assert looks_like_codes(name, texts) is codes


def test_codes_with_their_zeros_are_texts_already() -> None:
    assert not looks_like_codes("zip", [f"{number:05}" for number in range(1, 99_999, 501)])


def test_every_code_has_a_place_and_missing_cells_need_none() -> None:
    import tomllib

    texts = ["", *(str(number) for number in range(7, 99_999, 1_003))]
    hierarchy = parse_spec(tomllib.loads(spec_of_codes("zip", texts)), "zip").build("zip")
    assert set(hierarchy.leaves) == set(texts) - {""}
