"""Public keys: the cells that they make, the people who are rare in them and why, and the effect of each
key.

Simon et al. 2020, sections 3.2 and 3.4. A key set is a table seen through the keys that one external
source has in common with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.attackers.linked_table import LinkedTable
from anonymizer.hierarchy import MISSING, Hierarchy
from anonymizer.kernels.partition import sum_by_label
from anonymizer.lattice import Scheme
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.domain import read_only
from anonymizer.table.microdata import Microdata
from anonymizer.table.people import People, number_histories

Integers = NDArray[np.int64]

KS = (2, 3, 5)
"""A record violates k-anonymity if fewer than k people are in its cell."""
SMALL = 5
"""A cell of fewer than this is small; values that fewer people have are not named in reports."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyCells:
    """The cells that a set of keys makes, and who is in them: each person once in each."""

    everybody: People
    """By the sets of tuples that their rows show, also those of one tuple."""
    label_of_tuple: NDArray[np.int32]
    sizes: Integers
    """The people in each cell."""

    @staticmethod
    def of(everybody: People, label_of_tuple: NDArray[np.int32], cells: int) -> KeyCells:
        """Count the people in each of so many cells."""
        return KeyCells(everybody, label_of_tuple, everybody.class_sizes(label_of_tuple, cells))

    @property
    def people_of_history(self) -> Integers:
        """The people who share each set of tuples."""
        return self.everybody.of_history

    @property
    def people(self) -> int:
        """The number of people."""
        return int(self.people_of_history.sum())

    def keep(self, kept: NDArray[np.bool_]) -> KeyCells:
        """Return the same cells with only some histories left in them."""
        left = replace(self.everybody, of_history=np.where(kept, self.people_of_history, 0))
        return KeyCells.of(left, self.label_of_tuple, self.sizes.size)

    def highest(self, risk_of_cell: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the risk of each history: that of the cell, of all it is in, that has most."""
        return self.everybody.highest_of_histories(risk_of_cell[self.label_of_tuple])

    def best(self, risk_of_cell: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the cell in which each history's risk is highest."""
        rounded = np.round(risk_of_cell, 12)  # equal ones tie
        return self.label_of_tuple[self.everybody.highest_tuples(rounded[self.label_of_tuple])]

    def smallest(self) -> Integers:
        """Return the size of the smallest cell that each history is in."""
        return -self.everybody.highest_of_histories(-self.sizes[self.label_of_tuple])

    def with_value(
        self, value_of_cell: Integers, values: int, chosen: NDArray[np.bool_]
    ) -> Integers:
        """Count the people who are in a chosen cell with each of so many values, each person once."""
        labels = np.where(chosen, value_of_cell, values).astype(np.int32)
        return self.everybody.class_sizes(labels[self.label_of_tuple], values + 1)[:-1]


@dataclass(frozen=True, slots=True, eq=False)
class KeyPeople:
    """Everyone in a table, by the tuples of key values that their rows show, with these rows.

    Where each row is another person, the histories are the distinct tuples: counting takes no time per
    row.
    """

    everybody: People
    """By the sets of tuples that their rows show, also those of one tuple."""
    rows_of_entry: Integers

    @staticmethod
    def of_rows(microdata: Microdata) -> KeyPeople:
        """Take each row for a person."""
        counts = read_only(microdata.counts.astype(np.int64))
        tuples = np.arange(microdata.distinct + 1)
        return KeyPeople(all_histories(counts, tuples, tuples[:-1], counts.size), counts)

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
        starts = np.append(0, np.cumsum(lengths))
        entry_of_pair = starts[history_of_person[person]] + position
        tuple_of_entry = np.empty(int(lengths.sum()), np.int64)
        tuple_of_entry[entry_of_pair] = tuple_of_pair
        rows_of_entry = sum_by_label(entry_of_pair, rows, tuple_of_entry.size)
        return KeyPeople(all_histories(people, starts, tuple_of_entry, tuples), rows_of_entry)

    @property
    def people_of_history(self) -> Integers:
        """The people who share each set of tuples."""
        return self.everybody.of_history

    @property
    def people(self) -> int:
        """The number of people."""
        return self.everybody.number

    def cells(self, classes: EquivalenceClasses) -> KeyCells:
        """Count the people in each class."""
        return KeyCells.of(self.everybody, classes.label_of_tuple, classes.sizes.size)

    def rows_of_tuples(self, histories: NDArray[np.bool_], tuples: int) -> Integers:
        """Count, for each of so many tuples, the rows of the chosen histories."""
        chosen = histories[self.everybody.history_of_entry]
        sums: Integers = sum_by_label(
            self.everybody.tuple_of_entry[chosen], self.rows_of_entry[chosen], tuples
        )
        return sums


def all_histories(
    people: Integers, starts: Integers, tuple_of_entry: Integers, tuples: int
) -> People:
    """Return people of whom none is counted with a tuple: sets of one tuple are histories too."""
    nobody = np.zeros(tuples, np.int64)
    entries = read_only(starts), read_only(tuple_of_entry)
    return People(int(people.sum()), read_only(nobody), read_only(people), *entries)


@dataclass(frozen=True, eq=False)
class KeySet:
    """A table by one set of public keys, at the levels at which the attacker knows them.

    The top level of every hierarchy is a single value, so that a key at its top is a key left out.
    """

    microdata: Microdata
    people: KeyPeople
    base: Scheme
    """The level at which the attacker knows each key."""
    linked: LinkedTable | None = None
    """The source's people, where they are at hand."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the keys."""
        return self.microdata.attributes

    @property
    def tops(self) -> Scheme:
        """The level of each key at which it is left out."""
        return self.microdata.lattice.high

    def scheme(self, changed: Scheme | dict[str, int]) -> Scheme:
        """Return what an attacker sees where some keys are coarsened: the rest as they know them."""
        if isinstance(changed, dict):
            changed = tuple(changed.get(key, 0) for key in self.keys)
        return tuple(map(max, changed, self.base))

    def without(self, *left_out: str) -> Scheme:
        """Return the scheme with some keys left out."""
        return self.scheme({key: self.tops[self.keys.index(key)] for key in left_out})

    def classes(self, scheme: Scheme | None = None) -> EquivalenceClasses:
        """Return the classes of equal key values; at the levels the attacker knows by default."""
        return partition(self.microdata, self.base if scheme is None else scheme)

    def cells(self, scheme: Scheme | None = None) -> KeyCells:
        """Count the people in each cell."""
        return self.people.cells(self.classes(scheme))


def close_top(hierarchy: Hierarchy) -> Hierarchy:
    """Add a level with a single value on top, unless there is one.

    >>> close_top(Hierarchy.from_rows("sex", [("F",), ("M",)])).labels
    (('F', 'M'), ('*',))
    """
    if len(hierarchy.labels[-1]) == 1:
        return hierarchy
    codes = np.vstack([hierarchy.codes, np.zeros(hierarchy.size, np.int32)])
    return replace(hierarchy, labels=(*hierarchy.labels, ("*",)), codes=codes)


def flat_hierarchy(name: str, values: Sequence[str], missing: bool) -> Hierarchy:
    """Make the hierarchy of a key that has none: its values, and one top.

    >>> list(flat_hierarchy("sex", ["M", "F"], missing=False).rows())
    [('F', '*'), ('M', '*')]
    """
    leaves = sorted({*values, *([MISSING] if missing else [])})
    codes = np.vstack([np.arange(len(leaves)), np.zeros(len(leaves), np.int64)])
    top = "*" if "*" not in leaves else "any"
    return Hierarchy(name, (tuple(leaves), (top,)), codes.astype(np.int32))


def count_violations(cells: KeyCells, ks: Sequence[int] = KS) -> dict[int, int]:
    """Count the people who are in a cell of fewer than k, for each k."""
    smallest = cells.smallest()
    return {k: int(cells.people_of_history[smallest < k].sum()) for k in ks}


def count_by_history(people: KeyPeople) -> dict[int, int]:
    """Count the people who share the whole of their rows with fewer than k, for each k."""
    alike = people.people_of_history
    return {k: int(alike[alike < k].sum()) for k in KS}


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The counts with some keys left out, or one coarsened."""

    left_out: tuple[str, ...]
    coarsened: dict[str, int]
    violations: dict[int, int]


def what_if(key_set: KeySet) -> Iterator[WhatIf]:
    """Count again with each key left out, each pair of keys, and each key at each coarser level."""
    keys = key_set.keys
    for left_out in [*combinations(keys, 1), *(combinations(keys, 2) if len(keys) > 2 else [])]:
        counts = count_violations(key_set.cells(key_set.without(*left_out)))
        yield WhatIf(left_out, {}, counts)
    for key, level in coarser_levels(key_set):
        counts = count_violations(key_set.cells(key_set.scheme({key: level})))
        yield WhatIf((), {key: level}, counts)


def coarser_levels(key_set: KeySet) -> Iterator[tuple[str, int]]:
    """List the levels between what the attacker knows and the top, key by key."""
    for key, column, base in zip(
        key_set.keys, key_set.microdata.columns, key_set.base, strict=True
    ):
        for level in range(base + 1, column.hierarchy.height - 1):
            if 1 < column.group_counts[level] < column.group_counts[level - 1]:
                yield key, level


@dataclass(frozen=True, slots=True)
class ValueCount:
    """How many of the people with one value of a key are in some cells; no value: rare ones pooled."""

    key: str
    value: str | None
    people: int
    inside: int

    @property
    def share(self) -> float:
        """The share of the value's people who are in these cells."""
        return self.inside / self.people


def values_in(key_set: KeySet, cells: KeyCells, chosen: NDArray[np.bool_]) -> list[ValueCount]:
    """Say which values of the keys some cells have; values of fewer than five people are pooled.

    In the order of the keys; of each, the value with the largest share in those cells first.
    """
    classes = key_set.classes()
    found = []
    for number, (key, level) in enumerate(zip(key_set.keys, key_set.base, strict=True)):
        column = key_set.microdata.columns[number]
        first = key_set.microdata.codes[number, classes.first_tuple]
        value_of_cell = column.groups[level][first]
        labels = column.labels(level)
        people = cells.with_value(value_of_cell, len(labels), np.ones_like(chosen))
        among = cells.with_value(value_of_cell, len(labels), chosen)
        found += pool_rare(key, labels, people.tolist(), among.tolist(), SMALL)
    return found


def pool_rare(
    key: str, labels: Sequence[str], people: Sequence[int], inside: Sequence[int], k: int
) -> list[ValueCount]:
    """Name the values that at least k people have, and put the others together."""
    # a value that nobody here has is one of an external table
    counts = [row for row in zip(labels, people, inside, strict=True) if row[1]]
    named = [ValueCount(key, label or "missing", n, s) for label, n, s in counts if n >= k and s]
    named.sort(key=lambda value: (-value.share, -value.inside, value.value))
    rare = [(n, s) for _, n, s in counts if n < k]
    if rare:
        totals = [sum(column) for column in zip(*rare, strict=True)]
        named.append(ValueCount(key, None, *totals))
    return named


def small_cells(key_set: KeySet, k: int = SMALL) -> pd.DataFrame:
    """List the small cells with their key values and sizes, smallest first: for the steward alone."""
    classes = key_set.classes()
    sizes = key_set.people.cells(classes).sizes
    chosen = np.flatnonzero(sizes < k)
    columns = {}
    for number, (key, level) in enumerate(zip(key_set.keys, key_set.base, strict=True)):
        column = key_set.microdata.columns[number]
        labels = np.array(column.labels(level), object)
        codes = key_set.microdata.codes[number, classes.first_tuple[chosen]]
        columns[key] = labels[column.groups[level][codes]]
    frame = pd.DataFrame({**columns, "people": sizes[chosen]})
    return frame.sort_values("people", kind="stable", ignore_index=True)
