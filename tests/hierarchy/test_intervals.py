from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.errors import HierarchyError, show_values
from anonymizer.hierarchy import Intervals, check_values
from anonymizer.hierarchy.hierarchy import Hierarchy
from anonymizer.hierarchy.intervals import at_least
from tests.hierarchy.labels import bounds_of, holds
from tests.hierarchy.test_builders import real_intervals

VALUES = st.lists(
    st.decimals(-400, 400, places=3, allow_nan=False, allow_infinity=False).map(str), max_size=12
)


@given(real_intervals(), VALUES)
def test_a_real_number_is_in_the_interval_that_its_label_says(
    builder: Intervals, values: list[str]
) -> None:
    hierarchy = builder.build("x").with_values(values)
    low, high = (Fraction(str(end)) for end in builder.domain)
    for value in values:
        number = Fraction(value)
        covered = (number >= low or builder.open in ("low", "both")) and (
            number <= high or builder.open in ("high", "both")
        )
        text = hierarchy.read_texts([value])[0]
        assert (text in hierarchy.leaves) == covered
        if covered:
            row = rows_of(hierarchy)[text]
            assert all(holds(label, number) for label in row[1:-1])


@given(real_intervals(), VALUES)
def test_the_share_of_a_real_interval_is_its_width_over_that_of_the_domain(
    builder: Intervals, values: list[str]
) -> None:
    hierarchy = builder.build("x").with_values(values)
    low, high = (Fraction(str(end)) for end in builder.domain)
    shares = hierarchy.shares()
    assert not shares[0].any()
    assert (shares[-1] == 1).all()
    for level in range(1, hierarchy.height - 1):
        for leaf, code in enumerate(hierarchy.codes[level]):
            first, last = bounds_of(hierarchy.labels[level][code], low, high)
            assert shares[level, leaf] == pytest.approx(float((last - first) / (high - low)))


def rows_of(hierarchy: Hierarchy) -> dict[str, tuple[str, ...]]:
    return {row[0]: row for row in hierarchy.rows()}


@given(st.sampled_from(["low", "high", "both"]), st.lists(st.integers(-300, 300).map(str)))
def test_whole_numbers_beyond_an_open_end_join_the_last_listed(
    ends: Any, values: list[str]
) -> None:
    builder = Intervals((0, 99), widths=(5, 20), open=ends)
    hierarchy = builder.build("age")
    grown = hierarchy.with_values(values)
    rows = rows_of(grown)
    for value in values:
        number = int(value)
        beyond = (number < 0 and ends != "high") or (number > 99 and ends != "low")
        assert (value in rows) == (0 <= number <= 99 or beyond)
        if value in rows:
            assert rows[value][1:] == rows[str(min(max(number, 0), 99))][1:]
    assert grown.extent == hierarchy.extent == 100
    for level in range(1, grown.height):
        assert np.array_equal(grown.cover(level), hierarchy.cover(level))
    numbers = [int(leaf) for leaf in grown.leaves]
    assert numbers == sorted(numbers)


def test_open_ends_are_named_as_top_and_bottom_coding() -> None:
    ages = Intervals((0, 99), bounds=((18, 30, 90), (30,)), open="both").build("age")
    assert ages.labels[1] == ("< 18", "18-29", "30-89", "90+")
    assert ages.labels[2] == ("< 30", "30+")
    assert Intervals((-9, 9), bounds=((-5,),), open="high").build("x").labels[1] == (
        "-9 to -6",
        ">= -5",
    )
    assert Intervals((0, 9), widths=(10,), open="both").build("x").labels[1] == ("any number",)


def test_unequal_cut_points_of_real_numbers() -> None:
    bmi = Intervals((10.0, 60.0), bounds=((18.5, 25, 30), (25,)), open="high").build("bmi")
    assert bmi.labels[1] == ("[10, 18.5)", "[18.5, 25)", "[25, 30)", ">= 30")
    assert bmi.labels[2] == ("[10, 25)", ">= 25")
    assert (bmi.cover(1) / bmi.extent).tolist() == [0.17, 0.13, 0.1, 0.6]


def test_missing_cells_stay_apart_or_join_a_group_as_stated() -> None:
    assert list(Intervals((0, 1), widths=(2,), missing="top").rows())[-1] == ("", "", "*")
    grouped = list(Intervals((0, 3), widths=(2,), missing="2-3").rows())
    assert grouped[-1] == ("", "2-3", "*")
    others = list(Intervals((0, 1), widths=(2,), others=("?",), missing="?").rows())
    assert others[-1] == ("", "?", "*")
    with pytest.raises(HierarchyError, match="missing: no group of level 1 is called so"):
        Intervals((0, 3), widths=(2,), missing="4-5")


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (
            {"domain": (0, 9)},
            "12",
            "1 value is not among the whole numbers from 0 to 9: '12'; widen",
        ),
        ({"domain": (0, 9)}, "1.5", "write the domain with a decimal point"),
        ({"domain": (0.0, 9.5)}, "12", "not among the numbers from 0 to 9.5: '12'; widen"),
        ({"domain": (0.0, 9.5)}, "n/a", "1 value is not a number: 'n/a'; correct the table"),
    ],
)
def test_a_value_that_nothing_covers_is_an_error_in_one_sentence(
    keys: dict[str, Any], value: str, message: str
) -> None:
    with show_values():
        (defect,) = check_values(Intervals(**keys).build("age", "age.toml"), [value])
    assert message in defect.message


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"domain": (9.5, 0)}, "domain: 9.5 is not below 0; write it as [lowest, highest]."),
        ({"domain": (0.0, 9.0), "widths": (0,)}, "widths.0: 0 is too small; use a number above 0."),
        ({"domain": (0.0, 9.0), "widths": ("a",)}, "widths.0: 'a' is not a number; write one"),
        ({"domain": (0.0, 10**400)}, "domain: a number of more than 50 digits is not a number"),
        ({"domain": (0.0, 9.0), "widths": (0.2, 0.5)}, "0.5 is not a multiple of 0.2"),
        ({"domain": (0.0, 9.0), "bounds": ((9,),)}, "9 does not start an interval within 0.0 to"),
        ({"domain": (0.0, 1e9), "widths": (0.1,)}, "0.1 makes too many intervals"),
        ({"domain": (0.0, 9.0), "bounds": ((1.00000000001,),)}, "too many digits; round them"),
    ],
)
def test_a_fault_of_real_intervals_is_one_sentence(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(HierarchyError) as caught:
        Intervals(**keys)
    assert message in str(caught.value)


def test_whole_numbers_from_zero_on_are_named_as_those_from_any_other() -> None:
    assert [at_least(low) for low in (-1, 0, 1)] == [">= -1", "0+", "1+"]
