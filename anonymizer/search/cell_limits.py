"""Limits on cells as the kernel of subtree bounds reads them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.microdata import Microdata
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.kernels.cell_limits import CellArrays, CellLimits
from anonymizer.kernels.subtree_nodes import MAX_DEPTH
from anonymizer.risk.cell_limits import CellLimit
from anonymizer.risk.size_limits import SizeLimits

MOST_PEOPLE = (1 << 31) - 1
"""People are counted by 32-bit integers."""


def cell_limits_of(evaluator: Evaluator, sizes: SizeLimits) -> list[CellLimit]:
    """List what an evaluator's models ask of cells, a least class included; nothing if no more than that.

    Nothing either where they ask for more than a least class of the sizes of classes, since the kernel
    looks at one or the other.
    """
    if not sizes.only_least_class:
        return []
    microdata = evaluator.microdata
    limits = [limit for model in evaluator.models for limit in model.cell_limits(microdata)]
    if limits and sizes.least_class > 1:
        everywhere = dict.fromkeys(range(len(microdata.columns)), 0)
        limits.append(CellLimit(everywhere, np.full(microdata.distinct, sizes.least_class)))
    return [limit for limit in limits if limit.of_population or (limit.least > 1).any()]


def needs_population(limits: Sequence[CellLimit]) -> bool:
    """Whether people of the population table are counted."""
    return any(limit.of_population for limit in limits)


def fits_limits(microdata: Microdata, limits: Sequence[CellLimit]) -> bool:
    """Whether no cell can have too many people to be counted."""
    population = microdata.population
    people = population.people if needs_population(limits) and population is not None else 0
    return max(microdata.records, people) < MOST_PEOPLE


def make_limits(microdata: Microdata, limits: Sequence[CellLimit], tuples: int) -> CellLimits:
    """Put limits into arrays, for so many tuples: the table's, then those of the population."""
    finest = np.full((len(limits), len(microdata.columns)), -1)
    people, least = np.zeros((2, len(limits), tuples), np.int32)
    own = microdata.distinct
    for at, limit in enumerate(limits):
        finest[at, list(limit.levels)] = list(limit.levels.values())
        least[at, :own] = np.minimum(limit.least, MOST_PEOPLE)
        if limit.of_population:
            assert microdata.population is not None
            people[at, own:] = microdata.population.counts
        else:
            people[at, :own] = microdata.counts
    own_least = least[:, :own]
    return CellLimits(
        tuples=own,
        finest=finest,
        people=people,
        least=least,
        most_least=own_least.max(axis=1, initial=0),
        equal=own_least.max(axis=1, initial=0) == own_least.min(axis=1, initial=MOST_PEOPLE),
        of_population=np.array([limit.of_population for limit in limits], np.bool_),
    )


def make_arrays(limits: int, tuples: int, cells: int) -> CellArrays:
    """Return arrays to work in; none to speak of where there are no limits."""
    if not limits:
        tuples = cells = 0
    return CellArrays(
        labels=np.empty((MAX_DEPTH, limits, tuples), np.uint32),
        sizes=np.zeros((MAX_DEPTH, limits, tuples + 2), np.int32),
        classes=np.empty((MAX_DEPTH, limits), np.int64),
        keys=np.empty((limits, tuples), np.uint32),
        number=np.empty(limits, np.int64),
        people=np.empty((limits, cells), np.int32),
        gone=np.empty(tuples, np.uint8),
        split=np.empty(limits, np.bool_),
        unchecked=np.empty(limits, np.bool_),
    )


def bytes_of_arrays(limits: int, tuples: int, cells: int) -> int:
    """Return what limits and these arrays take."""
    return 4 * limits * ((2 * MAX_DEPTH + 3) * tuples + cells)


def counts_with_population(microdata: Microdata) -> NDArray[np.int32]:
    """Return the records of each tuple, and none of those of the population."""
    assert microdata.population is not None
    nobody = np.zeros_like(microdata.population.counts)
    return np.concatenate([microdata.counts, nobody])


def codes_with_population(microdata: Microdata) -> NDArray[np.unsignedinteger]:
    """Return the codes of each tuple, then of those of the population."""
    assert microdata.population is not None
    return np.concatenate([microdata.codes, microdata.population.codes], axis=1)
