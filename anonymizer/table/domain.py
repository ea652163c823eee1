"""Domain: the quasi-identifiers of a table with all their levels, in tables that kernels can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.hierarchy import Hierarchy
from anonymizer.lattice import Lattice
from anonymizer.table.bit_paths import Paths


@dataclass(frozen=True, slots=True, eq=False)
class QuasiIdentifier:
    """One quasi-identifier: its hierarchy, and what of it occurs.

    A code numbers the leaves that occur. `groups[level]` numbers, for each code, the values of a level
    among those that occur; `covered[level]` counts the leaves of the hierarchy, occurring or not, below
    each. Of a continuous attribute it is the width of the interval, in a unit of which the domain has a
    whole number.
    """

    hierarchy: Hierarchy
    leaves: NDArray[np.int64]
    groups: tuple[NDArray[np.int64], ...]
    group_counts: tuple[int, ...]
    covered: NDArray[np.int64]

    @staticmethod
    def build(hierarchy: Hierarchy, occurring: Sequence[NDArray[np.integer]]) -> QuasiIdentifier:
        """Number the leaves that occur, and what they become at every level."""
        occurs = np.zeros(hierarchy.size, np.bool_)
        for leaves_of_tuples in occurring:
            occurs[leaves_of_tuples] = True
        leaves = np.flatnonzero(occurs)
        groups = [np.unique(level[leaves], return_inverse=True)[1] for level in hierarchy.codes]
        covered = np.array(
            [hierarchy.cover(level)[codes[leaves]] for level, codes in enumerate(hierarchy.codes)]
        )
        return QuasiIdentifier(
            hierarchy,
            read_only(leaves),
            tuple(read_only(group.astype(np.int64)) for group in groups),
            tuple(int(group.max(initial=-1)) + 1 for group in groups),
            read_only(covered.astype(np.int64)),
        )

    def encode(self, leaves_of_tuples: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
        """Return the codes of leaves, in the smallest integers that hold them."""
        code_of_leaf = np.zeros(self.hierarchy.size, np.min_scalar_type(self.leaves.size - 1))
        code_of_leaf[self.leaves] = np.arange(self.leaves.size)
        codes: NDArray[np.unsignedinteger] = code_of_leaf[leaves_of_tuples]
        return codes

    def texts(self, level: int) -> NDArray[np.str_]:
        """Return what each code becomes at a level."""
        return np.array(self.labels(level))[self.groups[level]]

    def labels(self, level: int) -> list[str]:
        """List the values of a level that occur, in the order of `groups`."""
        present = np.unique(self.hierarchy.codes[level][self.leaves])
        return [self.hierarchy.labels[level][i] for i in present]


@dataclass(frozen=True, eq=False)
class Domain:
    """The quasi-identifiers with all their levels, side by side in tables that kernels can read."""

    attributes: tuple[str, ...]
    columns: tuple[QuasiIdentifier, ...]

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where each attribute's leaves begin in `covered`; the last is their number."""
        return read_only(np.cumsum([0, *(column.leaves.size for column in self.columns)]))

    @cached_property
    def paths(self) -> Paths:
        """The ways through the hierarchies, in bits."""
        return Paths.of([column.groups for column in self.columns])

    @cached_property
    def covered(self) -> NDArray[np.int64]:
        """The leaves covered in all columns side by side: `covered[level, offset + code]`."""
        return side_by_side([column.covered for column in self.columns])

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """What each code becomes in all columns side by side: `groups[level, offset + code]`."""
        return side_by_side([np.array(column.groups) for column in self.columns])

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of the domain covered in all columns side by side: `shares[level, offset + code]`."""
        leaves = [column.leaves.size for column in self.columns]
        return read_only(self.covered / np.repeat(self.sizes, leaves))

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The extent of each hierarchy, D in the formulas: leaves, or the units of a domain's width."""
        return read_only(np.array([column.hierarchy.extent for column in self.columns]))

    @cached_property
    def least(self) -> NDArray[np.int64]:
        """What a single value of each attribute covers: 1, or 0 where it is continuous."""
        return read_only(np.array([column.hierarchy.least_cover for column in self.columns]))

    @cached_property
    def by_cover(self) -> NDArray[np.int64]:
        """For each level, the places in `covered`, attribute by attribute, by what they cover."""
        places = np.arange(self.covered.shape[1])
        attribute = np.repeat(np.arange(len(self.columns)), np.diff(self.offsets))
        return read_only(np.array([np.lexsort((places, row, attribute)) for row in self.covered]))

    @cached_property
    def lattice(self) -> Lattice:
        """All levels of all hierarchies."""
        heights = [column.hierarchy.height for column in self.columns]
        return Lattice((0,) * len(heights), tuple(height - 1 for height in heights))


def side_by_side(tables: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Join tables of unequal height, level by level; what lies above a column's top is 0."""
    height = max(len(table) for table in tables)
    padded = [np.pad(table, ((0, height - len(table)), (0, 0))) for table in tables]
    return read_only(np.concatenate(padded, axis=1))


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array with writing switched off."""
    array.flags.writeable = False
    return array
