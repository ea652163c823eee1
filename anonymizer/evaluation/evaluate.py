"""Evaluator: what a scheme costs, and what it proves about every finer scheme."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.suppression import Suppression, suppress
from anonymizer.kernels.partition import sum_chosen
from anonymizer.lattice import Scheme
from anonymizer.risk import Binding, RiskModel
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.groups import Group
from anonymizer.table.microdata import Microdata
from anonymizer.utility import Measure
from anonymizer.utility.measure import sum_left_to_right


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A scheme after suppression.

    `terms[a, l]`, for levels l up to the scheme's own, are the terms of a bound: with the records
    suppressed here suppressed there too, a finer scheme w loses at least the sum of `terms[a, w[a]]`.
    To that sum, w adds the `floor` of any scheme that is finer than w.
    """

    scheme: Scheme
    suppressed_records: int
    loss: float
    feasible: bool
    """Whether the suppressed records are within the suppression limit, and every group is kept."""
    binding_records: int
    """How many records, at least, must be suppressed at every finer scheme too."""
    finer_infeasible: bool
    """Whether these are already beyond the limit, or too many of a group."""
    terms: NDArray[np.float64] = field(repr=False)
    floor: float = 0.0
    complete: bool = True
    """Not where it was given up at a cutoff: loss and suppressed records are what they are at least."""
    bound: float | None = None
    """What the scheme loses at least, however it is suppressed; None where that is proven to be the loss,
    or that it is infeasible."""

    @property
    def quality(self) -> float:
        """One minus the loss."""
        return 1 - self.loss

    @property
    def tie_key(self) -> tuple[int, int, Scheme]:
        """What decides between schemes of equal loss: the least wins."""
        return self.suppressed_records, sum(self.scheme), self.scheme


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A scheme with its classes, what is suppressed of them, and what that costs."""

    classes: EquivalenceClasses
    suppressed: NDArray[np.bool_]
    evaluation: Evaluation

    @property
    def rank(self) -> tuple[float, int, int, Scheme]:
        """What decides between outcomes, infeasible ones apart: the least is best."""
        return self.evaluation.loss, *self.evaluation.tie_key


class BestOutcome:
    """Keeps the best feasible outcome so far, so that the winner need not be made again."""

    def __init__(self) -> None:
        self.outcome: Outcome | None = None
        self.lock = threading.Lock()

    def __reduce__(self) -> tuple[type[BestOutcome], tuple[()]]:
        return BestOutcome, ()  # a lock cannot be pickled, and what is kept can be made again

    def offer(self, outcome: Outcome) -> None:
        """Keep an outcome if it is better than the one kept."""
        if not outcome.evaluation.feasible:
            return
        with self.lock:
            if self.outcome is None or outcome.rank < self.outcome.rank:
                self.outcome = outcome

    def recall(self, scheme: Scheme) -> Outcome | None:
        """Return the outcome of a scheme if it is the one kept."""
        kept = self.outcome
        return kept if kept is not None and kept.evaluation.scheme == scheme else None


class SchemeEvaluator(Protocol):
    """All that a search needs to know of what evaluates its schemes."""

    @property
    def models(self) -> Sequence[RiskModel]:
        """What a release has to meet."""

    @property
    def measure(self) -> Measure:
        """What is lost."""

    @property
    def suppression_limit(self) -> int:
        """How many may be suppressed."""

    @property
    def suppressible(self) -> int:
        """How many there are that can be suppressed: records, or people of a study."""

    @property
    def people(self) -> int:
        """How many people there are."""

    @property
    def groups(self) -> Sequence[Group]:
        """The groups of records that must be kept."""

    @property
    def microdata(self) -> Microdata | None:
        """The table, for what works on its tuples; None where there is no single one."""

    @property
    def basis(self) -> list[Any]:
        """All that decides what is found, in dataclasses, lists and arrays."""

    def evaluate(self, scheme: Scheme, cutoff: float = math.inf) -> Evaluation:
        """Evaluate a scheme, and give it up where what is binding costs more than the cutoff."""


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Everything needed to evaluate a scheme; the same scheme always gives the same evaluation."""

    microdata: Microdata
    models: Sequence[RiskModel]
    measure: Measure
    suppression_limit: int
    """The largest number of records that may be suppressed."""
    groups: Sequence[Group] = ()
    """The groups of records of which a share must be kept."""
    best: BestOutcome = field(default_factory=BestOutcome, init=False, repr=False)

    @property
    def suppressible(self) -> int:
        """The number of records."""
        return self.microdata.records

    @property
    def people(self) -> int:
        """How many people the table has."""
        return self.microdata.number_of_people

    @property
    def basis(self) -> list[Any]:
        """All that decides what is found."""
        found = [list(self.models), self.measure, self.suppression_limit, self.microdata]
        return [*found, list(self.groups)] if self.groups else found

    def evaluate(self, scheme: Scheme, cutoff: float = math.inf) -> Evaluation:
        """Partition, suppress, and sum up what is lost; for the cutoff see `evaluate_classes`."""
        return self.evaluate_classes(partition(self.microdata, scheme), cutoff)

    def evaluate_classes(self, classes: EquivalenceClasses, cutoff: float = math.inf) -> Evaluation:
        """Suppress, and sum up what is lost.

        Where what is binding costs more than the cutoff, a sum of terms, the rest is not looked for: the
        scheme is not the best, and what it proves about finer ones is known.
        """
        lookahead = Lookahead(self, cutoff)
        hopeless = None if cutoff == math.inf else lookahead.is_hopeless
        found = suppress(self.microdata, classes, self.models, hopeless)
        if not found.complete:
            assert lookahead.found is not None
            return lookahead.found
        outcome = Outcome(found.classes, found.suppressed, self.score(found))
        self.best.offer(outcome)
        return outcome.evaluation

    def outcome(self, scheme: Scheme) -> Outcome:
        """Return a scheme with its classes; that of the best scheme evaluated is kept."""
        return self.best.recall(scheme) or self.judge(partition(self.microdata, scheme))

    def judge(self, classes: EquivalenceClasses) -> Outcome:
        """Suppress and score the classes of a scheme."""
        suppression = suppress(self.microdata, classes, self.models)
        return Outcome(suppression.classes, suppression.suppressed, self.score(suppression))

    def score(self, suppression: Suppression) -> Evaluation:
        """Weigh what is lost of the kept and the suppressed records, and bound it elsewhere."""
        limit, binding, classes = self.suppression_limit, suppression.binding, suppression.classes
        suppressed_records = sum_chosen(classes.records, suppression.suppressed)
        binding_records = max(0, sum_chosen(classes.records, binding.classes) - binding.exempt)
        found = self.measure.appraise(self.microdata, classes, suppression.suppressed, binding)
        return Evaluation(
            classes.scheme,
            suppressed_records,
            found.loss,
            feasible=suppressed_records <= limit and self.keeps_groups(suppression),
            binding_records=binding_records,
            finer_infeasible=binding_records > limit or self.loses_group(suppression),
            terms=found.terms,
            floor=found.floor,
        )

    def keeps_groups(self, suppression: Suppression) -> bool:
        """Whether enough of every group is kept."""
        if not self.groups:
            return True
        kept = ~suppression.tuples
        return all(group.kept(kept) >= group.least for group in self.groups)

    def loses_group(self, suppression: Suppression) -> bool:
        """Whether too many of a group must go at every finer scheme too."""
        return any(most_kept_of(group, suppression) < group.least for group in self.groups)

    def attribute_losses(
        self, classes: EquivalenceClasses, suppressed: NDArray[np.bool_]
    ) -> tuple[float, ...]:
        """Return the loss of each attribute, before weights; nothing where the measure has none."""
        return self.measure.attribute_losses(self.microdata, classes, suppressed)


