"""Bases for measures with one loss for each attribute, and a mean or any other aggregate of these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses
from anonymizer.engine.microdata import Microdata
from anonymizer.risk.remaining import Binding
from anonymizer.utility.aggregate import Aggregate
from anonymizer.utility.measure import Appraisal, AttributeMeasure


class MeanMeasure(AttributeMeasure):
    """A measure gives `losses`; its loss is a sum of terms of these, as the aggregate has it."""

    __slots__ = ()
    aggregate: Aggregate

    def terms(self, losses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what losses of the attributes, one row for each, add to the sum of `of_terms`."""
        return self.aggregate.terms(self.weights, losses)

    def of_terms(self, total: float) -> float:
        """Return the loss for a sum of terms."""
        return self.aggregate.of_terms(total)

    def to_terms(self, loss: float) -> float:
        """Return the sum of terms that has a loss; the inverse of `of_terms`."""
        return self.aggregate.to_terms(loss)


class AggregatedMeasure(MeanMeasure):
    """A measure gives `losses`, which must not fall with the level or with further suppression.

    Every aggregate grows with each loss, so that losses bounded one by one bound it. A maximum is bounded
    by the power mean, which is a sum of terms.
    """

    __slots__ = ()

    @property
    def most(self) -> float:
        """The sum of terms of a table of which nothing is left."""
        return self.to_terms(self.combine(np.ones(len(self.weights)))[0])

    def appraise(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        suppressed: NDArray[np.bool_],
        binding: Binding,
    ) -> Appraisal:
        """Sum up the loss of the kept and the suppressed records, and bound it at every level below."""
        found = MeanMeasure.appraise(self, microdata, classes, suppressed, binding)
        if self.aggregate is not Aggregate.MAXIMUM:
            return found
        losses = self.attribute_losses(microdata, classes, suppressed)
        return replace(found, loss=self.combine(np.array(losses))[0])

    def combine(self, losses: NDArray[np.float64]) -> tuple[float, tuple[float, ...]]:
        """Return the loss that losses of the attributes come to, and these."""
        if self.aggregate is Aggregate.MAXIMUM:
            return float((np.array(self.weights) * losses).max()), tuple(losses.tolist())
        return MeanMeasure.combine(self, losses)
