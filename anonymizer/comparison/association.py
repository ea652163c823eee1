"""Two columns together: their counts before and after, how far apart, and Cramer's V."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.comparison.binning import Binned, count_jointly, distance

ROUNDING = 1e-12
"""What is left of no association by floating-point arithmetic."""


@dataclass(frozen=True, slots=True, eq=False)
class JointCounts:
    """The records of two columns in each pair of bins, before and after, by their weights."""

    before: NDArray[np.int64] | NDArray[np.float64]
    after: NDArray[np.float64]
    """Values that are coarser than a bin count as spread evenly over the leaves that they cover."""
    freedom: tuple[int, int]
    """How many bins of either column the cells of the release may tell apart."""

    @staticmethod
    def of(one: Binned, other: Binned) -> JointCounts:
        """Count two columns together."""
        bins = len(one.labels), len(other.labels)
        cells = len(one.shares), len(other.shares)
        weights = one.weights
        counts = count_jointly(one.after, other.after, cells)[:-1, :-1]  # the last is not released
        weighed = counts
        if weights is not None:
            weighed = count_jointly(one.after, other.after, cells, weights)[:-1, :-1]
        # spreading a value over its leaves adds no freedom: what chance gives is that of the cells
        freedom = np.minimum(occupied(counts), bins).tolist()
        return JointCounts(
            count_jointly(one.before, other.before, bins, weights),
            one.shares[:-1].T @ weighed @ other.shares[:-1],
            (freedom[0], freedom[1]),
        )

    @property
    def distance(self) -> float:
        """The total variation distance of the cells' shares, 0 to 1: 0 is unchanged."""
        return distance(self.before.ravel().astype(float), self.after.ravel())

    def associate(self) -> tuple[float, float]:
        """Return Cramer's V of the columns, 0 to 1, before and after, over the same bins.

        Both are corrected for what chance alone would give (Bergsma 2013, A bias-correction for Cramer's
        V and Tschuprow's T) and both are divided by what is possible before, so that they compare.
        """
        size = occupied(self.before)
        possible = largest(size, round(float(self.before.sum())))
        return (
            scaled(contingency(self.before, size), possible),
            scaled(contingency(self.after, self.freedom), possible),
        )


def occupied(counts: NDArray[np.integer] | NDArray[np.float64]) -> tuple[int, int]:
    """Return how many rows and columns of a table are not empty."""
    return int(counts.any(axis=1).sum()), int(counts.any(axis=0).sum())


def contingency(counts: NDArray[np.integer] | NDArray[np.float64], size: tuple[int, int]) -> float:
    """Return the mean square contingency of a table, less what chance would give in one of this size."""
    records = float(counts.sum())
    if records <= 1:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / records
    there = expected > 0
    squares = (counts[there] - expected[there]) ** 2 / expected[there]
    chance = (size[0] - 1) * (size[1] - 1) / (records - 1)
    beyond = float(squares.sum()) / records - chance
    return beyond if beyond > ROUNDING else 0.0


def largest(size: tuple[int, int], records: int) -> float:
    """Return the largest mean square contingency of a table of this size, corrected like the others."""
    if records <= 1:
        return 0.0
    return min(number - (number - 1) ** 2 / (records - 1) for number in size) - 1


def scaled(contingency: float, possible: float) -> float:
    """Return the square root of the part of what is possible; 0 where no association is."""
    return 0.0 if possible <= 0 else min(1.0, math.sqrt(contingency / possible))
