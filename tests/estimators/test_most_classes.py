"""No table with more classes than shown has an estimate within the limit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import gammaln

from anonymizer.estimators.most_classes import (
    closes_tail,
    highest_theta,
    least_sum,
    most_classes,
)
from anonymizer.estimators.uniques import histogram, pitman


def estimate(theta: float, alpha: float, population: int) -> float:
    """Hoshino's estimate, as it is written."""
    return math.exp(gammaln(theta + 1) - gammaln(theta + alpha) + alpha * math.log(population))


def excess(theta: float, alpha: float, classes: int, records: int) -> float:
    """A - B of the likelihood equation, added up term by term."""
    more = sum(1 / (theta + i * alpha) for i in range(1, classes))
    return more - sum(1 / (theta + i) for i in range(1, records))


@settings(max_examples=300)
@given(
    st.lists(st.integers(2, 30), max_size=15),
    st.integers(1, 60),
    st.integers(1, 10**7),
    st.integers(0, 50),
)
@example([2] * 15, 60, 10**6, 0)
@example([30], 1, 10**6, 0)
def test_a_table_at_its_own_estimate_has_no_more_classes(
    larger: list[int], uniques: int, others: int, more_records: int
) -> None:
    sizes, counts = histogram(np.array([1] * uniques + larger))
    records = int(sizes @ counts)
    population = records + others + more_records
    found = pitman(sizes, counts, population)
    assume(not math.isnan(found))
    most = most_classes(records + more_records, population, found)
    assert most is None or uniques + len(larger) <= most


@settings(max_examples=200)
@given(
    st.integers(5, 300),
    st.floats(0.001, 0.999),
    st.floats(-9, -2).map(lambda exponent: 10**exponent),
    st.floats(0, 1),
    st.integers(2, 6),
)
def test_no_solution_within_the_limit_has_more_classes(
    records: int, alpha: float, share: float, part: float, digits: int
) -> None:
    """Solve the equation for theta with one class more than shown: the estimate is above the limit."""
    population = records * 10**digits
    limit = min(share * population, 0.2 * records)
    most = most_classes(records, population, limit)
    assert most is not None
    classes = most + 1 + int(part * (records - most - 1))
    if classes >= records:
        return
    low, high = -alpha + 1e-12, 1e12
    if excess(low, alpha, classes, records) <= 0:  # no theta at all
        return
    if excess(high, alpha, classes, records) > 0:  # only beyond: the estimate is as large
        return
    theta = brentq(excess, low, high, (alpha, classes, records))
    assert estimate(theta, alpha, population) > limit


@pytest.mark.parametrize(
    ("records", "population", "limit"),
    [(30_162, 318_900_000, 318.9), (63_441, 2_200_000, 0.022), (63_441, 318_900_000, 31_890.0)],
)
def test_on_the_benchmark_s_tables_it_is_what_ewens_model_allows(
    records: int, population: int, limit: float
) -> None:
    ewens = 1 + sum(limit / (limit + i) for i in range(1, records))
    most = most_classes(records, population, limit)
    assert most is not None
    assert ewens - 1 < most <= ewens + 1.01


@pytest.mark.parametrize(
    ("records", "population", "limit"),
    [
        (100, 10_000, 1_000.0),
        (100, 10_000, 0.0),
        (2, 10_000, 1.0),
        (100, 99, 1.0),
        (100, 10**6, 50_000.0),
    ],
)
def test_where_nothing_is_shown_or_helps_there_is_no_number(
    records: int, population: int, limit: float
) -> None:
    assert most_classes(records, population, limit) is None


@given(st.floats(0, 0.9999), st.floats(1e-6, 1e6), st.integers(2, 10))
def test_theta_is_bracketed(alpha: float, limit: float, digits: int) -> None:
    population = int(limit * 10**digits) + 11
    (below,), (above,) = highest_theta(np.array([alpha]), population, limit)
    assert below <= above <= 1.000001 * below
    # theta is next to -alpha here, and their sum would be rounded
    low, high = (
        math.exp(gammaln(e + 1 - alpha) - gammaln(e) + alpha * math.log(population))
        for e in (below, above)
    )
    assert low <= limit * (1 + 1e-6)
    assert high >= limit * (1 - 1e-6)


@given(st.floats(1e-3, 1e3), st.floats(1e-9, 1), st.integers(2, 500))
def test_sums_are_never_too_large_and_nearly_right(
    theta: float, alpha: float, classes: int
) -> None:
    direct = sum(1 / (theta + i * alpha) for i in range(1, classes))
    (found,) = least_sum(np.array([theta]), np.array([alpha]), classes)
    assert found <= direct * (1 + 1e-9)
    assert found == pytest.approx(direct, rel=1e-3)


@settings(max_examples=50)
@given(st.floats(0.9999, 1 - 1e-9), st.integers(3, 200), st.floats(1e-6, 0.0999))
def test_no_alpha_near_1_allows_two_classes(alpha: float, records: int, share: float) -> None:
    population = 1000 * records
    limit = share * population
    if closes_tail(records, population, limit):
        (_,), (above,) = highest_theta(np.array([alpha]), population, limit)
        assert excess(above - alpha, alpha, 2, records) > 0
