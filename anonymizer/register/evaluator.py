"""RegisterEvaluator: what a scheme costs where the release has to be safe beside all earlier ones.

Those present: everybody kept shares class and history with k people who are kept. Taking the history for
one more value that is never generalized, that is k-anonymity. So there is a greatest set that can be
kept, it holds what is kept at any finer scheme, and it bounds boxes of schemes as k-anonymity does.

Those absent: of everybody with one history who was ever released, nobody or at least k are not in this
release. It is not closed under union: to drop a person may hide one who left. So from the greatest set,
history by history, the cheapest further people go (see `absences`). The loss is a concave function of the
sum over histories; below it is a line, along which each person has a cost of their own. What goes at
least cost bounds the loss, and is itself a release: the two differ by a little, or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import PolicyError
from anonymizer.evaluation.evaluate import Evaluation, Evaluator, Outcome
from anonymizer.evaluation.suppression import Suppression
from anonymizer.lattice import Scheme
from anonymizer.register.absences import cheapest_absences, pick
from anonymizer.register.past import Past
from anonymizer.risk import Binding, RiskModel
from anonymizer.risk.k_anonymity import KAnonymity
from anonymizer.study.evaluator import MET, Chord, sum_at
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.groups import Group
from anonymizer.utility import Measure
from anonymizer.utility.measure import AttributeMeasure

ROUNDS = 3
"""How often the line below the loss is drawn again, closer to what was found."""
Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RegisterEvaluator:
    """Everything needed to evaluate a scheme beside earlier releases; each tuple is one person."""

    plain: Evaluator
    """What evaluates the same table as if nothing had been released before."""
    past: Past

    def __post_init__(self) -> None:
        if self.measure.cover is None:
            raise PolicyError(
                f"policy: the measure '{self.measure.name}' is not one for a register; use 'loss' with "
                "a mean of the attributes and the factor 0.5."
            )
        if (self.plain.microdata.counts != 1).any():
            raise ValueError("each tuple must be one person")

    @property
    def k(self) -> int:
        """How many people share a history."""
        (model,) = self.plain.models
        assert isinstance(model, KAnonymity)
        return model.k

    @property
    def cover(self) -> AttributeMeasure:
        """The measure, as losses of attributes and what these add to a sum of terms."""
        assert self.measure.cover is not None
        return self.measure.cover

    @property
    def models(self) -> Sequence[RiskModel]:
        """The one model, k-anonymity."""
        return self.plain.models

    @property
    def measure(self) -> Measure:
        """What is lost."""
        return self.plain.measure

    @property
    def suppression_limit(self) -> int:
        """How many may be suppressed."""
        return self.plain.suppression_limit

    @property
    def suppressible(self) -> int:
        """The number of people in the table."""
        return self.plain.suppressible

    @property
    def people(self) -> int:
        """The same."""
        return self.plain.people

    @property
    def groups(self) -> Sequence[Group]:
        """None: a policy with a register keeps no groups."""
        return ()

    @property
    def microdata(self) -> None:
        """Nothing for what counts tuples alone: it knows of no history."""
        return

    @property
    def basis(self) -> list[Any]:
        """All that decides what is found."""
        return [*self.plain.basis, self.past.history, self.past.members]

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """In which order people of one group go: always the same, and by no value of theirs."""
        return np.random.default_rng(0).permutation(self.past.history.size)

    def evaluate(self, scheme: Scheme, cutoff: float = math.inf) -> Evaluation:
        """Drop who must go, and sum up what is lost.

        Where what is lost with those who share too little already costs more than the cutoff, a sum of
        terms, nobody is looked for who hides those that left.
        """
        return self.judge(scheme, cutoff).evaluation

    def outcome(self, scheme: Scheme) -> Outcome:
        """Return a scheme with its classes, and who is suppressed of them."""
        return self.judge(scheme, math.inf)

    def judge(self, scheme: Scheme, cutoff: float) -> Outcome:
        """Suppress and score the classes of a scheme."""
        past, k = self.past, self.k
        classes = partition(self.plain.microdata, scheme)
        groups = classes.split(self.plain.microdata, past.history, past.histories)
        binding = (groups.sizes < k)[groups.label_of_tuple]
        found = self.score(classes, binding, binding)
        known = found.evaluation
        if sum_at(known.terms, scheme) > cutoff:
            return replace(found, evaluation=replace(known, complete=False))
        needed = past.needed(binding, k)
        if not needed.any():
            return found
        return Leavers(self, found, classes, groups, binding, needed).hide()

    def score(self, classes: EquivalenceClasses, gone: Marks, binding: Marks) -> Outcome:
        """Score a scheme without some people, of whom those binding go at every finer scheme too."""
        parts = classes.split(self.plain.microdata, gone + 2 * binding, 4)
        suppressed, bound = gone[parts.first_tuple], Binding(binding[parts.first_tuple])
        evaluation = self.plain.score(Suppression(parts, suppressed, bound))
        return Outcome(parts, suppressed, evaluation)


@dataclass(frozen=True, eq=False)
class Leavers:
    """A scheme at which some of those who left are among fewer than k, and who may hide them."""

    evaluator: RegisterEvaluator
    greatest: Outcome
    """The scheme without those who must go at any finer one."""
    classes: EquivalenceClasses
    groups: EquivalenceClasses
    """Who shares class and history."""
    binding: Marks
    needed: NDArray[np.int64]

    @cached_property
    def asked(self) -> NDArray[np.int64]:
        """The groups of which people may go."""
        groups, history = self.groups, self.evaluator.past.history[self.groups.first_tuple]
        return np.flatnonzero((groups.sizes >= self.evaluator.k) & (self.needed[history] > 0))

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """What a person of each of these groups adds to the loss of each attribute."""
        microdata = self.evaluator.plain.microdata
        domain, first = microdata.domain, self.groups.first_tuple[self.asked]
        rows = []
        for attribute, level in enumerate(self.groups.scheme):
            code = domain.offsets[attribute] + microdata.codes[attribute, first].astype(np.int64)
            size, least = domain.sizes[attribute], domain.least[attribute]
            lost = size - domain.covered[level, code]
            rows.append(lost / (microdata.records * max(1, size - least)))
        return np.array(rows, np.float64)

    @cached_property
    def base(self) -> NDArray[np.float64]:
        """The loss of each attribute before anybody hides those who left."""
        plain = self.evaluator.plain
        return np.array(
            self.evaluator.cover.attribute_losses(
                plain.microdata, self.greatest.classes, self.greatest.suppressed
            )
        )

    @cached_property
    def lowest(self) -> NDArray[np.float64]:
        """The loss that each attribute has at least, were it alone to decide who goes."""
        least = [float(shares @ self.taken(shares)) for shares in self.shares]
        return np.asarray(self.base + np.array(least), np.float64)

    def taken(self, costs: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many of each group go at least cost."""
        first = self.groups.first_tuple[self.asked]
        history, sizes = self.evaluator.past.history[first], self.groups.sizes[self.asked]
        return cheapest_absences(history, sizes, costs, self.needed, self.evaluator.k)

    def sum_of(self, taken: NDArray[np.int64]) -> float:
        """Return the sum of terms with so many of each group gone."""
        return float(self.evaluator.cover.terms(self.base + self.shares @ taken).sum())

    def hide(self) -> Outcome:
        """Find who goes, and a sum of terms below that of any release; score both."""
        limit = self.evaluator.suppression_limit - int(self.binding.sum())
        taken, least = self.cheapest()
        if taken.sum() > limit:  # then as few as can be
            taken = self.taken(np.ones(self.asked.size))
        made = self.made(taken)
        evaluation = made.evaluation
        bound = self.evaluator.measure.aggregate.of_terms(least)
        if evaluation.feasible and evaluation.loss - bound > MET:
            evaluation = replace(evaluation, bound=bound)
        return replace(made, evaluation=evaluation)

    def cheapest(self) -> tuple[NDArray[np.int64], float]:
        """Return how many of each group go, and what every release has at least as a sum of terms."""
        cover, least = self.evaluator.cover, -math.inf
        best = self.taken(self.shares.sum(axis=0))
        for _ in range(ROUNDS):
            line = Chord.below(cover, self.lowest, self.sum_of(best))
            costs = line.slopes @ self.shares
            taken = self.taken(costs)
            least = max(least, line.at(self.base) + float(costs @ taken))
            if self.sum_of(taken) >= self.sum_of(best):
                break
            best = taken
        return best, least

    def made(self, taken: NDArray[np.int64]) -> Outcome:
        """Drop so many people of each group."""
        of_group = np.zeros(self.groups.sizes.size, np.int64)
        of_group[self.asked] = taken
        chosen = pick(self.groups.label_of_tuple, of_group, self.evaluator.rank)
        return self.evaluator.score(self.classes, self.binding | chosen, self.binding)
