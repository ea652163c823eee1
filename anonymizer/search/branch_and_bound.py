"""Branch and bound over boxes of the lattice.

A box holds all schemes between a lowest and a highest one. Open boxes wait in a heap, the least bound
first, and the schemes are never listed. A box whose bound exceeds the best loss is pruned.

Where a risk model is monotone, evaluating the highest scheme of a box shows which records, or how many,
every scheme in the box must suppress, so one evaluation bounds the whole box: its bound is that of its
lowest scheme. Such a box is cut where the bound exceeds the best loss, evaluated at its new highest
scheme, and split in two where both parts are likely to be pruned soon. Where the forecast is that an
evaluation would hardly raise the bound, the box is split without one, but not many times in a row. A
measure that is not a sum over the attributes may bound coarser schemes too; then both ends of a box are
evaluated.

Where no risk model is monotone, only the generalization itself bounds the loss. Then the lowest scheme
of a box is evaluated, and the rest of the box is split into boxes again: schemes are evaluated in the
order of their bounds, and none whose bound exceeds the optimum is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.kernels.bounds import best_split, sum_terms
from anonymizer.lattice import Lattice, Scheme
from anonymizer.risk import Monotone
from anonymizer.search.box import Box
from anonymizer.search.checkpoint import Checkpoint, OpenBox, digest_basis
from anonymizer.search.evaluated import Evaluated
from anonymizer.search.forecast import Forecast, share_of
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.jobs import EvaluateScheme
from anonymizer.search.limits import LimitReached, StopReason, Usage
from anonymizer.search.open_boxes import OpenBoxes
from anonymizer.search.params import SearchParams
from anonymizer.search.proof import Proof, Pruning
from anonymizer.search.result import Progress, SearchResult, Status, best_status

OnProgress = Callable[[Progress], None]
RunAll = Callable[..., list[Any]]
"""Calls a function with each of some items, as `map` does."""


class BranchAndBound:
    """The state of one search."""

    def __init__(
        self,
        evaluator: Evaluator,
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
        self.forecast = Forecast(lattice, evaluator.microdata.records, params)
        self.max_terms = evaluator.measure.most
        """The sum of terms when everything is lost."""
        self.pruned: Counter[Pruning] = Counter()
        self.bounds_finer = any(m.monotone is not Monotone.NONE for m in evaluator.models)
        """Whether evaluating a scheme bounds all finer ones."""
        self.open = OpenBoxes(usage.limits.memory // bytes_of_box(lattice, params))
        self.open.push(Box(lattice, 0.0, None))
        self.pending: list[Box] = []
        """Boxes taken from the open ones and not yet put back."""
        self.known: dict[Scheme, Evaluation] = {}
        self.evaluated_before = 0
        """Schemes that earlier searches evaluated and this one knows nothing else of."""
        self.partitions_before = 0
        self.large = lattice.size > params.large_lattice

    def add_known(self, evaluations: Iterable[Evaluation]) -> None:
        """Start with evaluations that were made before."""
        self.known = {evaluation.scheme: evaluation for evaluation in evaluations}
        self.record(list(self.known.values()))

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
        self.record(found)
        self.pruned.update(checkpoint.pruned)
        self.evaluated_before = checkpoint.evaluated - len(named)
        self.partitions_before = checkpoint.partitions

    def explore(self, batches: int | None = None) -> None:
        """Take the boxes with the least bounds until none is left, or for some batches of evaluations."""
        done = 0
        while self.open and done != batches:
            done += 1
            while self.open and len(self.pending) < self.params.batch_size:
                self.check_time()
                self.pending += self.next_box()
            schemes = [self.scheme_to_evaluate(box) for box in self.pending]
            # fewer come back where that is the last a limit allows
            found = self.evaluate(schemes)
            for box in self.pending[len(found) :]:
                self.open.push(box)
            for box, evaluation in zip(self.pending, found, strict=False):
                self.open.push(self.with_evaluation(box, evaluation))
            self.pending = []

    def scheme_to_evaluate(self, box: Box) -> Scheme:
        """Return the scheme whose evaluation bounds a box best."""
        low, high = box.schemes.low, box.schemes.high
        if not self.bounds_finer or (self.evaluator.measure.floors and high in self.evaluated):
            return low
        return high

    def with_evaluation(self, box: Box, evaluation: Evaluation) -> Box:
        """Return a box with one of its schemes evaluated; the highest one bounds it."""
        highest = self.bounds_finer and evaluation.scheme == box.schemes.high
        bounding = evaluation if highest else box.bounding
        return replace(box, bounding=bounding, evaluated=(*box.evaluated, evaluation.scheme))

    def next_box(self) -> list[Box]:
        """Take a box; return it if it needs an evaluation now, or nothing if it was pruned or split."""
        whole = self.open.pop()
        box = self.evaluated.tighten(whole)
        if box.bound > self.evaluated.cutoff:
            self.prune(whole, Pruning.SUPPRESSION if box.bound == np.inf else Pruning.BOUND)
            return []
        if box.schemes is not whole.schemes:
            self.pruned[Pruning.BOUND] += whole.unevaluated - box.unevaluated
        if self.evaluated.loses_tie(box):
            self.prune(box, Pruning.TIE)
            return []
        if box.bound > whole.bound and self.open.comes_later(box):
            self.open.push(box)
            return []
        if self.scheme_to_evaluate(box) in self.evaluated:
            deferrals = 0
        elif self.is_worth_evaluating(box):
            return [box]
        else:
            deferrals = box.deferrals + 1
        for part in self.branch(replace(box, deferrals=deferrals)):
            self.open.push(part)
        return []

    def prune(self, box: Box, reason: Pruning) -> None:
        """Count the schemes of a box that were never evaluated."""
        self.pruned[reason] += box.unevaluated

    def is_worth_evaluating(self, box: Box) -> bool:
        """Whether to evaluate a box now: not where that is expected to close little of its gap."""
        if not self.bounds_finer or box.deferrals == self.params.max_deferrals:
            return True
        single = box.schemes.low == box.schemes.high
        if single or box.bounding is None or self.evaluator.measure.floors:
            return True
        share, logit = self.predict(box)
        room = self.max_terms - box.bound
        rise = room * (share_of(logit) - share) / (1 - share)
        return bool(rise >= self.params.min_gap_closed * (self.evaluated.cutoff - box.bound))

    def predict(self, box: Box) -> tuple[float, float]:
        """Return the share that the bounding scheme suppresses, and the logit expected of the highest."""
        assert box.bounding is not None
        logit = self.forecast.logit(box.bounding.binding_records)
        change = self.forecast.change(box.bounding.scheme, box.schemes.high)
        return share_of(logit), logit + change

    def branch(self, box: Box) -> Iterable[Box]:
        """Split a box; where its lowest scheme was evaluated, that one is left out."""
        if not self.bounds_finer:
            return box.without_low()
        if box.schemes.low == box.schemes.high:
            return ()
        assert box.bounding is not None  # the highest scheme is evaluated, or a coarser one
        share, logit = self.predict(box)
        gap, room = self.evaluated.cutoff - box.bound, self.max_terms - box.bound
        low, high = np.array(box.schemes.low), np.array(box.schemes.high)
        attribute, level = best_split(
            box.bounding.terms, low, high, gap, room, share, logit, self.forecast.steps, 1.0
        )
        return box.split(attribute, level)

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
        cutoff = self.evaluated.cutoff
        evaluations: list[Evaluation] = self.run_all(
            EvaluateScheme(self.evaluator, cutoff), schemes
        )
        self.usage.evaluations += len(evaluations)
        self.record(evaluations)
        self.report()
        return evaluations

    def evaluation_of(self, scheme: Scheme) -> Evaluation:
        """Return the evaluation of a scheme, made now unless it was known beforehand."""
        return self.known.get(scheme) or self.evaluate([scheme])[0]

    def record(self, evaluations: Sequence[Evaluation]) -> None:
        """Add evaluations to those made so far."""
        for evaluation in evaluations:
            self.evaluated.add(evaluation)
        self.forecast.learn(
            [e.scheme for e in evaluations], [e.binding_records for e in evaluations]
        )

    def report(self) -> None:
        """Send the progress to whoever wants to show it."""
        if self.on_progress is not None:
            seconds, effort = self.usage.seconds, self.usage.effort
            self.on_progress(Progress(self.proof(), self.evaluated.best, seconds, effort))

    def check_time(self) -> None:
        """Raise LimitReached on Ctrl-C or when time is used up, but not before the first evaluation."""
        if self.interrupt.requested and len(self.evaluated):
            raise LimitReached(StopReason.INTERRUPTED)
        self.usage.check_time()

    def check_limits(self) -> None:
        """Raise LimitReached on Ctrl-C or when a limit is reached, but not before anything was done."""
        self.check_time()
        self.usage.check_evaluations()

    def proof(self) -> Proof:
        """Return what is proven so far: the least bound of an open box, or the best loss."""
        least = min((box.bound for box in self.pending), default=np.inf)
        bound = min(least, self.open.least_bound)
        loss = self.evaluated.best_loss
        if bound < np.inf:
            loss = min(loss, self.evaluator.measure.of_terms(bound))
        evaluated = self.evaluated_before + len(self.evaluated)
        partitions = self.partitions_before + self.usage.partitions
        return Proof(loss, self.lattice.size, evaluated, dict(self.pruned), partitions)

    def result(self, stopped: StopReason) -> SearchResult:
        """Return the best found, and whether it is proven."""
        complete, best, proof = stopped is StopReason.COMPLETE, self.evaluated.best, self.proof()
        if best is None:
            status = Status.INFEASIBLE if complete else Status.UNKNOWN
        else:  # what is left open when a search is stopped may be able to tie, but not to be better
            closed = proof.bound >= best.loss
            status = best_status(self.evaluator.models) if closed else Status.FEASIBLE
        return SearchResult(status, stopped, best, proof, None if complete else self.checkpoint())

    def checkpoint(self) -> Checkpoint:
        """Return what another search needs to resume this one.

        It will not know what bounds each box, so a box is written with the bound that this gives.
        """
        opened, pruned = [], self.pruned.copy()
        for box in [*self.open.boxes, *self.pending]:
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
            self.evaluated_before + len(self.evaluated),
            dict(pruned),
            self.partitions_before + self.usage.partitions,
            digest_basis(self.evaluator, self.lattice),
        )

    def own_bound(self, box: Box) -> float:
        """Return the bound that its bounding scheme gives a box, whichever bound it has so far."""
        if box.bounding is None:
            return 0.0
        if box.bounding.finer_infeasible:
            return float("inf")
        return float(sum_terms(box.bounding.terms, np.array(box.schemes.low)))


def bytes_of_box(lattice: Lattice, params: SearchParams) -> int:
    """Return about what an open box takes with the evaluation that bounds it."""
    attributes, levels = len(lattice.high), max(lattice.high) + 1
    return max(params.box_bytes, 8 * attributes * (levels + 3))
