"""Cells: people who look alike to somebody who knows some attributes, and matches between two tables.

Two values match if they are equal at the coarser of their levels. So rows with values of the same levels
are put together (`alike`), and compared with others by labels at levels that both have (`label_sides`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.recent import Recent
from anonymizer.data.aggregate import code_labels, label_together
from anonymizer.kernels.overall import count_kept
from anonymizer.table.classes import match_tuples
from anonymizer.table.domain import read_only
from anonymizer.table.microdata import Microdata

Integers = NDArray[np.int64]
Level = TypeVar("Level", np.int64, np.bool_)

KEPT_LABELS = 20_000_000
"""Labels that are kept for other schemes; 80 MB."""

Known = frozenset[tuple[int, int]]
"""The attributes that are known, by their place among the quasi-identifiers, each at a level."""


def know(known: Known, more: Known) -> Known:
    """Return what is known once more is: of an attribute, the finest level.

    >>> know(frozenset({(0, 2), (1, 0)}), frozenset({(0, 1)})) == frozenset({(0, 1), (1, 0)})
    True
    """
    if more <= known:
        return known
    finest = dict(known)
    for at, level in more:
        finest[at] = min(level, finest.get(at, level))
    return frozenset(finest.items())


@dataclass(frozen=True, slots=True, eq=False)
class KnownCells:
    """The tuples that share their generalized values of some attributes."""

    label_of_tuple: NDArray[np.int32]
    people: NDArray[np.int64]
    """How many people are in each cell before anything is suppressed."""
    uniques: int
    """How many cells have one."""
    first_tuple: NDArray[np.int32]
    """A tuple of each cell."""
    matching: NDArray[np.int64] | None = None
    """How many people of the population table match each cell, where there is one."""

    @property
    def number(self) -> int:
        """How many cells there are."""
        return self.people.size


@dataclass(frozen=True, eq=False)
class Partitions:
    """A table's cells for whatever is known: made once, the last ones used are kept.

    They depend on the levels of what is known alone, so all schemes that agree there share them.
    """

    microdata: Microdata
    kept: Recent[Known, KnownCells]

    @staticmethod
    def of(microdata: Microdata) -> Partitions:
        """Return those of a table, which everybody who asks shares."""
        room = KEPT_LABELS // microdata.distinct
        return microdata.once(Partitions, lambda: Partitions(microdata, Recent(room)))

    def known(self, levels: Iterable[tuple[int, int]]) -> Known:
        """Return what of some attributes tells anybody apart: at a level with one value, nothing."""
        columns = self.microdata.columns
        return frozenset((at, level) for at, level in levels if columns[at].group_counts[level] > 1)

    def cells(self, known: Known) -> KnownCells:
        """Return the cells of those who agree on what is known."""
        return self.kept.get(known, lambda: self.partition(known))

    def partition(self, known: Known) -> KnownCells:
        """Label the tuples by their values of some attributes alone."""
        microdata = self.microdata
        masks = microdata.domain.paths.masks
        places = [at for at, _ in known]
        mask = np.bitwise_or.reduce(masks[places, [level for _, level in known]], axis=0)
        labels, first, records, matching = match_tuples(microdata, mask.astype(np.uint64))
        people = microdata.count_people(labels, records)
        uniques = int(np.count_nonzero(people == 1))
        return KnownCells(read_only(labels), read_only(people), uniques, read_only(first), matching)

    def count_people(
        self,
        cells: KnownCells,
        labels: NDArray[np.int32],
        counts: NDArray[np.integer],
        kept: NDArray[np.bool_],
    ) -> NDArray[np.int64]:
        """Count the different people kept in each cell, given the rows' cells and their records.

        Where people have several records, the rows must be the tuples.
        """
        people = self.microdata.people
        if people is None:
            counted: NDArray[np.int64] = count_kept(labels, counts, kept, cells.number)
            return counted
        apart = np.where(kept, labels, cells.number).astype(np.int32)
        return people.class_sizes(apart, cells.number + 1)[:-1]


@dataclass(frozen=True, slots=True, eq=False)
class LabelMembers:
    """Which places have each label."""

    order: Integers
    starts: Integers

    @staticmethod
    def of(labels: NDArray[np.integer], number: int) -> LabelMembers:
        """Sort the places by their label."""
        order = np.argsort(labels, kind="stable")
        return LabelMembers(order, np.searchsorted(labels[order], np.arange(number + 1)))

    def __getitem__(self, label: int) -> Integers:
        return self.order[self.starts[label] : self.starts[label + 1]]


def alike(levels: NDArray[Level]) -> Iterator[tuple[NDArray[Level], Integers]]:
    """Put together the rows whose values are of the same levels: these levels, and where the rows are.

    There is an array row for each attribute.

    >>> [(mix.tolist(), rows.tolist()) for mix, rows in alike(np.array([[0, 1, 0], [2, 2, 2]]))]
    [([0, 2], [0, 2]), ([1, 2], [1])]
    """
    rows = levels.shape[1]
    labels = label_together(map(code_labels, levels), rows)
    members = LabelMembers.of(labels.of_row, labels.number)
    for label in range(labels.number):
        yield levels[:, members[label][0]], members[label]


def label_sides(mine: Integers, theirs: Integers) -> tuple[Integers, Integers, int]:
    """Label the rows of two sides, equal ones alike, by values at levels that both have.

    Returns the labels of either side, and how many there are.

    >>> [each.tolist() for each in label_sides(np.array([[5, 6]]), np.array([[6, 6, 7]]))[:2]]
    [[0, 1], [1, 1, 2]]
    """
    both = np.concatenate([mine, theirs], axis=1)
    labels = label_together(map(code_labels, both), both.shape[1])
    of_mine, of_theirs = np.split(labels.of_row.astype(np.int64), [mine.shape[1]])
    return of_mine, of_theirs, labels.number
