from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.hierarchy import Hierarchy, parse_spec
from anonymizer.hierarchy.numbers import groups_of_numbers, why_not_in_runs

AGES = parse_spec({"builder": "intervals", "domain": [0, 99], "widths": [5, 10]}).build("age")
WEIGHTS = parse_spec(
    {"builder": "intervals", "domain": [0.0, 250.0], "widths": [2.5, 5.0], "open": "high"}
).build("weight")


@given(st.decimals(0, 99, places=2), st.integers(1, 2))
def test_a_number_between_two_leaves_is_in_the_group_that_both_are_in(
    number: Decimal, level: int
) -> None:
    below, above = str(math.floor(number)), str(math.ceil(number))
    row = {each[0]: each for each in AGES.rows()}
    expected = row[below][level] if row[below][level] == row[above][level] else None
    assert groups_of_numbers(AGES, level, [str(number)]) == [expected]


@given(st.decimals(0, 400, places=3))
def test_decimals_are_in_the_interval_that_covers_them(number: Decimal) -> None:
    expected = WEIGHTS.growth.row_of(str(number))  # type: ignore[union-attr]
    found = groups_of_numbers(WEIGHTS, 1, [str(number)])
    assert found == [None if expected is None else expected[1]]


@pytest.mark.parametrize("text", ["old", "", "*", "-1", "100", "99.5"])
def test_what_is_no_number_of_the_domain_has_no_group(text: str) -> None:
    assert groups_of_numbers(AGES, 1, [text]) == [None]


def test_groups_must_be_runs_of_numbers() -> None:
    assert why_not_in_runs(AGES) is None
    assert why_not_in_runs(WEIGHTS.with_values(["12.25", "80"])) is None
    sexes = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
    assert why_not_in_runs(sexes) == "its hierarchy has no numbers"
    days = Hierarchy.from_rows("day", [("1", "odd"), ("2", "even"), ("3", "odd"), ("?", "?")])
    assert why_not_in_runs(days) == "'odd' at level 1 is not a run of numbers"
