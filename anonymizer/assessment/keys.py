"""Public keys: who is rare by them, which values make it so, and what leaving one out would do.

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

from anonymizer.assessment.people import Integers, KeyCells, KeyPeople
from anonymizer.attackers.linked_table import LinkedTable
from anonymizer.hierarchy import MISSING, Hierarchy
from anonymizer.kernels.cell_members import count_members, list_members
from anonymizer.lattice import Scheme
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.microdata import Microdata

KS = (2, 3, 5)
"""A record violates k-anonymity if fewer than k people are in its cell."""
SMALL = 5
"""A cell of fewer than this is small; values that fewer people have are not named in reports."""


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

    def matching(self, classes: EquivalenceClasses) -> Integers | None:
        """Count the people of a source at hand who match each class; None where it is not."""
        if self.linked is None:
            return None
        return self.linked.matching(classes.scheme, classes.first_tuple)

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


def count_by_history(people: KeyPeople, ks: Sequence[int] = KS) -> dict[int, int]:
    """Count the people who share the whole of their rows with fewer than k, for each k."""
    alike = people.people_of_history
    return {k: int(alike[alike < k].sum()) for k in ks}


def individual_risk(sizes: Integers, population: Integers | None = None) -> NDArray[np.float64]:
    """Return the individual risk of a record in cells of given sizes.

    One over the size; or, with the sum of the sampling weights as the size in the population, the
    approximation of Benedetti and Franconi as sdcMicro has it (`indivRisk(method = "approx")`).

    >>> individual_risk(np.array([1, 4])).tolist()
    [1.0, 0.25]
    """
    if population is None:
        return 1 / sizes
    fraction = np.minimum(sizes / population, 1.0)
    whole = fraction == 1
    p = np.where(whole, 0.5, fraction)  # replaced below; keeps the logarithms finite
    odds, surprise = p / (1 - p), -np.log(p)
    risk = np.select(
        [sizes == 1, sizes == 2],
        [odds * surprise, odds - odds**2 * surprise],
        p / (sizes - (1 - p)),
    )
    return np.where(whole, 1 / sizes, risk)


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


def values_in(
    key_set: KeySet, cells: KeyCells, chosen: NDArray[np.bool_], k: int = SMALL
) -> list[ValueCount]:
    """Say which values of the keys some cells have; values of fewer than k people are pooled.

    In the order of the keys; of each, the value with the largest share in those cells first.
    """
    classes = key_set.classes()
    found = []
    for number, (key, level) in enumerate(zip(key_set.keys, key_set.base, strict=True)):
        column = key_set.microdata.columns[number]
        first = key_set.microdata.codes[number, classes.first_tuple]
        value_of_cell = column.groups[level][first]
        labels = column.labels(level)
        people = people_by_value(cells, value_of_cell, len(labels), np.ones_like(chosen))
        among = people_by_value(cells, value_of_cell, len(labels), chosen)
        found += pool_rare(key, labels, people.tolist(), among.tolist(), k)
    return found


def people_by_value(
    cells: KeyCells, value_of_cell: Integers, values: int, chosen: NDArray[np.bool_]
) -> Integers:
    """Count the people who are in a chosen cell with each of so many values, each person once."""
    member = chosen[cells.cell_of_member]
    value_of_member = value_of_cell[cells.cell_of_member[member]]
    histories = cells.people_of_history.size
    history, value, _ = list_members(
        cells.history_of_member[member], value_of_member, values, histories
    )
    counts: Integers = count_members(history, value, cells.people_of_history, values)
    return counts


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
