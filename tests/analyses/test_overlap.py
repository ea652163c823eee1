"""The overlap of intervals (Karr et al. 2006), and what is concluded otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.analyses.overlap import (
    CoefficientEstimate,
    compare_estimates,
    mean_overlap,
    overlap_of,
)

numbers = st.floats(-100, 100)
lengths = st.floats(0.01, 50)
estimates = st.builds(lambda m, h: CoefficientEstimate(m, h / 1.96, m - h, m + h), numbers, lengths)


@given(estimates, estimates)
def test_overlap_is_symmetric_within_0_and_1_and_0_exactly_where_nothing_is_common(
    one: CoefficientEstimate, other: CoefficientEstimate
) -> None:
    found = overlap_of(one, other)
    assert 0 <= found <= 1
    assert found == overlap_of(other, one)
    assert (found == 0) == (one.high <= other.low or other.high <= one.low)


@given(estimates)
def test_an_interval_overlaps_itself_wholly(one: CoefficientEstimate) -> None:
    assert overlap_of(one, one) == pytest.approx(1)


def test_an_interval_inside_another_counts_by_both_lengths() -> None:
    assert overlap_of(
        CoefficientEstimate(0, 1, -2, 2), CoefficientEstimate(0, 0.5, -1, 1)
    ) == pytest.approx((0.5 + 1) / 2)


def test_intervals_without_length_overlap_only_if_they_are_the_same() -> None:
    point = CoefficientEstimate(1, 0, 1, 1)
    assert overlap_of(point, point) == 1
    assert overlap_of(point, CoefficientEstimate(2, 0, 2, 2)) == 0


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (CoefficientEstimate(2, 0.5, 1, 3), CoefficientEstimate(2, 0.5, 1, 3), ""),
        (CoefficientEstimate(2, 0.5, 1, 3), CoefficientEstimate(-2, 0.5, -3, -1), "sign"),
        (CoefficientEstimate(2, 0.5, 1, 3), CoefficientEstimate(1, 1, -1, 3), "significance"),
        (
            CoefficientEstimate(2, 0.5, 1, 3),
            CoefficientEstimate(-1, 1, -3, 1),
            "sign and significance",
        ),
        (CoefficientEstimate(2, 0.5, 1, 3), None, "lost"),
    ],
)
def test_a_change_of_sign_or_significance_is_flagged(
    before: CoefficientEstimate, after: CoefficientEstimate | None, change: str
) -> None:
    assert compare_estimates("age", before, after).change == change


def test_a_lost_coefficient_counts_as_none_in_the_mean() -> None:
    same = CoefficientEstimate(2, 0.5, 1, 3)
    rows = compare_estimates("age", same, same), compare_estimates("sex", same, None)
    assert mean_overlap(rows) == 0.5
    assert mean_overlap(()) is None
