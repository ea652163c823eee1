"""Evaluator: what a scheme costs, and what it proves about every finer scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonymizer.classes import EquivalenceClasses, partition
from anonymizer.kernels.partition import select_by_label, sum_by_code
from anonymizer.lattice import Lattice, Scheme
from anonymizer.microdata import Microdata
from anonymizer.risk import RiskModel
from anonymizer.suppression import suppressed_classes
from anonymizer.utility import Loss
from anonymizer.utility.loss import attribute_loss


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A scheme after suppression.

    `terms[a, l]`, for levels l up to the scheme's own, are the terms of a bound: with the records
    suppressed here suppressed there too, a finer scheme w loses at least the sum of `terms[a, w[a]]`.
    """

    scheme: Scheme
    suppressed_records: int
    loss: float
    feasible: bool
    """Whether the suppressed records are within the suppression limit."""
    terms: NDArray[np.float64] = field(repr=False)

    @property
    def quality(self) -> float:
        """One minus the loss."""
        return 1 - self.loss

    @property
    def tie_key(self) -> tuple[int, int, Scheme]:
        """What decides between schemes of equal loss: the least wins."""
        return self.suppressed_records, sum(self.scheme), self.scheme


@dataclass(frozen=True, slots=True, eq=False)
class Evaluator:
    """Everything needed to evaluate a scheme; the same scheme always gives the same evaluation."""

    microdata: Microdata
    models: Sequence[RiskModel]
    measure: Loss
    suppression_limit: int
    """The largest number of records that may be suppressed."""

    def evaluate(self, scheme: Scheme) -> Evaluation:
        """Partition, suppress, and sum up what is lost."""
        classes = partition(self.microdata, scheme)
        suppressed = suppressed_classes(classes, self.models)
        return self.score(classes, suppressed)

    def score(self, classes: EquivalenceClasses, suppressed: NDArray[np.bool_]) -> Evaluation:
        """Sum up the loss of the kept and the suppressed records, here and at every level below."""
        chosen = select_by_label(classes.label_of_tuple, suppressed)
        suppressed_records = int(self.microdata.counts[chosen].sum())
        feasible = suppressed_records <= self.suppression_limit
        terms = self.terms(classes.scheme, chosen, suppressed_records)
        own_terms = terms[range(len(classes.scheme)), classes.scheme]
        loss = self.measure.of_terms(sum_left_to_right(own_terms))
        return Evaluation(classes.scheme, suppressed_records, loss, feasible, terms)

    def terms(
        self, scheme: Scheme, chosen: NDArray[np.int64], suppressed_records: int
    ) -> NDArray[np.float64]:
        """Return the terms for each attribute at each level up to the scheme's."""
        height = max(column.hierarchy.height for column in self.microdata.columns)
        terms = np.zeros((len(scheme), height))
        for a, level in enumerate(scheme):
            losses = self.losses(a, level, chosen, suppressed_records)
            terms[a, : level + 1] = self.measure.terms(losses, a)
        return terms

    def losses(
        self, attribute: int, level: int, chosen: NDArray[np.int64], suppressed_records: int
    ) -> NDArray[np.float64]:
        """Return the loss of one attribute at every level up to a given one."""
        microdata, column = self.microdata, self.microdata.columns[attribute]
        counts = sum_by_code(column.codes, microdata.counts, chosen, column.leaves.size)
        # a suppressed record no longer covers its own group but the whole domain
        covered = (
            microdata.column_totals[attribute][: level + 1]
            - column.covered[: level + 1] @ counts
            + suppressed_records * column.hierarchy.size
        )
        return attribute_loss(covered, microdata.records, column.hierarchy.size)

    def attribute_losses(self, scheme: Scheme) -> tuple[float, ...]:
        """Return the loss of each attribute at a scheme, before weights."""
        classes = partition(self.microdata, scheme)
        chosen = select_by_label(classes.label_of_tuple, suppressed_classes(classes, self.models))
        suppressed_records = int(self.microdata.counts[chosen].sum())
        return tuple(
            float(self.losses(a, level, chosen, suppressed_records)[level])
            for a, level in enumerate(scheme)
        )


def sum_left_to_right(terms: NDArray[np.float64]) -> float:
    """Add in the order of the attributes, as the bounds do, so that equal schemes compare equal."""
    total = 0.0
    for term in terms.tolist():
        total += term
    return total


def whole_lattice(microdata: Microdata) -> Lattice:
    """Return the lattice of all levels of all hierarchies."""
    heights = [column.hierarchy.height for column in microdata.columns]
    return Lattice((0,) * len(heights), tuple(height - 1 for height in heights))
