from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import AnonymizerError
from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Hierarchy, Redaction, check_file, check_values, write_arx
from anonymizer.hierarchy.redaction import MOST_UNITS


@st.composite
def forms(draw: st.DrawFn) -> dict[str, Any]:
    lengths = draw(st.sets(st.integers(1, 4), min_size=1, max_size=2))
    return {
        "length": tuple(sorted(lengths)),
        "alphabet": draw(st.sampled_from(["ab", "a1-"])),
        "side": draw(st.sampled_from(["left", "right"])),
        "redact": tuple(sorted(draw(st.sets(st.integers(1, 5))))),
        "others": draw(st.sampled_from([(), ("?",)])),
        "missing": draw(st.sampled_from([None, "top"])),
    }


def listed(form: dict[str, Any]) -> list[str]:
    """All codes of a form."""
    return [
        "".join(code)
        for length in form["length"]
        for code in product(form["alphabet"], repeat=length)
    ]


@given(form=forms(), data=st.data())
def test_codes_of_a_form_have_the_shares_of_a_list_of_all_of_them(
    form: dict[str, Any], data: st.DataObject
) -> None:
    codes = listed(form)
    seen = data.draw(st.lists(st.sampled_from(codes), unique=True))
    grown = Redaction(**form).build("x").with_values(seen)
    keys = {key: value for key, value in form.items() if key not in ("length", "alphabet")}
    if not keys["redact"]:
        keys["redact"] = tuple(range(1, max(form["length"])))
    full = Redaction(values=tuple(codes), **keys).build("x")
    shares = dict(zip(full.rows(), full.shares().T.tolist(), strict=True))
    for row, share in zip(grown.rows(), grown.shares().T.tolist(), strict=True):
        assert share == shares[row]
    assert set(seen) <= set(grown.leaves)
    assert grown.extent == full.extent


@given(form=forms(), data=st.data())
def test_cells_of_any_level_are_known_again(form: dict[str, Any], data: st.DataObject) -> None:
    built = Redaction(**form).build("x")
    grown = built.with_values(data.draw(st.lists(st.sampled_from(listed(form)), min_size=1)))
    for level in range(built.height):
        again = built.with_labels(grown.labels[level], level)
        assert set(grown.labels[level]) <= set(again.labels[level])
        covers = dict(zip(again.labels[level], again.cover(level).tolist(), strict=True))
        for label, cover in zip(grown.labels[level], grown.cover(level).tolist(), strict=True):
            assert covers[label] == cover
    texts = [label for labels in grown.labels for label in labels]
    fitted, read = built.fit(texts)
    assert read == texts
    assert set(texts) <= {label for labels in fitted.labels for label in labels}


@given(forms())
def test_what_is_taken_in_keeps_to_the_tree(form: dict[str, Any]) -> None:
    grown = Redaction(**form).build("x").with_values(listed(form))
    assert Hierarchy.from_rows("x", grown.rows()).labels == grown.labels
    for level in range(1, grown.height):
        assert (grown.shares()[level] >= grown.shares()[level - 1]).all()


def test_five_digits_have_the_same_shares_listed_or_not() -> None:
    codes = ["10115", "99999"]
    grown, full = (
        Redaction(length=5).build("zip").with_values(codes),
        Redaction(digits=5).build("zip"),
    )
    for code in codes:
        of_form = grown.shares()[:, grown.leaves.index(code)]
        assert of_form.tolist() == full.shares()[:, full.leaves.index(code)].tolist()


def test_of_very_many_codes_one_covers_nothing_and_sums_stay_small() -> None:
    built = Redaction(length=12, alphabet="alphanumeric").build("id").with_values(["ABCDEFGHIJKL"])
    assert built.extent <= MOST_UNITS
    shares = built.shares()[:, built.leaves.index("ABCDEFGHIJKL")]
    exact = np.array([36.0 ** (hidden - 12) for hidden in range(12)] + [1.0])
    assert np.allclose(shares, exact, atol=1e-6)
    assert shares[0] == 0


@pytest.mark.parametrize("code", ["1234", "12345678", "1234A", "12 45", "1234*", "١٢٣٤٥"])
def test_what_is_not_of_the_form_is_refused_with_a_remedy(code: str) -> None:
    (defect,) = check_values(Redaction(length=5).build("zip", "zip.toml"), [code])
    assert defect.severity == "error"
    assert defect.message.endswith(
        "Add it to zip.toml, or state its length and its characters with `length` and `alphabet`."
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"length": 5, "digits": 5}, "give exactly one of `digits`, `values` and `length`"),
        ({"length": 0}, "0 is too small"),
        ({"length": [5, 3]}, "3 comes after 5"),
        ({"length": 101}, "101 is too long for a code; use at most 100"),
        ({"length": 3, "alphabet": "digit"}, "did you mean 'digits'"),
        ({"length": 3, "alphabet": "a"}, "nor different characters"),
        ({"length": 3, "alphabet": "ab*"}, "is a character of the alphabet; choose another one"),
    ],
)
def test_a_form_that_cannot_be_meant_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        Redaction(**keys)


def test_a_form_is_no_file_of_rows_and_has_no_idle_levels(tmp_path: Path) -> None:
    with pytest.raises(AnonymizerError, match="covers 46,656 values, which are not listed"):
        write_arx(Redaction(length=3, alphabet="alphanumeric").build("icd"), tmp_path / "icd.csv")
    spec = tmp_path / "icd.toml"
    spec.write_text('builder = "redaction"\nlength = [3, 5]\nalphabet = "alphanumeric"')
    assert check_file(spec) == []
    assert Counter(path.name for path in tmp_path.iterdir()) == {"icd.toml": 1}
