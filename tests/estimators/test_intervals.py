"""Intervals beside estimates, against dense grids and populations whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.estimators.intervals import (
    CUT,
    bound_without_model,
    by_likelihood,
    estimate_unique_given_unique,
    estimate_uniques,
)
from anonymizer.estimators.pitman import Pitman, fit_pitman
from anonymizer.estimators.uniques import ESTIMATORS, histogram
from anonymizer.kernels import uniques as kernels

class_sizes = st.lists(st.integers(1, 12), min_size=2, max_size=40).filter(lambda s: max(s) > 1)


def log_likelihood(theta: float, alpha: float, sizes: list[int]) -> float:
    total = sum(math.log(theta + i * alpha) for i in range(1, len(sizes)))
    total -= sum(math.log(theta + i) for i in range(1, sum(sizes)))
    return total + sum(math.log(j - alpha) for size in sizes for j in range(1, size))


@given(class_sizes, st.floats(0, 0.95), st.floats(0.01, 50))
def test_the_likelihood_is_the_sum_of_its_terms(sizes, alpha, theta) -> None:
    found = kernels.log_likelihood(theta + alpha, alpha, 1 - alpha, *histogram(np.array(sizes)))
    assert found == pytest.approx(log_likelihood(theta, alpha, sizes), rel=1e-9, abs=1e-9)


@settings(max_examples=25)
@given(class_sizes, st.booleans())
def test_the_interval_is_that_of_all_likely_parameters(sizes, given_unique) -> None:
    model = fit_pitman(*histogram(np.array(sizes)))
    if model is None:
        return
    population, people = 50 * sum(sizes), sum(sizes) if given_unique else 1
    found = by_likelihood(*histogram(np.array(sizes)), people, population)
    least = log_likelihood(model.theta, model.alpha, sizes) - CUT
    tried = [
        Pitman(math.exp(shifted) - alpha, alpha, alpha == 0)
        for alpha in np.linspace(0, 0.99, 40).tolist()
        for shifted in np.linspace(-8, 9, 80).tolist()
    ]
    values = [
        math.exp(one.log_ratio(people) - one.log_ratio(population))
        for one in tried
        if log_likelihood(one.theta, one.alpha, sizes) >= least
    ]
    assert found.low <= min(values, default=1) * (1 + 1e-3)
    assert found.high >= max(values, default=0) * (1 - 1e-3)


@pytest.mark.parametrize("sizes", [[1] * 20 + [3] * 5, [1] * 300 + [2] * 60 + [9] * 4, [1, 4, 4]])
def test_the_ends_of_the_interval_are_reached_by_likely_parameters(sizes) -> None:
    model = fit_pitman(*histogram(np.array(sizes)))
    assert model is not None
    found = by_likelihood(*histogram(np.array(sizes)), 1, 10_000)
    most = log_likelihood(model.theta, model.alpha, sizes)
    reached = {-1: math.inf, 1: -math.inf}
    for alpha in np.linspace(0, 0.9999, 400).tolist():
        for shifted in np.linspace(-15, 15, 400).tolist():
            t = math.exp(shifted)
            likelihood = kernels.log_likelihood(t, alpha, 1 - alpha, *histogram(np.array(sizes)))
            if likelihood >= most - CUT:
                share = math.exp(kernels.log_unique_share(t, 1 - alpha, 1.0, 10_000.0))
                reached = {-1: min(reached[-1], share), 1: max(reached[1], share)}
    assert found.low == pytest.approx(reached[-1], rel=0.2)
    assert found.high == pytest.approx(reached[1], rel=0.2)


@pytest.mark.slow
@pytest.mark.parametrize(("theta", "alpha"), [(40.0, 0.4), (200.0, 0.0), (5.0, 0.7)])
def test_the_intervals_cover_the_truth_of_populations_from_the_model(theta, alpha) -> None:
    random = np.random.default_rng(5)
    model = Pitman(theta, alpha, boundary=alpha == 0)
    expected, given = (
        model.population_uniques(3000, exact=True),
        model.unique_given_unique(600, 3000),
    )
    covered = {"expected": 0, "truth": 0, "given": 0}
    for _ in range(60):
        population = draw_population(random, 3000, theta, alpha)
        sizes = np.unique(random.permutation(population)[:600], return_counts=True)[1]
        found, of_set = (
            estimate_uniques(*histogram(sizes), 3000),
            estimate_unique_given_unique(sizes, 3000),
        )
        covered["expected"] += found.low <= expected <= found.high
        covered["truth"] += found.low <= int((np.bincount(population) == 1).sum()) <= found.high
        covered["given"] += of_set.low <= given <= of_set.high
    # of 60 at 95 %, fewer than 52 are seen once in 100 times; the truth varies around what is expected
    assert min(covered["expected"], covered["given"]) >= 52, covered
    assert covered["truth"] >= 48, covered


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
