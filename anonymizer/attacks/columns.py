"""Columns: what the values of a table and the cells of its release are called in common.

An original value is the number of a leaf. A released cell is a level and the number of its value there,
so that rows which were generalized in other ways than declared can be attacked like all others. A column
that is kept has one level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.placed import find_places, fit_cells
from anonymizer.data.arrays import is_nested
from anonymizer.data.column import Column, Vocabulary, same_text
from anonymizer.data.formulas import escape
from anonymizer.data.table import Table
from anonymizer.errors import DataError, HierarchyError, list_cells
from anonymizer.hierarchy import MISSING, Hierarchy, check_values
from anonymizer.hierarchy.numbers import groups_of_numbers
from anonymizer.policy import Policy, Role

Integers = NDArray[np.int64]
NO_VALUE = -1
"""Stands for the values of a column that a table does not have."""


@dataclass(frozen=True, eq=False)
class Quasi:
    """A quasi-identifier: its hierarchy with all values that any of the tables has."""

    name: str
    hierarchy: Hierarchy
    level: int | None
    """The level that the manifest declares, where all records have one."""
    microaggregated: bool
    escaped: bool

    @cached_property
    def values(self) -> tuple[Integers, ...]:
        """For each level, the number of what each leaf becomes; above the top, one for all."""
        codes = [level.astype(np.int64) for level in self.hierarchy.codes]
        return *codes, np.zeros(self.hierarchy.size, np.int64)

    def leaves(self, column: Column, where: str) -> Integers:
        """Return the leaf of each original value."""
        number_of = {leaf: number for number, leaf in enumerate(self.hierarchy.leaves)}
        texts = self.hierarchy.read_texts(column.texts)
        unknown = [
            t for t, value in zip(column.texts, texts, strict=True) if value not in number_of
        ]
        if unknown:
            defects = [defect.message for defect in check_values(self.hierarchy, unknown)]
            raise HierarchyError(f"{where}: {' '.join(defects)}")
        return np.array([number_of[text] for text in texts], np.int64)[column.codes]

    def cells(self, column: Column, where: str) -> tuple[Integers, Integers]:
        """Return the level and the value of each released cell: as declared, or else the finest."""
        known = self.known_cells(column.texts)
        found = [known.get(text) for text in column.texts]
        if unknown := [t for t, cell in zip(column.texts, found, strict=True) if cell is None]:
            raise DataError(
                f"{where}: column '{self.name}' has values that its hierarchy does not know"
                f"{list_cells(unknown)}, first at row {column.first_row(unknown) + 1}; give the policy "
                "that the release was made with."
            )
        pairs = np.array([cell for cell in found if cell is not None], np.int64).reshape(-1, 2)
        return pairs[column.codes, 0], pairs[column.codes, 1]

    def known_cells(self, texts: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Say which level and value each text stands for."""
        write = escape if self.escaped else str
        known = {write(text): place for text, place in find_places(self.hierarchy).items()}
        if self.level is not None:  # what is declared counts
            labels = self.hierarchy.labels[self.level]
            known |= {write(label): (self.level, code) for code, label in enumerate(labels)}
        values = self.hierarchy.read_texts(texts)
        spelled = {t: known[v] for t, v in zip(texts, values, strict=True) if v in known}
        known = spelled | known
        if self.microaggregated and self.level:
            known |= self.numbers(texts, self.level)
        return known

    def numbers(self, texts: Sequence[str], level: int) -> dict[str, tuple[int, int]]:
        """Return the interval that each number of a class stands for."""
        code_of = {label: code for code, label in enumerate(self.hierarchy.labels[level])}
        groups = groups_of_numbers(self.hierarchy, level, texts)
        return {
            text: (level, code_of[group])
            for text, group in zip(texts, groups, strict=True)
            if group is not None
        }


@dataclass(frozen=True, eq=False)
class KeptColumn:
    """A column that is released as it is, with the values of all tables."""

    name: str
    words: Vocabulary
    escaped: bool

    @cached_property
    def values(self) -> tuple[Integers, ...]:
        """The values themselves."""
        return (np.arange(len(self.words)),)

    def leaves(self, column: Column, where: str) -> Integers:  # noqa: ARG002 - any value will do
        """Return the number of each value."""
        return self.numbers(column, self.escaped)

    def cells(self, column: Column, where: str) -> tuple[Integers, Integers]:  # noqa: ARG002
        """Return the number of each value, all of one level."""
        codes = self.numbers(column, False)
        return np.zeros(codes.size, np.int64), codes

    def numbers(self, column: Column, escaped: bool) -> Integers:
        """Number the texts; equal ones, in whatever spelling, alike."""
        write = escape if escaped else str
        found = [self.words.number_of[same_text(write(text))] for text in column.texts]
        return np.array(found, np.int64)[column.codes]


AnyColumn = Quasi | KeptColumn


def quasi_column(
    policy: Policy,
    name: str,
    originals: Sequence[Column],
    released: Column,
    level: int | None,
) -> Quasi:
    """Make a column of a quasi-identifier, with the values of all tables."""
    hierarchy = policy.hierarchy(name)
    if level is not None and level not in range(hierarchy.height):
        raise DataError(
            f"column '{name}': the manifest declares level {level}, and the hierarchy has levels 0 to "
            f"{hierarchy.height - 1}; give the policy that the release was made with."
        )
    hierarchy = hierarchy.with_values([text for column in originals for text in column.texts])
    hierarchy, _ = fit_cells(hierarchy, sorted(released.texts))
    if any(MISSING in column.texts for column in (*originals, released)):
        hierarchy = hierarchy.with_missing()
    return Quasi(
        name,
        hierarchy,
        level,
        name in policy.microaggregated,
        policy.release.escape_formulas,
    )


def kept_column(
    policy: Policy, name: str, originals: Sequence[Column], released: Column
) -> KeptColumn:
    """Make a column that is kept, with the values of all tables."""
    write = escape if policy.release.escape_formulas else str
    texts = [write(text) for column in originals for text in column.texts]
    texts += sorted(released.texts)
    return KeptColumn(
        name, Vocabulary(dict.fromkeys(map(same_text, texts))), policy.release.escape_formulas
    )


def kept_names(policy: Policy, table: Table) -> tuple[str, ...]:
    """List the columns that are released as they are and have plain values."""
    names = (*policy.with_role(Role.SENSITIVE), *policy.with_role(Role.INSENSITIVE))
    types = table.types
    return tuple(name for name in names if name in table.columns and not is_nested(types[name]))
