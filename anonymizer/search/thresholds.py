"""search_thresholds: the best scheme at every threshold of a model, found and proven in one search.

A box is open from a first threshold to a last one. Coarse schemes lose too much for the loose thresholds,
fine ones for the tight thresholds: so the further boxes are split, the fewer thresholds each is open at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.driver import in_threads
from anonymizer.search.evaluated import Evaluated
from anonymizer.search.forecast import Forecast
from anonymizer.search.incumbent import first_improvement
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.limits import StopReason
from anonymizer.search.params import SearchParams
from anonymizer.search.proof import Proof, Pruning
from anonymizer.search.result import TIE, Progress, SearchResult, result_of
from anonymizer.search.state import RunAll
from anonymizer.search.subtree import FIRST_BUDGET
from anonymizer.search.subtree_bounds import Outcome, SubtreeBounds

Evaluate = Callable[[Scheme, int], Evaluation]
"""Evaluates a scheme at one of the thresholds."""
OnThreshold = Callable[[int, Progress], None]
"""Is told which threshold is the loosest one still open, and how far that one is."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenBox:
    """A box, and the thresholds at which a scheme in it may be the best."""

    schemes: Lattice
    first: int
    last: int
    bounds: NDArray[np.float64]
    """For each threshold: no scheme in the box has a sum of terms below this."""

    @property
    def single(self) -> bool:
        """Whether it holds one scheme."""
        return self.schemes.low == self.schemes.high


def search_thresholds(
    evaluators: Sequence[Evaluator],
    evaluate: Evaluate,
    lattice: Lattice,
    workers: int = 1,
    on_threshold: OnThreshold | None = None,
    params: SearchParams = SearchParams(),  # noqa: B008 - a frozen value
) -> list[SearchResult] | None:
    """Find the best scheme at every threshold and prove that it is; None where bounds do not apply.

    `evaluators` has one for each threshold, the loosest first. The results are those of a search at each
    threshold alone, for any number of workers, which are threads: it is too short to be sent elsewhere.
    On Ctrl-C they are the best so far.
    """
    if lattice.size > params.large_lattice:
        return None
    subtrees = SubtreeBounds.prepare(evaluators, params)
    if subtrees is None or not subtrees.exact:
        return None
    with Interrupt() as interrupt, in_threads(workers) as run_all:
        state = ThresholdSearch(evaluators, evaluate, lattice, params, subtrees, run_all)
        state.find_incumbents()
        while state.open and not interrupt.requested:
            state.next()
            if on_threshold is not None and state.open:
                at = min(box.first for box in state.open)
                on_threshold(at, Progress(state.proof(at), state.incumbents[at].best))
    return [state.result(at) for at in range(len(evaluators))]


class ThresholdSearch:
    """The state of one search at all thresholds."""

    def __init__(
        self,
        evaluators: Sequence[Evaluator],
        evaluate: Evaluate,
        lattice: Lattice,
        params: SearchParams,
        subtrees: SubtreeBounds,
        run_all: RunAll,
    ) -> None:
        self.evaluators, self.evaluate, self.lattice = evaluators, evaluate, lattice
        self.params, self.subtrees, self.run_all = params, subtrees, run_all
        self.measure = evaluators[0].measure
        self.incumbents = [Evaluated(self.measure, params) for _ in evaluators]
        self.forecast = Forecast(lattice, evaluators[0].microdata.records)
        self.over = np.zeros(len(evaluators))
        """For each threshold: how many schemes are known to suppress too much."""
        self.partitions = 0
        last = len(evaluators) - 1
        self.open = [OpenBox(lattice, 0, last, np.zeros(len(evaluators)))]

    def consider(self, scheme: Scheme, at: int) -> Evaluation:
        """Evaluate a scheme at a threshold; it may be the best there."""
        found, incumbent = self.evaluate(scheme, at), self.incumbents[at]
        if scheme not in incumbent:
            incumbent.mark([scheme])
            if found.feasible and found.loss <= incumbent.best_loss + TIE:
                incumbent.contend(found)
        return found

    def find_incumbents(self) -> None:
        """Refine greedily from the coarsest scheme, at each threshold; what is seen serves the others."""
        low = self.lattice.low
        for at in range(len(self.evaluators)):

            def look(scheme: Scheme, at: int = at) -> Evaluation:
                return self.consider(scheme, at)

            current: Evaluation | None = look(self.lattice.high)
            while current is not None:
                current = first_improvement(look, low, current)

    def next(self) -> None:
        """Bound some of the open boxes, and evaluate what may be the best."""
        boxes = self.open[-self.params.subtree_batch_size :]
        targets = np.nextafter([each.cutoff for each in self.incumbents], np.inf)
        steps, budget = self.forecast.steps, self.budget(len(boxes))
        outcomes: list[Outcome] = self.run_all(
            lambda box: self.subtrees.bound_all(
                box.schemes, (box.first, box.last), targets, steps, budget
            ),
            boxes,
        )
        del self.open[-len(boxes) :]
        for outcome in reversed(outcomes):  # the last of the open boxes is next
            self.partitions += outcome.partitions
            self.over += outcome.over
            self.forecast.learn(
                [tuple(scheme) for scheme in outcome.samples.tolist()],
                outcome.sampled_suppressed.tolist(),
            )
            self.look_at(outcome)
            self.open += [box for box in parts_of(outcome) if not self.settled(box)]

    def budget(self, boxes: int) -> int:
        """Return how many partitions each of the boxes may take."""
        few = boxes < self.params.subtree_batch_size
        return min(FIRST_BUDGET, self.subtrees.budget) if few else self.subtrees.budget

    def look_at(self, outcome: Outcome) -> None:
        """Evaluate the schemes found on the way that may be the best."""
        for at, (scheme, total) in enumerate(
            zip(outcome.best.tolist(), outcome.best_sum.tolist(), strict=True)
        ):
            if total <= self.incumbents[at].cutoff:
                self.consider(tuple(scheme), at)

    def settled(self, box: OpenBox) -> bool:
        """Evaluate the scheme of a box that has no other; say whether it was so."""
        if box.single:
            for at in range(box.first, box.last + 1):
                self.consider(box.schemes.low, at)
        return box.single

    def proof(self, at: int) -> Proof:
        """Return what is proven so far at a threshold."""
        open_here = [box for box in self.open if box.first <= at <= box.last]
        loss = self.incumbents[at].best_loss
        bound = min((float(box.bounds[at]) for box in open_here), default=math.inf)
        if bound < math.inf:
            loss = min(loss, self.measure.aggregate.of_terms(bound))
        evaluated, size = len(self.incumbents[at]), self.lattice.size
        left = max(0, size - evaluated - sum(box.schemes.size for box in open_here))
        over = min(left, max(0, int(self.over[at]) - evaluated))
        pruned = {Pruning.SUPPRESSION: over, Pruning.BOUND: left - over}
        return Proof(loss, size, evaluated, pruned, self.partitions)

    def result(self, at: int) -> SearchResult:
        """Return the best found at a threshold, and whether it is proven."""
        complete = not any(box.first <= at <= box.last for box in self.open)
        stopped = StopReason.COMPLETE if complete else StopReason.INTERRUPTED
        best, models = self.incumbents[at].best, self.evaluators[at].models
        return result_of(models, stopped, best, self.proof(at))


def parts_of(outcome: Outcome) -> Iterator[OpenBox]:
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
            yield OpenBox(Lattice(tuple(low), tuple(high)), first, last, bounds)
