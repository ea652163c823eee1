"""Evaluator: what a scheme costs, and what it proves about every finer scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonymizer.classes import EquivalenceClasses, partition
from anonymizer.kernels.partition import select_by_label, sum_chosen
from anonymizer.lattice import Lattice, Scheme
from anonymizer.microdata import Microdata
from anonymizer.risk import RiskModel
from anonymizer.suppression import Suppression, suppress
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
    binding_records: int
    """How many records, at least, must be suppressed at every finer scheme too."""
    dooms_finer: bool
    """Whether these are already beyond the limit."""
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
        suppression = suppress(self.microdata, classes, self.models)
        return self.score(classes, suppression)

    def score(self, classes: EquivalenceClasses, suppression: Suppression) -> Evaluation:
        """Sum up the loss of the kept and the suppressed records, and bound it at every level below."""
        scheme, limit = classes.scheme, self.suppression_limit
        suppressed_records = sum_chosen(classes.sizes, suppression.suppressed)
        binding = suppression.binding
        binding_records = max(0, sum_chosen(classes.sizes, binding.classes) - binding.spared)
        below = Lattice((0,) * len(scheme), scheme)
        bounds = self.measure.terms(self.losses(classes, binding.classes, below, binding.spared))
        terms = bounds
        if binding.spared or (binding.classes != suppression.suppressed).any():
            own = Lattice(scheme, scheme)
            terms = self.measure.terms(self.losses(classes, suppression.suppressed, own))
        own_terms = terms[range(len(scheme)), scheme]
        return Evaluation(
            scheme,
            suppressed_records,
            self.measure.of_terms(sum_left_to_right(own_terms)),
            feasible=suppressed_records <= limit,
            binding_records=binding_records,
            dooms_finer=binding_records > limit,
            terms=bounds,
        )

    def losses(
        self,
        classes: EquivalenceClasses,
        suppressed: NDArray[np.bool_],
        box: Lattice,
        spared: int = 0,
    ) -> NDArray[np.float64]:
        """Return the loss of each attribute at every level of a box; other levels mean nothing.

        All but `spared` of the records in the marked classes count as suppressed: for each attribute
        and level, those whose suppression costs least.
        """
        microdata = self.microdata
        sizes = microdata.domain.sizes[:, np.newaxis]
        covered = microdata.total_covered
        if suppressed.any():
            chosen = select_by_label(classes.label_of_tuple, suppressed)
            records = max(0, sum_chosen(classes.sizes, suppressed) - spared)
            # a suppressed record no longer covers its own group but the whole domain
            covered = covered - microdata.sum_covered(chosen, box, spared) + records * sizes
        return attribute_loss(covered, microdata.records, sizes)

    def attribute_losses(
        self, classes: EquivalenceClasses, suppressed: NDArray[np.bool_]
    ) -> tuple[float, ...]:
        """Return the loss of each attribute at the scheme of the classes, before weights."""
        losses = self.losses(classes, suppressed, Lattice(classes.scheme, classes.scheme))
        return tuple(float(losses[a, level]) for a, level in enumerate(classes.scheme))


def sum_left_to_right(terms: NDArray[np.float64]) -> float:
    """Add in the order of the attributes, as the bounds do, so that equal schemes compare equal."""
    total = 0.0
    for term in terms.tolist():
        total += term
    return total
