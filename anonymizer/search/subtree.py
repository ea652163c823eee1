"""Subtree: raising the bound by compiled subtree bounds, in a large lattice from target to target."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.box import Box
from anonymizer.search.jobs import BoundBox
from anonymizer.search.state import State
from anonymizer.search.subtree_bounds import PartsLeft, SubtreeBounds

FIRST_BUDGET = 32
"""Partitions of each box while there are too few boxes to keep all workers busy."""
LEAST_BUDGET = 2
"""Partitions of a box: the first is of its highest scheme, the second splits it."""


class Subtree:
    """Bounds boxes in compiled code, several at a time, where risk models limit the sizes of classes."""

    def __init__(self, state: State, subtrees: SubtreeBounds) -> None:
        self.state, self.subtrees = state, subtrees
        self.partition_seconds: float | None = None
        """What a partition took in the last round; None in the first."""
        self.loose = 0
        """How many schemes, bounded below the best, were evaluated and are no better."""

    @staticmethod
    def of(state: State) -> Subtree | None:
        """Prepare the table of a search; None where these bounds do not apply."""
        subtrees = SubtreeBounds.prepare([state.evaluator], state.params, state.check_limits)
        return None if subtrees is None else Subtree(state, subtrees)

    @property
    def too_loose(self) -> bool:
        """Whether the bounds say too little to go on, as they may where models ask for more."""
        return not self.subtrees.exact and self.loose > self.state.params.max_loose

    def run(self) -> None:
        """Bound the open boxes until none is left below the best, or the bounds say too little."""
        while self.state.undecided and not self.too_loose:
            self.next()

    def next(self) -> None:
        """Bound some boxes, evaluate what may be the best, and put back what is left of the boxes."""
        state, target = self.state, self.next_target()
        state.check_limits()
        boxes = state.take(self.most_boxes, target)
        outcomes = self.bound_all(boxes, target)
        best, better = state.evaluated.best, self.candidates(outcomes)
        found = state.evaluate_now(better) if better else []
        self.loose = self.loose + len(found) if best is state.evaluated.best else 0
        schemes = [evaluation.scheme for evaluation in found]
        for box, outcome in zip(boxes, outcomes, strict=True):
            state.replace(box, self.parts_of(box, outcome, schemes))
        state.report()

    def bound_all(self, boxes: list[Box], target: float) -> list[PartsLeft]:
        """Bound boxes up to a target, and let the forecast learn from it."""
        state, usage = self.state, self.state.usage
        timed = usage.limits.seconds is not None
        started = usage.seconds if timed else 0.0
        budget, steps = self.budget(len(boxes)), state.forecast.steps
        job = BoundBox(self.subtrees, target, steps, budget)
        outcomes: list[PartsLeft] = state.run_all(job, [box.schemes for box in boxes])
        partitions = sum(outcome.partitions for outcome in outcomes)
        if timed:
            self.partition_seconds = (usage.seconds - started) / partitions
        state.count_partitions(partitions)
        for outcome in outcomes:
            samples = [tuple(scheme) for scheme in outcome.samples.tolist()]
            state.forecast.learn(samples, outcome.sampled_suppressed.tolist())
        return outcomes

    def parts_of(self, box: Box, outcome: PartsLeft, found: Iterable[Scheme]) -> Iterator[Box]:
        """Return what is left of a box, in which some schemes were evaluated meanwhile.

        One that reaches the target as a whole stays whole: to go down from its highest scheme once more
        takes less than to begin anew with each of its parts.
        """
        inside = tuple([scheme for scheme in found if scheme in box.schemes])
        box = replace(box, evaluated=(*box.evaluated, *inside))
        whole = replace(box, bound=max(box.bound, float(outcome.bounds.min(initial=np.inf))))
        if outcome.closed == len(outcome.low) and whole.bound <= self.state.evaluated.cutoff:
            yield whole
            return
        for low, high, bound, infeasible in zip(
            *(each.tolist() for each in (outcome.low, outcome.high, outcome.bounds[:, 0])),
            outcome.infeasible.tolist(),
            strict=True,
        ):
            part = box.part(Lattice(tuple(low), tuple(high)))
            yield replace(part, bound=max(box.bound, bound), infeasible=int(infeasible))

    @property
    def most_boxes(self) -> int:
        """How many boxes this round may take."""
        affordable = max(1, int(min(self.affordable, 1e9)) // LEAST_BUDGET)
        return min(self.state.params.subtree_batch_size, affordable)

    def budget(self, boxes: int) -> int:
        """Return how many partitions each of the boxes may take."""
        params, budget = self.state.params, self.subtrees.budget
        if boxes < params.subtree_batch_size:
            budget = min(FIRST_BUDGET, budget)
        return max(LEAST_BUDGET, int(min(budget, self.affordable / boxes)))

    @property
    def affordable(self) -> float:
        """The partitions that the limits allow this round; half of what time allows, to be safe."""
        usage = self.state.usage
        evaluations = usage.evaluations_left
        allowed = math.inf if evaluations is None else float(evaluations)
        seconds = usage.seconds_left
        if seconds is None:
            return allowed
        if not self.partition_seconds:
            return min(allowed, FIRST_BUDGET)
        return min(allowed, seconds / 2 / self.partition_seconds)

    def next_target(self) -> float:
        """Return the sum of terms to reach next: the best loss less one of the gaps, or all of it.

        Once memory is full, boxes are worked on until they can be pruned.
        """
        state, measure = self.state, self.state.evaluator.measure
        loss = min(state.evaluated.best_loss, 1.0)
        gaps = [gap for gap in state.params.target_gaps if gap < loss] if state.large else []
        least = state.open.least_bound
        ahead = [t for gap in gaps if (t := measure.aggregate.to_terms(loss - gap)) > least]
        if ahead and not state.open.stack:
            return ahead[0]
        return float(np.nextafter(state.evaluated.cutoff, np.inf))

    def candidates(self, outcomes: Iterable[PartsLeft]) -> list[Scheme]:
        """List the schemes found on the way that may be the best."""
        evaluated = self.state.evaluated
        schemes = [tuple(o.best[0].tolist()) for o in outcomes if o.best_sum[0] <= evaluated.cutoff]
        return [scheme for scheme in schemes if scheme not in evaluated]
