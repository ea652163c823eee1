"""Forecast: how many records a scheme will have to suppress, predicted from the evaluated ones.

It only chooses what to evaluate next; nothing is proven by it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonymizer.lattice import Lattice, Scheme

RIDGE = 0.05
"""The weight of what is assumed beforehand, in evaluations."""
USUAL_STEP = -0.8
"""What one level is assumed to do to the logit of the suppressed share beforehand."""
MAX_STEPS = 500
"""How many effects of levels are fitted; with more levels, neighbouring ones share one."""
LEAST_STEP = -1e-3
"""Generalizing an attribute never raises the predicted share."""
LEAST_LOGIT = -700.0
"""Below, the exponential function overflows; the share is 0 for all purposes."""


def share_of(logit: float) -> float:
    """Return the share that has a logit.

    >>> share_of(0.0)
    0.5
    """
    return float(1 / (1 + np.exp(-max(logit, LEAST_LOGIT))))


def shares_of(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shares that have some logits."""
    shares: NDArray[np.float64] = 1 / (1 + np.exp(-np.maximum(logits, LEAST_LOGIT)))
    return shares


class Forecast:
    """The logit of the suppressed share as a sum of one effect for each level of each attribute.

    Effects are fitted by ridge regression to all evaluated schemes, and never rise. With more levels
    than `MAX_STEPS`, neighbouring levels of an attribute share an effect; with more attributes than
    that, nothing is fitted.
    """

    def __init__(self, lattice: Lattice, records: int) -> None:
        self.records = records
        self.shape = len(lattice.high), max(lattice.high) + 1
        runs = [
            (a, start, end)
            for a, edges in enumerate(split_levels(lattice.high, MAX_STEPS))
            for start, end in itertools.pairwise(edges)
        ]
        self.attribute, self.start, end = np.array(runs, np.int64).reshape(-1, 3).T
        self.width = end - self.start
        # the attribute and level of each step, and the run that it is in
        self.run_of_step = np.repeat(np.arange(len(runs)), self.width)
        first = np.cumsum(self.width) - self.width
        within = np.arange(self.run_of_step.size) - first[self.run_of_step]
        self.place = self.attribute[self.run_of_step], (self.start[self.run_of_step] + within + 1)
        self.learns = len(runs) <= MAX_STEPS
        weights = np.full(len(runs) + 1, RIDGE)
        weights[0] = 1e-6  # of the constant nothing is known beforehand
        self.prior = np.array([0.0, *[USUAL_STEP] * len(runs)])
        self.moments = np.diag(weights) if self.learns else np.empty((0, 0))
        self.targets = weights * self.prior
        self.fitted: NDArray[np.float64] | None = None

    def logit(self, records: int) -> float:
        """Return the logit of a share, finite where none or all records are suppressed."""
        share = min(max(records, 0.2), self.records - 0.2) / self.records
        return math.log(share / (1 - share))

    def learn(self, schemes: Sequence[Scheme], suppressed: Sequence[int]) -> None:
        """Take in how many records each of some schemes must suppress."""
        if not schemes or not self.learns:
            return
        rows = np.ones((len(schemes), self.width.size + 1))
        risen = np.array(schemes)[:, self.attribute] - self.start
        rows[:, 1:] = np.minimum(np.maximum(risen, 0), self.width) / self.width
        self.moments += rows.T @ rows
        self.targets += np.array([self.logit(records) for records in suppressed]) @ rows
        self.fitted = None

    @property
    def steps(self) -> NDArray[np.float64]:
        """For each attribute and level: how far the logit is below that of level 0."""
        if self.fitted is None:
            solved = np.linalg.solve(self.moments, self.targets) if self.learns else self.prior
            effects = np.minimum(solved[1:], LEAST_STEP) / self.width
            steps = np.zeros(self.shape)
            steps[self.place] = effects[self.run_of_step]
            self.fitted = np.cumsum(steps, axis=1)
        return self.fitted

    def change(self, of: Scheme, to: Scheme) -> float:
        """Return by how much the logit rises from one scheme to another."""
        steps = self.steps  # few levels differ: indexed one by one, faster than as arrays
        return sum(
            [float(steps[a, to[a]] - steps[a, of[a]]) for a in range(len(of)) if to[a] != of[a]]
        )


def split_levels(tops: Sequence[int], most: int) -> list[list[int]]:
    """Split the levels of each attribute into at most so many runs in all, but at least one each.

    Returns where each run begins and the last one ends.

    >>> split_levels([2, 8], 10), split_levels([2, 8], 6)
    ([[0, 1, 2], [0, 1, 2, 3, 4, 5, 6, 7, 8]], [[0, 1, 2], [0, 2, 4, 6, 8]])
    """
    each = max(tops, default=0)
    while each > 1 and sum(min(top, each) for top in tops) > most:
        each = each - 1 if each < 64 else each * 9 // 10
    return [
        [round(top * i / runs) for i in range(runs + 1)] if (runs := min(top, each)) else [0]
        for top in tops
    ]