def most_kept_of(group: Group, suppression: Suppression) -> int:
    """Return how many of a group can be kept at the scheme or a finer one, at most.

    Of the classes that bind, no more records are kept than are exempt; each may be one of the group's.
    """
    binding = suppression.binding
    others = ~binding.classes[suppression.classes.label_of_tuple]
    return min(group.size, group.kept(others) + binding.exempt)


class Lookahead:
    """Looks at what is binding at a scheme, before all is found that must be suppressed there."""

    def __init__(self, evaluator: Evaluator, cutoff: float) -> None:
        self.evaluator, self.cutoff = evaluator, cutoff
        self.found: Evaluation | None = None
        """What is known of a scheme that costs more than the cutoff."""

    def is_hopeless(self, classes: EquivalenceClasses, binding: Binding) -> bool:
        """Whether what is binding costs more than the cutoff; what else must go only adds to it."""
        if not binding.classes.any():
            return False  # without a binding, nothing is known that the search did not know before
        evaluator, scheme = self.evaluator, classes.scheme
        nothing = np.zeros(binding.classes.size, np.bool_)
        known = evaluator.score(Suppression(classes, nothing, binding))
        terms = sum_left_to_right(known.terms[range(len(scheme)), scheme]) + known.floor
        if terms > self.cutoff:
            loss, least = evaluator.measure.aggregate.of_terms(terms), known.binding_records
            feasible = not known.finer_infeasible
            self.found = replace(
                known, loss=loss, suppressed_records=least, feasible=feasible, complete=False
            )
        return self.found is not None
