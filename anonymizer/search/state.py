"""State: all that a search has found, and what it has still to decide.

The state alone owns the open boxes, the evaluated schemes with the best of them, and the counters. An
engine takes boxes from it and gives back what is left of each: parts, each with its bound. The state
decides what that closes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonymizer.evaluation.evaluate import Evaluation, SchemeEvaluator
from anonymizer.kernels.bounds import sum_terms
from anonymizer.lattice import Lattice, Scheme
from anonymizer.risk.model import binds_finer
from anonymizer.search.box import Box, OpenBoxes
from anonymizer.search.checkpoint import Checkpoint, OpenBox, digest_basis
from anonymizer.search.evaluated import Evaluated
from anonymizer.search.forecast import Forecast
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.jobs import EvaluateScheme
from anonymizer.search.limits import LimitReached, StopReason, Usage
from anonymizer.search.params import SearchParams
from anonymizer.search.proof import Proof, Pruning
from anonymizer.search.result import Progress, SearchResult, result_of

BOX_BYTES = 2048
"""About what an open box takes with the evaluation that bounds it, up to 20 attributes."""
OnProgress = Callable[[Progress], None]
RunAll = Callable[..., list[Any]]
"""Calls a function with each of some items, as `map` does."""


class State:
    """The state of one search."""

    def __init__(
        self,
        evaluator: SchemeEvaluator,
        lattice: Lattice,
        usage: Usage,
        params: SearchParams,
        run_all: RunAll,
        on_progress: OnProgress | None,
        interrupt: Interrupt,
    ) -> None:
        self.evaluator, self.lattice, self.usage, self.params = evaluator, lattice, usage, params
        self.run_all, self.on_progress, self.interrupt = run_all, on_progress, interrupt
        self.evaluated = Evaluated(evaluator.measure, params)
        self.forecast = Forecast(lattice, evaluator.suppressible)
        self.pruned: Counter[Pruning] = Counter()
        people, models = evaluator.people, evaluator.models
        self.bounds_finer = any(binds_finer(model, people) for model in models)
        """Whether evaluating a scheme bounds all finer ones."""
        self.open = OpenBoxes(usage.limits.memory // bytes_of_box(lattice))
        self.open.push(Box(lattice, 0.0, None))
        self.taken: list[Box] = []
        """Boxes that an engine works on."""
        self.known: dict[Scheme, Evaluation] = {}
        self.evaluated_before = 0
        """Schemes that earlier searches evaluated and this one knows nothing else of."""
        self.partitions_before = 0
        self.dropped = 0
        """Schemes that a bound dropped half way."""
        self.large = lattice.size > params.large_lattice

    # Boxes

    @property
    def undecided(self) -> bool:
        """Whether a scheme in an open box may still be the best."""
        return self.open.least_bound <= self.evaluated.cutoff

    @property
    def unevaluated(self) -> int:
        """The number of schemes that are neither evaluated nor pruned."""
        return sum(box.unevaluated for box in self.open.boxes)

    @property
    def evaluations(self) -> int:
        """The number of schemes evaluated to the end, in earlier searches too."""
        return self.evaluated_before + len(self.evaluated) - self.dropped

    def take(self, count: int, below: float = np.inf) -> list[Box]:
        """Take boxes from the open ones, the least bounds first, as long as these are below a limit."""
        boxes: list[Box] = []
        while self.open and len(boxes) < count and self.open.least_bound < below:
            boxes.append(self.open.pop())
        self.taken += boxes
        return boxes

    def replace(self, box: Box, parts: Iterable[Box]) -> None:
        """Put back what is left of a box that was taken; what is in no part is pruned by its bound."""
        self.taken.remove(box)
        outside = box.unevaluated
        for part in parts:
            known = sum(scheme in part.schemes for scheme in box.evaluated)
            outside -= part.schemes.size - known
            self.put(part)
        self.pruned[Pruning.BOUND] += outside

    def put(self, part: Box) -> None:
        """Open a box, or prune it if nothing in it can be the best."""
        if part.bound == np.inf:
            self.pruned[Pruning.SUPPRESSION] += part.unevaluated
        elif part.bound > self.evaluated.cutoff:
            infeasible = max(0, min(part.unevaluated, part.infeasible - len(part.evaluated)))
            self.pruned[Pruning.SUPPRESSION] += infeasible
            self.pruned[Pruning.BOUND] += part.unevaluated - infeasible
        elif self.evaluated.loses_tie(part):
            self.pruned[Pruning.TIE] += part.unevaluated
        elif part.unevaluated:
            self.open.push(part)

    def close_all(self, seen: set[Scheme]) -> None:
        """Close all open boxes: some of their schemes were partitioned, and none can be the best."""
        evaluated = len(seen & self.evaluated.known)
        self.pruned[Pruning.BOUND] += self.unevaluated - evaluated
        self.count_partitions(len(seen) - evaluated)
        while self.open:
            self.open.pop()

    def reopen(self, boxes: Iterable[Box], infeasible: int) -> None:
        """Open these boxes in place of all others; what is not in them, nor evaluated, is pruned.

        So many schemes, those evaluated included, are known to suppress too much.
        """
        self.open = OpenBoxes(self.open.capacity)
        known = np.array(sorted(self.evaluated.known))
        for box in boxes:
            inside = ((known >= box.schemes.low) & (known <= box.schemes.high)).all(axis=1)
            self.open.push(replace(box, evaluated=tuple(map(tuple, known[inside].tolist()))))
        left = self.lattice.size - len(self.evaluated) - self.unevaluated
        beyond = min(left, max(0, infeasible - len(self.evaluated)))
        self.pruned = Counter({Pruning.SUPPRESSION: beyond, Pruning.BOUND: left - beyond})

    # Schemes

    def add_known(self, evaluations: Iterable[Evaluation]) -> None:
        """Start with evaluations that were made before."""
        self.known = {evaluation.scheme: evaluation for evaluation in evaluations}
        self.record(list(self.known.values()))

    def evaluate(self, schemes: Sequence[Scheme]) -> list[Evaluation]:
        """Evaluate schemes, or as many as the limits allow, record them and report."""
        if not schemes:
            return []
        self.check_limits()
        return self.evaluate_now(schemes)

    def evaluate_now(self, schemes: Sequence[Scheme]) -> list[Evaluation]:
        """Evaluate schemes, at least one of them, and not more than the limit on evaluations allows."""
        left = self.usage.evaluations_left
        schemes = schemes if left is None else schemes[: max(1, left)]
        job = EvaluateScheme(self.evaluator, self.evaluated.cutoff)
        evaluations: list[Evaluation] = self.run_all(job, schemes)
        complete = sum(evaluation.complete for evaluation in evaluations)
        self.usage.evaluations += complete
        self.count_partitions(len(evaluations) - complete)
        self.record(evaluations)
        self.report()
        return evaluations

    def consider(self, scheme: Scheme) -> None:
        """Evaluate a scheme unless it is evaluated already: it may be the best."""
        if scheme not in self.evaluated:
            self.evaluate_now([scheme])

    def evaluation_of(self, scheme: Scheme) -> Evaluation:
        """Return the evaluation of a scheme, made now unless it was known beforehand."""
        return self.known.get(scheme) or self.evaluate([scheme])[0]

    def record(self, evaluations: Sequence[Evaluation]) -> None:
        """Add evaluations to those made so far."""
        for evaluation in evaluations:
            self.evaluated.add(evaluation)
            if not evaluation.complete:
                self.dropped += 1
                beyond = evaluation.finer_infeasible
                self.pruned[Pruning.SUPPRESSION if beyond else Pruning.BOUND] += 1
        self.forecast.learn(
            [e.scheme for e in evaluations], [e.binding_records for e in evaluations]
        )

    def count_partitions(self, partitions: int) -> None:
        """Count partitions that were made beside the evaluations."""
        self.usage.partitions += partitions

    # Limits and reports

    def check_time(self) -> None:
        """Raise LimitReached on Ctrl-C or when time is used up, but not before the first evaluation."""
        if self.interrupt.requested and len(self.evaluated):
            raise LimitReached(StopReason.INTERRUPTED)
        self.usage.check_time()

    def check_limits(self) -> None:
        """Raise LimitReached on Ctrl-C or when a limit is reached, but not before anything was done."""
        self.check_time()
        self.usage.check_evaluations()

    def report(self) -> None:
        """Send the progress to whoever wants to show it."""
        if self.on_progress is not None:
            self.on_progress(self.progress())

    def progress(self) -> Progress:
        """Return how far the search is."""
        usage = self.usage
        return Progress(self.proof(), self.evaluated.best, usage.seconds, usage.effort)

    def proof(self) -> Proof:
        """Return what is proven so far: the least bound of an open box or a scheme, or the best loss."""
        least = min((box.bound for box in self.taken), default=np.inf)
        bound = min(least, self.open.least_bound)
        loss = min(self.evaluated.best_loss, self.evaluated.least_bound)
        if bound < np.inf:
            loss = min(loss, self.evaluator.measure.aggregate.of_terms(bound))
        partitions = self.partitions_before + self.usage.partitions
        return Proof(loss, self.lattice.size, self.evaluations, dict(self.pruned), partitions)

    def result(self, stopped: StopReason) -> SearchResult:
        """Return the best found, and whether it is proven."""
        checkpoint = None if stopped is StopReason.COMPLETE else self.checkpoint()
        models = self.evaluator.models
        return result_of(models, stopped, self.evaluated.best, self.proof(), checkpoint)

    # Checkpoints

    def resume(self, checkpoint: Checkpoint) -> None:
        """Start from what an earlier search left open; its best schemes are evaluated again.

        The coarsest scheme is too, since it bounds every box. None of these count against the limits.
        """
        checkpoint.check(self.evaluator, self.lattice)
        again = tuple(dict.fromkeys([self.lattice.high, *checkpoint.best]))
        found = [self.evaluator.evaluate(scheme) for scheme in again]
        checkpoint.check_again(found, self.evaluator.measure)
        self.open.pop()
        for opened in checkpoint.open:
            self.open.push(opened.box(found[0], again))
        named = {*again, *(scheme for box in self.open.boxes for scheme in box.evaluated)}
        self.evaluated.mark(named)
        if checkpoint.least_bound is not None:
            self.evaluated.least_bound = checkpoint.least_bound
        self.record(found)
        self.pruned.update(checkpoint.pruned)
        self.evaluated_before = checkpoint.evaluated - len(named)
        self.partitions_before = checkpoint.partitions

    def checkpoint(self) -> Checkpoint:
        """Return what another search needs to resume this one.

        It will not know what bounds each box, so a box is written with the bound that this gives.
        """
        opened, pruned = [], self.pruned.copy()
        for box in [*self.open.boxes, *self.taken]:
            bound = max(box.bound, self.own_bound(box))
            if bound > self.evaluated.cutoff:
                reason = Pruning.SUPPRESSION if bound == np.inf else Pruning.BOUND
                pruned[reason] += box.unevaluated
            else:
                low, high = box.schemes.low, box.schemes.high
                opened.append(OpenBox(low, high, bound, box.evaluated))
        best = self.evaluated.best
        return Checkpoint(
            tuple(opened),
            tuple(evaluation.scheme for evaluation in self.evaluated.contenders),
            None if best is None else min(e.loss for e in self.evaluated.contenders),
            self.evaluations,
            dict(pruned),
            self.partitions_before + self.usage.partitions,
            None if self.evaluated.least_bound == np.inf else self.evaluated.least_bound,
            digest_basis(self.evaluator, self.lattice),
        )

    def own_bound(self, box: Box) -> float:
        """Return the bound that its bounding scheme gives a box, whichever bound it has so far."""
        if box.bounding is None:
            return 0.0
        if box.bounding.finer_infeasible:
            return float("inf")
        return float(sum_terms(box.bounding.terms, np.array(box.schemes.low)))


def bytes_of_box(lattice: Lattice) -> int:
    """Return about what an open box takes with the evaluation that bounds it."""
    attributes, levels = len(lattice.high), max(lattice.high) + 1
    return max(BOX_BYTES, 8 * attributes * (levels + 3))
