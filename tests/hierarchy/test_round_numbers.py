from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.hierarchy.round_numbers import MANY_GROUPS, core, first_width

SPANS = st.fractions(Fraction(1, 10**6), 10**9)


@given(SPANS)
def test_a_width_is_one_two_or_five_times_a_power_of_ten(span: Fraction) -> None:
    width = first_width(span)
    digits = str(float(width)).replace("0", "").replace(".", "").split("e")[0]
    assert digits in ("1", "2", "5")
    assert width * MANY_GROUPS >= span > width * MANY_GROUPS / 10


@given(st.dictionaries(st.integers(-100, 100).map(Fraction), st.integers(1, 9), min_size=1))
def test_outliers_are_a_hundredth_of_the_cells_at_either_end_at_most(
    numbers: dict[Fraction, int],
) -> None:
    low, high = core(sorted(numbers.items()))
    cells = sum(numbers.values())
    assert sum(times for number, times in numbers.items() if number < low) <= cells / 100
    assert sum(times for number, times in numbers.items() if number > high) <= cells / 100
