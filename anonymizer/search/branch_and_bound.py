"""Branch and bound over boxes of the lattice.

A box holds all schemes between a lowest and a highest one. Boxes wait in a heap, the least bound first,
and no list of schemes is ever made. A box whose bound exceeds the best loss is out.

Where a risk model is monotone, evaluating the highest scheme of a box tells which records, or how many,
every scheme in the box must suppress, so one evaluation bounds the whole box: its bound is the one of
its lowest scheme. Such a box is cut where the bound exceeds the best loss, evaluated at its new highest
scheme, and split in two.

Where no model is, only the generalization itself bounds the loss. Then the lowest scheme of a box is
evaluated, and the rest of the box is split into boxes again: schemes are tried in the order of their
bounds, and none whose bound exceeds the optimum is.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Iterable

from joblib import Parallel, delayed

from anonymizer.evaluate import Evaluation, Evaluator
from anonymizer.lattice import Lattice, Scheme, replace
from anonymizer.risk import Monotone
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.memory import Memory
from anonymizer.search.result import (
    Limits,
    Progress,
    Proof,
    Pruning,
    SearchResult,
    Status,
    StopReason,
)

BATCH = 4
"""Boxes evaluated at a time: the same for any number of workers, and so is every count."""

Box = tuple[float, Scheme, Scheme]
"""A box in the heap: its bound as a sum of terms, its lowest and its highest scheme."""

Clock = Callable[[], float]
OnProgress = Callable[[Progress], None]


class LimitReached(Exception):  # noqa: N818 - not an error
    """A limit of the search is used up."""

    def __init__(self, reason: StopReason) -> None:
        self.reason = reason


def search(
    evaluator: Evaluator,
    lattice: Lattice,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
    workers: int = 1,
    on_progress: OnProgress | None = None,
    clock: Clock = time.monotonic,
) -> SearchResult:
    """Find the best scheme of a lattice and prove that it is.

    The result is the same for any number of workers. When a limit is reached or the user interrupts,
    it is the best so far with the bound proven until then.
    """
    with Interrupt() as interrupt, Parallel(n_jobs=workers, backend="threading") as pool:
        hunt = Hunt(evaluator, lattice, limits, pool, on_progress, clock, interrupt)
        try:
            hunt.climb()
            hunt.explore()
            stopped = StopReason.COMPLETE
        except LimitReached as limit:
            stopped = limit.reason
    return hunt.result(stopped)


class Hunt:
    """One search under way."""

    def __init__(
        self,
        evaluator: Evaluator,
        lattice: Lattice,
        limits: Limits,
        pool: Parallel,
        on_progress: OnProgress | None,
        clock: Clock,
        interrupt: Interrupt,
    ) -> None:
        self.evaluator, self.lattice, self.limits = evaluator, lattice, limits
        self.pool, self.on_progress, self.clock = pool, on_progress, clock
        self.started, self.interrupt = clock(), interrupt
        self.memory = Memory(evaluator.measure)
        self.pruned: Counter[Pruning] = Counter()
        self.downwards = any(m.monotone is not Monotone.NONE for m in evaluator.models)
        self.heap: list[Box] = [(0.0, lattice.low, lattice.high)]

    def climb(self) -> None:
        """Find a good scheme early: refine from the top while that helps, steepest bound first."""
        current = self.evaluate([self.lattice.high])[0]
        while finer := self.first_better(current):
            current = finer

    def first_better(self, current: Evaluation) -> Evaluation | None:
        """Return the first scheme one step finer that is feasible and better, or None."""
        scheme, low = current.scheme, self.lattice.low
        gains = [
            (current.terms[a, level - 1] - current.terms[a, level], a)
            for a, level in enumerate(scheme)
            if level > low[a]
        ]
        for _, attribute in sorted(gains):
            finer = replace(scheme, attribute, scheme[attribute] - 1)
            found = self.evaluate([finer])[0]
            if found.feasible and found.loss < current.loss:
                return found
        return None

    def explore(self) -> None:
        """Take the most promising boxes until none is left."""
        while self.heap:
            waiting: list[Box] = []
            while self.heap and len(waiting) < BATCH:
                waiting += self.next_box()
            # put back before evaluating: a search that is stopped there has lost no box
            for box in waiting:
                heapq.heappush(self.heap, box)
            self.evaluate([high if self.downwards else low for _, low, high in waiting])

    def next_box(self) -> list[Box]:
        """Pop a box; return it if it needs an evaluation now, or nothing if it is out or was split."""
        bound, low, high = heapq.heappop(self.heap)
        whole = Lattice(low, high)
        box, by, tightened = self.memory.tighten(whole)
        if tightened > self.memory.limit:
            infeasible = tightened == float("inf")
            self.prune(whole, Pruning.SUPPRESSION if infeasible else Pruning.BOUND)
            return []
        if self.memory.loses_tie(box, by, tightened):
            self.prune(box, Pruning.TIE)
            self.prune_between(whole, box)
            return []
        self.prune_between(whole, box)
        if self.heap and tightened > max(bound, self.heap[0][0]):  # others come first now
            heapq.heappush(self.heap, (tightened, box.low, box.high))
            return []
        bound = max(bound, tightened)
        if (box.high if self.downwards else box.low) not in self.memory:
            return [(bound, box.low, box.high)]
        for part in self.branch(box, by):
            heapq.heappush(self.heap, (bound, part.low, part.high))
        return []

    def branch(self, box: Lattice, by: int) -> Iterable[Lattice]:
        """Split a box whose highest, or lowest, scheme is evaluated."""
        if not self.downwards:
            return box.without_low()
        return self.memory.branch(box, by) if box.size > 1 else ()

    def prune(self, box: Lattice, reason: Pruning) -> None:
        """Count the schemes of a box that were never evaluated."""
        self.pruned[reason] += box.size - self.memory.count(box)

    def prune_between(self, whole: Lattice, kept: Lattice) -> None:
        """Count the schemes that a box lost when it was tightened."""
        if kept != whole:
            self.prune(whole, Pruning.BOUND)
            self.pruned[Pruning.BOUND] -= kept.size - self.memory.count(kept)

    def evaluate(self, schemes: Iterable[Scheme]) -> list[Evaluation]:
        """Evaluate schemes, remember them and report."""
        schemes = list(dict.fromkeys(schemes))
        if not schemes:
            return []
        self.check_limits()
        if self.limits.evaluations is not None:  # what is left over stays in the heap
            schemes = schemes[: max(1, self.limits.evaluations - len(self.memory))]
        evaluations = list(self.pool(delayed(self.evaluator.evaluate)(s) for s in schemes))
        for evaluation in evaluations:
            self.memory.add(evaluation)
        if self.on_progress is not None:
            self.on_progress(Progress(self.proof(), self.memory.best))
        return evaluations

    def check_limits(self) -> None:
        """Stop if time or evaluations are used up, but never with nothing in hand."""
        if not len(self.memory):
            return
        if self.interrupt.asked:
            raise LimitReached(StopReason.INTERRUPTED)
        seconds, evaluations = self.limits.seconds, self.limits.evaluations
        if seconds is not None and self.clock() - self.started >= seconds:
            raise LimitReached(StopReason.TIME)
        if evaluations is not None and len(self.memory) >= evaluations:
            raise LimitReached(StopReason.EVALUATIONS)

    def proof(self) -> Proof:
        """Return what is proven so far: the least bound of an open box, or the best loss."""
        bound = self.memory.best_loss
        if self.heap:
            bound = min(bound, self.evaluator.measure.of_terms(self.heap[0][0]))
        return Proof(bound, self.lattice.size, len(self.memory), dict(self.pruned))

    def result(self, stopped: StopReason) -> SearchResult:
        """Return the best found, and whether it is proven."""
        complete, best = stopped is StopReason.COMPLETE, self.memory.best
        if best is None:
            status = Status.INFEASIBLE if complete else Status.UNKNOWN
        else:
            status = Status.OPTIMAL if complete else Status.FEASIBLE
        return SearchResult(status, stopped, best, self.proof())
