"""Intervals beside estimates, against dense grids and populations whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.estimators.intervals import (
    CUT,
    Likelihood,
    bound_without_model,
    by_likelihood,
    estimate_unique_given_unique,
    estimate_uniques,
    log_uniques,
)
from anonymizer.estimators.pitman import fit_pitman
from anonymizer.estimators.uniques import ESTIMATORS, histogram

class_sizes = st.lists(st.integers(1, 12), min_size=2, max_size=40).filter(lambda s: max(s) > 1)


def log_likelihood(theta: float, alpha: float, sizes: list[int]) -> float:
    total = sum(math.log(theta + i * alpha) for i in range(1, len(sizes)))
    total -= sum(math.log(theta + i) for i in range(1, sum(sizes)))
    return total + sum(math.log(j - alpha) for size in sizes for j in range(1, size))


@given(class_sizes, st.floats(0.01, 0.95), st.floats(0.01, 50))
def test_the_likelihood_is_the_sum_of_its_terms(sizes, alpha, theta) -> None:
    found = Likelihood(*histogram(np.array(sizes)))(np.array([theta]), np.array([alpha]))
    assert found[0] == pytest.approx(log_likelihood(theta, alpha, sizes), rel=1e-9, abs=1e-7)


@settings(max_examples=25)
@given(class_sizes)
def test_the_interval_is_that_of_all_likely_parameters(sizes) -> None:
    histogram_of = histogram(np.array(sizes))
    if fit_pitman(*histogram_of) is None:
        return
    population = 50 * sum(sizes)
    found = by_likelihood(*histogram_of, lambda t, a: log_uniques(t, a, population))
    model, likelihood = fit_pitman(*histogram_of), Likelihood(*histogram_of)
    assert model is not None
    best = likelihood(np.array([model.theta]), np.array([model.alpha]))[0]
    alpha, shifted = np.meshgrid(np.linspace(0, 0.999, 150), np.linspace(-8, 9, 300))
    alpha, theta = alpha.ravel(), (np.exp(shifted) - alpha).ravel()
    inside = likelihood(theta, alpha) >= best - CUT
    values = np.exp(log_uniques(theta[inside], alpha[inside], population))
    if values.size:
        assert found.low <= values.min() * 1.02
        assert found.high >= values.max() * 0.98


def test_the_interval_covers_the_truth_of_populations_from_the_model() -> None:
    random = np.random.default_rng(5)
    covered = 0
    for _ in range(60):
        population = draw_population(random, people=3000, theta=40.0, alpha=0.4)
        sample = random.permutation(population)[:600]
        truth = int((np.bincount(population) == 1).sum())
        found = estimate_uniques(*histogram(np.unique(sample, return_counts=True)[1]), 3000)
        covered += found.low <= truth <= found.high
    assert covered >= 50  # 95 % of the expected number, and the truth varies around that


def draw_population(random, people: int, theta: float, alpha: float) -> np.ndarray:
    """Seat people one by one (Pitman's Chinese restaurant)."""
    table_of: list[int] = []
    sizes: list[int] = []
    for seated in range(people):
        if random.random() * (theta + seated) < theta + alpha * len(sizes):
            sizes.append(1)
            table_of.append(len(sizes) - 1)
            continue
        while True:  # somebody already seated, kept with probability 1 - alpha / size
            table = table_of[random.integers(seated)]
            if random.random() > alpha / sizes[table]:
                break
        sizes[table] += 1
        table_of.append(table)
    return np.array(table_of)


@given(class_sizes, st.sampled_from(sorted(ESTIMATORS)), st.sampled_from([1.0, 1.5, 20, 1e5]))
@settings(max_examples=60)
def test_no_estimate_is_above_the_population(sizes, estimator, times) -> None:
    population = math.ceil(times * sum(sizes))
    found = estimate_uniques(*histogram(np.array(sizes)), population, estimator)
    assert 0 <= found.low <= found.high <= population
    if not math.isnan(found.value):
        assert found.low <= found.value <= found.high


def test_a_table_of_uniques_has_no_estimate_and_every_value_is_possible() -> None:
    found = estimate_uniques(np.array([1]), np.array([500]), 1_000_000)
    assert math.isnan(found.value)
    assert found.low == 0
    assert found.high > 900_000
    assert found.describe()["value"] is None
    assert estimate_unique_given_unique(np.ones(500, np.int64), 10**6).high == 1


def test_without_sample_uniques_the_bound_without_a_model_is_left() -> None:
    found = estimate_uniques(np.array([2]), np.array([500]), 100_000)
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(3 * 100, rel=0.01)


def test_the_bound_without_a_model_holds_for_any_population() -> None:
    random = np.random.default_rng(2)
    for uniques in (0, 20, 400):
        population = np.concatenate([np.arange(uniques), np.repeat(np.arange(uniques, 5000), 2)])
        held = 0
        for _ in range(100):
            sample = random.permutation(population)[:1000]
            seen = int((np.unique(sample, return_counts=True)[1] == 1).sum())
            held += uniques <= bound_without_model(seen, 1000, population.size)
        assert held >= 95


def test_u_of_a_set_lies_in_its_interval() -> None:
    sizes = np.array([1] * 20 + [3] * 5)
    found = estimate_unique_given_unique(sizes, 1_000_000)
    assert found.value == pytest.approx(0.005027, abs=1e-6)
    assert 0 <= found.low < found.value < found.high <= 1
