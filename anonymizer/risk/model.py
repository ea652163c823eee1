"""The contract of risk models: all that an author of a model needs to read.

A model is a frozen dataclass: its fields are what a policy gives it. It answers two questions about the
classes of a scheme: which of them violate it by themselves, and how many more must be suppressed, in the
order of suppression, until the risk of what remains passes. Everything else it declares, and a run, a
frontier, an explanation, a verification and a report read that. Start from one of two bases: `ClassModel`
judges each class by itself, `TableModel` limits a risk of the whole table. Then a model needs six things
at most: its name, kind and parameters, which classes violate it, what the risk is, and how it is printed.
What is assumed of the others holds for any model; tests/risk/test_contract.py holds each to what it says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from anonymizer.estimators.intervals import Interval
from anonymizer.risk.assumption import Assumption
from anonymizer.risk.criterion import Criterion
from anonymizer.risk.inputs import HierarchyOf, Inputs, no_hierarchy
from anonymizer.risk.parameters import THRESHOLD, Parameter, describe_value
from anonymizer.risk.reference import ReferenceDistances
from anonymizer.risk.remaining import Histogram, Kept, Order, Remaining
from anonymizer.risk.sizes import Sizes
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata


class ModelKind(StrEnum):
    """What a model limits, and so over which suppressions an optimum is proven, from most to least."""

    PEOPLE = "people"
    """The risk of every single person, which never falls when others are dropped, nor when a scheme is
    made finer. So no suppression of records keeps more than the classes that do not violate it, no scheme
    is better with any, and whoever violates it does at every finer scheme."""
    CLASSES = "classes"
    """Something of every class. No scheme is better with any suppression of whole classes."""
    TABLE = "table"
    """A risk of the whole table, for which classes are suppressed in a stated order. No scheme is better
    under that order."""

    @staticmethod
    def of(models: Iterable[RiskModel]) -> ModelKind:
        """Return what is proven for several models together: as little as for any of them."""
        return max((model.kind for model in models), key=list(ModelKind).index)


class Estimates(StrEnum):
    """At which end of what they may be a model's estimates are."""

    LEAST = "least"
    """So that nobody's risk is lower at a finer scheme."""
    MOST = "most"
    """So that a release alone is enough, and where it passes, so does the model."""


Violators = Callable[[Kept], NDArray[np.bool_]]
"""Marks the tuples, among those kept, whose people are above the limit."""
PersonRisks = Callable[[Kept], NDArray[np.float64]]
"""Returns the risk of the people of each tuple among those kept; 0 of the others."""
MostKept = Callable[[EquivalenceClasses, NDArray[np.bool_]], NDArray[np.int64] | int]
"""Takes classes, and which of them violate the model. Returns how many records of each of those can be
kept at any finer scheme, over all its parts, or one number: of all records."""


class RiskModel(ABC):
    """What every risk model declares and answers, by what it is for."""

    name: ClassVar[str]
    """What a policy calls it; `str` of a model says the rest, for people."""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    """The parameters that can be tightened; a frontier varies the first."""

    # What most authors give, beside the name and the parameters

    @property
    @abstractmethod
    def kind(self) -> ModelKind:
        """What the model limits."""

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that violate the model by themselves: those smaller than it asks for."""
        return classes.sizes < self.asks(classes.input_people).least_class

    @abstractmethod
    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the risk of what remains when the first `cut` classes are suppressed; 0 of nothing."""

    # By who else is kept

    @property
    def violators(self) -> Violators | None:
        """What marks people above the limit by who else is kept; None if each class decides by itself.

        Asked again without them until nobody is: what is left is the greatest set that meets the model,
        if suppressing records never lowers the risk of others.
        """
        return None

    @property
    def risks(self) -> PersonRisks | None:
        """What gives the risk of every single person; None where nothing is known of single ones."""
        return None

    # Of the whole table: how many classes go, and in which order

    @abstractmethod
    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether that risk is acceptable."""

    @abstractmethod
    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Return the least number of classes, at least `start`, whose suppression passes."""

    @property
    def order(self) -> Order | None:
        """What comes before size in the order in which classes are suppressed; None for nothing.

        It must not depend on what is suppressed. Where several models ask for classes to go, the first
        that has an order decides for all of them.
        """
        return None

    @property
    def exact(self) -> bool:
        """Whether `first_cut` always finds the least cut; else no scheme is proven optimal."""
        return True

    # What holds at every finer scheme, which saves a search from looking at it

    def asks(self, people: int) -> Sizes:  # noqa: ARG002
        """Return what it asks of the sizes of classes, in a table of so many people; nothing.

        Whole boxes are bounded by it: what is kept at a finer scheme is within these limits here too.
        """
        return Sizes()

    @property
    def most_kept(self) -> MostKept | None:
        """What says how much can be kept at finer schemes; None where nothing is known but `asks`.

        Asked of a model of classes for each class, and of one of the table with nothing suppressed.
        """
        return None

    def with_estimates(self, at: Estimates) -> RiskModel:  # noqa: ARG002
        """Return the model with what it estimates, or is not sure of, at one end; it is sure of all."""
        return self

    def criterion(self, microdata: Microdata) -> Criterion | None:  # noqa: ARG002
        """Return what says the same as `violating`, of the values of its one sensitive column.

        It only saves time; None where that is not of a known kind.
        """
        return None

    # What it reads, and whether that fits

    @property
    def inputs(self) -> Inputs:
        """What the model looks at beside the sizes of classes; nothing."""
        return Inputs()

    def files(self, folder: Path) -> list[Path]:  # noqa: ARG002
        """Return all files that are read for the model, given what it names them relative to; none."""
        return []

    def resolve(self, folder: Path, hierarchy_of: HierarchyOf = no_hierarchy) -> Self:  # noqa: ARG002
        """Return the model with its files, and the hierarchies of sensitive columns it needs.

        Files are found relative to a folder; nothing to resolve.
        """
        return self

    def with_weight(self, column: str | None) -> Self:  # noqa: ARG002
        """Return the model with the column of a survey's sampling weights; it has no use for them."""
        return self

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """List the reasons, one sentence each, why the model does not fit a table of so many people."""
        return []

    def prepare(self, microdata: Microdata) -> None:  # noqa: ARG002
        """Read what the model needs besides the table, before a search; nothing to read."""
        return

    # What it reports

    def describe(self) -> dict[str, Any]:
        """Return the parameters as JSON; those left at None are left out, a file is named by itself."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return {name: describe_value(value) for name, value in values if value is not None}

    def residual_risk(self, remaining: Remaining) -> float:
        """Return the risk of a release, 0 to 1, by which the points of a frontier are compared."""
        return self.risk(remaining)

    def risk_interval(self, remaining: Remaining) -> Interval | None:  # noqa: ARG002
        """Return the interval of the risk, at 95 % confidence, if it is an estimate; None if counted.

        Asked for what is reported, never during a search.
        """
        return None

    def reference_distances(self, remaining: Remaining) -> ReferenceDistances | None:  # noqa: ARG002
        """Return how far classes are from the input and from what remains; None without a reference."""
        return None

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the stated figures that the model rests on; none."""
        return ()


