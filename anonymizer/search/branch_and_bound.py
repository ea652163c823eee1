"""Branch and bound over boxes of the lattice.

A box holds all schemes between a lowest and a highest one. Boxes wait in a heap, the least bound first,
and no list of schemes is ever made. A box whose bound exceeds the best loss is out.

Where a risk model is monotone, evaluating the highest scheme of a box tells which records, or how many,
every scheme in the box must suppress, so one evaluation bounds the whole box: its bound is the one of
its lowest scheme. Such a box is cut where the bound exceeds the best loss, evaluated at its new highest
scheme, and split in two where both parts are the likeliest to be out soon. Where the forecast is that an
evaluation would hardly raise the bound, the box is split without one, but not many times in a row. Where
a measure is no sum over the attributes, it may bound coarser schemes too, and both ends are evaluated.

Where the lattice or the table is large, boxes are first bounded by descents, if risk models and measure
allow: in a large lattice step by step, each time up to a target nearer to the best loss.

Where no model is, only the generalization itself bounds the loss. Then the lowest scheme of a box is
evaluated, and the rest of the box is split into boxes again: schemes are tried in the order of their
bounds, and none whose bound exceeds the optimum is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.kernels.bounds import best_split
from anonymizer.lattice import Lattice, Scheme, with_level
from anonymizer.risk import Monotone
from anonymizer.search.box import Box
from anonymizer.search.checkpoint import Checkpoint
from anonymizer.search.evaluated import Evaluated
from anonymizer.search.forecast import Forecast
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.neighbours import likeliest
from anonymizer.search.open_boxes import OpenBoxes
from anonymizer.search.result import (
    Limits,
    Progress,
    Proof,
    Pruning,
    SearchResult,
    Status,
    StopReason,
    best_status,
)
from anonymizer.search.subtree_bounds import SubtreeBounds

# BATCH, MOST_DEFERRED and WORTH_EVALUATING were chosen among some twenty settings by the evaluations they
# take on ADULT, CUP, FARS and the ATUS stand-in, tables that the benchmark shows: ADULT with k = 5 takes
# 236 to 274 over those with deferral. They change what a proof costs, never what is proven.
BATCH = 4
"""Boxes evaluated at a time: the same for any number of workers, and so is every count."""
LARGE = 1_000_000
"""In a lattice of more schemes, the first solution is improved before the proof begins."""
MANY = 100_000
"""With more distinct tuples a partition costs more than choosing it well: descents make the proof."""
TRIED = 100
"""Schemes near the best that are tried before it is left as it is."""
MOST_FOR_IMPROVEMENT = 0.25
"""The share of time or evaluations after which the first solution is not improved further."""
MOST_DEFERRED = 2
"""How many times in a row a box may be split without an evaluation."""
WORTH_EVALUATING = 0.35
"""The part of the gap that an evaluation must be expected to close, or the box is split without it."""

Clock = Callable[[], float]
OnProgress = Callable[[Progress], None]
RunAll = Callable[..., list[Any]]
"""Calls a function with each of some items, as `map` does."""


class LimitReached(Exception):  # noqa: N818 - not an error
    """A limit of the search is used up."""

    def __init__(self, reason: StopReason) -> None:
        self.reason = reason


class BranchAndBound:
    """One search under way."""

    def __init__(
        self,
        evaluator: Evaluator,
        lattice: Lattice,
        limits: Limits,
        run_all: RunAll,
        on_progress: OnProgress | None,
        clock: Clock,
        interrupt: Interrupt,
    ) -> None:
        self.evaluator, self.lattice, self.limits = evaluator, lattice, limits
        self.run_all, self.on_progress, self.clock = run_all, on_progress, clock
        self.started, self.interrupt = clock(), interrupt
        self.evaluated = Evaluated(evaluator.measure)
        self.forecast = Forecast(lattice, evaluator.microdata.records)
        self.most = evaluator.measure.most
        self.pruned: Counter[Pruning] = Counter()
        self.downwards = any(m.monotone is not Monotone.NONE for m in evaluator.models)
        self.open = OpenBoxes(limits.memory)
        self.open.push(Box(lattice, 0.0, None))
        self.waiting: list[Box] = []
        self.known: dict[Scheme, Evaluation] = {}
        self.evaluated_before = 0
        """Schemes that an earlier search evaluated and this one has no need to."""
        self.large = lattice.size > LARGE
        many = evaluator.microdata.distinct > MANY
        self.subtree_bounds = SubtreeBounds.suit(evaluator) if self.large or many else None
        self.partitions = 0

    def climb(self) -> None:
        """Find a good scheme early: refine from the top while that helps, steepest bound first.

        In a lattice so large that the proof will take long, what is found is improved by small changes.
        """
        root = self.open.pop()
        self.waiting = [root]
        try:
            coarsest = current = self.find(self.lattice.high)
            root = replace(root, by=coarsest)
            while finer := self.first_better(current):
                current = finer
            if self.large:
                self.improve(coarsest)
        finally:
            self.waiting = []
            self.open.push(replace(root, evaluated=tuple(sorted(self.evaluated.known))))

    def first_better(self, current: Evaluation) -> Evaluation | None:
        """Return the first scheme one step finer that is feasible and better, or None."""
        scheme, low = current.scheme, self.lattice.low
        gains = [
            (current.terms[a, level - 1] - current.terms[a, level], a)
            for a, level in enumerate(scheme)
            if level > low[a]
        ]
        for _, attribute in sorted(gains):
            found = self.find(with_level(scheme, attribute, scheme[attribute] - 1))
            if found.feasible and found.loss < current.loss:
                return found
        return None

    def improve(self, coarsest: Evaluation) -> None:
        """Try the schemes near the best one that are the likeliest to be better, until none is.

        The nearest come first, a level up or down in one attribute or two.
        """
        farthest = max(self.lattice.high)
        while self.find_better(coarsest, 1) or self.find_better(coarsest, farthest):
            pass

    def find_better(self, coarsest: Evaluation, reach: int) -> bool:
        """Try schemes within reach of the best until one is better; say whether one is."""
        best = self.evaluated.best
        if best is None:  # not even the coarsest scheme is feasible
            return False
        near = likeliest(best, coarsest, self.lattice, self.forecast, self.most, reach)
        tried = [scheme for scheme in near if scheme not in self.evaluated][:TRIED]
        for start in range(0, len(tried), BATCH):
            if max(self.spent().values(), default=0.0) > MOST_FOR_IMPROVEMENT:
                return False
            self.evaluate(tried[start : start + BATCH])
            if best is not self.evaluated.best:
                return True
        return False

    def resume_from(self, checkpoint: Checkpoint) -> None:
        """Take up what an earlier search left open, and look at its best schemes again."""
        self.open.pop()
        # the coarsest scheme bounds every box, as it did in the search that was stopped
        again = tuple(dict.fromkeys([self.lattice.high, *checkpoint.best]))
        found = [self.evaluator.evaluate(scheme) for scheme in again]
        boxes = checkpoint.boxes(found[0], again)
        for box in boxes:
            self.open.push(box)
        self.pruned.update(checkpoint.pruned)
        inside = sum(len(box.evaluated) for box in boxes)
        self.evaluated_before = checkpoint.evaluated - (len(again) - inside)
        self.remember(found)

    def explore(self) -> None:
        """Take the most promising boxes until none is left."""
        while self.open:
            while self.open and len(self.waiting) < BATCH:
                self.waiting += self.next_box()
            schemes = [self.scheme_of(box) for box in self.waiting]
            # fewer come back where that is the last a limit allows
            found = self.evaluate(schemes)
            for box in self.waiting[len(found) :]:
                self.open.push(box)
            for box, evaluation in zip(self.waiting, found, strict=False):
                self.open.push(self.after(box, evaluation))
            self.waiting = []

    def scheme_of(self, box: Box) -> Scheme:
        """Return the scheme that tells most about a box."""
        low, high = box.schemes.low, box.schemes.high
        if not self.downwards or (self.evaluator.measure.floors and high in self.evaluated):
            return low
        return high

    def after(self, box: Box, evaluation: Evaluation) -> Box:
        """Return what is known of a box when one of its schemes is evaluated."""
        by = evaluation if self.downwards and evaluation.scheme == box.schemes.high else box.by
        return replace(box, by=by, evaluated=(*box.evaluated, evaluation.scheme))

    def next_box(self) -> list[Box]:
        """Take a box; return it if it needs an evaluation now, or nothing if it is out or was split."""
        whole = self.open.pop()
        box = self.evaluated.tighten(whole)
        if box.bound > self.evaluated.limit:
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
        if self.scheme_of(box) in self.evaluated:
            deferred = 0
        elif not self.downwards or box.deferred == MOST_DEFERRED or self.worth_evaluating(box):
            return [box]
        else:
            deferred = box.deferred + 1
        for part in self.branch(replace(box, deferred=deferred)):
            self.open.push(part)
        return []

    def prune(self, box: Box, reason: Pruning) -> None:
        """Count the schemes of a box that were never evaluated."""
        self.pruned[reason] += box.unevaluated

    def worth_evaluating(self, box: Box) -> bool:
        """Whether the highest scheme is likely to close a good part of the gap, or is the only one."""
        single = box.schemes.low == box.schemes.high
        if single or box.by is None or self.evaluator.measure.floors:
            return True
        share, logit = self.guess(box)
        rise = (self.most - box.bound) * (1 / (1 + np.exp(-logit)) - share) / (1 - share)
        return bool(rise >= WORTH_EVALUATING * (self.evaluated.limit - box.bound))

    def guess(self, box: Box) -> tuple[float, float]:
        """Return what share the bounding scheme suppresses, and the logit of what the highest may."""
        assert box.by is not None
        logit = self.forecast.logit(box.by.binding_records)
        change = self.forecast.change(box.by.scheme, box.schemes.high)
        return 1 / (1 + np.exp(-logit)), logit + change

    def branch(self, box: Box) -> Iterable[Box]:
        """Split a box; where its lowest scheme was evaluated, that one is left out."""
        if not self.downwards:
            return box.without_low()
        if box.schemes.low == box.schemes.high:
            return ()
        assert box.by is not None  # the highest scheme is evaluated, or a coarser one
        share, logit = self.guess(box)
        gap, room = self.evaluated.limit - box.bound, self.most - box.bound
        low, high = np.array(box.schemes.low), np.array(box.schemes.high)
        attribute, level = best_split(
            box.by.terms, low, high, gap, room, share, logit, self.forecast.steps, 1.0
        )
        return box.split(attribute, level)

    def evaluate(self, schemes: Sequence[Scheme]) -> list[Evaluation]:
        """Evaluate schemes, or as many as the limits allow, remember them and report."""
        if not schemes:
            return []
        self.check_limits()
        if self.limits.evaluations is not None:
            schemes = schemes[: max(1, self.limits.evaluations - self.done_here)]
        evaluations: list[Evaluation] = self.run_all(self.evaluator.evaluate, schemes)
        self.remember(evaluations)
        self.report()
        return evaluations

    def report(self) -> None:
        """Tell whoever wants to know how far the search is."""
        if self.on_progress is not None:
            seconds = self.clock() - self.started
            self.on_progress(Progress(self.proof(), self.evaluated.best, seconds, self.done_here))

    def add_known(self, evaluations: Iterable[Evaluation]) -> None:
        """Take in evaluations that were made before."""
        self.known = {evaluation.scheme: evaluation for evaluation in evaluations}
        self.remember(list(self.known.values()))

    def find(self, scheme: Scheme) -> Evaluation:
        """Return the evaluation of a scheme, made now unless it was known beforehand."""
        return self.known.get(scheme) or self.evaluate([scheme])[0]

    def remember(self, evaluations: Sequence[Evaluation]) -> None:
        """Take in what was found."""
        for evaluation in evaluations:
            self.evaluated.add(evaluation)
        self.forecast.learn_all(
            [e.scheme for e in evaluations], [e.binding_records for e in evaluations]
        )

    @property
    def done_here(self) -> int:
        """The evaluations of this search, and its partitions in subtree_bounds."""
        return len(self.evaluated) - len(self.known) + self.partitions

    def check_limits(self) -> None:
        """Stop if time or evaluations are used up, but never with nothing in hand."""
        if not len(self.evaluated):
            return
        if self.interrupt.asked:
            raise LimitReached(StopReason.INTERRUPTED)
        for reason, share in self.spent().items():
            if share >= 1:
                raise LimitReached(reason)

    def spent(self) -> dict[StopReason, float]:
        """Return what share of each limit is used up."""
        seconds, evaluations = self.limits.seconds, self.limits.evaluations
        shares = {}
        if seconds is not None:
            elapsed = self.clock() - self.started
            shares[StopReason.TIME] = elapsed / seconds if seconds > 0 else 1.0
        if evaluations is not None:
            shares[StopReason.EVALUATIONS] = self.done_here / evaluations if evaluations else 1.0
        return shares

    def proof(self) -> Proof:
        """Return what is proven so far: the least bound of an open box, or the best loss."""
        least = min((box.bound for box in self.waiting), default=np.inf)
        bound = min(least, self.open.least_bound)
        loss = self.evaluated.best_loss
        if bound < np.inf:
            loss = min(loss, self.evaluator.measure.of_terms(bound))
        evaluated = self.evaluated_before + len(self.evaluated)
        return Proof(loss, self.lattice.size, evaluated, dict(self.pruned), self.partitions)

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
        """Return what another search needs to go on."""
        boxes = [*self.open.boxes, *self.waiting]
        best = [evaluation.scheme for evaluation in self.evaluated.contenders]
        evaluated = self.evaluated_before + len(self.evaluated)
        return Checkpoint.of(boxes, best, evaluated, self.pruned)
