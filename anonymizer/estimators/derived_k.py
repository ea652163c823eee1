"""How large the classes of a sample must be, so that those of its population are large enough."""

from __future__ import annotations

import math

from anonymizer.errors import suggest_name
from anonymizer.estimators.pitman import check_population

DERIVATIONS = ("zero-truncated-poisson", "poisson")
"""How many of a class of the population the sample has: given that it has any, or not."""


def derived_k(
    k: int,
    significance: float,
    records: int,
    population: int,
    estimator: str = "zero-truncated-poisson",
) -> int:
    """Find the k' of k-map from a sample (Pannekoek 1999; El Emam and Dankar 2008).

    A class of k people shows X ~ Poisson(k n/N) records. A class of k' records or more is too large, at
    the given significance, to come from fewer people than k; k' is at most k.

    >>> derived_k(10, 0.05, records=20_000, population=100_000)
    6
    >>> derived_k(10, 0.05, records=1_000, population=100_000, estimator="poisson")
    2
    """
    _check(k, significance, estimator)
    check_population(records, population)
    expected = k * records / population
    truncated = estimator == "zero-truncated-poisson"
    mass = -math.expm1(-expected) if truncated else 1.0
    likely = 0.0
    for size in range(int(truncated), k):
        likely += math.exp(size * math.log(expected) - expected - math.lgamma(size + 1))
        if likely >= (1 - significance) * mass:
            return size + 1
    return k


def _check(k: int, significance: float, estimator: str) -> None:
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if not 0 < significance < 1:
        raise ValueError(f"significance must lie between 0 and 1, got {significance}")
    if estimator not in DERIVATIONS:
        raise ValueError(f"no estimator {estimator!r}; {suggest_name(estimator, DERIVATIONS)}")
