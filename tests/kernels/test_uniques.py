from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anonymizer.kernels.uniques import (
    class_sums,
    fit,
    log_missed,
    pitman,
    shlosser,
    snb,
    snb_step,
    zayatz,
)
from tests.kernels.test_gamma import powers


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
