"""The contract of risk models: all that an author of a model needs to read.

A model is a frozen dataclass: its fields are what a policy gives it. It answers two questions about the
classes of a scheme: which of them violate it by themselves, and how many more must be suppressed, in the
order of suppression, until the risk of what remains passes. Everything else it declares, and a run, a
frontier, an explanation, a verification and a report read that. Start from one of two bases: `ClassModel`
judges each class by itself, `TableModel` limits a risk of the whole table. What they assume of a model
unless it says otherwise holds for any model; tests/risk/test_contract.py holds each to what it declares.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses
from anonymizer.engine.microdata import Microdata
from anonymizer.estimators.intervals import Interval
from anonymizer.risk.assumption import Assumption
from anonymizer.risk.criterion import Criterion
from anonymizer.risk.inputs import HierarchyOf, Inputs, no_hierarchy
from anonymizer.risk.parameters import THRESHOLD, Parameter, describe_value
from anonymizer.risk.reference import ReferenceDistances
from anonymizer.risk.remaining import Binding, Histogram, Kept, Order, Remaining
from anonymizer.risk.sizes import Sizes


class Scope(StrEnum):
    """What a model limits, and so over which suppressions an optimum is proven, from most to least."""

    PEOPLE = "people"
    """The risk of every single person, which never falls when others are dropped. So no suppression of
    records keeps more than the classes that do not violate it, and no scheme is better with any."""
    CLASSES = "classes"
    """Something of every class. No scheme is better with any suppression of whole classes."""
    TABLE = "table"
    """A risk of the whole table, for which classes are suppressed in a stated order. No scheme is better
    under that order."""

    @staticmethod
    def of(models: Iterable[RiskModel]) -> Scope:
        """Return what is proven for several models together: as little as for any of them."""
        return max((model.scope for model in models), key=list(Scope).index)


class Monotone(StrEnum):
    """What the search may assume of a model when a scheme is made finer."""

    RECORD = "record"
    """A record whose class violates the model violates it at every finer scheme."""
    CLASS = "class"
    """Of a class that violates the model, no more records are kept at any finer scheme, over all its
    parts, than `most_kept` says."""
    TABLE = "table"
    """The risk of the whole table, nothing suppressed and the model relaxed, does not fall."""
    NONE = "none"


class RiskModel(ABC):
    """What every risk model declares and answers."""

    name: ClassVar[str]
    """What a policy calls it."""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    """The parameters that can be tightened; a frontier varies the first."""
    decreases: ClassVar[bool] = False
    """Whether the risk falls, or stays, with every class suppressed in the order of suppression."""

    @property
    @abstractmethod
    def scope(self) -> Scope:
        """What the model limits."""

    @property
    def monotone(self) -> Monotone:
        """What the search may assume of finer schemes."""
        return Monotone.NONE

    @property
    def exact(self) -> bool:
        """Whether `first_cut` always finds the least cut; else no scheme is proven optimal."""
        return True

    @property
    def order(self) -> Order | None:
        """What comes before size in the order in which classes are suppressed; None for nothing.

        It must not depend on what is suppressed. Where several models ask for classes to go, the first
        that has an order decides for all of them.
        """
        return None

    @property
    def inputs(self) -> Inputs:
        """What the model looks at beside the sizes of classes; nothing."""
        return Inputs()

    def asks(self, people: int) -> Sizes:  # noqa: ARG002
        """Return what it asks of the sizes of classes, in a table of so many people; nothing.

        Whole boxes are bounded by it: what is kept at a finer scheme is within these limits here too.
        """
        return Sizes()

    def least_shown(self, people: int) -> int | None:
        """Return from how many records on a class may be shown as an example; None for no class."""
        least = self.asks(people).least_class
        return least if least > 1 else None

    def files(self, folder: Path) -> list[Path]:  # noqa: ARG002
        """Return all files that are read for the model, given what it names them relative to; none."""
        return []

    def resolve(self, folder: Path, hierarchy_of: HierarchyOf = no_hierarchy) -> Self:  # noqa: ARG002
        """Return the model with its files, and the hierarchies of sensitive columns it needs.

        Files are found relative to a folder; nothing to resolve.
        """
        return self

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the stated figures that the model rests on; none."""
        return ()

    def describe(self) -> dict[str, Any]:
        """Return the parameters as JSON; those left at None are left out, a file is named by itself."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return {name: describe_value(value) for name, value in values if value is not None}

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """List the reasons, one sentence each, why the model does not fit a table of so many people."""
        return []

    def prepare(self, microdata: Microdata) -> None:  # noqa: ARG002
        """Read what the model needs besides the table, before a search; nothing to read."""
        return

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that violate the model by themselves: those smaller than it asks for."""
        return classes.sizes < self.asks(classes.input_people).least_class

    def violating_among(
        self, classes: EquivalenceClasses, some: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Mark those of some classes that violate the model by themselves; override it to save time."""
        return self.violating(classes) & some

    @property
    def local(self) -> bool:
        """Whether a class violates the model whatever else is suppressed; else see `violators`."""
        return True

    def violators(self, kept: Kept) -> NDArray[np.bool_]:
        """Mark the tuples, among those kept, whose people are above the limit; for a model not local.

        Asked again without them until nobody is: what is left is the greatest set that meets the model,
        if suppressing records never lowers the risk of others.
        """
        raise NotImplementedError

    def relaxed(self) -> RiskModel:
        """Return what the records kept here, or at any finer scheme, meet here, for a monotone model."""
        return self

    def at_worst(self) -> RiskModel:
        """Return a model that needs the release alone, and where it passes, so does this one."""
        return self

    @abstractmethod
    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the risk of what remains when the first `cut` classes are suppressed; 0 of nothing."""

    def risk_interval(self, remaining: Remaining) -> Interval | None:  # noqa: ARG002
        """Return the interval of the risk, at 95 % confidence, if it is an estimate; None if counted.

        Asked for what is reported, never during a search.
        """
        return None

    def reference_distances(self, remaining: Remaining) -> ReferenceDistances | None:  # noqa: ARG002
        """Return how far classes are from the input and from what remains; None without a reference."""
        return None

    @abstractmethod
    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether that risk is acceptable."""

    @abstractmethod
    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Return the least number of classes, at least `start`, whose suppression passes."""

    def residual_risk(self, remaining: Remaining) -> float:
        """Return the risk of a release, 0 to 1, by which the points of a frontier are compared."""
        return self.risk(remaining)

    def binding(self, remaining: Remaining) -> Binding | None:  # noqa: ARG002
        """Return what every finer scheme must suppress too; None where nothing is known.

        Asked only of a monotone model. `remaining` is the whole table, unless it is monotone record by
        record.
        """
        return None

    def criterion(self, microdata: Microdata) -> Criterion | None:  # noqa: ARG002
        """Return what says the same as `violating`, of the values of its one sensitive column.

        It only saves time; None where that is not of a known kind.
        """
        return None

    def most_kept(
        self,
        classes: EquivalenceClasses,
        violating: NDArray[np.bool_],  # noqa: ARG002
    ) -> NDArray[np.int64]:
        """Return how many records of each class can be kept, over all its parts, at any finer scheme.

        Asked only of a model that is monotone class by class, with the classes that violate it.
        """
        return classes.records


class ClassModel(RiskModel):
    """A base for models that judge each class by itself: what is left when those violating go, passes.

    A model gives `violating`, or asks for a least class and nothing else.
    """

    scope: ClassVar[Scope] = Scope.CLASSES

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the share of the remaining records whose class violates the model."""
        left, records = remaining.after(cut), remaining.classes.records
        violating = left[self.violating(remaining.classes)[left]]
        return int(records[violating].sum()) / max(1, int(records[left].sum()))

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether no remaining class violates the model."""
        return self.risk(remaining, cut) == 0

    def first_cut(self, remaining: Remaining, start: int) -> int:  # noqa: ARG002
        """Suppress no more: the classes that violate the model are suppressed already."""
        return start

    def residual_risk(self, remaining: Remaining) -> float:
        """Return one over the smallest class: the prosecutor's highest risk."""
        return one_over_least(remaining.classes.sizes[~remaining.suppressed])

    def binding(self, remaining: Remaining) -> Binding | None:
        """Return the classes that violate the model, if their records do at every finer scheme."""
        if self.monotone is not Monotone.RECORD:
            return None
        return Binding(self.violating(remaining.classes))


class TableModel(RiskModel):
    """A base for models whose risk follows from the sizes of the classes that remain.

    A model gives `risk_of` and a `threshold`. If it also says that its risk falls along the order of
    suppression, smallest class first, the cut is found by bisection; else, and where another model
    decides the order, by trying every one.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = (THRESHOLD,)
    scope: ClassVar[Scope] = Scope.TABLE
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
    return model.local and model.order is None and not own


def asked_by(models: Iterable[RiskModel], people: int) -> Sizes:
    """Return what models ask, together, of the sizes of classes in a table of so many people."""
    return Sizes.all_of(model.asks(people) for model in models)


def one_over_least(counts: NDArray[np.int64]) -> float:
    """Return one over the least of some counts of people; 0 where there are none.

    >>> one_over_least(np.array([5, 4])), one_over_least(np.array([], np.int64))
    (0.25, 0.0)
    """
    return 1 / max(1, int(counts.min())) if counts.size else 0.0
