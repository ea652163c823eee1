from __future__ import annotations

import pytest

from anonymizer.errors import DataError
from anonymizer.published import Arms, Characteristic
from anonymizer.published.table import blocks_of, category_faults, count_faults
from tests.published.tables import TRIAL


@pytest.mark.parametrize(
    ("names", "sizes", "message"),
    [
        (("a", "b"), (1, 0), "the b arm has 0 people; it needs at least 1"),
        (("a",), (1,), "the trial has 1 arms; it needs at least 2"),
        (("a", "b"), (1, 2, 3), "2 arms have 3 sizes"),
        (("a", "a"), (1, 2), "two arms are called 'a'"),
    ],
)
def test_arms_that_cannot_be_are_refused(names, sizes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Arms(names, sizes)


@pytest.mark.parametrize(
    ("counts", "totals", "message"),
    [
        (
            (229, 1),
            None,
            "'it' has 229 people in the treatment arm of 228; fix the count, or the size",
        ),
        ((1, -1), None, "'it' has -1 people in the placebo arm of 105"),
        (
            (66, 1),
            (65, 70),
            "'it' has 66 of 65 people measured in the treatment arm; fix the count, or the total",
        ),
        ((1, 1), (229, 70), "'it' has a total of 229 in the treatment arm of 228; fix the total"),
        ((1, 1, 1), None, "'it' has 3 counts and 2 totals for 2 arms"),
    ],
)
def test_counts_that_cannot_be_are_named(counts, totals, message: str) -> None:
    (fault,) = count_faults(Characteristic("it", counts, totals), TRIAL)
    assert message in fault


def test_categories_that_do_not_exclude_each_other_are_named() -> None:
    rows = [Characteristic(name, (100, 60), None, "Age", category=True) for name in "ab"]
    (fault,) = category_faults(rows, TRIAL)
    assert "the categories of 'Age' add up to 120 people in the placebo arm, where 105" in fault
    other = Characteristic("c", (1, 1), (2, 2), "Age", category=True)
    (fault,) = category_faults([rows[0], other], TRIAL)
    assert "different totals" in fault


def test_blocks_are_neighbouring_categories_under_one_heading() -> None:
    rows = [
        Characteristic("alone", (1, 1)),
        Characteristic("a", (1, 1), None, "Age", category=True),
        Characteristic("b", (1, 1), None, "Age", category=True),
        Characteristic("c", (1, 1), None, "Ward", category=True),
        Characteristic("d", (1, 1), None, "Conditions"),
        Characteristic("e", (1, 1), None, "Conditions"),
    ]
    named = [[row.name for row in block] for block in blocks_of(rows)]
    assert named == [["alone"], ["a", "b"], ["c"], ["d"], ["e"]]
