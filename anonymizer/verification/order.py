"""Does the order of released rows still tell where they stood in the original?

Two statistics of a shuffle, each improbable by chance: the rank correlation between the places in the
release and in the original, and the pairs of neighbours that were neighbours before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.hierarchy import MISSING
from anonymizer.hierarchy.values import parse_number

IMPROBABLE = 1e-6
"""How rarely a true shuffle may be called an order."""
FEWEST = 10
"""With no more different rows, a shuffle may well end where it began."""


def find_order(released: NDArray[np.int64], original: NDArray[np.int64]) -> str | None:
    """Say what the order of released rows tells about the original's; None if nothing is found.

    Both number equal rows alike, each in its own order. Rows that are alike count with their mean place.
    """
    if np.unique(original).size <= FEWEST:
        return None
    places = mean_places(original)[released]
    correlation = correlate(places)
    if chance_of(correlation, places.size) < IMPROBABLE:
        return f"rows stand much as in the original (rank correlation {correlation:.2f})"
    kept = neighbours_kept(released, original)
    if kept > most_by_chance(2.0):
        return f"{kept} pairs of neighbours were neighbours in the original"
    return None


def ranks_of(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return the place of each of some texts among them, as numbers where all are.

    >>> ranks_of(["10", "9", ""]).tolist(), ranks_of(["b", "10", "9"]).tolist()
    ([2, 1, 0], [2, 0, 1])
    """
    numbers = [parse_number(text) for text in texts if text != MISSING]
    keys: list[Any] = list(texts)
    if None not in numbers:
        keys = [(text != MISSING, parse_number(text) or 0) for text in texts]
    ranks = np.empty(len(keys), np.int64)
    ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return ranks


def mean_places(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean place of each number.

    >>> mean_places(np.array([1, 0, 1])).tolist()
    [1.0, 1.0]
    """
    counts = np.maximum(np.bincount(numbers), 1)
    places: NDArray[np.float64] = np.bincount(numbers, np.arange(numbers.size)) / counts
    return places


def correlate(places: NDArray[np.float64]) -> float:
    """Return the correlation of places with their own order, -1 to 1; 0 where all are equal."""
    order = np.arange(places.size) - (places.size - 1) / 2
    deviation = places - places.mean()
    scale = math.sqrt(float(deviation @ deviation) * float(order @ order))
    return float(deviation @ order) / scale if scale else 0.0


def chance_of(correlation: float, rows: int) -> float:
    """Return how likely a shuffle of so many rows correlates at least so much, either way."""
    from scipy.special import betainc

    # the square of a chance correlation follows a beta distribution, nearly so for ranks
    return float(betainc((rows - 2) / 2, 0.5, max(0.0, 1 - correlation**2)))


def neighbours_kept(released: NDArray[np.int64], original: NDArray[np.int64]) -> int:
    """Count the neighbours, both unique rows, that were neighbours in the original."""
    unique = np.bincount(original) == 1
    places = mean_places(original)[released]
    adjacent = np.abs(np.diff(places)) == 1
    return int((adjacent & unique[released[1:]] & unique[released[:-1]]).sum())


def most_by_chance(expected: float) -> int:
    """Return the largest number that a Poisson count exceeds with no more than the improbable chance.

    >>> most_by_chance(2.0)
    12
    """
    total = term = math.exp(-expected)
    count = 0
    while 1 - total > IMPROBABLE:
        count += 1
        term *= expected / count
        total += term
    return count
