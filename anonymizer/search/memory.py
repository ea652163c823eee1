"""What a search remembers: every evaluated scheme, and the best of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluate import Evaluation
from anonymizer.kernels.bounds import count_inside, steepest_step, tighten
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.result import TIE, choose
from anonymizer.utility import Loss

NO_LIMIT = 1e300  # finite, so that the infinite bound of an infeasible scheme still exceeds it


class Memory:
    """The evaluated schemes as arrays that grow, for bounds on whole boxes of the lattice."""

    def __init__(self, measure: Loss) -> None:
        self.measure = measure
        self.index: dict[Scheme, int] = {}
        self.binding_records: list[int] = []
        self.schemes: NDArray[np.int64] = np.empty((0, 0), np.int64)
        self.terms: NDArray[np.float64] = np.empty((0, 0, 0))
        self.contenders: list[Evaluation] = []
        self.best: Evaluation | None = None

    def __len__(self) -> int:
        return len(self.index)

    def __contains__(self, scheme: Scheme) -> bool:
        return scheme in self.index

    def add(self, evaluation: Evaluation) -> None:
        """Remember an evaluation."""
        at = len(self.index)
        if at == len(self.schemes):
            self.grow(evaluation.terms.shape)
        self.index[evaluation.scheme] = at
        self.binding_records.append(evaluation.binding_records)
        self.schemes[at] = evaluation.scheme
        self.terms[at] = np.inf if evaluation.dooms_finer else evaluation.terms
        if evaluation.feasible and evaluation.loss <= self.best_loss + TIE:
            self.contend(evaluation)

    def grow(self, shape: tuple[int, ...]) -> None:
        """Double the arrays."""
        capacity = max(64, 2 * len(self.schemes))
        schemes = np.empty((capacity, shape[0]), np.int64)
        terms = np.empty((capacity, *shape))
        known = len(self.index)
        if known:
            schemes[:known], terms[:known] = self.schemes[:known], self.terms[:known]
        self.schemes, self.terms = schemes, terms

    def contend(self, evaluation: Evaluation) -> None:
        """Choose the best again among those within a tie of the least loss."""
        self.contenders.append(evaluation)
        least = min(contender.loss for contender in self.contenders)
        self.contenders = [c for c in self.contenders if c.loss <= least + TIE]
        self.best = choose(self.contenders)

    @property
    def best_loss(self) -> float:
        """The loss of the best scheme, infinite while there is none."""
        return float("inf") if self.best is None else self.best.loss

    @property
    def limit(self) -> float:
        """The sum of terms above which a scheme can neither beat nor tie with the best."""
        return NO_LIMIT if self.best is None else self.measure.to_terms(self.best.loss + TIE)

    def tighten(self, box: Lattice) -> tuple[Lattice, int, float]:
        """Shrink a box from above; return it, the scheme that bounds it best, and that bound.

        A bound above the limit says that the whole box is out.
        """
        low, high = np.array(box.low), np.array(box.high)
        by, bound = tighten(self.schemes, self.terms, len(self), low, high, self.limit)
        return Lattice(box.low, tuple(high.tolist())), by, bound

    def loses_tie(self, box: Lattice, by: int, bound: float) -> bool:
        """Whether the best scheme beats everything in a box, be it only by the rule for ties.

        Nothing in the box has a loss below the best one's, fewer suppressed records than its bounding
        scheme says must go, or lower levels than its lowest scheme.
        """
        if self.best is None or bound < self.measure.to_terms(self.best.loss):
            return False
        return (self.binding_records[by], sum(box.low), box.low) >= self.best.tie_key

    def branch(self, box: Lattice, by: int) -> tuple[Lattice, Lattice]:
        """Split a box where its bound rises most: the upper part is then the likeliest to be out."""
        attribute, level = steepest_step(self.terms[by], np.array(box.low), np.array(box.high))
        return box.split(attribute, level)

    def count(self, box: Lattice) -> int:
        """Count the evaluated schemes in a box."""
        low, high = np.array(box.low), np.array(box.high)
        return int(count_inside(self.schemes, len(self), low, high))
