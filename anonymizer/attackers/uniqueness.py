"""u_S: how likely somebody who is unique in the table on what is known is unique in the population."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.attack import AttackedTable, Floats, Knowledge
from anonymizer.attackers.scenario import Scenario
from anonymizer.estimators.intervals import Estimate, estimate_unique_given_unique
from anonymizer.estimators.uniques import ESTIMATORS, histogram
from anonymizer.estimators.uniques import unique_given_unique as by_pitman

ESTIMATES = 100_000
"""So many u_S are kept."""
Group = TypeVar("Group", bound=Hashable)

UniqueGivenUnique = Callable[[NDArray[np.int64], int], float | None]
"""From class sizes and the size of the population: the probability that a record that is unique in the
table is unique in the population; None or NaN where it cannot be estimated."""


def unique_in_population(
    sizes: NDArray[np.int64], scenario: Scenario, estimate: UniqueGivenUnique
) -> float:
    """Return u_S, the probability that a record unique in the table is so in the population.

    Where it cannot be estimated, it is 1: what is not known must not look safe.
    """
    if not (sizes == 1).any():
        return 0.0  # no record needs it
    return estimate_unique(sizes[sizes > 0], scenario.size, estimate)


def estimate_unique(
    sizes: NDArray[np.int64], population: int, estimate: UniqueGivenUnique
) -> float:
    """Return the probability that whoever is unique in the table is so in the population.

    It is asked for a table without uniques too, where somebody may be left as one. Where it cannot be
    estimated, it is 1.
    """
    # no table has more records than the population it is drawn from
    estimated = estimate(sizes, max(population, int(sizes.sum())))
    if estimated is None or math.isnan(estimated):
        return 1.0
    return min(max(float(estimated), 0.0), 1.0)


def highest_of_subsets(
    groups: frozenset[Group],
    estimated: Callable[[frozenset[Group]], float],
    found: dict[frozenset[Group], float],
) -> float:
    """Return the highest estimate of all subsets of some groups; `found` keeps what was looked at.

    >>> highest_of_subsets(frozenset("ab"), lambda some: float(some == {"a"}), {})
    1.0
    """
    highest = found.get(groups)
    if highest is None:
        fewer = (highest_of_subsets(groups - {group}, estimated, found) for group in groups)
        highest = max([estimated(groups), *fewer])
        if len(found) < ESTIMATES:
            found[groups] = highest
    return highest


def with_interval(unique: float, sizes: NDArray[np.int64], population: int) -> Estimate:
    """Return u_S with the interval of Pitman's model, which is made to hold it."""
    if unique == 0 and not (sizes == 1).any():
        return Estimate(0.0, 0.0, 0.0)
    there = sizes[sizes > 0]
    found = estimate_unique_given_unique(there, max(population, int(there.sum())))
    return Estimate(unique, min(unique, found.low), max(unique, found.high))


def lower_end(sizes: NDArray[np.int64], population: int) -> float:
    """Return the least u_S of its interval."""
    return estimate_unique_given_unique(sizes, population).low


def upper_end(sizes: NDArray[np.int64], population: int) -> float:
    """Return the largest u_S of its interval."""
    return estimate_unique_given_unique(sizes, population).high


def estimator_of(name: str) -> UniqueGivenUnique:
    """Return the estimate of u_S that an estimator of population uniques gives.

    Of U people who are unique in the population of N, a simple random sample of n is expected to have
    U n / N, and they are among its own uniques: the share of these is u_S.

    >>> round(estimator_of("zayatz")(np.array([1] * 20 + [3] * 5), 1000), 6)
    0.588307
    """
    if name == "pitman":
        return by_pitman
    estimate = ESTIMATORS[name]

    def unique_given_unique(sizes: NDArray[np.int64], population: int) -> float:
        alone = int((sizes == 1).sum())
        if not alone:
            return 0.0  # whoever is left alone once others are suppressed is one of several
        return estimate(*histogram(sizes), population) * int(sizes.sum()) / population / alone

    return unique_given_unique


# --- in an attack


def look(
    attack: AttackedTable, knowledge: Knowledge, estimate: UniqueGivenUnique
) -> tuple[NDArray[np.int32], NDArray[np.int64], Floats, NDArray[np.int64]]:
    """Return each row's label, the records that match it, u_S, and the sizes of classes.

    u_S is 0 where nobody is alone.
    """
    matches = attack.count(knowledge.parts)
    unique = np.zeros(matches.records.size)
    if (matches.records == 1).any():
        if matches.people is not None:
            unique[matches.people <= 1] = 1.0
        elif attack.monotone:
            unique[:] = highest_unique(attack, knowledge.known, estimate)
        else:
            unique[:] = unique_in_population(matches.class_sizes, attack.scenario, estimate)
    return matches.labels, matches.records, unique, matches.class_sizes


def highest_unique(
    attack: AttackedTable, known: NDArray[np.bool_], estimate: UniqueGivenUnique
) -> float:
    """Return the highest u_S of all subsets of what is known."""

    def estimated(groups: frozenset[int]) -> float:
        some = np.isin(np.arange(known.size), list(groups))
        sizes = attack.count(attack.know(some).parts).class_sizes
        return unique_in_population(sizes, attack.scenario, estimate)

    groups = frozenset(np.flatnonzero(known).tolist())
    return highest_of_subsets(groups, estimated, attack.highest_estimates)


def ends_of(attack: AttackedTable, sums: Floats, unique: Estimate) -> Floats:
    """Return what the journalist risk sums to at the ends of the interval of u_S."""
    if attack.population is not None:
        return sums[[1, 1]]  # it is counted
    ends: Floats = sums[0] * np.array([unique.low, unique.high])
    return ends


def describe_unique(
    attack: AttackedTable, records: NDArray[np.int64], unique: Floats, sizes: NDArray[np.int64]
) -> Estimate:
    """Return u_S with its interval; what is counted has none, and is the share of those alone."""
    alone = unique[records == 1]
    value = float(alone.mean()) if alone.size else 0.0
    if attack.population is not None:
        return Estimate(value, value, value)
    return with_interval(value, sizes, attack.scenario.size)
