"""Raising the bound of a whole lattice by descents, from target to target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.box import Box
from anonymizer.search.descents import Descents, Outcome
from anonymizer.search.result import Pruning

if TYPE_CHECKING:
    from anonymizer.search.branch_and_bound import Hunt

GAPS = (0.5, 0.2, 0.1, 0.05)
"""In a large lattice descents go for these gaps, one after another, before they go for the proof."""
AT_ONCE = 16
"""Boxes that are descended into at a time: the same for any number of workers."""
FEW = 32
"""The partitions of a descent while there are not yet boxes enough to keep all workers busy."""


def raise_bound(hunt: Hunt) -> None:
    """Bound the open boxes by descents, where these suit, until nothing is left below the best."""
    while hunt.descents is not None and hunt.open.least_bound <= hunt.memory.limit:
        target = next_target(hunt)
        boxes: list[Box] = []
        while len(boxes) < AT_ONCE and hunt.open.least_bound < target:
            boxes.append(hunt.open.pop())
        hunt.waiting = boxes  # so that they are not lost if a limit is reached
        hunt.check_limits()
        outcomes = descend_all(hunt, hunt.descents, target)
        found = hunt.evaluate(worth_a_look(hunt, outcomes))
        hunt.waiting = []
        for box, outcome in zip(boxes, outcomes, strict=True):
            inside = tuple([e.scheme for e in found if e.scheme in box.schemes])
            take_in(hunt, replace(box, evaluated=(*box.evaluated, *inside)), outcome)
        hunt.report()


def next_target(hunt: Hunt) -> float:
    """Return the sum of terms to reach next: the best loss less one of the gaps, or all of it.

    Where memory is full, what is left over is ended at once.
    """
    memory, measure = hunt.memory, hunt.memory.measure
    loss = min(memory.best_loss, measure.of_terms(measure.most))
    gaps = [gap for gap in GAPS if gap < loss] if hunt.large else []
    ahead = [t for gap in gaps if (t := measure.to_terms(loss - gap)) > hunt.open.least_bound]
    return ahead[0] if ahead and not hunt.open.stack else float(np.nextafter(memory.limit, np.inf))


def descend_all(hunt: Hunt, descents: Descents, target: float) -> list[Outcome]:
    """Descend into the boxes that wait, and tell the forecast what came up."""
    budget = descents.budget if len(hunt.waiting) == AT_ONCE else min(FEW, descents.budget)
    if hunt.limits.evaluations is not None:
        left = hunt.limits.evaluations - hunt.done_here
        budget = max(1, min(budget, left // len(hunt.waiting)))
    lattices, steps = [box.schemes for box in hunt.waiting], hunt.forecast.steps
    outcomes: list[Outcome] = hunt.run_all(
        lambda lattice: descents.descend(lattice, target, steps, budget), lattices
    )
    for outcome in outcomes:
        hunt.partitions += outcome.partitions
        samples = [tuple(scheme) for scheme in outcome.samples.tolist()]
        hunt.forecast.learn_all(samples, outcome.sampled_suppressed.tolist())
    return outcomes


def worth_a_look(hunt: Hunt, outcomes: Iterable[Outcome]) -> list[Scheme]:
    """List the schemes that descents came upon and that may be the best."""
    schemes = [tuple(o.best.tolist()) for o in outcomes if o.best_sum <= hunt.memory.limit]
    return [scheme for scheme in schemes if scheme not in hunt.memory]


def take_in(hunt: Hunt, box: Box, outcome: Outcome) -> None:
    """Put what a descent left of a box in its place."""
    left = zip(outcome.low.tolist(), outcome.high.tolist(), outcome.bounds.tolist(), strict=True)
    for low, high, bound in left:
        part = replace(box.part(Lattice(tuple(low), tuple(high))), bound=max(box.bound, bound))
        if part.bound > hunt.memory.limit:
            hunt.prune(part, Pruning.BOUND)
        elif part.unevaluated:
            hunt.open.push(part)
