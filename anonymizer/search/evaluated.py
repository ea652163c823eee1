"""Evaluated: the schemes evaluated so far, the best of them, and the bounds they give."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.kernels.bounds import tighten
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.box import Box
from anonymizer.search.params import SearchParams
from anonymizer.search.result import TIE, choose
from anonymizer.utility import Measure

RECENT_BYTES = 1 << 28
"""The memory for recent evaluations; with many attributes and levels, there are fewer."""
NO_CUTOFF = 1e300  # finite, so that the infinite bound of an infeasible scheme still exceeds it


class Evaluated:
    """The evaluated schemes, the newest of them in arrays, for bounds on whole boxes of the lattice."""

    def __init__(self, measure: Measure, params: SearchParams) -> None:
        self.measure = measure
        self.known: set[Scheme] = set()
        self.recent: list[Evaluation] = []
        self.added = 0
        self.capacity = params.recent_evaluations
        self.schemes: NDArray[np.int64] = np.empty((0, 0), np.int64)
        self.terms: NDArray[np.float64] = np.empty((0, 0, 0))
        self.floors: NDArray[np.float64] = np.empty(0)
        self.contenders: list[Evaluation] = []
        self.best: Evaluation | None = None
        self.least_bound = float("inf")
        """No evaluated scheme whose loss is not the least that it may have loses less than this."""
        self.cutoff = NO_CUTOFF
        """The sum of terms above which a scheme can neither beat nor tie with the best."""

    def __len__(self) -> int:
        return len(self.known)

    def __contains__(self, scheme: Scheme) -> bool:
        return scheme in self.known

    def add(self, evaluation: Evaluation) -> None:
        """Record an evaluation."""
        if not self.added:
            row_bytes = evaluation.terms.nbytes
            self.capacity = max(1, min(self.capacity, RECENT_BYTES // row_bytes))
        at = self.added % self.capacity
        self.added += 1
        self.known.add(evaluation.scheme)
        if evaluation.bound is not None:
            self.least_bound = min(self.least_bound, evaluation.bound)
        if at + 1 >= len(self.schemes):  # the last row is for the evaluation that bounds a box
            self.grow(evaluation.terms.shape)
        self.recent[at : at + 1] = [evaluation]
        self.write(at, evaluation)
        if evaluation.feasible and evaluation.loss <= self.best_loss + TIE:
            self.contend(evaluation)

    def mark(self, schemes: Iterable[Scheme]) -> None:
        """Record that schemes were evaluated in an earlier search, and that none of them is the best."""
        self.known.update(schemes)

    def grow(self, shape: tuple[int, ...]) -> None:
        """Double the arrays."""
        rows = min(max(64, 2 * len(self.schemes)), self.capacity + 1)
        schemes = np.empty((rows, shape[0]), np.int64)
        terms, floors = np.empty((rows, *shape)), np.empty(rows)
        filled = len(self.recent)
        if filled:
            schemes[:filled], terms[:filled] = self.schemes[:filled], self.terms[:filled]
            floors[:filled] = self.floors[:filled]
        self.schemes, self.terms, self.floors = schemes, terms, floors

    def write(self, row: int, evaluation: Evaluation) -> None:
        """Write an evaluation to a row of the arrays."""
        self.schemes[row] = evaluation.scheme
        self.terms[row] = np.inf if evaluation.finer_infeasible else evaluation.terms
        self.floors[row] = evaluation.floor

    def contend(self, evaluation: Evaluation) -> None:
        """Choose the best again among those within a tie of the least loss."""
        self.contenders.append(evaluation)
        least = min(contender.loss for contender in self.contenders)
        self.contenders = [c for c in self.contenders if c.loss <= least + TIE]
        self.best = choose(self.contenders)
        self.cutoff = self.measure.aggregate.to_terms(self.best_loss + TIE)

    @property
    def best_loss(self) -> float:
        """The loss of the best scheme, infinite while there is none."""
        return float("inf") if self.best is None else self.best.loss

    def tighten(self, box: Box) -> Box:
        """Shrink a box from above, and bound it by the scheme that gives the best bound.

        A bound above the cutoff says that the whole box can be pruned.
        """
        rows = own = len(self.recent)
        if box.bounding is not None:
            self.write(own, box.bounding)
            rows += 1
        schemes = box.schemes
        low, high = np.array(schemes.low), np.array(schemes.high)
        floor = self.floor_of(low)
        limit = self.cutoff - floor
        row, bound = tighten(self.schemes, self.terms, rows, low, high, limit)
        bounding = box.bounding if row in (-1, own) else self.recent[row]
        inside, kept_high = box.evaluated, tuple(high.tolist())
        if bound <= limit and kept_high != schemes.high:
            schemes = Lattice(schemes.low, kept_high)
            inside = tuple([scheme for scheme in inside if scheme in schemes])
        return Box(schemes, max(bound + floor, box.bound), bounding, inside)

    def floor_of(self, low: NDArray[np.int64]) -> float:
        """Return the highest floor of the evaluated schemes that are finer than all of a box."""
        if not self.measure.floors:
            return 0.0
        filled = len(self.recent)
        below = (self.schemes[:filled] <= low).all(axis=1)
        return float(self.floors[:filled][below].max(initial=0.0))

    def loses_tie(self, box: Box) -> bool:
        """Whether everything in a box at best ties with the best scheme, and then loses the tie.

        Nothing in the box has a loss below the best one's, fewer suppressed records than its bounding
        scheme says must go, or lower levels than its lowest scheme.
        """
        if self.best is None or box.bound < self.measure.aggregate.to_terms(self.best.loss):
            return False
        binding_records = 0 if box.bounding is None else box.bounding.binding_records
        return (binding_records, sum(box.schemes.low), box.schemes.low) >= self.best.tie_key
