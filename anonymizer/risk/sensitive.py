"""What all models of a sensitive attribute share: they judge the values of each class by themselves.

Counts are of people. Whoever has several rows in a class counts once for each value that they have there;
the distribution of a class, and that of the whole table, is over these pairs of person and value. The
overall distribution is the input's, whatever is suppressed, unless a model asks for the release's. A
missing cell is a value of its own.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import PolicyError, quote_some, suggest_name
from anonymizer.risk.inputs import Inputs
from anonymizer.risk.model import ClassModel, MostKept, Violators
from anonymizer.risk.reference import INPUT, RELEASE, ReferenceDistances, check_reference
from anonymizer.risk.remaining import Kept, Remaining
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.microdata import Microdata
from anonymizer.table.sensitive import ClassHistograms, SensitiveColumn

SLACK = 1e-12
"""What exceeds a limit by rounding only does not exceed it."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SensitiveModel(ClassModel):
    """A base for models that judge how the values of one sensitive attribute are spread in each class.

    A model gives `exceeds` and `exposure`. `values` are those that do harm; where they are named, a class
    in which nobody has one of them passes, unless the model says otherwise.
    """

    attribute: str
    """The sensitive attribute, a column that is not a quasi-identifier."""
    values: tuple[str, ...] | None = field(default=None, kw_only=True)
    """The values that do harm; None for all of them."""

    def __post_init__(self) -> None:
        check_attribute(self.attribute)
        object.__setattr__(self, "values", check_values(self.values))

    judges_all: ClassVar[bool] = False
    """Whether every class is judged, by the values that do harm, also where nobody has one of them."""

    @property
    def inputs(self) -> Inputs:
        """The values of the attribute, and those that do harm where they are named."""
        return Inputs((self.attribute,), {self.attribute: self.values} if self.values else {})

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """A quasi-identifier is not sensitive: it is known, and generalized."""
        if self.attribute not in quasi_identifiers:
            return []
        return [
            f"{self.name}: '{self.attribute}' is a quasi-identifier, which an attacker knows already; "
            "give it the role 'sensitive', or name another attribute."
        ]

    def prepare(self, microdata: Microdata) -> None:
        """Check that the values that do harm occur."""
        texts = self.column(microdata).texts
        unknown = [value for value in self.values or () if value not in texts]
        if unknown:
            raise PolicyError(
                f"{self.name}: '{self.attribute}' does not have the value {quote_some(unknown)}; "
                f"{suggest_name(unknown[0], texts)}"
            )

    def column(self, microdata: Microdata) -> SensitiveColumn:
        """Return the sensitive attribute of a table."""
        return microdata.sensitive[self.attribute]

    def chosen(self, microdata: Microdata) -> NDArray[np.bool_]:
        """Mark the values that do harm."""
        return self.column(microdata).choose(self.values)

    @abstractmethod
    def exposure(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return what the model limits, for each class: 0 for none, 1 for the most there can be."""

    @abstractmethod
    def exceeds(self, histograms: ClassHistograms, microdata: Microdata) -> NDArray[np.bool_]:
        """Mark the classes that are above the limit."""

    def judged(self, histograms: ClassHistograms, microdata: Microdata) -> NDArray[np.bool_]:
        """Mark the classes that are judged: those in which somebody has a value that does harm."""
        if self.values is None or self.judges_all:
            return np.ones(histograms.sizes.size, np.bool_)
        return histograms.with_any(self.chosen(microdata)) > 0

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that are judged and above the limit."""
        return self.exceeding(classes)

    def exceeding(
        self, classes: EquivalenceClasses, some: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]:
        """Mark the classes that are judged and above the limit; only some have to be counted."""
        histograms, microdata = classes.histograms(self.attribute, some), classes.microdata
        marked = self.exceeds(histograms, microdata)
        return marked if self.values is None else marked & self.judged(histograms, microdata)

    def exposures(self, classes: EquivalenceClasses) -> Floats:
        """Return what the model limits, for each class, 0 to 1; 0 where it is not judged."""
        histograms, microdata = classes.histograms(self.attribute), classes.microdata
        return np.where(
            self.judged(histograms, microdata), self.exposure(histograms, microdata), 0.0
        )

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the highest exposure of a class that remains."""
        return float(self.exposures(remaining.classes)[remaining.after(cut)].max(initial=0.0))

    def residual_risk(self, remaining: Remaining) -> float:
        """Return the highest exposure of a class that remains."""
        return self.risk(remaining)

    @property
    def most_kept(self) -> MostKept | None:
        """How many records of each class can be kept at finer schemes, if all of it is judged."""
        return self.most_of_classes if self.values is None or self.judges_all else None

    def most_of_classes(
        self, classes: EquivalenceClasses, violating: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Return how many records of each violating class can be kept at a finer scheme, at most.

        Where people have several rows, parts of a class share people, and nothing is known.
        """
        if classes.microdata.people is not None:
            return classes.records
        found = self.most_passing(
            classes.histograms(self.attribute, violating), classes.microdata, violating
        )
        kept = np.minimum(np.floor(found + 1e-6).astype(np.int64), classes.records - 1)
        # what violates it by no more than rounding may be kept whole
        return np.where(violating & (found < classes.records), kept, classes.records)

    @abstractmethod
    def most_passing(
        self, histograms: ClassHistograms, microdata: Microdata, chosen: NDArray[np.bool_]
    ) -> Floats:
        """Return the size of the largest part of each chosen class whose histogram passes, at least."""


@dataclass(frozen=True)
class ComparingModel(SensitiveModel):
    """A base for models that compare the distribution of each class with an overall one.

    A model gives `distances_of` too. By default the overall distribution is that of the input. With
    `reference` = "release" it is that of the released table: classes that are too far from it are
    dropped, and again from what is left, until none is. Another choice of classes may keep more.
    """

    reference: str = field(default=INPUT, kw_only=True)
    """What classes are compared with: "input", or "release"."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reference(self.reference)

    @property
    def by_release(self) -> bool:
        """Whether classes are compared with the released table."""
        return self.reference == RELEASE

    @property
    def suffix(self) -> str:
        """What the model's name ends with."""
        return ", of the released table" if self.by_release else ""

    @property
    def violators(self) -> Violators | None:
        """If classes are compared with the release, dropping one changes the comparison of the others."""
        return self.too_far_from_kept if self.by_release else None

    @property
    def exact(self) -> bool:
        """Other classes than those dropped may leave more."""
        return not self.by_release

    @property
    def most_kept(self) -> MostKept | None:
        """Nothing is known where what is dropped counts."""
        return None if self.by_release else super().most_kept

    @property
    def inputs(self) -> Inputs:
        """The shares of the values in the input too, where it compares with them."""
        return replace(super().inputs, overall_shares=not self.by_release)

    @abstractmethod
    def distances_of(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return how far each class is from the overall distribution, in the unit of the limit."""

    def compared(self, classes: EquivalenceClasses, kept: NDArray[np.bool_]) -> EquivalenceClasses:
        """Return the classes; if the release is the reference, its shares stand for the table's."""
        return classes.with_values_of(self.attribute, kept) if self.by_release else classes

    def violating_kept(
        self, classes: EquivalenceClasses, kept: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Mark those of the classes kept that are too far."""
        if not kept.any():
            return kept
        return self.exceeding(self.compared(classes, kept), kept) & kept

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that are too far from the input, or from all classes."""
        if not self.by_release:
            return super().violating(classes)
        return self.violating_kept(classes, np.ones(classes.sizes.size, np.bool_))

    def too_far_from_kept(self, kept: Kept) -> NDArray[np.bool_]:
        """Mark the classes, among what is kept, that are too far from all of it."""
        classes = partition(kept.microdata, kept.scheme)
        parts = classes.split(kept.microdata, ~kept.tuples, 2)
        there = kept.tuples[parts.first_tuple]
        return self.violating_kept(parts, there)[parts.label_of_tuple]

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the highest exposure of a class that remains."""
        left = remaining.after(cut)
        if not left.size:
            return 0.0
        kept = np.zeros(remaining.suppressed.size, np.bool_)
        kept[left] = True
        return float(self.exposures(self.compared(remaining.classes, kept))[left].max())

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether no remaining class violates the model."""
        kept = np.zeros(remaining.suppressed.size, np.bool_)
        kept[remaining.after(cut)] = True
        return not self.violating_kept(remaining.classes, kept).any()

    def reference_distances(self, remaining: Remaining) -> ReferenceDistances:
        """Return the distance of the farthest class from the input and from what remains."""
        kept = ~remaining.suppressed
        models = {
            self.reference: self,
            (other := INPUT if self.by_release else RELEASE): replace(self, reference=other),
        }
        found = {where: model.farthest(remaining.classes, kept) for where, model in models.items()}
        return ReferenceDistances(
            model=str(self),
            attribute=self.attribute,
            promised=self.reference,
            limit=float(self.parameters[0].value_of(self)),
            from_input=found[INPUT],
            from_release=found[RELEASE],
            met_by_input=models[INPUT].passes(remaining),
            met_by_release=models[RELEASE].passes(remaining),
        )

    def farthest(self, classes: EquivalenceClasses, kept: NDArray[np.bool_]) -> float | None:
        """Return the distance of the farthest class that is kept; None if it is infinite."""
        if not kept.any():
            return 0.0
        whole = self.compared(classes, kept)
        histograms = whole.histograms(self.attribute, kept)
        judged = kept & self.judged(histograms, whole.microdata)
        found = float(self.distances_of(histograms, whole.microdata)[judged].max(initial=0.0))
        return found if np.isfinite(found) else None


def check_attribute(attribute: object) -> None:
    """Raise a ValueError unless the name of an attribute is given."""
    if not isinstance(attribute, str) or not attribute:
        raise ValueError(f"attribute must be the name of a column, got {attribute!r}")


def check_values(values: object) -> tuple[str, ...] | None:
    """Take a list of texts; raise a ValueError for anything else."""
    if values is None:
        return None
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in values):
        raise ValueError(f"values must be a list of strings, got {values!r}")
    if not values:
        raise ValueError("values is an empty list; name a value, or leave it out to protect all")
    return tuple(values)


def check_positive(name: str, value: Any) -> None:
    """Raise a ValueError unless the value is a finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
        raise ValueError(f"{name} must be a number above 0, got {value!r}")


def check_values_enough(model: SensitiveModel, least: float, microdata: Microdata) -> None:
    """Raise a PolicyError if a model asks for more values than there are."""
    values = int((model.column(microdata).counts > 0).sum())
    if least > values:
        raise PolicyError(
            f"{model.name}: l = {least:g} is larger than the number of values of '{model.attribute}'; "
            f"the largest possible is {values}."
        )