class ClassModel(RiskModel):
    """A base for models that judge each class by itself: what is left when those violating go, passes.

    A model gives `violating`, or asks for a least class and nothing else.
    """

    kind: ClassVar[ModelKind] = ModelKind.CLASSES

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the share of the remaining records whose class violates the model."""
        left, records = remaining.after(cut), remaining.classes.records
        violating = left[self.violating(remaining.classes)[left]]
        return int(records[violating].sum()) / max(1, int(records[left].sum()))

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether no remaining class violates the model."""
        return not self.violating(remaining.classes)[remaining.after(cut)].any()

    def first_cut(self, remaining: Remaining, start: int) -> int:  # noqa: ARG002
        """Suppress no more: the classes that violate the model are suppressed already."""
        return start

    def residual_risk(self, remaining: Remaining) -> float:
        """Return one over the smallest class: the prosecutor's highest risk."""
        return one_over_least(remaining.classes.sizes[~remaining.suppressed])


class TableModel(RiskModel):
    """A base for models whose risk follows from the sizes of the classes that remain.

    A model gives `risk_of` and a `threshold`. If it also says that its risk falls along the order of
    suppression, smallest class first, the cut is found by bisection; else, and where another model
    decides the order, by trying every one.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = (THRESHOLD,)
    kind: ClassVar[ModelKind] = ModelKind.TABLE
    decreases: ClassVar[bool] = False
    """Whether the risk falls, or stays, with every class suppressed in the order of suppression."""
    threshold: float

    @abstractmethod
    def risk_of(self, histogram: Histogram) -> float:
        """Return the risk of a table with classes of these sizes, at least one of them."""

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the risk of what is left; a table without records has none."""
        left = remaining.left(cut)
        return self.risk_of(left) if left.classes else 0.0

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether the risk is within the threshold; a risk that is not a number never is."""
        return bool(self.risk(remaining, cut) <= self.threshold)

    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Find the least cut that passes; suppressing every class always does."""
        end = remaining.histogram.classes
        if self.passes(remaining, start):
            return start
        if not self.decreases or not remaining.smallest_first:
            return next(cut for cut in range(start, end + 1) if self.passes(remaining, cut))
        failing, passing = start, end
        while passing - failing > 1:
            middle = (failing + passing) // 2
            if self.passes(remaining, middle):
                passing = middle
            else:
                failing = middle
        return passing


def judges_by_size(model: RiskModel) -> bool:
    """Whether a class violates a model if, and only if, it is smaller than the model asks for.

    Where a model has an order of its own, what else is suppressed does not come first.
    """
    if model.asks(1).only:
        return True
    own = type(model).violating is not RiskModel.violating
    return model.violators is None and model.order is None and not own


def binds_records(model: RiskModel) -> bool:
    """Whether a record whose class violates a model does so at every finer scheme."""
    return model.kind is ModelKind.PEOPLE or judges_by_size(model)


def binds_finer(model: RiskModel, people: int) -> bool:
    """Whether anything is known of what must be suppressed at finer schemes."""
    known = model.most_kept is not None or model.asks(people).limited
    return known or model.kind is ModelKind.PEOPLE


def asked_by(models: Iterable[RiskModel], people: int) -> Sizes:
    """Return what models ask, together, of the sizes of classes in a table of so many people."""
    return Sizes.all_of(model.asks(people) for model in models)


def one_over_least(counts: NDArray[np.int64]) -> float:
    """Return one over the least of some counts of people; 0 where there are none.

    >>> one_over_least(np.array([5, 4])), one_over_least(np.array([], np.int64))
    (0.25, 0.0)
    """
    return 1 / max(1, int(counts.min())) if counts.size else 0.0
