"""Linkage with an external table that is at hand (Simon et al. 2020, section 3.3).

A record in a group of k that matches m external ones is re-identified with probability 1 / (k * m): 1 if
both are alone, 1/m if it is alone here, 1/k if its match is alone there, and 0 if nothing matches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.assessment.procedure.keys import KeySet
from anonymizer.assessment.procedure.people import Integers, KeyCells
from anonymizer.data.columns import Coded
from anonymizer.data.table import Table, describe_header
from anonymizer.errors import DataError, HierarchyError, list_cells, quote_some
from anonymizer.hierarchy import MISSING, Hierarchy
from anonymizer.lattice import Scheme


@dataclass(frozen=True, slots=True)
class Linkage:
    """How the people of a table match an external one."""

    one_to_one: int
    """People alone in their cell, with one external match: re-identified with certainty."""
    one_to_many: int
    many_to_one: int
    many_to_many: int
    unmatched: int
    external_records: int
    external_matched: int
    """External records that match at least one person."""

    @property
    def people(self) -> int:
        """The number of people."""
        matched = self.one_to_one + self.one_to_many + self.many_to_one + self.many_to_many
        return matched + self.unmatched


def link_probabilities(k: Integers, m: Integers) -> NDArray[np.float64]:
    """Return the probability of re-identification in cells of k that match m external records.

    >>> link_probabilities(np.array([1, 1, 2, 2, 3]), np.array([1, 4, 1, 4, 0])).tolist()
    [1.0, 0.25, 0.5, 0.125, 0.0]
    """
    return np.where(m > 0, 1 / np.maximum(k * np.maximum(m, 1), 1), 0.0)


def external_sizes(key_set: KeySet, scheme: Scheme | None = None) -> Integers:
    """Count the external records that match each cell."""
    sizes = key_set.classes(scheme).population_sizes
    assert sizes is not None, "the key set was made without an external table"
    return sizes


def link(key_set: KeySet) -> Linkage:
    """Link everyone by the key values; a person with several rows counts where the risk is highest."""
    cells, m = key_set.cells(), external_sizes(key_set)
    best = best_cells(cells, link_probabilities(cells.sizes, m))
    k_of, m_of, people = cells.sizes[best], m[best], cells.people_of_history
    external = key_set.microdata.population
    assert external is not None

    def count(chosen: NDArray[np.bool_]) -> int:
        return int(people[chosen].sum())

    return Linkage(
        count((k_of == 1) & (m_of == 1)),
        count((k_of == 1) & (m_of > 1)),
        count((k_of > 1) & (m_of == 1)),
        count((k_of > 1) & (m_of > 1)),
        count(m_of == 0),
        int(external.counts.sum()),
        int(m.sum()),
    )


def best_cells(cells: KeyCells, risk_of_cell: NDArray[np.float64]) -> Integers:
    """Return, for each history, the cell in which its risk is highest."""
    risk = risk_of_cell[cells.cell_of_member]
    order = np.lexsort((-risk, cells.history_of_member))
    return cells.cell_of_member[order[cells.starts]]


# --- keys at different granularity ---


def level_of(hierarchy: Hierarchy, values: Sequence[str], where: str) -> int:
    """Find the finest level that knows all the values of a column, or say which it does not know.

    >>> rows = [("34", "30-39", "*"), ("51", "50-59", "*")]
    >>> level_of(Hierarchy.from_rows("age", rows), ["30-39"], "voters.csv")
    1
    """
    wanted = {value for value in values if value != MISSING}
    unknown = [sorted(wanted.difference(labels)) for labels in hierarchy.labels]
    for level, rest in enumerate(unknown):
        if not rest:
            return level
    fewest = min(unknown, key=len)
    raise HierarchyError(
        f"{where}: column '{hierarchy.name}' has values that no single level of its hierarchy knows"
        f"{list_cells(fewest)}; write all values as on one level, or add them to "
        f"{hierarchy.source or 'the hierarchy'}."
    )


def to_leaves(hierarchy: Hierarchy, level: int, column: Coded) -> Coded:
    """Replace the values of a level by a leaf under each: equal on that level stays equal."""
    if level == 0:
        return column
    first = np.unique(hierarchy.codes[level], return_index=True)[1]
    leaf_of = {label: hierarchy.leaves[first[i]] for i, label in enumerate(hierarchy.labels[level])}
    return column.rename([MISSING if text == MISSING else leaf_of[text] for text in column.texts])


def match_columns(keys: Sequence[str], external: Table, names: dict[str, str]) -> dict[str, str]:
    """Find what an external table calls each key; names that differ are given."""
    columns = {key: names.get(key, key) for key in keys}
    absent = [key for key, column in columns.items() if column not in external.columns]
    if len(absent) == len(keys):
        raise DataError(
            f"{external.name}: the external table has no column in common with the keys "
            f"{quote_some(keys)}; {describe_header(external, ())}. Name its columns under `columns`."
        )
    if absent:
        raise DataError(
            f"{external.name}: the external table has no column for the key {quote_some(absent)}; "
            "leave it out of the source's keys, or name its column under `columns`."
        )
    return columns


def check_common(key: str, mine: set[str], theirs: set[str], where: str) -> None:
    """Raise a DataError if no value of a key occurs in both tables: nobody could ever match."""
    if mine.isdisjoint(theirs):
        examples = list_cells([*sorted(mine)[:1], *sorted(theirs)[:1]])
        raise DataError(
            f"{where}: no value of the key '{key}' occurs in both tables{examples}; write them alike, "
            "or give the key a hierarchy that knows both."
        )
