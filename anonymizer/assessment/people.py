"""People: whom the rows of a table belong to, one row each or several."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.cell_members import (
    count_members,
    highest_of_histories,
    list_members,
    smallest_of_histories,
)
from anonymizer.kernels.partition import sum_by_label
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.domain import read_only
from anonymizer.table.microdata import Microdata
from anonymizer.table.people import number_histories

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class KeyCells:
    """The cells that a set of keys makes, and who is in them.

    A person with several rows is a member of several cells, and of none twice.
    """

    sizes: Integers
    """The people in each cell."""
    cell_of_member: Integers
    history_of_member: Integers
    """Ascending; each history is at least once."""
    people_of_history: Integers
    starts: Integers
    """Where each history's members begin."""

    @property
    def people(self) -> int:
        """The number of people."""
        return int(self.people_of_history.sum())

    def keep(self, kept: NDArray[np.bool_]) -> KeyCells:
        """Return the same cells with only some histories left in them."""
        people = np.where(kept, self.people_of_history, 0)
        sizes = count_members(self.history_of_member, self.cell_of_member, people, self.sizes.size)
        return replace(self, sizes=sizes, people_of_history=people)

    def highest(self, risk_of_cell: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the risk of each history: that of the cell, of all it is in, that has most."""
        highest: NDArray[np.float64] = highest_of_histories(
            self.history_of_member, self.cell_of_member, risk_of_cell, self.people_of_history.size
        )
        return highest

    def smallest(self) -> Integers:
        """Return the size of the smallest cell that each history is in."""
        smallest: Integers = smallest_of_histories(
            self.history_of_member, self.cell_of_member, self.sizes, self.people_of_history.size
        )
        return smallest


@dataclass(frozen=True, slots=True, eq=False)
class KeyPeople:
    """Everyone in a table, by the tuples of key values that their rows show.

    People whose rows show the same set of tuples have one history. Where each row is somebody else,
    the histories are the distinct tuples, so that what is counted here never costs time in rows.
    """

    people_of_history: Integers
    history_of_entry: Integers
    """An entry is a tuple of a history; entries are in the order of histories."""
    tuple_of_entry: Integers
    rows_of_entry: Integers

    @staticmethod
    def of_rows(microdata: Microdata) -> KeyPeople:
        """Take each row for a person."""
        counts = read_only(microdata.counts.astype(np.int64))
        tuples = read_only(np.arange(microdata.distinct))
        return KeyPeople(counts, tuples, tuples, counts)

    @staticmethod
    def by_number(microdata: Microdata, person_of_row: Integers) -> KeyPeople:
        """Put the rows of each person together; people are numbered 0, 1, ... without a gap."""
        tuples = microdata.distinct
        pairs, rows = np.unique(person_of_row * tuples + microdata.tuple_of_row, return_counts=True)
        person, tuple_of_pair = np.divmod(pairs, tuples)
        position = np.arange(pairs.size) - np.searchsorted(person, person)
        history_of_person = number_histories(person, tuple_of_pair, position, tuples)
        _, one_of_each, people = np.unique(history_of_person, return_index=True, return_counts=True)
        lengths = np.bincount(person)[one_of_each]
        starts = np.cumsum(lengths) - lengths
        entry_of_pair = starts[history_of_person[person]] + position
        tuple_of_entry = np.empty(int(lengths.sum()), np.int64)
        tuple_of_entry[entry_of_pair] = tuple_of_pair
        rows_of_entry = sum_by_label(entry_of_pair, rows, tuple_of_entry.size)
        return KeyPeople(
            people, np.repeat(np.arange(people.size), lengths), tuple_of_entry, rows_of_entry
        )

    @property
    def people(self) -> int:
        """The number of people."""
        return int(self.people_of_history.sum())

    def cells(self, classes: EquivalenceClasses) -> KeyCells:
        """Count the people in each class."""
        cell_of_entry = classes.label_of_tuple[self.tuple_of_entry]
        histories, cells = self.people_of_history.size, classes.sizes.size
        history, cell, starts = list_members(self.history_of_entry, cell_of_entry, cells, histories)
        sizes = count_members(history, cell, self.people_of_history, cells)
        return KeyCells(sizes, cell, history, self.people_of_history, starts)

    def rows_of_tuples(self, histories: NDArray[np.bool_], tuples: int) -> Integers:
        """Count, for each of so many tuples, the rows of the chosen histories."""
        chosen = histories[self.history_of_entry]
        sums: Integers = sum_by_label(
            self.tuple_of_entry[chosen], self.rows_of_entry[chosen], tuples
        )
        return sums
