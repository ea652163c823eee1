"""search_thresholds: the best scheme at every threshold of a model, found and proven in one search.

A box is open from a first threshold to a last one. Coarse schemes lose too much for the loose thresholds,
fine ones for the tight thresholds: so the further boxes are split, the fewer thresholds each is open at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.kernels.compilation import is_compiled, working_seconds
from anonymizer.kernels.subtree_bounds import bound_subtree
from anonymizer.lattice import Lattice
from anonymizer.search.box import Box
from anonymizer.search.driver import in_threads
from anonymizer.search.forecast import Forecast
from anonymizer.search.incumbent import refine
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.limits import LimitReached, Limits, StopReason, Usage
from anonymizer.search.params import SearchParams
from anonymizer.search.result import Progress, SearchResult
from anonymizer.search.state import RunAll, State
from anonymizer.search.subtree import FIRST_BUDGET
from anonymizer.search.subtree_bounds import PartsLeft, SubtreeBounds

EVALUATED_SHARE = 0.25
"""The part of a lattice that searches at some fifty thresholds evaluate: 0.29 of that of ADULT."""
OnThreshold = Callable[[int, Progress], None]
"""Is told which threshold is the loosest one still open, and how far that one is."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedBox:
    """A box, and the thresholds at which a scheme in it may be the best."""

    schemes: Lattice
    first: int
    last: int
    bounds: NDArray[np.float64]
    """For each threshold: no scheme in the box has a sum of terms below this."""

    def open_at(self, place: int) -> bool:
        """Whether a scheme in it may be the best at a threshold."""
        return self.first <= place <= self.last


def search_thresholds(
    evaluators: Sequence[Evaluator],
    lattice: Lattice,
    workers: int = 1,
    on_threshold: OnThreshold | None = None,
    params: SearchParams = SearchParams(),  # noqa: B008 - a frozen value
) -> list[SearchResult] | None:
    """Find the best scheme at every threshold and prove that it is; None where bounds do not apply.

    `evaluators` has one for each threshold, the loosest first. The results are those of a search at each
    threshold alone, for any number of workers, which are threads: it is too short to be sent elsewhere.
    On Ctrl-C they are the best so far, with what is proven and a checkpoint of each.
    """
    if lattice.size > params.large_lattice:
        return None
    subtrees = SubtreeBounds.prepare(evaluators, params)
    if subtrees is None or not subtrees.exact:
        return None
    usage = Usage(Limits(), working_seconds)
    with Interrupt() as interrupt, in_threads(workers) as run_all:
        states = [
            State(each, lattice, usage, params, run_all, None, interrupt) for each in evaluators
        ]
        together = Together(states, subtrees, run_all)
        stopped = together.run(on_threshold)
        return [together.result(place, stopped) for place in range(len(states))]


def pays_together(
    evaluator: Evaluator,
    lattice: Lattice,
    params: SearchParams = SearchParams(),  # noqa: B008 - a frozen value
) -> bool:
    """Whether the bounds of all thresholds are compiled, or likely to save more than that takes.

    Schemes are evaluated once for all thresholds: all searches together look at a part of the lattice.
    """
    passed = lattice.size * evaluator.microdata.distinct * EVALUATED_SHARE
    return is_compiled(bound_subtree) or passed >= params.boxes_work


class Together:
    """Bounds boxes at several thresholds at once, each of which has a state of its own."""

    def __init__(self, states: Sequence[State], subtrees: SubtreeBounds, run_all: RunAll) -> None:
        self.states, self.subtrees, self.run_all = states, subtrees, run_all
        lattice, records = states[0].lattice, states[0].evaluator.suppressible
        self.params, self.forecast = states[0].params, Forecast(lattice, records)
        self.over = np.zeros(len(states))
        """For each threshold: how many schemes are known to suppress too much."""
        self.open = [SharedBox(lattice, 0, len(states) - 1, np.zeros(len(states)))]

    def run(self, on_threshold: OnThreshold | None) -> StopReason:
        """Work on the boxes until none is open at any threshold, or the search is stopped."""
        coarsest = [state.evaluation_of(state.lattice.high) for state in self.states]
        try:
            for state, evaluation in zip(self.states, coarsest, strict=True):
                refine(state, evaluation)
            while self.open:
                self.states[0].check_limits()
                self.next()
                if on_threshold is not None and self.open:
                    place = min(box.first for box in self.open)
                    on_threshold(place, self.settled(place).progress())
        except LimitReached as limit:
            return limit.reason
        return StopReason.COMPLETE

    def next(self) -> None:
        """Bound some of the open boxes, and evaluate what may be the best."""
        boxes = self.open[-self.params.subtree_batch_size :]
        targets = np.nextafter([state.evaluated.cutoff for state in self.states], np.inf)
        steps, budget = self.forecast.steps, self.budget(len(boxes))
        outcomes: list[PartsLeft] = self.run_all(
            lambda box: self.subtrees.bound_all(
                box.schemes, (box.first, box.last), targets, steps, budget
            ),
            boxes,
        )
        del self.open[-len(boxes) :]
        for outcome in reversed(outcomes):  # the last of the open boxes is next
            self.states[0].count_partitions(outcome.partitions)
            self.over += outcome.over
            self.forecast.learn(
                [tuple(scheme) for scheme in outcome.samples.tolist()],
                outcome.sampled_suppressed.tolist(),
            )
            self.look_at(outcome)
            self.open += [box for box in parts_of(outcome) if not self.is_single(box)]

    def budget(self, boxes: int) -> int:
        """Return how many partitions each of the boxes may take."""
        few = boxes < self.params.subtree_batch_size
        return min(FIRST_BUDGET, self.subtrees.budget) if few else self.subtrees.budget

    def look_at(self, outcome: PartsLeft) -> None:
        """Evaluate the schemes found on the way that may be the best."""
        best = zip(self.states, outcome.best.tolist(), outcome.best_sum.tolist(), strict=True)
        for state, scheme, total in best:
            if total <= state.evaluated.cutoff:
                state.consider(tuple(scheme))

    def is_single(self, box: SharedBox) -> bool:
        """Evaluate the scheme of a box that has no other; say whether it was so."""
        if box.schemes.low != box.schemes.high:
            return False
        for state in self.states[box.first : box.last + 1]:
            state.consider(box.schemes.low)
        return True

    def settled(self, place: int) -> State:
        """Return the state of a threshold, told what is open there now."""
        state = self.states[place]
        boxes = [
            Box(box.schemes, float(box.bounds[place]), None)
            for box in self.open
            if box.open_at(place)
        ]
        state.reopen(boxes, int(self.over[place]))
        return state

    def result(self, place: int, stopped: StopReason) -> SearchResult:
        """Return the best found at a threshold, and whether it is proven."""
        done = not any(box.open_at(place) for box in self.open)
        return self.settled(place).result(StopReason.COMPLETE if done else stopped)


def parts_of(outcome: PartsLeft) -> Iterator[SharedBox]:
    """List the parts of a box that are still open."""
    start = outcome.closed
    for low, high, first, last, bounds in zip(
        outcome.low[start:].tolist(),
        outcome.high[start:].tolist(),
        outcome.first.tolist(),
        outcome.last.tolist(),
        outcome.bounds[start:],
        strict=True,
    ):
        if first <= last and all(one <= other for one, other in zip(low, high, strict=True)):
            yield SharedBox(Lattice(tuple(low), tuple(high)), first, last, bounds)
