"""Iyengar's loss: how much of each attribute's domain a released value leaves open.

Iyengar, Transforming data to satisfy privacy constraints, KDD 2002; Prasser et al. 2016.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.partition import select_by_label, sum_chosen, sum_covered_by_step
from anonymizer.lattice import Lattice
from anonymizer.risk.remaining import Binding
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.utility.aggregate import Aggregate
from anonymizer.utility.measure import (
    Appraisal,
    AttributeMeasure,
    Released,
    relative_weights,
    sum_left_to_right,
)

__all__ = ["Aggregate", "Loss", "attribute_loss"]


@dataclass(frozen=True, slots=True)
class Loss(AttributeMeasure):
    """Iyengar's loss with one weight for each attribute; 0 is untouched, 1 is nothing left.

    The loss is a sum of one term for each attribute, behind a monotone transformation: that is what
    lets the search add up bounds level by level. Other aggregates, and a factor, are GeneralLoss.

    >>> losses = np.array([0.0, 1.0, 0.5])
    >>> measure = Loss(Aggregate.ARITHMETIC, (1.0, 1.0, 1.0))
    >>> measure.aggregate.of_terms(measure.terms(losses).sum())
    0.5
    """

    name: ClassVar[str] = "loss"

    aggregate: Aggregate = field()  # not the default of other measures
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", relative_weights(self.weights))
        if not self.aggregate.is_mean:
            raise ValueError(f"for the {self.aggregate} of the attributes, use GeneralLoss")

    @property
    def cover(self) -> AttributeMeasure:
        """This loss: what records cover, summed up, is all that it looks at."""
        return self

    def losses(
        self, microdata: Microdata, classes: EquivalenceClasses, gone: Binding, box: Lattice
    ) -> NDArray[np.float64]:
        """Return the loss of each attribute at every level of a box, with some records gone."""
        return loss_without(
            microdata, GoneCover.of(microdata, classes, gone, box).less(gone.exempt)
        )

    def appraise(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        suppressed: NDArray[np.bool_],
        binding: Binding,
    ) -> Appraisal:
        """Sum up the loss and its bound; what binds and is suppressed is summed up once for both."""
        same = not binding.exempt and bool((binding.classes == suppressed).all())
        if same or (binding.classes > suppressed).any():
            return AttributeMeasure.appraise(self, microdata, classes, suppressed, binding)
        scheme = classes.scheme
        below, own = Lattice((0,) * len(scheme), scheme), Lattice(scheme, scheme)
        bound = GoneCover.of(microdata, classes, binding, below)
        others = GoneCover.of(microdata, classes, Binding(suppressed & ~binding.classes), own)
        losses = loss_without(microdata, bound.and_also(others))[range(len(scheme)), scheme]
        bounds = self.terms(loss_without(microdata, bound.less(binding.exempt)))
        return Appraisal(self.aggregate.of_terms(sum_left_to_right(self.terms(losses))), bounds)

    def of_release(self, released: Released) -> tuple[float, tuple[float, ...]]:
        """Count the leaves that the released values cover; suppressed records cover everything."""
        covered = released.covered + released.suppressed * released.leaves
        return self.combine(
            attribute_loss(covered, released.records, released.leaves, released.least)
        )


@dataclass(frozen=True, slots=True, eq=False)
class GoneCover:
    """What records that are gone covered, for each attribute and level of a box."""

    records: int
    covered: NDArray[np.int64]
    left: NDArray[np.int64]
    """The same without the exempt records, those that covered least."""

    @staticmethod
    def of(
        microdata: Microdata, classes: EquivalenceClasses, gone: Binding, box: Lattice
    ) -> GoneCover:
        """Sum up the records of the marked classes, or of all the others where these are fewer."""
        records = sum_chosen(classes.records, gone.classes)
        if not records:
            nothing = np.zeros_like(microdata.total_covered)
            return GoneCover(0, nothing, nothing)
        most = 2 * records > microdata.records
        chosen = select_by_label(classes.label_of_tuple, gone.classes ^ most)
        return GoneCover(records, *microdata.sum_covered(chosen, box, gone.exempt, most))

    def less(self, exempt: int) -> GoneCover:
        """Return all but the exempt records."""
        return GoneCover(max(0, self.records - exempt), self.left, self.left)

    def and_also(self, others: GoneCover) -> GoneCover:
        """Return these records and some others, at the levels of both."""
        covered = self.covered + others.covered
        return GoneCover(self.records + others.records, covered, covered)


def loss_without(microdata: Microdata, gone: GoneCover) -> NDArray[np.float64]:
    """Return the losses of attributes: a record that is gone covers the whole domain, not its group."""
    sizes, least = (
        each[:, np.newaxis] for each in (microdata.domain.sizes, microdata.domain.least)
    )
    covered = microdata.total_covered - gone.covered + gone.records * sizes
    return attribute_loss(covered, microdata.records, sizes, least)


def attribute_loss(
    covered: NDArray[np.int64],
    records: int,
    leaves: NDArray[np.int64],
    least: NDArray[np.int64] | int = 1,
) -> NDArray[np.float64]:
    """Return the loss of attributes from what their values cover, summed over the records.

    In the words of the design, `covered` is total(a) * D: whole numbers, so that sums are exact and
    do not depend on the order of rows. A suppressed record covers all D leaves, a single value `least`:
    1, or 0 in a continuous attribute, whose D is the width of the domain in some unit and N/D in the
    formula is 0. With D = 1 there is nothing to lose: every record covers the one leaf, the loss is 0.

    >>> attribute_loss(np.array([5 * 1 + 5 * 4]), records=10, leaves=np.array([4])).tolist()
    [0.5]
    >>> attribute_loss(np.array([5 * 0 + 5 * 4]), records=10, leaves=np.array([4]), least=0).tolist()
    [0.5]
    """
    losses: NDArray[np.float64] = (covered - records * least) / (
        records * np.maximum(leaves - least, 1)
    )
    return np.maximum(0.0, losses)


def appraise_steps(
    cover: AttributeMeasure,
    microdata: Microdata,
    classes: EquivalenceClasses,
    step_of_class: NDArray[np.int64],
    steps: int,
) -> list[Appraisal]:
    """Appraise ever more suppression: at step s, the classes up to s are suppressed, and binding.

    What suppressed records cover is summed by the step at which they go.
    """
    scheme = classes.scheme
    chosen = select_by_label(classes.label_of_tuple, step_of_class < steps)
    covered = sum_covered_by_step(
        chosen, step_of_class[classes.label_of_tuple[chosen]], steps, microdata.codes,
        microdata.counts, microdata.domain.covered, microdata.domain.offsets, np.array(scheme),
    )  # fmt: skip
    records = np.bincount(step_of_class, classes.records, steps + 1)[:steps].astype(np.int64)
    suppressed = np.cumsum(records)[:, np.newaxis, np.newaxis]
    sizes, least = (
        each[:, np.newaxis] for each in (microdata.domain.sizes, microdata.domain.least)
    )
    left = microdata.total_covered - np.cumsum(covered, axis=0)
    losses = attribute_loss(left + suppressed * sizes, microdata.records, sizes, least)
    terms = np.moveaxis(cover.terms(np.moveaxis(losses, 1, 0)), 1, 0)
    own = terms[:, range(len(scheme)), scheme]
    return [
        Appraisal(cover.aggregate.of_terms(sum_left_to_right(mine)), bounds)
        for mine, bounds in zip(own, terms, strict=True)
    ]


def terms_of_covered(
    cover: AttributeMeasure,
    microdata: Microdata,
    covered: NDArray[np.int64],
    suppressed: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the terms of each attribute from what the kept records cover of it, a row for each."""
    shape = (-1, *[1] * (covered.ndim - 1))
    sizes, least = (
        each.reshape(shape) for each in (microdata.domain.sizes, microdata.domain.least)
    )
    losses = attribute_loss(covered + suppressed * sizes, microdata.records, sizes, least)
    return cover.terms(losses)
