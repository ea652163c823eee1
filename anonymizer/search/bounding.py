"""Raising the bound by subtree bounds, in a large lattice from target to target."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.box import Box
from anonymizer.search.branch_and_bound import BranchAndBound
from anonymizer.search.jobs import BoundBox
from anonymizer.search.proof import Pruning
from anonymizer.search.subtree_bounds import Outcome, SubtreeBounds

LEAST_BUDGET = 2
"""Partitions of a box: the first is of its highest scheme, the second splits it."""


def raise_bound(search: BranchAndBound) -> None:
    """Bound the open boxes by subtree bounds, where these apply, until none is left below the best.

    Where models ask for more than a least class, the bounds may say too little. Once some schemes
    turn out worse than bounded, and no better than the best, `explore` does the rest.
    """
    many = search.evaluator.microdata.distinct >= search.params.least_subtree_tuples
    if not (search.large or many) or search.open.least_bound > search.evaluated.cutoff:
        return
    subtrees = SubtreeBounds.prepare([search.evaluator], search.params, search.check_limits)
    if subtrees is None:
        return
    rounds = Rounds(search, subtrees)
    while search.open.least_bound <= search.evaluated.cutoff and not rounds.too_loose:
        rounds.next()


class Rounds:
    """Rounds of work on the open boxes with the least bounds, several boxes at a time."""

    def __init__(self, search: BranchAndBound, subtrees: SubtreeBounds) -> None:
        self.search, self.subtrees = search, subtrees
        self.partition_seconds: float | None = None
        """What a partition took in the last round; None in the first."""
        self.loose = 0
        """How many schemes, bounded below the best, were evaluated and are no better."""

    @property
    def too_loose(self) -> bool:
        """Whether the bounds say too little to go on."""
        return not self.subtrees.exact and self.loose > self.search.params.max_loose

    def next(self) -> None:
        """Bound some boxes, evaluate what may be the best, and put back what is left of the boxes."""
        search, target = self.search, next_target(self.search)
        search.check_limits()
        boxes: list[Box] = []
        while len(boxes) < self.most_boxes and search.open.least_bound < target:
            boxes.append(search.open.pop())
        search.pending = boxes  # so that they are not lost on the way
        outcomes = self.bound_all(boxes, target)
        better = candidates(search, outcomes)
        best = search.evaluated.best
        found = search.evaluate_now(better) if better else []
        self.loose = self.loose + len(found) if best is search.evaluated.best else 0
        search.pending = []
        for box, outcome in zip(boxes, outcomes, strict=True):
            inside = tuple([e.scheme for e in found if e.scheme in box.schemes])
            reinsert(search, replace(box, evaluated=(*box.evaluated, *inside)), outcome)
        search.report()

    def bound_all(self, boxes: list[Box], target: float) -> list[Outcome]:
        """Bound boxes up to a target, and let the forecast learn from it."""
        search, usage = self.search, self.search.usage
        budget, steps = self.budget(len(boxes)), search.forecast.steps
        timed = usage.limits.seconds is not None
        started = usage.seconds if timed else 0.0
        job = BoundBox(self.subtrees, target, steps, budget)
        outcomes: list[Outcome] = search.run_all(job, [box.schemes for box in boxes])
        partitions = sum(outcome.partitions for outcome in outcomes)
        if timed:
            self.partition_seconds = (usage.seconds - started) / partitions
        usage.partitions += partitions
        for outcome in outcomes:
            samples = [tuple(scheme) for scheme in outcome.samples.tolist()]
            search.forecast.learn(samples, outcome.sampled_suppressed.tolist())
        return outcomes

    @property
    def most_boxes(self) -> int:
        """How many boxes this round may take."""
        affordable = max(1, int(min(self.affordable, 1e9)) // LEAST_BUDGET)
        return min(self.search.params.subtree_batch_size, affordable)

    def budget(self, boxes: int) -> int:
        """Return how many partitions each of the boxes may take."""
        params, budget = self.search.params, self.subtrees.budget
        if boxes < params.subtree_batch_size:
            budget = min(params.first_subtree_budget, budget)
        return max(LEAST_BUDGET, int(min(budget, self.affordable / boxes)))

    @property
    def affordable(self) -> float:
        """The partitions that the limits allow this round; half of what time allows, to be safe."""
        usage = self.search.usage
        evaluations = usage.evaluations_left
        allowed = math.inf if evaluations is None else float(evaluations)
        seconds = usage.seconds_left
        if seconds is None:
            return allowed
        if not self.partition_seconds:
            return min(allowed, self.search.params.first_subtree_budget)
        return min(allowed, seconds / 2 / self.partition_seconds)


def next_target(search: BranchAndBound) -> float:
    """Return the sum of terms to reach next: the best loss less one of the gaps, or all of it.

    Once memory is full, boxes are worked on until they can be pruned.
    """
    evaluated, measure = search.evaluated, search.evaluator.measure
    loss = min(evaluated.best_loss, measure.of_terms(measure.most))
    gaps = [gap for gap in search.params.target_gaps if gap < loss] if search.large else []
    ahead = [t for gap in gaps if (t := measure.to_terms(loss - gap)) > search.open.least_bound]
    if ahead and not search.open.stack:
        return ahead[0]
    return float(np.nextafter(evaluated.cutoff, np.inf))


def candidates(search: BranchAndBound, outcomes: Iterable[Outcome]) -> list[Scheme]:
    """List the schemes found on the way that may be the best."""
    schemes = [
        tuple(o.best[0].tolist()) for o in outcomes if o.best_sum[0] <= search.evaluated.cutoff
    ]
    return [scheme for scheme in schemes if scheme not in search.evaluated]


def reinsert(search: BranchAndBound, box: Box, outcome: Outcome) -> None:
    """Put back what is left of a box.

    One that reaches the target as a whole stays whole: to go down from its highest scheme once more takes
    less than to begin anew with each of its parts.
    """
    whole = replace(box, bound=max(box.bound, float(outcome.bounds.min(initial=np.inf))))
    if outcome.closed == len(outcome.low) and whole.bound <= search.evaluated.cutoff:
        search.open.push(whole)
        return
    for low, high, bound, infeasible in zip(
        *(each.tolist() for each in (outcome.low, outcome.high, outcome.bounds[:, 0])),
        outcome.infeasible.tolist(),
        strict=True,
    ):
        part = replace(box.part(Lattice(tuple(low), tuple(high))), bound=max(box.bound, bound))
        if part.bound > search.evaluated.cutoff:
            prune(search, part, infeasible)
        elif part.unevaluated:
            search.open.push(part)


def prune(search: BranchAndBound, part: Box, infeasible: float) -> None:
    """Count the schemes of a part that were never evaluated: some suppress too much, or they may."""
    over_limit = max(0, min(part.unevaluated, int(infeasible) - len(part.evaluated)))
    search.pruned[Pruning.SUPPRESSION] += over_limit
    search.pruned[Pruning.BOUND] += part.unevaluated - over_limit
