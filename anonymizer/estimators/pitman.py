"""Pitman's model of a population, fitted to the class sizes of a sample (Hoshino 2001)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.gamma import log_gamma_ratio
from anonymizer.kernels.uniques import fit


@dataclass(frozen=True, slots=True)
class Pitman:
    """The two parameters of Pitman's sampling formula, 0 <= alpha < 1 and theta > -alpha.

    `boundary` says that the likelihood is greatest where alpha = 0, which is Ewens' model.
    """

    theta: float
    alpha: float
    boundary: bool

    def __post_init__(self) -> None:
        if not 0 <= self.alpha < 1:
            raise ValueError(f"alpha must be at least 0 and less than 1, got {self.alpha}")
        if not self.theta > -self.alpha:
            raise ValueError(f"theta must be greater than -alpha = {-self.alpha}, got {self.theta}")

    def population_uniques(self, population: int, exact: bool = False) -> float:
        """Estimate how many of a population's people are unique in it.

        Hoshino's asymptotic form, Gamma(theta+1)/Gamma(theta+alpha) N^alpha, or the exact expectation;
        the former is too large, and may exceed N, where theta is not small against N.

        >>> model = Pitman(theta=13.3550494473407, alpha=0.586341638611945, boundary=False)
        >>> round(model.population_uniques(1_000_000), 3)
        9718.893
        >>> round(model.population_uniques(1_000_000, exact=True), 3)
        9718.842
        """
        if population < 1:
            raise ValueError(f"the population must have at least 1 person, got {population}")
        scale = self.log_ratio(1)
        if exact:
            return population * math.exp(scale - self.log_ratio(population))
        return math.exp(scale + self.alpha * math.log(population))

    def unique_given_unique(self, records: int, population: int) -> float:
        """Estimate the probability that a record unique in the sample is unique in the population.

        >>> model = Pitman(theta=13.3550494473407, alpha=0.586341638611945, boundary=False)
        >>> round(model.unique_given_unique(30_162, 1_000_000), 6)
        0.235011
        """
        check_population(records, population)
        return math.exp(self.log_ratio(records) - self.log_ratio(population))

    def log_ratio(self, people: int) -> float:
        """Compute ln Gamma(theta + m) - ln Gamma(theta + alpha + m - 1) for m people."""
        ratio: float = log_gamma_ratio(self.theta + self.alpha + (people - 1), 1 - self.alpha)
        return ratio


def fit_pitman(sizes: NDArray[np.int64], counts: NDArray[np.int64]) -> Pitman | None:
    """Fit the model to a histogram of class sizes by maximum likelihood; None where there is no maximum.

    There is none where all records are unique, where they are all in one class, or without records.
    The profile likelihood of alpha is maximized by Newton's method within brackets: wherever there is a
    maximum it is found, with theta < 0 and at alpha = 0 as well.

    >>> fit_pitman(np.array([1, 2]), np.array([1, 1]))
    Pitman(theta=1.4142135623730951, alpha=0.0, boundary=True)
    >>> fit_pitman(np.array([1]), np.array([5])) is None
    True
    """
    theta_plus_alpha, alpha, _ = fit(sizes, counts, 0)
    if math.isnan(alpha):
        return None
    return Pitman(theta_plus_alpha - alpha, alpha, alpha == 0)


def check_population(records: int, population: float) -> None:
    """Refuse a sample without records and a population smaller than its sample."""
    if records < 1:
        raise ValueError(f"the sample must have at least 1 record, got {records}")
    if population < records:
        raise ValueError(
            f"the population must be at least as large as the sample: {population} < {records}"
        )
