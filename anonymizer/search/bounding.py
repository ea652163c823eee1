"""Raising the bound of a whole lattice by subtree_bounds, from target to target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.box import Box
from anonymizer.search.branch_and_bound import BranchAndBound
from anonymizer.search.result import Pruning
from anonymizer.search.subtree_bounds import Outcome, SubtreeBounds

GAPS = (0.5, 0.2, 0.1, 0.05)
"""In a large lattice descents go for these gaps, one after another, before they go for the proof."""
AT_ONCE = 16
"""Boxes that are descended into at a time: the same for any number of workers."""
FEW = 32
"""The partitions of a descent while there are not yet boxes enough to keep all workers busy."""


def raise_bound(search: BranchAndBound) -> None:
    """Bound the open boxes by subtree_bounds, where these suit, until nothing is left below the best."""
    while search.subtree_bounds is not None and search.open.least_bound <= search.evaluated.limit:
        target = next_target(search)
        boxes: list[Box] = []
        while len(boxes) < AT_ONCE and search.open.least_bound < target:
            boxes.append(search.open.pop())
        search.waiting = boxes  # so that they are not lost if a limit is reached
        search.check_limits()
        outcomes = descend_all(search, search.subtree_bounds, target)
        found = search.evaluate(candidates(search, outcomes))
        search.waiting = []
        for box, outcome in zip(boxes, outcomes, strict=True):
            inside = tuple([e.scheme for e in found if e.scheme in box.schemes])
            reinsert(search, replace(box, evaluated=(*box.evaluated, *inside)), outcome)
        search.report()


def next_target(search: BranchAndBound) -> float:
    """Return the sum of terms to reach next: the best loss less one of the gaps, or all of it.

    Where memory is full, what is left over is ended at once.
    """
    memory, measure = search.evaluated, search.evaluated.measure
    loss = min(memory.best_loss, measure.of_terms(measure.most))
    gaps = [gap for gap in GAPS if gap < loss] if search.large else []
    ahead = [t for gap in gaps if (t := measure.to_terms(loss - gap)) > search.open.least_bound]
    return (
        ahead[0] if ahead and not search.open.stack else float(np.nextafter(memory.limit, np.inf))
    )


def descend_all(
    search: BranchAndBound, subtree_bounds: SubtreeBounds, target: float
) -> list[Outcome]:
    """Descend into the boxes that wait, and tell the forecast what came up."""
    budget = (
        subtree_bounds.budget if len(search.waiting) == AT_ONCE else min(FEW, subtree_bounds.budget)
    )
    if search.limits.evaluations is not None:
        left = search.limits.evaluations - search.done_here
        budget = max(1, min(budget, left // len(search.waiting)))
    lattices, steps = [box.schemes for box in search.waiting], search.forecast.steps
    outcomes: list[Outcome] = search.run_all(
        lambda lattice: subtree_bounds.descend(lattice, target, steps, budget), lattices
    )
    for outcome in outcomes:
        search.partitions += outcome.partitions
        samples = [tuple(scheme) for scheme in outcome.samples.tolist()]
        search.forecast.learn_all(samples, outcome.sampled_suppressed.tolist())
    return outcomes


def candidates(search: BranchAndBound, outcomes: Iterable[Outcome]) -> list[Scheme]:
    """List the schemes that subtree_bounds came upon and that may be the best."""
    schemes = [tuple(o.best.tolist()) for o in outcomes if o.best_sum <= search.evaluated.limit]
    return [scheme for scheme in schemes if scheme not in search.evaluated]


def reinsert(search: BranchAndBound, box: Box, outcome: Outcome) -> None:
    """Put what a descent left of a box in its place."""
    left = zip(outcome.low.tolist(), outcome.high.tolist(), outcome.bounds.tolist(), strict=True)
    for low, high, bound in left:
        part = replace(box.part(Lattice(tuple(low), tuple(high))), bound=max(box.bound, bound))
        if part.bound > search.evaluated.limit:
            search.prune(part, Pruning.BOUND)
        elif part.unevaluated:
            search.open.push(part)
