"""The promise over releases: nobody who was ever released is among fewer than k by all releases together.

The history of a person is the class that they had in each release, where not being in it is a class too.
Whoever knows some releases, who is in them and who is not, and what their values are, cannot tell two
people of one history apart: to intersect the classes that somebody had and to subtract those that they
had not leaves all who share the history. Knowing fewer releases only puts histories together. So it is
enough that at least k people share each whole history. Whoever was in no release is not looked for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ABSENT = -1
"""The class of whoever is not in a release."""
Classes = NDArray[np.int64]
"""The class of each person in each release: a row for each person, a column for each release."""


def number_histories(classes: Classes) -> NDArray[np.int64]:
    """Number people from 1 by the classes that they had in all releases; 0 is nobody's who was in any.

    >>> number_histories(np.array([[3, 0], [3, ABSENT], [ABSENT, ABSENT], [3, 0]])).tolist()
    [2, 1, 0, 2]
    """
    released = (classes != ABSENT).any(axis=1)
    numbers = np.zeros(len(classes), np.int64)
    if released.any():
        found = np.unique(classes[released], axis=0, return_inverse=True)[1]
        numbers[released] = found.reshape(-1) + 1
    return numbers


def sharing(classes: Classes) -> NDArray[np.int64]:
    """Count for each person who was ever released how many share their history; 0 for all others.

    >>> sharing(np.array([[3, 0], [3, ABSENT], [ABSENT, ABSENT], [3, 0]])).tolist()
    [2, 1, 0, 2]
    """
    numbers = number_histories(classes)
    counts = np.bincount(numbers)
    counts[0] = 0
    shared: NDArray[np.int64] = counts[numbers]
    return shared


def exposed(classes: Classes, k: int) -> NDArray[np.bool_]:
    """Mark whoever was ever released and is one of fewer than k who share their history."""
    shared = sharing(classes)
    return (shared > 0) & (shared < k)


def by_intersection(classes: Classes, k: int) -> NDArray[np.bool_]:
    """Mark whoever is among fewer than k by the classes that they were in, whoever else was in others."""
    there = classes != ABSENT
    below = np.zeros(len(classes), np.bool_)
    for pattern in np.unique(there, axis=0):
        if not pattern.any():
            continue
        rows = np.flatnonzero(there[:, pattern].all(axis=1))
        _, label, counts = np.unique(
            classes[rows][:, pattern], axis=0, return_inverse=True, return_counts=True
        )
        below[rows] |= (counts[label.reshape(-1)] < k) & (there[rows] == pattern).all(axis=1)
    return below


def with_release(classes: Classes, scheme: NDArray[np.integer], kept: NDArray[np.bool_]) -> Classes:
    """Add a release: the class that a scheme gives each person, and who is kept of them."""
    present = np.where(kept, scheme, ABSENT)
    return np.column_stack([classes, present]).astype(np.int64)
