"""What a search remembers: which schemes are evaluated, the best of them, and what they prove."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.kernels.bounds import tighten
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.box import Box
from anonymizer.search.result import TIE, choose
from anonymizer.utility import Measure

NO_LIMIT = 1e300  # finite, so that the infinite bound of an infeasible scheme still exceeds it
RECENT = 4096
"""So many evaluations are held against every box; older ones only against the boxes they bound."""


class Evaluated:
    """The evaluated schemes, the newest of them in arrays, for bounds on whole boxes of the lattice."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.known: set[Scheme] = set()
        self.recent: list[Evaluation] = []
        self.schemes: NDArray[np.int64] = np.empty((0, 0), np.int64)
        self.terms: NDArray[np.float64] = np.empty((0, 0, 0))
        self.floors: NDArray[np.float64] = np.empty(0)
        self.contenders: list[Evaluation] = []
        self.best: Evaluation | None = None
        self.limit = NO_LIMIT
        """The sum of terms above which a scheme can neither beat nor tie with the best."""

    def __len__(self) -> int:
        return len(self.known)

    def __contains__(self, scheme: Scheme) -> bool:
        return scheme in self.known

    def add(self, evaluation: Evaluation) -> None:
        """Remember an evaluation."""
        at = len(self.known) % RECENT
        self.known.add(evaluation.scheme)
        if at + 1 >= len(self.schemes):  # the last row is for the box that is looked at
            self.grow(evaluation.terms.shape)
        self.recent[at : at + 1] = [evaluation]
        self.write(at, evaluation)
        if evaluation.feasible and evaluation.loss <= self.best_loss + TIE:
            self.contend(evaluation)

    def grow(self, shape: tuple[int, ...]) -> None:
        """Double the arrays."""
        capacity = max(64, 2 * len(self.schemes))
        schemes = np.empty((capacity, shape[0]), np.int64)
        terms, floors = np.empty((capacity, *shape)), np.empty(capacity)
        known = len(self.recent)
        if known:
            schemes[:known], terms[:known] = self.schemes[:known], self.terms[:known]
            floors[:known] = self.floors[:known]
        self.schemes, self.terms, self.floors = schemes, terms, floors

    def write(self, at: int, evaluation: Evaluation) -> None:
        """Put an evaluation into a row of the arrays."""
        self.schemes[at] = evaluation.scheme
        self.terms[at] = np.inf if evaluation.finer_infeasible else evaluation.terms
        self.floors[at] = evaluation.floor

    def contend(self, evaluation: Evaluation) -> None:
        """Choose the best again among those within a tie of the least loss."""
        self.contenders.append(evaluation)
        least = min(contender.loss for contender in self.contenders)
        self.contenders = [c for c in self.contenders if c.loss <= least + TIE]
        self.best = choose(self.contenders)
        self.limit = self.measure.to_terms(self.best_loss + TIE)

    @property
    def best_loss(self) -> float:
        """The loss of the best scheme, infinite while there is none."""
        return float("inf") if self.best is None else self.best.loss

    def tighten(self, box: Box) -> Box:
        """Shrink a box from above, and bound it by the scheme that does so best.

        A bound above the limit says that the whole box is out.
        """
        rows = own = len(self.recent)
        if box.by is not None:
            self.write(own, box.by)
            rows += 1
        schemes = box.schemes
        low, high = np.array(schemes.low), np.array(schemes.high)
        floor = self.floor_of(low)
        limit = self.limit - floor
        row, bound = tighten(self.schemes, self.terms, rows, low, high, limit)
        by = box.by if row in (-1, own) else self.recent[row]
        inside, kept_high = box.evaluated, tuple(high.tolist())
        if bound <= limit and kept_high != schemes.high:
            schemes = Lattice(schemes.low, kept_high)
            inside = tuple([scheme for scheme in inside if scheme in schemes])
        return Box(schemes, max(bound + floor, box.bound), by, inside, box.deferred)

    def floor_of(self, low: NDArray[np.int64]) -> float:
        """Return the highest floor of the evaluated schemes that are finer than all of a box."""
        if not self.measure.floors:
            return 0.0
        known = len(self.recent)
        below = (self.schemes[:known] <= low).all(axis=1)
        return float(self.floors[:known][below].max(initial=0.0))

    def loses_tie(self, box: Box) -> bool:
        """Whether the best scheme dominates everything in a box, be it only by the rule for ties.

        Nothing in the box has a loss below the best one's, fewer suppressed records than its bounding
        scheme says must go, or lower levels than its lowest scheme.
        """
        if self.best is None or box.bound < self.measure.to_terms(self.best.loss):
            return False
        binding_records = 0 if box.by is None else box.by.binding_records
        return (binding_records, sum(box.schemes.low), box.schemes.low) >= self.best.tie_key
