"""Matching: which released rows may be somebody's, going by the values that an attacker knows.

Rows whose cells are of the same levels are compared at once: the known values are generalized to those
levels, and equal ones get one label. A release with one scheme is one such part, one in layers has a part
for each layer, and rows that were tampered with are parts of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.cells import alike, label_sides
from anonymizer.attacks.columns import AnyColumn, Integers

NOBODY = -1


class AlikeRows(NamedTuple):
    """Rows with cells of the same levels, and the labels they share with the records they may be of."""

    rows: Integers
    row_label: Integers
    record_label: Integers
    number: int
    """How many labels there are."""


@dataclass(frozen=True, eq=False)
class ReleasedCells:
    """Released rows: the level and the value of each cell; an array row for each column."""

    columns: tuple[AnyColumn, ...]
    levels: Integers
    codes: Integers

    @property
    def rows(self) -> int:
        """The number of released rows."""
        return int(self.levels.shape[1])

    def keep(self, rows: NDArray[np.bool_] | Integers) -> ReleasedCells:
        """Return some rows alone."""
        return replace(self, levels=self.levels[:, rows], codes=self.codes[:, rows])

    def parts(self, known: Sequence[int]) -> list[tuple[Integers, Integers]]:
        """Put together the rows whose cells of some columns are of the same levels: levels and rows."""
        return list(alike(self.levels[list(known)]))

    def generalize(self, known: Sequence[int], levels: Integers, leaves: Integers) -> Integers:
        """Return what the leaves of some columns become at the levels of a part."""
        pairs = zip(known, levels.tolist(), strict=True)
        made = [self.columns[at].values[level][leaves[at]] for at, level in pairs]
        return np.array(made, np.int64).reshape(len(known), leaves.shape[1])

    def join(self, known: Sequence[int], leaves: Integers) -> Iterator[AlikeRows]:
        """Compare rows with records by the columns that are known of them."""
        for levels, rows in self.parts(known):
            values = self.generalize(known, levels, leaves)
            yield AlikeRows(rows, *label_sides(self.codes[list(known)][:, rows], values))

    def count(self, known: Sequence[int], leaves: Integers) -> Integers:
        """Count the rows that may be each record's, by the columns that are known."""
        found = np.zeros(leaves.shape[1], np.int64)
        for part in self.join(known, leaves):
            found += np.bincount(part.row_label, minlength=part.number)[part.record_label]
        return found


def breadth(cells: ReleasedCells, levels: Integers, known: Sequence[int]) -> float:
    """Return how many values the cells of a part leave open, on average, as a logarithm."""
    groups = [cells.columns[at].values[level] for at, level in zip(known, levels, strict=True)]
    return float(sum(np.log(group.size / (int(group.max(initial=0)) + 1)) for group in groups))


def find_owners(cells: ReleasedCells, original: Integers, random: np.random.Generator) -> Integers:
    """Return whose record each row is, going by all columns; `NOBODY` where it is nobody's.

    The finest rows find their records first, and no record has two rows. Records with the same values
    that fall into one class cannot be told apart: which of them a row is given is drawn.
    """
    everything = range(len(cells.columns))
    owners = np.full(cells.rows, NOBODY, np.int64)
    free = np.arange(original.shape[1])
    ordered = sorted(cells.parts(everything), key=lambda each: breadth(cells, each[0], everything))
    for levels, rows in ordered:
        values = cells.generalize(everything, levels, original[:, free])
        mine, theirs, _ = label_sides(cells.codes[:, rows], values)
        found, at = pair_up(mine, theirs, random)
        owners[rows[found]] = free[at]
        free = np.delete(free, at)
    return owners


def pair_up(
    mine: Integers, theirs: Integers, random: np.random.Generator
) -> tuple[Integers, Integers]:
    """Pair what has the same label on both sides at random, each at most once: left and right places."""
    most = max(mine.size, theirs.size, 1)
    sides = (mine, random.permutation(mine.size)), (theirs, random.permutation(theirs.size))
    left, right = (labels[order] * most + places_in(labels[order]) for labels, order in sides)
    _, at, found = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    return sides[0][1][at], sides[1][1][found]


def places_in(labels: Integers) -> Integers:
    """Return the place of each among those with the same label.

    >>> places_in(np.array([4, 2, 4])).tolist()
    [0, 0, 1]
    """
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    place = np.empty(labels.size, np.int64)
    place[order] = np.arange(labels.size) - np.searchsorted(ordered, ordered)
    return place
