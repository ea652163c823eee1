from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Dates, Intervals
from anonymizer.hierarchy import Hierarchy, parse_spec
from anonymizer.hierarchy.numbers import (
    groups_of_numbers,
    middle_of_period,
    midpoints,
    numbers_of_values,
    why_not_in_runs,
)

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


def by_label(hierarchy: Hierarchy, level: int) -> dict[str, float]:
    found = midpoints(hierarchy, level)
    assert found is not None
    return dict(zip(hierarchy.labels[level], found.tolist(), strict=True))


@given(st.integers(1, 30), st.integers(0, 50), st.integers(1, 60))
def test_the_midpoint_of_whole_numbers_is_the_mean_of_those_that_are_covered(
    width: int, low: int, span: int
) -> None:
    hierarchy = Intervals((low, low + span), widths=(width,)).build("age")
    found = by_label(hierarchy, 1)
    for label in hierarchy.labels[1]:
        covered = [int(row[0]) for row in hierarchy.rows() if row[1] == label]
        assert found[label] == pytest.approx(np.mean(covered))


def test_an_open_interval_ends_where_the_domain_does_whatever_the_table_has() -> None:
    hierarchy = Intervals((0, 120), bounds=((18, 90),), open="both").build("age")
    grown = hierarchy.with_values(["150", "-3"])
    assert by_label(grown, 1) == {"< 18": 8.5, "18-89": 53.5, "90+": 105.0}
    assert by_label(grown, 0)["150"] == 150


def test_the_midpoint_of_a_continuous_interval_is_halfway_whatever_the_table_has() -> None:
    hierarchy = Intervals((0.0, 10.0), bounds=((2.5, 5),), open="high").build("dose")
    grown = hierarchy.with_values(["0.1", "9.75", "30"]).with_missing()
    found = by_label(grown, 1)
    assert math.isnan(found.pop(""))
    assert found == {"[0, 2.5)": 1.25, "[2.5, 5)": 3.75, ">= 5": 7.5}


def test_the_midpoint_of_a_period_is_its_middle_day() -> None:
    hierarchy = Dates("2023-12-01", "2024-03-31").build("day")
    day = np.datetime64("2024-02-15").astype(int)
    assert by_label(hierarchy, 1)["2024-02"] == day  # of 29 days
    assert by_label(hierarchy, 3)["2024"] == np.datetime64("2024-02-15").astype(
        int
    )  # January to March


@pytest.mark.parametrize(
    ("text", "middle"),
    [
        ("2024-02-15", "2024-02-15"),
        ("2024-02", "2024-02-15"),
        ("2023", "2023-07-02"),
        ("2024-02-15 10:30", "2024-02-15"),
    ],
)
def test_a_period_is_read_as_iso_writes_it(text: str, middle: str) -> None:
    assert middle_of_period(text) == np.datetime64(middle).astype(int)


@pytest.mark.parametrize("text", ["", "2024-13", "2024-02-30", "next year", "0000"])
def test_what_is_not_a_period_has_no_middle(text: str) -> None:
    assert middle_of_period(text) is None


def test_texts_have_no_midpoints() -> None:
    assert midpoints(Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")]), 1) is None
    assert numbers_of_values(["", " "]) is None


@pytest.mark.parametrize("quarter", [1, 2, 3, 4])
def test_the_middle_of_a_quarter_is_between_its_first_and_its_last_day(quarter: int) -> None:
    first = np.datetime64(f"2023-{3 * quarter - 2:02}-01")
    after = np.datetime64(f"2023-{3 * quarter - 2:02}") + 3
    ends = first.astype(int), after.astype("datetime64[D]").astype(int) - 1
    assert middle_of_period(f"2023-Q{quarter}") == sum(ends) / 2
