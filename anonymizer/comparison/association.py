"""Association of two columns: Cramer's V, from counts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from anonymizer.comparison.binning import Binned, count_jointly

ROUNDING = 1e-12
"""What is left of no association by floating-point arithmetic."""


def associate(one: Binned, other: Binned) -> tuple[float, float]:
    """Return Cramer's V of two columns, 0 to 1, before and after, over the same bins.

    Both are corrected for what chance alone would give (Bergsma 2013, A bias-correction for Cramer's V
    and Tschuprow's T) and both are divided by what is possible before, so that they compare. Values
    that are coarser than a bin count as spread evenly over the leaves that they cover.
    """
    bins = len(one.labels), len(other.labels)
    before = count_jointly(one.before, other.before, bins)
    possible = largest(occupied(before), int(before.sum()))
    cells = len(one.shares), len(other.shares)
    counts = count_jointly(one.after, other.after, cells)[:-1, :-1]  # the last is not released
    after = one.shares[:-1].T @ counts @ other.shares[:-1]
    # spreading a value over its leaves adds no freedom: what chance gives is that of the cells
    freedom = tuple(np.minimum(occupied(counts), bins).tolist())
    return (
        scaled(contingency(before, occupied(before)), possible),
        scaled(contingency(after, (freedom[0], freedom[1])), possible),
    )


def occupied(counts: NDArray[np.integer]) -> tuple[int, int]:
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
