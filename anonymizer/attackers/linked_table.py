"""Linked tables: how many people of an external table match each person of a table.

Simon et al. 2020, section 3.3. A missing or redacted cell, in either table, may stand for any value, so
it matches every one; so does a generalized value that covers missing cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.cells import KEPT_LABELS, alike, label_sides
from anonymizer.attackers.external import OPEN, External, check_common, place_column, to_leaves
from anonymizer.attackers.recent import Recent
from anonymizer.data.aggregate import code_labels, label_together
from anonymizer.hierarchy import Hierarchy
from anonymizer.kernels.partition import sum_by_label
from anonymizer.lattice import Scheme
from anonymizer.table.domain import read_only
from anonymizer.table.microdata import Microdata
from anonymizer.table.people import People

Integers = NDArray[np.int64]
ANY = -1
"""The number of a value that may be any."""


@dataclass(frozen=True, eq=False)
class LinkedTable:
    """An external table by a source's keys, in the leaves of the hierarchies of the table it is for."""

    microdata: Microdata
    name: str
    """The path of the external table."""
    places: tuple[int, ...]
    """Where the keys stand among the quasi-identifiers."""
    levels: Scheme
    """The level on which the external table has each key."""
    hierarchies: tuple[Hierarchy, ...]
    """The hierarchy of each key, with the values of both tables."""
    own_leaves: tuple[Integers, ...]
    """The leaves there of the table's own codes, key by key."""
    leaves: Integers
    """The leaves of the external table's distinct tuples: a row for each key; `ANY` for an open cell."""
    people: People
    """The people of the external table."""
    kept: Recent[Scheme, Integers]

    @staticmethod
    def of(microdata: Microdata, external: External) -> LinkedTable:
        """Write an external table in the leaves of the table's hierarchies, and count its people."""
        places, levels, leaves, hierarchies, own = [], [], [], [], []
        for key, theirs in external.keys.items():
            place = microdata.attributes.index(key)
            mine = microdata.columns[place]
            hierarchy, column, level = place_column(mine.hierarchy, theirs, external.name)
            number_of = {text: number for number, text in enumerate(hierarchy.leaves)}
            known = to_leaves(hierarchy, level, column)
            numbers = [ANY if text in OPEN else number_of[text] for text in known.texts]
            places.append(place)
            levels.append(level)
            hierarchies.append(hierarchy)
            own.append(np.array([number_of[mine.hierarchy.leaves[leaf]] for leaf in mine.leaves]))
            leaves.append(np.array(numbers, np.int64)[known.codes])
        labels = label_together((code_labels(each + 1) for each in leaves), external.rows)
        first = labels.first_rows()
        person = np.arange(external.rows) if external.person is None else external.person.codes
        number = np.unique(person, return_inverse=True)[1].astype(np.int64)
        people = People.of_rows(number, labels.of_row, labels.number)
        distinct = read_only(np.array([each[first] for each in leaves]))
        room = Recent[Scheme, Integers](KEPT_LABELS // microdata.distinct)
        return LinkedTable(
            microdata,
            external.name,
            tuple(places),
            tuple(levels),
            tuple(hierarchies),
            tuple(own),
            distinct,
            people,
            room,
        )

    def check_common(self, base: Scheme) -> None:
        """Raise a DataError if no value of a key occurs in both tables; `base` is the table's levels."""
        for at, level in enumerate(map(max, base, self.levels)):
            place = self.places[at]
            here = set(self.microdata.columns[place].labels(level))
            check_common(
                self.microdata.attributes[place], here, self.labels_there(at, level), self.name
            )

    def labels_there(self, at: int, level: int) -> set[str]:
        """Return the values of a key that the external table has, as on a level."""
        hierarchy, leaves = self.hierarchies[at], self.leaves[at]
        codes = hierarchy.codes[level][np.unique(leaves[leaves != ANY])]
        return {hierarchy.labels[level][code] for code in codes}

    def matching(self, levels: Scheme, first_tuple: NDArray[np.integer]) -> Integers:
        """Count the people who match each cell of equal keys on some levels, given a tuple of each.

        No level may be finer than the external table's own.
        """
        return self.kept.get(levels, lambda: self.count(levels, first_tuple))

    def count(self, levels: Scheme, first_tuple: NDArray[np.integer]) -> Integers:
        """Count the people anew."""
        return read_only(count_matching(*self.values(levels, first_tuple), self.people))

    def values(self, levels: Scheme, first_tuple: NDArray[np.integer]) -> tuple[Integers, Integers]:
        """Number the values of cells and of the external table's tuples alike: a row for each key."""
        cells = np.empty((len(levels), first_tuple.size), np.int64)
        others = np.empty(self.leaves.shape, np.int64)
        for row, (place, level) in enumerate(zip(self.places, levels, strict=True)):
            value_of_leaf = values_on(self.hierarchies[row], level)
            own = self.own_leaves[row][self.microdata.codes[place][first_tuple]]
            cells[row] = value_of_leaf[own]
            others[row] = np.append(value_of_leaf, ANY)[self.leaves[row]]
        return cells, others

    def matched(self, levels: Scheme, first_tuple: NDArray[np.integer]) -> int:
        """Count the external people who match a cell at least."""
        matched = np.zeros(self.leaves.shape[1], np.bool_)
        for _, theirs, cell_label, other_label, _ in joins(*self.values(levels, first_tuple)):
            matched[theirs] |= np.isin(other_label, cell_label)
        return self.people.present(matched)


def values_on(hierarchy: Hierarchy, level: int) -> Integers:
    """Number, for each leaf, its value on a level; `ANY` where the value covers an open cell.

    >>> rows = [("F", "known", "*"), ("", "", "*")]
    >>> values_on(Hierarchy.from_rows("sex", rows), 1).tolist()
    [0, -1]
    """
    codes = hierarchy.codes[level].astype(np.int64)
    open_leaves = [number for number, text in enumerate(hierarchy.leaves) if text in OPEN]
    return np.where(np.isin(codes, codes[open_leaves]), ANY, codes)


def count_matching(cells: Integers, others: Integers, people: People) -> Integers:
    """Count the people who match each cell; a row for each key, and `ANY` matches every value.

    >>> people = People.of_rows(np.array([0, 1, 1]), np.array([0, 1, 2], np.int32), 3)
    >>> count_matching(np.array([[5, 6, ANY]]), np.array([[5, 6, 7]]), people).tolist()
    [1, 1, 2]
    """
    found = np.zeros(cells.shape[1], np.int64)
    several: list[Integers] = []  # pairs of a history and a cell that it matches
    history = np.repeat(np.arange(people.of_history.size), np.diff(people.starts))
    for mine, theirs, cell_label, other_label, number in joins(cells, others):
        alone = sum_by_label(other_label, people.of_tuple[theirs], number)
        found[mine] += alone[cell_label]
        if history.size:
            label_of_tuple = np.full(others.shape[1], ANY)
            label_of_tuple[theirs] = other_label
            entry, cell = join_labels(label_of_tuple[people.tuple_of_entry], cell_label, number)
            several.append(history[entry] * cells.shape[1] + mine[cell])
    if several:  # a person who matches a cell by several rows counts once
        of_history, cell = np.divmod(np.unique(np.concatenate(several)), cells.shape[1])
        np.add.at(found, cell, people.of_history[of_history])
    return found


def joins(
    cells: Integers, others: Integers
) -> Iterator[tuple[Integers, Integers, Integers, Integers, int]]:
    """Compare cells and tuples on the keys that neither leaves open, for each choice of such keys.

    Yields which cells and tuples are compared, their labels, equal for those that match, and how many
    labels there are.
    """
    for (open_here, mine), (open_there, theirs) in product(
        alike(cells == ANY), alike(others == ANY)
    ):
        compared = ~(open_here | open_there)
        labels = label_sides(cells[compared][:, mine], others[compared][:, theirs])
        yield mine, theirs, *labels


def join_labels(left: Integers, right: Integers, number: int) -> tuple[Integers, Integers]:
    """List the pairs of a place on the left and one on the right with the same label."""
    order = np.argsort(right, kind="stable")
    counts = np.append(np.bincount(right, minlength=number), 0)[left]  # what has none matches none
    starts = np.append(np.cumsum(np.bincount(right, minlength=number)), 0)[left] - counts
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(np.arange(left.size), counts), order[np.repeat(starts, counts) + within]
