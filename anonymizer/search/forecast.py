"""Forecast: how many records a scheme will have to suppress, guessed from those evaluated so far.

It only chooses what to look at next; nothing is proven by it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonymizer.lattice import Lattice, Scheme

RIDGE = 0.05
USUAL_STEP = -0.8
"""What one level does to the logit of the share, until the data say otherwise."""


class Forecast:
    """The logit of the suppressed share as a sum of one step for each level of each attribute.

    Steps are fitted by ridge regression to all evaluated schemes, and never rise.
    """

    def __init__(self, lattice: Lattice, records: int) -> None:
        self.records = records
        steps = [(a, level) for a, top in enumerate(lattice.high) for level in range(1, top + 1)]
        self.attribute = np.array([a for a, _ in steps], np.int64)
        self.level = np.array([level for _, level in steps], np.int64)
        self.shape = len(lattice.high), max(lattice.high) + 1
        weights = np.full(len(steps) + 1, RIDGE)
        weights[0] = 1e-6  # of the constant nothing is known beforehand
        self.moments = np.diag(weights)
        self.targets = weights * np.array([0.0, *[USUAL_STEP] * len(steps)])
        self.fitted: NDArray[np.float64] | None = None

    def logit(self, records: int) -> float:
        """Return the logit of a share, finite where none or all records are suppressed."""
        share = min(max(records, 0.2), self.records - 0.2) / self.records
        return math.log(share / (1 - share))

    def learn(self, scheme: Scheme, suppressed: int) -> None:
        """Take in how many records a scheme must suppress."""
        self.learn_all([scheme], [suppressed])

    def learn_all(self, schemes: Sequence[Scheme], suppressed: Sequence[int]) -> None:
        """Take in how many records each of some schemes must suppress."""
        if not schemes:
            return
        rows = np.ones((len(schemes), self.level.size + 1))
        rows[:, 1:] = np.array(schemes)[:, self.attribute] >= self.level
        self.moments += rows.T @ rows
        self.targets += np.array([self.logit(records) for records in suppressed]) @ rows
        self.fitted = None

    @property
    def steps(self) -> NDArray[np.float64]:
        """For each attribute and level: how far the logit is below that of level 0."""
        if self.fitted is None:
            effects = np.linalg.solve(self.moments, self.targets)[1:]
            steps = np.zeros(self.shape)
            steps[self.attribute, self.level] = np.minimum(effects, -1e-3)
            self.fitted = np.cumsum(steps, axis=1)
        return self.fitted

    def change(self, of: Scheme, to: Scheme) -> float:
        """Return by how much the logit rises from one scheme to another."""
        steps = self.steps  # few and far between: indexed one by one, faster than as arrays
        return sum(
            [float(steps[a, to[a]] - steps[a, of[a]]) for a in range(len(of)) if to[a] != of[a]]
        )
