"""How far an estimate may be off: intervals beside estimates of population uniques.

For Pitman's model the interval is that of the profile likelihood: all values that some parameters give
whose likelihood is not much below the greatest (Wilks 1938). For the other estimators it comes from
random halves of the sample, whose spread is that of the whole (delete-half jackknife, Shao and Tu 1995).
Both take the model for true. The bound without a model holds for any population: a population unique
that is drawn is a sample unique, so a sample with few uniques is not drawn from a population with many.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.estimators.pitman import Pitman, check_population, fit_pitman
from anonymizer.estimators.uniques import ESTIMATORS, Integers, histogram

Floats = NDArray[np.float64]
LogValue = Callable[[Floats, Floats], Floats]
"""The logarithm of an estimate for values of theta and alpha."""

CONFIDENCE = 0.95
CUT = 1.9207294
"""Half the 95 % quantile of a chi-square distribution with one degree of freedom."""
HALVES = 200
"""Random halves of the sample; a standard deviation is then known to about 5 %."""
POINTS = 24
"""Values of alpha at which the region of likely parameters is looked at."""
REFINEMENTS = 3
"""How often it is looked at again, more closely where the value is least and largest."""
STEPS = 60
"""Steps of bisection: to the last bits of the logarithm of theta + alpha."""


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
        found = by_likelihood(sizes, counts, lambda t, a: log_uniques(t, a, population))
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
    found = by_likelihood(sizes, counts, lambda t, a: log_given(t, a, records, population))
    if math.isnan(found.value):
        return Estimate(math.nan, 0.0, 1.0)
    return within(found, 1.0, 1.0)


def within(found: Estimate, most: float, high: float) -> Estimate:
    """Keep an estimate within what is possible, and its interval around it."""
    if math.isnan(found.value):
        return Estimate(math.nan, 0.0, min(most, high))
    value = min(found.value, most)
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


def log_uniques(theta: Floats, alpha: Floats, population: int) -> Floats:
    """Return the logarithm of the expected population uniques."""
    return math.log(population) + log_ratio(theta, alpha, 1) - log_ratio(theta, alpha, population)


def log_given(theta: Floats, alpha: Floats, records: int, population: int) -> Floats:
    """Return the logarithm of the probability that a sample unique is a population unique."""
    return log_ratio(theta, alpha, records) - log_ratio(theta, alpha, population)


def log_ratio(theta: Floats, alpha: Floats, people: int) -> Floats:
    """Return ln Gamma(theta + m) - ln Gamma(theta + alpha + m - 1) for m people."""
    models = zip(theta.ravel().tolist(), alpha.ravel().tolist(), strict=True)
    ratios = [Pitman(t, a, a == 0).log_ratio(people) for t, a in models]
    return np.array(ratios).reshape(theta.shape)


def by_likelihood(sizes: Integers, counts: Integers, log_value: LogValue) -> Estimate:
    """Return an estimate from Pitman's model with the interval of its profile likelihood."""
    model = fit_pitman(sizes, counts)
    if model is None:
        return Estimate(math.nan, math.nan, math.nan)
    best = np.array([model.theta]), np.array([model.alpha])
    likelihood = Likelihood(sizes, counts)
    value = float(np.exp(log_value(*best))[0])
    cut = float(likelihood(*best)[0]) - CUT
    alpha = np.linspace(*likelihood.likely_alphas(model.alpha, cut), POINTS)
    lowest, highest = value, value
    for _ in range(REFINEMENTS):
        theta = likelihood.likely_thetas(alpha, cut)
        values = np.exp(log_value(theta, np.stack([alpha, alpha])))
        lowest, highest = min(lowest, np.nanmin(values)), max(highest, np.nanmax(values))
        alpha = np.concatenate([around(alpha, values[0], -1), around(alpha, values[1], 1)])
    return Estimate(value, float(lowest), float(highest))


