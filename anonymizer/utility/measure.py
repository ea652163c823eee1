"""The contract of utility measures: all that an author of a measure needs to read.

A measure is a frozen dataclass. It gives the loss of a scheme, 0 to 1, once some classes are suppressed,
and a lower bound on the loss of every finer scheme. With the bound a search leaves schemes out without
looking, and is still exact. Its fields, if any, are `weights`, one for each quasi-identifier, and
`aggregate`. tests/utility/test_contract.py holds every measure to it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.lattice import Lattice
from anonymizer.risk.remaining import Binding
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.utility.aggregate import Aggregate


@dataclass(frozen=True, slots=True, eq=False)
class Appraisal:
    """The loss of a scheme, and the bounds that it gives for others.

    For schemes u <= w <= v, v and u appraised, the loss of w is at least what the aggregate makes of the
    sum of v's `terms[a, w[a]]` and u's `floor`, if w suppresses what is binding at v. Terms do not fall
    with the level; above v's own levels they mean nothing.
    """

    loss: float
    terms: NDArray[np.float64]
    floor: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """What a measure is computed from after a release: the file, its hierarchies, the input's records."""

    records: int
    """The records of the input; those that are not in `class_sizes` are suppressed."""
    class_sizes: NDArray[np.int64]
    """The sizes of the released classes."""
    levels: NDArray[np.int64]
    heights: NDArray[np.int64]
    leaves: NDArray[np.int64] = field(repr=False)
    """The extent of each hierarchy: its leaves, or the units of a continuous domain's width."""
    covered: NDArray[np.int64] = field(repr=False)
    """What the released values cover of it, summed over the released records."""
    least: NDArray[np.int64] = field(repr=False)
    """What a single value of each attribute covers: 1, or 0 where it is continuous."""

    @property
    def suppressed(self) -> int:
        """The number of records that are not released."""
        return self.records - int(self.class_sizes.sum())


class Measure(ABC):
    """What the search, the release and the verification ask of a measure."""

    __slots__ = ()
    name: ClassVar[str]
    """What a policy calls it."""
    floors: ClassVar[bool] = False
    """Whether a scheme bounds the coarser ones too, so that both ends of a box are evaluated."""
    aggregate: Aggregate = Aggregate.ARITHMETIC
    """How the sum of terms becomes the loss; 1 is the loss of a table of which nothing is left."""

    @abstractmethod
    def appraise(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        suppressed: NDArray[np.bool_],
        binding: Binding,
    ) -> Appraisal:
        """Weigh what is lost with the suppressed classes gone, and bound it elsewhere."""

    def attribute_losses(
        self,
        microdata: Microdata,  # noqa: ARG002
        classes: EquivalenceClasses,  # noqa: ARG002
        suppressed: NDArray[np.bool_],  # noqa: ARG002
    ) -> tuple[float, ...]:
        """Return the loss of each attribute, before weights; nothing where that has no meaning."""
        return ()

    def of_release(self, released: Released) -> tuple[float, tuple[float, ...]] | None:  # noqa: ARG002
        """Return loss and attribute losses from a released file; None: not computable from a release."""
        return None

    @property
    def cover(self) -> AttributeMeasure | None:
        """This measure, if its losses follow from what kept records cover, by `attribute_loss`; or None.

        Then subtree bounds, screening, layers and thresholds at once sum that up themselves.
        """
        return None


class AttributeMeasure(Measure):
    """A base for measures that are a sum of terms, one for each attribute, with weights.

    A measure gives `losses`, which must not fall with the level or with further suppression; its
    `aggregate` makes terms of them. Every aggregate grows with each loss, so that losses bounded one by
    one bound it. Where everything suppressed is binding, the bound is the loss of the scheme; but a
    maximum is bounded by the power mean.
    """

    __slots__ = ()
    weights: tuple[float, ...]

    @abstractmethod
    def losses(
        self, microdata: Microdata, classes: EquivalenceClasses, gone: Binding, box: Lattice
    ) -> NDArray[np.float64]:
        """Return the loss of each attribute at every level of a box; other levels mean nothing.

        All but `gone.exempt` of the records in the marked classes count as suppressed: for each
        attribute and level, those whose suppression costs least.
        """

    def terms(self, losses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what losses of the attributes, one row for each, add to the sum of terms."""
        return self.aggregate.terms(self.weights, losses)

    def appraise(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        suppressed: NDArray[np.bool_],
        binding: Binding,
    ) -> Appraisal:
        """Sum up the loss of the kept and the suppressed records, and bound it at every level below."""
        scheme = classes.scheme
        below = Lattice((0,) * len(scheme), scheme)
        losses = self.losses(microdata, classes, binding, below)
        bounds = terms = self.terms(losses)
        if binding.exempt or (binding.classes != suppressed).any():
            own = Lattice(scheme, scheme)
            losses = self.losses(microdata, classes, Binding(suppressed), own)
            terms = self.terms(losses)
        at = range(len(scheme)), scheme
        if self.aggregate is Aggregate.MAXIMUM:  # its terms only bound it
            return Appraisal(self.combine(losses[at])[0], bounds)
        return Appraisal(self.aggregate.of_terms(sum_left_to_right(terms[at])), bounds)

    def attribute_losses(
        self, microdata: Microdata, classes: EquivalenceClasses, suppressed: NDArray[np.bool_]
    ) -> tuple[float, ...]:
        """Return the loss of each attribute at the scheme of the classes, before weights."""
        scheme = classes.scheme
        own = Lattice(scheme, scheme)
        losses = self.losses(microdata, classes, Binding(suppressed), own)
        return tuple(float(losses[a, level]) for a, level in enumerate(scheme))

    def combine(self, losses: NDArray[np.float64]) -> tuple[float, tuple[float, ...]]:
        """Return the loss that losses of the attributes come to, and these."""
        if self.aggregate is Aggregate.MAXIMUM:
            return float((np.array(self.weights) * losses).max()), tuple(losses.tolist())
        return self.aggregate.of_terms(float(self.terms(losses).sum())), tuple(losses.tolist())


def relative_weights(weights: Sequence[float]) -> tuple[float, ...]:
    """Divide weights by the largest, so that no loss is above 1; a ValueError says if one is wrong.

    >>> relative_weights((5.0, 2.5, 0.0)), relative_weights((0.0, 0.0))
    ((1.0, 0.5, 0.0), (0.0, 0.0))
    """
    if any(weight < 0 or not math.isfinite(weight) for weight in weights):
        raise ValueError(f"weights must be finite and at least 0, got {weights}")
    largest = max(weights, default=0.0) or 1.0
    return tuple(weight / largest for weight in weights)


def sum_left_to_right(terms: NDArray[np.float64]) -> float:
    """Add in the order of the attributes, as the bounds do, so that equal schemes compare equal."""
    total = 0.0
    for term in terms.tolist():
        total += term
    return total
