from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anonymizer.kernels.uniques import (
    class_sums,
    digamma_tail,
    fit,
    harmonic_sums,
    log_gamma_ratio,
    log_missed,
    phi,
    pitman,
    shlosser,
    snb,
    snb_step,
    zayatz,
)

EULER = 0.57721566490153286061


def powers(low: float, high: float) -> st.SearchStrategy[float]:
    """Draw numbers of every order of magnitude."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


@given(powers(-18, 12))
@example(0.5)
def test_phi_loses_no_digit(y: float) -> None:
    with localcontext(prec=80):
        exact = Decimal(y) - (1 + Decimal(y)).ln()
    assert phi(y) == pytest.approx(float(exact), rel=1e-15)


def test_digamma_is_that_of_the_harmonic_numbers() -> None:
    for number in range(13, 200):
        harmonic = math.fsum(1 / i for i in range(1, number))
        w = number - 0.5
        tail, slope = digamma_tail(w)
        assert math.log(w) + tail == pytest.approx(harmonic - EULER, rel=1e-15)
        squares = math.fsum(1 / i**2 for i in range(1, number))
        assert 1 / w + slope == pytest.approx(math.pi**2 / 6 - squares, rel=1e-13)


@given(powers(-8, 16), st.integers(0, 2000))
@example(1e16, 1)
@example(12.4, 2000)
@example(1e-8, 1)
def test_harmonic_sums_are_the_sums_term_by_term(z: float, terms: int) -> None:
    direct = [
        math.fsum(i**power / (z + (i - 1)) ** degree for i in range(1, terms + 1))
        for degree, power in ((1, 0), (1, 1), (2, 0), (2, 1))
    ]
    assert harmonic_sums(z, float(terms)) == pytest.approx(direct, rel=1e-14)


@given(
    st.dictionaries(st.integers(1, 3000), st.integers(1, 50), min_size=1, max_size=20),
    st.one_of(st.floats(1e-3, 1), powers(-9, -3)),
)
def test_class_sums_are_the_sums_term_by_term(histogram: dict[int, int], rest: float) -> None:
    sizes, counts = (np.array(column) for column in zip(*sorted(histogram.items()), strict=True))
    direct = [
        math.fsum(
            count * math.fsum(1 / (i - 1 + rest) ** degree for i in range(1, size))
            for size, count in histogram.items()
        )
        for degree in (1, 2)
    ]
    assert class_sums(sizes, counts, rest) == pytest.approx(direct, rel=1e-14)


@given(powers(-3, 15), st.floats(0, 1), st.floats(0, 1))
def test_log_gamma_ratios_add_up(z: float, first: float, second: float) -> None:
    parts = log_gamma_ratio(z, first) + log_gamma_ratio(z + first, second)
    assert log_gamma_ratio(z, first + second) == pytest.approx(parts, rel=1e-13, abs=2e-14)
    assert log_gamma_ratio(z, 1.0) == pytest.approx(math.log(z), rel=1e-14, abs=1e-14)
    assert log_gamma_ratio(z, 0.0) == pytest.approx(0, abs=1e-15)


@given(powers(-3, 2), st.floats(0, 1))
def test_log_gamma_ratios_are_those_of_the_library_where_they_do_not_cancel(
    z: float, delta: float
) -> None:
    expected = math.lgamma(z + delta) - math.lgamma(z)
    assert log_gamma_ratio(z, delta) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 2000))
@example(size=20, n=20, unseen=0)
@example(size=5, n=100, unseen=4)
@example(size=5, n=100, unseen=3)
def test_a_class_is_missed_with_the_hypergeometric_probability(
    size: int, n: int, unseen: int
) -> None:
    population = max(n, size) + unseen
    product = math.prod(Fraction(population - n + 1 - i, population - i) for i in range(1, size))
    found = math.exp(log_missed(size, float(n), float(population)))
    assert found == pytest.approx(max(0.0, float(product)), rel=1e-13)


def test_a_class_is_missed_in_large_populations_with_the_binomial_probability() -> None:
    found = log_missed(1000, 1e7, 1e10)
    assert found == pytest.approx(999 * math.log1p(-1e-3), rel=1e-6)


@pytest.mark.parametrize("kernel", [pitman, zayatz, snb])
def test_removed_classes_count_as_if_they_had_never_been(kernel: object) -> None:
    sizes, counts, fewer = np.array([1, 2, 4]), np.array([30, 9, 2]), np.array([18, 9, 2])
    assert callable(kernel)
    assert kernel(sizes, counts, 12, 500.0) == kernel(sizes, fewer, 0, 500.0)
    assert kernel(sizes, counts, 30, 500.0) == 0
    assert kernel(sizes[1:], counts[1:], 0, 500.0) == 0


def test_no_maximum_is_not_a_number() -> None:
    for sizes, counts in (([1], [7]), ([7], [1]), ([1], [1]), ([], [])):
        histogram = np.array(sizes, np.int64), np.array(counts, np.int64)
        assert all(math.isnan(part) for part in fit(*histogram, 0))


def test_the_number_of_classes_is_that_of_the_sample_where_it_is_nearly_the_population() -> None:
    sizes, counts = np.array([1, 2, 3]), np.array([3, 2, 1])
    assert shlosser(sizes, counts, 0, 10 + 1e-9) == pytest.approx(6, abs=1e-6)


@given(st.floats(-12, 200), powers(-3, 2), st.floats(0.001, 0.99))
def test_a_step_of_snb_inverts_the_expected_numbers_of_uniques_and_pairs(
    spread: float, alpha: float, f: float
) -> None:
    beta, others = 1 / (1 + math.exp(spread)), 1 / (1 + math.exp(-spread))
    q = (1 - f) * others
    some = f + (1 - f) * beta
    uniques = 1 + alpha * q / some  # E[s1] and E[s2] over K f (beta / (1 - q))^alpha
    pairs = f * alpha * others * (2 - (1 - alpha) * q) / (2 * some**2)
    found, log_uniques = snb_step(spread, f, pairs / (f * uniques))
    assert found == pytest.approx(alpha, rel=1e-9)
    expected = math.log(uniques) + alpha * (math.log(beta) - math.log(some))
    assert log_uniques == pytest.approx(expected, rel=1e-7, abs=1e-7)
