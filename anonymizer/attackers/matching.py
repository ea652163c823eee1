"""Who matches whom on what is known, and u_S: who of those alone is so in the population."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.attack import AttackedTable, Floats, Knowledge
from anonymizer.attackers.uniqueness import UniqueGivenUnique, unique_in_population, with_interval
from anonymizer.estimators.intervals import Estimate


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
    found = attack.highest_estimates.get(known.tobytes())
    if found is None:
        sizes = attack.count(attack.know(known).parts).class_sizes
        found = unique_in_population(sizes, attack.scenario, estimate)
        for group in np.flatnonzero(known):
            less = known.copy()
            less[group] = False
            found = max(found, highest_unique(attack, less, estimate))
        attack.highest_estimates[known.tobytes()] = found
    return found


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
    return with_interval(value, sizes, attack.scenario.population)
