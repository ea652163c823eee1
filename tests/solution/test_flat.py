"""Dates and numbers without a step between the value and the top are warned of."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from anonymizer import AnonymizerWarning, Hierarchy, anonymize
from anonymizer.solution.findings import find_flat
from tests.tables import draw


def flat(values: list[str], *steps: str) -> Hierarchy:
    """A hierarchy in which all values are in the same groups."""
    return Hierarchy.from_rows("x", [(value, *steps, "*") for value in values])


MANY = [str(number) for number in range(100)]


@pytest.mark.parametrize(
    ("hierarchy", "said"),
    [
        (flat(MANY), 1),
        (flat([f"2024-01-01 00:00:{number:02d}" for number in range(60)]), 1),
        (flat([f"{number % 28 + 1:02d}.{number % 12 + 1:02d}.2024" for number in range(60)]), 1),
        (flat(MANY[:5]), 0),
        (flat(MANY, "a step"), 0),
        (flat([f"word {number}" for number in range(100)]), 0),
    ],
)
def test_only_dates_and_numbers_without_a_step_are_found(hierarchy: Hierarchy, said: int) -> None:
    assert len(list(find_flat([hierarchy]))) == said


def test_a_run_says_it_before_most_records_are_gone() -> None:
    frame: pd.DataFrame = draw("timestamps")
    values: dict[str, Any] = {"builder": "mapping", "values": frame["started_at"].unique().tolist()}
    with pytest.warns(
        AnonymizerWarning, match="'started_at' holds dates, 600 different ones"
    ) as said:
        anonymize(frame, quasi={"started_at": values, "station": None}, default_role="identifying")
    assert not [1 for warning in said if frame["started_at"][0] in str(warning.message)]
