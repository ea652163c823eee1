"""Schemes near a good one, the likeliest to be better first."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.forecast import Forecast


def neighbours(scheme: Scheme, lattice: Lattice, reach: int) -> NDArray[np.int64]:
    """List the schemes of the lattice that differ in one attribute or two, by so many levels at most.

    >>> neighbours((0, 1), Lattice((0, 0), (1, 2)), 1).tolist()
    [[0, 0], [0, 2], [1, 0], [1, 1], [1, 2]]
    """
    steps = [
        (a, other - level)
        for a, level in enumerate(scheme)
        for other in range(lattice.low[a], lattice.high[a] + 1)
        if 0 < abs(other - level) <= reach
    ]
    pairs = [(one, other) for one, other in itertools.combinations(steps, 2) if one[0] != other[0]]
    moves = np.zeros((len(steps) + len(pairs), len(scheme)), np.int64)
    for move, changes in zip(moves, [*((step,) for step in steps), *pairs], strict=True):
        for a, step in changes:
            move[a] = step
    return np.unique(np.array(scheme) + moves, axis=0)


def likeliest(
    best: Evaluation,
    coarsest: Evaluation,
    lattice: Lattice,
    forecast: Forecast,
    most: float,
    reach: int,
) -> list[Scheme]:
    """Order the neighbours of the best scheme by the loss that the forecast gives them.

    `coarsest` knows what generalization alone costs; `most` is the sum of terms when all is lost.
    """
    schemes = neighbours(best.scheme, lattice, reach)
    attributes = np.arange(len(best.scheme))
    change = forecast.steps[attributes, schemes] - forecast.steps[attributes, best.scheme]
    logit = forecast.logit(best.binding_records) + change.sum(axis=1)
    generalized = coarsest.terms[attributes, schemes].sum(axis=1)
    terms = generalized + (most - generalized) / (1 + np.exp(-logit))
    return [tuple(scheme) for scheme in schemes[np.argsort(terms, kind="stable")].tolist()]
