"""What every risk model answers, and what it may be asked about.

A model is a frozen value. It answers two questions about the classes of a scheme: which of them break
it on their own account, and how many more must go, in the order of suppression, until the risk of the
table that remains is within its threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses, suppression_order
from anonymizer.engine.microdata import Microdata
from anonymizer.estimators.uniques import histogram


class Monotone(StrEnum):
    """What the search may assume of a model when a scheme is made finer."""

    RECORD = "record"
    """A record whose class breaks the model breaks it at every finer scheme."""
    TABLE = "table"
    """The risk of the whole table, nothing suppressed, does not fall."""
    NONE = "none"


class Need(StrEnum):
    """The statistics a model looks at; verification asks what it must have at hand."""

    CLASS_SIZES = "class sizes"
    POPULATION_TABLE = "population table"
    ORIGINAL_VALUES = "original values"


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many classes there are of each size: `counts[i]` classes of `sizes[i]` records, ascending.

    >>> table = Histogram.of(np.array([5, 1, 1, 2]))
    >>> table.records, table.classes, table.uniques
    (9, 4, 2)
    >>> table.after(3).sizes.tolist()
    [5]
    """

    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]

    @staticmethod
    def of(class_sizes: NDArray[np.signedinteger]) -> Histogram:
        """Count the classes of each size."""
        return Histogram(*histogram(class_sizes))

    @cached_property
    def records(self) -> int:
        """The number of records in all classes."""
        return int(self.sizes @ self.counts)

    @cached_property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.counts.sum())

    @property
    def uniques(self) -> int:
        """The number of classes of one record."""
        return int(self.counts[0]) if self.sizes.size and self.sizes[0] == 1 else 0

    def after(self, cut: int) -> Histogram:
        """Return what is left when the smallest classes, `cut` of them, are gone."""
        if cut == 0:
            return self
        left = np.maximum(np.cumsum(self.counts) - cut, 0)
        counts = np.minimum(left, self.counts)
        there = counts > 0
        return Histogram(self.sizes[there], counts[there])


@dataclass(frozen=True, eq=False)
class Remaining:
    """The classes that are left when those that break a model on their own account are gone."""

    microdata: Microdata
    classes: EquivalenceClasses
    breaking: NDArray[np.bool_]

    @cached_property
    def histogram(self) -> Histogram:
        """The sizes of the classes that are left."""
        return Histogram.of(self.classes.sizes[~self.breaking])

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The classes that are left, in the order in which they are suppressed."""
        order = suppression_order(self.microdata, self.classes)
        return order[~self.breaking[order]]


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """What must be suppressed at every finer scheme too: all but `exempt` records of these classes."""

    classes: NDArray[np.bool_]
    exempt: int = 0
    least_class: int = 1
    """So many records, at least, are in every class that is kept, whatever the scheme."""


class RiskModel(Protocol):
    """What the search, the release and the verification ask of a model.

    A model that breaks every class of fewer than so many records may say so as `least_class`.
    """

    name: ClassVar[str]

    @property
    def needs(self) -> frozenset[Need]:
        """The statistics the model looks at."""

    @property
    def monotone(self) -> Monotone:
        """What the search may assume; tests/risk/test_contract.py holds every model to it."""

    def resolve(self, folder: Path) -> RiskModel:
        """Return the model with the files it names read, or found, relative to a folder."""

    def check(self, records: int, quasi_identifiers: tuple[str, ...]) -> list[str]:
        """List the reasons, one sentence each, why the model does not fit a table."""

    def breaking(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that break the model on their own account."""

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the risk of the table that is left when the first `cut` classes are suppressed."""

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether that risk is within the threshold."""

    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Return the least number of classes, at least `start`, whose suppression passes."""

    def binding(self, remaining: Remaining) -> Binding | None:
        """Return what every finer scheme must suppress too; None where nothing is known.

        `remaining` is the whole table, unless the model is monotone record by record.
        """


class ClassModel:
    """A base for models that judge each class by itself: what is left when those go, passes."""

    monotone: ClassVar[Monotone] = Monotone.RECORD

    @property
    def needs(self) -> frozenset[Need]:
        """The sizes of the classes, unless the model says otherwise."""
        return frozenset({Need.CLASS_SIZES})

    def resolve(self, folder: Path) -> Self:  # noqa: ARG002
        """Name no files."""
        return self

    def check(self, records: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """Fit every table."""
        return []

    def breaking(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that must be suppressed; a model says which."""
        raise NotImplementedError

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the share of the remaining records that break the model."""
        left = remaining.order[cut:]
        records = int(remaining.classes.sizes[left].sum())
        broken = left[self.breaking(remaining.classes)[left]]
        return int(remaining.classes.sizes[broken].sum()) / records if records else 0.0

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether no remaining class breaks the model."""
        return self.risk(remaining, cut) == 0

    def first_cut(self, remaining: Remaining, start: int) -> int:  # noqa: ARG002
        """Suppress no more: the classes that break the model are gone already."""
        return start

    def binding(self, remaining: Remaining) -> Binding | None:
        """Return the classes that break the model: their records do at every finer scheme."""
        return Binding(self.breaking(remaining.classes))


class TableModel:
    """A base for models whose risk follows from the sizes of the classes that are left.

    A model gives `risk_of` and a `threshold`. If it also says that its risk falls along the order of
    suppression, smallest class first, the cut is found by bisection; else by trying every one.
    """

    monotone: ClassVar[Monotone] = Monotone.NONE
    decreases: ClassVar[bool] = False
    """Whether the risk falls, or stays, with every class that is suppressed."""
    threshold: float

    @property
    def needs(self) -> frozenset[Need]:
        """The sizes of the classes."""
        return frozenset({Need.CLASS_SIZES})

    def resolve(self, folder: Path) -> Self:  # noqa: ARG002
        """Name no files."""
        return self

    def check(self, records: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """Fit every table."""
        return []

    def risk_of(self, histogram: Histogram) -> float:
        """Return the risk of a table with classes of these sizes; a model says which."""
        raise NotImplementedError

    def breaking(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Blame no class on its own."""
        return np.zeros(classes.sizes.size, np.bool_)

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the risk of what is left; a table without records has none."""
        left = remaining.histogram.after(cut)
        return self.risk_of(left) if left.records else 0.0

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether the risk is within the threshold; a risk that is not a number never is."""
        return bool(self.risk(remaining, cut) <= self.threshold)

    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Find the least cut that passes; suppressing every class always does."""
        end = remaining.histogram.classes
        if self.passes(remaining, start):
            return start
        if not self.decreases:
            return next(cut for cut in range(start, end + 1) if self.passes(remaining, cut))
        failing, passing = start, end
        while passing - failing > 1:
            middle = (failing + passing) // 2
            if self.passes(remaining, middle):
                passing = middle
            else:
                failing = middle
        return passing

    def binding(self, remaining: Remaining) -> Binding | None:  # noqa: ARG002
        """Know nothing of finer schemes, unless the model says otherwise."""
        return None


def check_k(k: int, records: int) -> list[str]:
    """Say that a table of so many records has no class of k, or nothing."""
    if k <= records:
        return []
    return [f"k = {k} is larger than the table, which has {records} records; lower k."]


def check_share(name: str, value: float) -> None:
    """Raise a ValueError unless the value is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")


def check_whole(name: str, value: int, least: int = 1) -> None:
    """Raise a ValueError unless the value is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