def around(alpha: Floats, values: Floats, sign: int) -> Floats:
    """Return more points between the neighbours of the one with the least or the largest value."""
    order = np.argsort(alpha)
    at = int(np.nanargmax(sign * values[order]))
    low, high = alpha[order][max(0, at - 1)], alpha[order][min(alpha.size - 1, at + 1)]
    return np.linspace(low, high, POINTS // 2)


class Likelihood:
    """The log-likelihood of Pitman's model for a histogram of class sizes."""

    def __init__(self, sizes: Integers, counts: Integers) -> None:
        self.sizes, self.counts = sizes, counts
        self.records, self.classes = int(sizes @ counts), int(counts.sum())

    def __call__(self, theta: Floats, alpha: Floats) -> Floats:
        """Return the log-likelihood of parameters, one for each pair."""
        return self.between_classes(theta, alpha) + self.within_classes(alpha)

    def within_classes(self, alpha: Floats) -> Floats:
        """Return the part that depends on alpha alone."""
        from scipy.special import gammaln

        sizes = self.sizes[:, np.newaxis]
        found: Floats = self.counts @ (gammaln(sizes - alpha) - gammaln(1 - alpha))
        return found

    def between_classes(self, theta: Floats, alpha: Floats) -> Floats:
        """Return the part that takes no sum over the sizes."""
        from scipy.special import gammaln

        everyone = gammaln(theta + self.records) - gammaln(theta + 1)
        found: Floats = self.sum_over_classes(theta, alpha) - everyone
        return found

    def sum_over_classes(self, theta: Floats, alpha: Floats) -> Floats:
        """Return the sum of ln(theta + i alpha) for i = 1 ... u - 1."""
        from scipy.special import gammaln

        small = alpha < 1e-9
        a = np.where(small, 1.0, alpha)
        closed = (self.classes - 1) * np.log(a) + gammaln(theta / a + self.classes)
        closed -= gammaln(theta / a + 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            ewens = (self.classes - 1) * np.log(theta)
        return np.where(small, ewens, closed)

    def slope(self, theta: Floats, alpha: Floats) -> Floats:
        """Return the derivative by theta."""
        from scipy.special import digamma

        small = alpha < 1e-9
        a = np.where(small, 1.0, alpha)
        over_classes = (digamma(theta / a + self.classes) - digamma(theta / a + 1)) / a
        with np.errstate(divide="ignore"):
            over_classes = np.where(small, (self.classes - 1) / theta, over_classes)
        everyone = digamma(theta + self.records) - digamma(theta + 1)
        found: Floats = over_classes - everyone
        return found

    def best_theta(self, alpha: Floats) -> Floats:
        """Return the theta with the greatest likelihood for each alpha, as ln(theta + alpha)."""
        low, high = np.full(alpha.size, -30.0), np.full(alpha.size, math.log(self.records) + 12)
        return bisect(lambda t: self.slope(np.exp(t) - alpha, alpha) > 0, low, high)

    def likely_alphas(self, best: float, cut: float) -> tuple[float, float]:
        """Return the least and the largest alpha that some theta makes likely enough."""

        def likely(alpha: Floats) -> NDArray[np.bool_]:
            return self(np.exp(self.best_theta(alpha)) - alpha, alpha) >= cut

        ends = np.array([0.0, 1 - 1e-6])
        reached = likely(ends)
        inner = bisect(likely, np.full(2, best), ends)
        low, high = np.where(reached, ends, inner)
        return float(low), float(high)

    def likely_thetas(self, alpha: Floats, cut: float) -> Floats:
        """Return the least and the largest theta that is likely enough, for each likely alpha."""
        middle, missing = self.best_theta(alpha), cut - self.within_classes(alpha)

        def above(t: Floats) -> NDArray[np.bool_]:
            return self.between_classes(np.exp(t) - alpha, alpha) >= missing

        lower = bisect(lambda t: ~above(t), np.full(alpha.size, -30.0), middle)
        upper = bisect(above, middle, np.full(alpha.size, math.log(self.records) + 12))
        return np.maximum(np.exp(np.stack([lower, upper])), 1e-12) - alpha


def bisect(holds: Callable[[Floats], NDArray[np.bool_]], low: Floats, high: Floats) -> Floats:
    """Return, place by place, where something that holds from `low` on ceases to hold."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        held = holds(middle)
        low, high = np.where(held, middle, low), np.where(held, high, middle)
    return low


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
    found = []
    for _ in range(HALVES if half else 0):
        drawn = random.multivariate_hypergeometric(class_sizes, half, method="marginals")
        found.append(estimate(*histogram(drawn[drawn > 0]), population))
    there = np.array([number for number in found if number > 0])  # NaN is not
    if there.size < HALVES // 2:  # most halves tell nothing: nor does their spread
        return Estimate(value, 0.0, math.inf)
    spread = math.exp(1.959964 * float(np.log(there).std(ddof=1)))
    return Estimate(value, value / spread, value * spread)
