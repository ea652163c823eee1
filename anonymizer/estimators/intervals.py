"""How far an estimate may be off: intervals beside estimates of population uniques.

For Pitman's model the interval is that of the profile likelihood: all values that some parameters give
whose likelihood is not much below the greatest (Wilks 1938). For the other estimators it comes from
random halves of the sample, whose spread is that of the whole (delete-half jackknife, Shao and Tu 1995).
Both take the model for true. The bound without a model holds for any population: a population unique
that is drawn is a sample unique, so a sample with few uniques is not drawn from a population with many.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonymizer.estimators.pitman import check_population
from anonymizer.estimators.uniques import ESTIMATORS, Integers, at_most, histogram
from anonymizer.kernels.uniques import likely_shares

CONFIDENCE = 0.95
CUT = 1.9207294
"""Half the 95 % quantile of a chi-square distribution with one degree of freedom."""
HALVES, FEWEST_HALVES = 200, 30
"""Random halves of the sample; a standard deviation is then known to about 5 %, or 13 %."""
DRAWN_CLASSES = 6_000_000
"""Classes in all halves together, about; some seconds."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies, at 95 % confidence."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its interval at 95 % confidence; NaN where it cannot be had."""

    value: float
    low: float
    high: float

    def describe(self) -> dict[str, float | None]:
        """Return it as JSON; what cannot be had is null, never 0."""
        values = {"value": self.value, "low": self.low, "high": self.high}
        return {key: None if math.isnan(value) else value for key, value in values.items()}

    @property
    def interval(self) -> Interval:
        """The interval alone."""
        return Interval(self.low, self.high)

    def times(self, factor: float) -> Estimate:
        """Return so many times the estimate, with its interval."""
        return Estimate(factor * self.value, factor * self.low, factor * self.high)


def estimate_uniques(
    sizes: Integers,
    counts: Integers,
    population: int,
    estimator: str = "pitman",
    seed: int = 0,
) -> Estimate:
    """Estimate the population uniques with an interval; never more than there are people.

    Pitman's is the exact expectation. Without sample uniques the estimate is 0, and the interval goes up
    to the bound without a model.

    >>> found = estimate_uniques(np.array([1, 3]), np.array([20, 5]), 1_000_000)
    >>> found.low < found.value < found.high
    True
    """
    records = int(sizes @ counts)
    check_population(records, population)
    uniques = int(counts[0]) if sizes.size and sizes[0] == 1 else 0
    most = bound_without_model(uniques, records, population)
    if uniques == 0:
        return Estimate(0.0, 0.0, 0.0 if records == population else most)
    if records == population:
        return Estimate(float(uniques), float(uniques), float(uniques))
    if estimator == "pitman":
        found = by_likelihood(sizes, counts, 1, population).times(population)
    else:
        found = by_halves(sizes, counts, population, estimator, seed)
    return within(found, float(population), most)


def estimate_unique_given_unique(class_sizes: Integers, population: int) -> Estimate:
    """Estimate u_S, that a record unique in the sample is unique in the population, with an interval.

    Where Pitman's model cannot be fitted, nothing is known: the value is NaN, the interval 0 to 1.
    """
    records = int(class_sizes.sum())
    check_population(records, population)
    sizes, counts = histogram(class_sizes)
    found = by_likelihood(sizes, counts, records, population)
    if math.isnan(found.value):
        return Estimate(math.nan, 0.0, 1.0)
    return within(found, 1.0, 1.0)


def within(found: Estimate, most: float, high: float) -> Estimate:
    """Keep an estimate within what is possible, and its interval around it."""
    if math.isnan(found.value):
        return Estimate(math.nan, 0.0, min(most, high))
    value = at_most(found.value, most)
    return Estimate(value, min(found.low, value), max(value, min(found.high, most, high)))


def bound_without_model(uniques: int, records: int, population: int) -> float:
    """Return how many population uniques there can be, at 95 % confidence, whatever the population.

    Each is drawn with probability n/N, and is then a sample unique: their number is at most the upper
    limit of a Poisson mean of which so many were seen (Garwood 1936).

    >>> round(bound_without_model(0, 1000, 100_000))
    300
    """
    from scipy.special import gammaincinv

    most = float(gammaincinv(uniques + 1, CONFIDENCE))
    return min(float(population), most * population / records)


# --- Pitman's model


def by_likelihood(sizes: Integers, counts: Integers, people: int, population: int) -> Estimate:
    """Estimate how likely somebody unique among so many people is unique in the population.

    By Pitman's model, with the interval of its profile likelihood. One person is always unique alone: of
    one it is the share of the population that is unique.
    """
    found = likely_shares(sizes, counts, float(people), float(population), CUT)
    return Estimate(*(math.exp(value) for value in found))


# --- any estimator


def by_halves(
    sizes: Integers, counts: Integers, population: int, estimator: str, seed: int
) -> Estimate:
    """Return an estimate with an interval from the spread of random halves, on the log scale."""
    estimate: Any = ESTIMATORS[estimator]
    value = float(estimate(sizes, counts, population))
    if math.isnan(value):
        return Estimate(math.nan, math.nan, math.nan)
    random = np.random.default_rng(seed)
    class_sizes = np.repeat(sizes, counts)
    half = int(class_sizes.sum()) // 2
    halves = min(HALVES, max(FEWEST_HALVES, DRAWN_CLASSES // class_sizes.size))
    found = []
    for _ in range(halves if half else 0):
        drawn = random.multivariate_hypergeometric(class_sizes, half, method="marginals")
        found.append(estimate(*histogram(drawn[drawn > 0]), population))
    there = np.array([number for number in found if number > 0])  # NaN is not
    if there.size < halves // 2:  # most halves tell nothing: nor does their spread
        return Estimate(value, 0.0, math.inf)
    spread = math.exp(1.959964 * float(np.log(there).std(ddof=1)))
    return Estimate(value, value / spread, value * spread)
