"""Boxes: branch and bound over boxes of the lattice, for any model and measure.

A box holds all schemes between a lowest and a highest one. Open boxes wait in a heap, the least bound
first, and the schemes are never listed. A box whose bound exceeds the best loss is pruned.

Where a risk model is monotone, evaluating the highest scheme of a box shows which records, or how many,
every scheme in the box must suppress, so one evaluation bounds the whole box: its bound is that of its
lowest scheme. Such a box is cut where the bound exceeds the best loss, evaluated at its new highest
scheme, and split in two where both parts are likely to be pruned soon. A measure that is not a sum over
the attributes may bound coarser schemes too; then both ends of a box are evaluated.

Where no risk model is monotone, only the generalization itself bounds the loss. Then the lowest scheme
of a box is evaluated, and the rest of the box is split into boxes again: schemes are evaluated in the
order of their bounds, and none whose bound exceeds the optimum is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.kernels.bounds import best_split
from anonymizer.lattice import Scheme
from anonymizer.search.box import Box
from anonymizer.search.forecast import share_of
from anonymizer.search.state import State


class Boxes:
    """Bounds boxes by evaluating one scheme of each."""

    def __init__(self, state: State) -> None:
        self.state = state

    def run(self, batches: int | None = None) -> None:
        """Work on the boxes with the least bounds until none is left, or for so many batches."""
        done = 0
        while self.state.open and done != batches:
            self.next()
            done += 1

    def next(self) -> None:
        """Find boxes that need an evaluation, evaluate a scheme of each, and put them back."""
        state = self.state
        ready: list[tuple[Box, Box]] = []
        while state.open and len(ready) < state.params.batch_size:
            state.check_time()
            [box] = state.take(1)
            tightened = state.evaluated.tighten(box)
            if self.is_ready(box, tightened):
                ready.append((box, tightened))
            else:
                state.replace(box, self.without_evaluation(tightened))
        # fewer come back where that is the last a limit allows
        found = state.evaluate([self.scheme_to_evaluate(box) for _, box in ready])
        for (box, tightened), evaluation in zip(ready, found, strict=False):
            state.replace(box, [self.with_evaluation(tightened, evaluation)])
        for box, tightened in ready[len(found) :]:
            state.replace(box, [tightened])

    def is_ready(self, box: Box, tightened: Box) -> bool:
        """Whether to evaluate a scheme of a box now: it may hold the best, and no other comes first."""
        state = self.state
        return (
            tightened.bound <= state.evaluated.cutoff
            and not state.evaluated.loses_tie(tightened)
            and not (tightened.bound > box.bound and state.open.comes_later(tightened))
            and self.scheme_to_evaluate(tightened) not in state.evaluated
        )

    def without_evaluation(self, box: Box) -> Iterable[Box]:
        """Return a box as it is, or its parts where there is nothing left to evaluate it by."""
        evaluated = self.state.evaluated
        if box.bound > evaluated.cutoff or evaluated.loses_tie(box):
            return [box]
        return self.branch(box) if self.scheme_to_evaluate(box) in evaluated else [box]

    def scheme_to_evaluate(self, box: Box) -> Scheme:
        """Return the scheme whose evaluation bounds a box best."""
        state, low, high = self.state, box.schemes.low, box.schemes.high
        both_ends = state.evaluator.measure.floors
        if not state.bounds_finer or (both_ends and high in state.evaluated):
            return low
        return high

    def with_evaluation(self, box: Box, evaluation: Evaluation) -> Box:
        """Return a box with one of its schemes evaluated; the highest one bounds it."""
        highest = self.state.bounds_finer and evaluation.scheme == box.schemes.high
        bounding = evaluation if highest else box.bounding
        return replace(box, bounding=bounding, evaluated=(*box.evaluated, evaluation.scheme))

    def branch(self, box: Box) -> Iterable[Box]:
        """Split a box; where its lowest scheme was evaluated, that one is left out."""
        state = self.state
        if not state.bounds_finer:
            return box.without_low()
        if box.schemes.low == box.schemes.high:
            return ()
        assert box.bounding is not None  # the highest scheme is evaluated, or a coarser one
        logit = state.forecast.logit(box.bounding.binding_records)
        change = state.forecast.change(box.bounding.scheme, box.schemes.high)
        gap = state.evaluated.cutoff - box.bound
        room = state.evaluator.measure.aggregate.most - box.bound
        low, high = np.array(box.schemes.low), np.array(box.schemes.high)
        attribute, level = best_split(
            box.bounding.terms,
            low,
            high,
            gap,
            room,
            share_of(logit),
            logit + change,
            state.forecast.steps,
            1.0,
        )
        return box.split(attribute, level)
