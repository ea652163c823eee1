from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.hierarchy.round_numbers import (
    MANY_GROUPS,
    core,
    first_width,
    round_cut,
    round_cuts,
    whole_domain,
)

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


NUMBERS = st.dictionaries(st.integers(-50, 50).map(Fraction), st.integers(1, 9), min_size=1)


@given(NUMBERS, st.integers(0, 9).map(Fraction))
def test_a_cut_leaves_a_third_on_each_side_or_is_as_near_to_the_middle_as_any(
    numbers: dict[Fraction, int], fewest: Fraction
) -> None:
    part, total = sorted(numbers.items()), sum(numbers.values())
    sides = [sum(times for number, times in part if number < cut) for cut, _ in part[1:]]
    cut = round_cut(part, Fraction(1), fewest)
    nearest = min((abs(2 * below - total) for below in sides), default=total)
    if cut is None:  # whole numbers have a round number between any two of them
        assert not sides or (total - nearest) / 2 < fewest
        return
    below = sum(times for number, times in part if number < cut)
    if any(total <= 3 * each <= 2 * total for each in sides):
        assert total <= 3 * below <= 2 * total
    else:
        assert abs(2 * below - total) == nearest


def test_a_hundredth_of_the_cells_is_no_interval_of_its_own() -> None:
    inside = [(Fraction(0), 10_000), *((Fraction(number), 1) for number in range(1, 51))]
    assert round_cuts(inside, whole_domain(0, 50), whole=True) == []
    inside[0] = Fraction(0), 100
    assert round_cuts(inside, whole_domain(0, 50), whole=True)
