"""Targets: the gaps to aim at, planned, or as far as limits allow."""

import math

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.search.targets import AFFORDED, Targets

GAPS = (0.5, 0.3, 0.2, 0.1)


def test_without_limits_the_gaps_come_one_after_another_and_then_the_proof() -> None:
    targets = Targets(GAPS)
    assert [targets.choose(gap, 10 * n, math.inf) for n, gap in enumerate((1.0, *GAPS))] == [
        *GAPS,
        0.0,
    ]


def test_a_gap_that_is_smaller_already_is_not_aimed_at() -> None:
    assert Targets(GAPS).choose(0.25, 0, math.inf) == 0.2


def test_where_a_pass_is_the_last_one_it_aims_as_far_as_it_can_reach() -> None:
    """Each step of 0.1 takes four times as much: 100, 400, and then 1,600 for a gap of 0.1."""
    targets = Targets((0.3, 0.2, 0.15))
    targets.choose(1.0, 0, 1e6)
    targets.choose(0.3, 100, 1e6)
    assert abs(targets.choose(0.2, 500, 1600 / AFFORDED) - 0.1) < 1e-9


def test_with_much_left_the_next_gap_is_the_planned_one() -> None:
    targets = Targets((0.3, 0.2, 0.15))
    targets.choose(1.0, 0, 1e6)
    targets.choose(0.3, 100, 1e6)
    assert targets.choose(0.2, 500, 1e6) == 0.15


@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=6),
    st.floats(0, 1e6) | st.just(math.inf),
)
def test_the_aim_is_always_below_the_gap(taken: list[int], left: float) -> None:
    targets, gap, partitions = Targets(GAPS), 1.0, 0
    for more in taken:
        partitions += more
        aim = targets.choose(gap, partitions, left)
        assert 0 <= aim < gap
        if aim == 0:
            break
        gap = aim
