"""Neighbours of a good scheme, the most promising first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.forecast import Forecast, shares_of

MAX_MOVES = 1000
"""How many changes of one level are combined in pairs: the most promising ones."""


class Moves(NamedTuple):
    """Changes of one level each: the attribute, and its new level."""

    attribute: NDArray[np.int64]
    level: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NeighbourRanking:
    """The neighbours of the incumbent, and what the forecast expects of them."""

    best: Evaluation
    coarsest: Evaluation
    """Its terms say what generalization alone costs."""
    lattice: Lattice
    forecast: Forecast
    max_terms: float
    """The sum of terms when everything is lost."""

    def rank(self, reach: int, count: int, max_moves: int = MAX_MOVES) -> list[Scheme]:
        """List the neighbours with the least loss that the forecast expects, so many at most.

        Neighbours differ in one attribute or two, by `reach` levels at most. Of the moves, only the
        `max_moves` best are combined in pairs.
        """
        moves = list_moves(self.best.scheme, self.lattice, reach)
        single = np.arange(moves.level.size)
        paired = np.sort(self.least(moves, single, single, max_moves))
        one, other = np.triu_indices(paired.size, 1)
        differ = moves.attribute[paired[one]] != moves.attribute[paired[other]]
        first = np.concatenate((single, paired[one[differ]]))
        second = np.concatenate((single, paired[other[differ]]))
        least = self.least(moves, first, second, count)
        found = self.apply(moves, first[least], second[least]).tolist()
        distinct = sorted(set(map(tuple, found)))  # few: faster than as rows of an array
        schemes = np.array(distinct, np.int64).reshape(-1, len(self.best.scheme))
        order = np.argsort(self.expected_terms(schemes), kind="stable")
        return [tuple(scheme) for scheme in schemes[order].tolist()]

    def least(
        self, moves: Moves, first: NDArray[np.int64], second: NDArray[np.int64], count: int
    ) -> NDArray[np.int64]:
        """Choose the pairs of moves with the least expected loss; a move paired with itself is one.

        What a move changes is computed once, so that a pair costs two additions, however many
        attributes there are.
        """
        if first.size <= count:
            return np.arange(first.size)
        steps, terms, own = self.forecast.steps, self.coarsest.terms, np.array(self.best.scheme)
        attributes, old = moves.attribute, own[moves.attribute]
        rise = steps[attributes, moves.level] - steps[attributes, old]
        cost = terms[attributes, moves.level] - terms[attributes, old]
        twice = first != second
        logit = self.forecast.logit(self.best.binding_records) + rise[first] + twice * rise[second]
        plain = terms[np.arange(own.size), own].sum() + cost[first] + twice * cost[second]
        expected = plain + (self.max_terms - plain) * shares_of(logit)
        return np.argpartition(expected, count)[:count]

    def apply(
        self, moves: Moves, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the schemes that pairs of moves lead to."""
        schemes = np.tile(np.array(self.best.scheme), (first.size, 1))
        rows = np.arange(first.size)
        for chosen in (first, second):
            schemes[rows, moves.attribute[chosen]] = moves.level[chosen]
        return schemes

    def expected_terms(self, schemes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the sums of terms that the forecast expects of schemes."""
        attributes = np.arange(schemes.shape[1])
        steps = self.forecast.steps
        change = steps[attributes, schemes] - steps[attributes, self.best.scheme]
        logit = self.forecast.logit(self.best.binding_records) + change.sum(axis=1)
        plain = self.coarsest.terms[attributes, schemes].sum(axis=1)
        expected: NDArray[np.float64] = plain + (self.max_terms - plain) * shares_of(logit)
        return expected


def list_moves(scheme: Scheme, lattice: Lattice, reach: int) -> Moves:
    """List all changes of one level, by so much at most.

    >>> moves = list_moves((0, 1), Lattice((0, 0), (1, 2)), 1)
    >>> list(zip(moves.attribute.tolist(), moves.level.tolist()))
    [(0, 1), (1, 0), (1, 2)]
    """
    moves = [
        (a, other)
        for a, level in enumerate(scheme)
        for other in range(
            max(lattice.low[a], level - reach), min(lattice.high[a], level + reach) + 1
        )
        if other != level
    ]
    return Moves(*np.array(moves, np.int64).reshape(-1, 2).T)
