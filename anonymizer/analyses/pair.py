"""A table and its release row by row: each column as numbers or categories, before and after.

The steward has the original, and a release is a function of it: so each row is known beside what became
of it, though the rows of the released file are shuffled. A suppressed record is missing afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.comparison.binning import Binned
from anonymizer.comparison.comparison import bin_columns
from anonymizer.comparison.weights import read_weights, say_weights
from anonymizer.data.column import Column
from anonymizer.errors import DataError, quote_some
from anonymizer.hierarchy import MISSING
from anonymizer.hierarchy.numbers import midpoints, numbers_of_values
from anonymizer.policy import Analysis
from anonymizer.solution.solution import Solution

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
ABSENT = -1
"""The code of a missing cell, and of every cell of a suppressed record."""
MISSING_LABEL = "(missing)"


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column of numbers; NaN is missing, or suppressed."""

    before: Floats
    after: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """A column of categories, with the same labels before and after.

    Where the values are generalized, so are the original's: only then do both mean the same.
    """

    labels: tuple[str, ...]
    before: Codes
    after: Codes
    lost: bool = False
    """Whether the release has one value for all; `before` then has those one level below."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A table and its release."""

    solution: Solution

    @cached_property
    def kept(self) -> dict[str, Column]:
        """The columns that are released unchanged, and the id column."""
        return self.solution.release.read_kept()

    @cached_property
    def released(self) -> NDArray[np.bool_]:
        """Which rows of the original are released with their values."""
        release = self.solution.release
        return ~release.suppressed[release.microdata.tuple_of_row]

    @cached_property
    def binned(self) -> dict[str, Binned]:
        """Each column in a few bins, before and after."""
        columns = bin_columns(self.solution.release, self.kept, self.released)
        return {column.name: column for column in columns}

    @cached_property
    def weights(self) -> Floats:
        """The sampling weight of each row, with a mean of 1."""
        found = read_weights(self.solution.release)
        return np.ones(self.records) if found is None else found

    def say_how(self, method: str) -> str:
        """Say how frequencies were made, and that they are weighted where they are."""
        return " ".join((method, *say_weights(self.solution.release)))

    @property
    def records(self) -> int:
        """The records of the original."""
        return self.solution.records

    @cached_property
    def person_of_row(self) -> Codes:
        """Whose each row is."""
        name = self.solution.release.microdata.id
        if name is None:
            return np.arange(self.records)
        return self.kept[name].codes.astype(np.int64)

    def chosen(self, analysis: Analysis) -> list[str]:
        """Return the columns that an analysis names, or all that have one value in each cell."""
        for name in analysis.reads:
            self.check(name)
        return [name for name in self.binned if not analysis.reads or name in analysis.reads]

    def check(self, name: str) -> None:
        """Raise a DataError for a column that is not in the release, or holds lists."""
        release = self.solution.release
        if name not in release.columns:
            there = quote_some(release.columns)
            raise DataError(
                f"the release has no column '{name}'; it has {there}. Name one of them."
            )
        if name not in release.microdata.attributes and name not in self.kept:
            raise DataError(f"column '{name}' has more than one value in a cell; name another.")

    def is_quasi(self, name: str) -> bool:
        """Whether a column is generalized."""
        self.check(name)
        return name in self.solution.release.microdata.attributes

    def place(self, name: str) -> int:
        """Return the number of a quasi-identifier."""
        return self.solution.release.microdata.attributes.index(name)

    def coarsest(self, name: str) -> int:
        """Return the highest level that any released record has in a quasi-identifier."""
        return self.solution.release.layering.coarsest[self.place(name)]

    def height(self, name: str) -> int:
        """Return the number of levels of a quasi-identifier."""
        return self.solution.release.microdata.columns[self.place(name)].hierarchy.height

    def leaves(self, name: str) -> Codes:
        """Return the leaf of each row of the original in a quasi-identifier."""
        microdata, at = self.solution.release.microdata, self.place(name)
        leaves = microdata.columns[at].leaves[microdata.codes[at]][microdata.tuple_of_row]
        return np.asarray(leaves, np.int64)

    def numbers(self, name: str) -> Numbers | None:
        """Return a column as numbers, generalized values as their midpoints; None where it has texts.

        A quasi-identifier is one of numbers or dates if its hierarchy reads it so.
        """
        if not self.is_quasi(name):
            column = self.kept[name]
            values = numbers_of_values(column.texts)
            if values is None:
                return None
            before = values[column.codes]
            return Numbers(before, np.where(self.released, before, math.nan))
        hierarchy = self.solution.release.microdata.columns[self.place(name)].hierarchy
        values = None if hierarchy.reading.kind == "text" else numbers_of_values(hierarchy.leaves)
        if values is None:
            return None
        after = np.where(self.released, self.numbers_after(name), math.nan)
        return Numbers(values[self.leaves(name)], after)

    def numbers_after(self, name: str) -> Floats:
        """Return the number that stands for each row's released value; that of a suppressed is any."""
        release, at = self.solution.release, self.place(name)
        of_row = release.microdata.tuple_of_row
        if name in release.policy.microaggregated:
            codes, texts = release.values(at)
            numbers = numbers_of_values(texts)
            assert numbers is not None  # a mean or a median
            found: Floats = numbers[codes][of_row]
            return found
        hierarchy, leaves = release.microdata.columns[at].hierarchy, self.leaves(name)
        levels = self.levels(name)
        found = np.full(self.records, math.nan)
        for level in np.unique(levels[self.released]).tolist():
            middles, here = midpoints(hierarchy, level), levels == level
            assert middles is not None
            found[here] = middles[hierarchy.codes[level][leaves[here]]]
        return found

    def categories(self, name: str, missing: bool = False) -> Categories:
        """Return a column as categories of the release's level; `missing` makes one of missing cells."""
        if self.is_quasi(name):
            return self.generalized(name, missing)
        column = self.kept[name]
        codes, labels = number_labels(column.codes.astype(np.int64), column.texts, missing)
        return Categories(labels, codes, np.where(self.released, codes, ABSENT))

    def generalized(self, name: str, missing: bool) -> Categories:
        """Return a quasi-identifier as categories of the coarsest level that has several in the release.

        In layers, a record that is coarser than that has none.
        """
        levels = self.levels(name)
        for level in sorted(set(levels[self.released].tolist()), reverse=True):
            codes, labels = self.at_level(name, level, missing)
            if count_values(codes) > 1 or level == 0:
                known = self.released & (levels <= level)
                return Categories(labels, codes, np.where(known, codes, ABSENT))
        for level in range(self.coarsest(name), -1, -1):
            codes, labels = self.at_level(name, level, missing)
            if count_values(codes) > 1:
                break
        return Categories(labels, codes, np.full(self.records, ABSENT), lost=True)

    def levels(self, name: str) -> Codes:
        """Return the level of each row in a quasi-identifier; that of a suppressed one means nothing."""
        release = self.solution.release
        return release.layering.levels(self.place(name))[release.microdata.tuple_of_row]

    def at_level(self, name: str, level: int, missing: bool) -> tuple[Codes, tuple[str, ...]]:
        """Return the values of one level that the rows of the original have in a quasi-identifier."""
        hierarchy = self.solution.release.microdata.columns[self.place(name)].hierarchy
        codes = hierarchy.codes[level][self.leaves(name)].astype(np.int64)
        return number_labels(codes, hierarchy.labels[level], missing)


def number_labels(
    codes: Codes, texts: Sequence[str], missing: bool
) -> tuple[Codes, tuple[str, ...]]:
    """Number the texts that occur anew, in their order; a missing cell is absent, or a label of its own.

    >>> codes, labels = number_labels(np.array([2, 0, 1]), ["b", "", "a"], missing=False)
    >>> codes.tolist(), labels
    ([1, 0, -1], ('b', 'a'))
    """
    used = np.unique(codes).tolist()
    there = [number for number in used if missing or texts[number] != MISSING]
    new = np.full(len(texts), ABSENT)
    new[there] = np.arange(len(there))
    return new[codes], tuple(texts[number] or MISSING_LABEL for number in there)


def count_values(codes: Codes) -> int:
    """Count the different values that are not missing."""
    return int(np.unique(codes[codes != ABSENT]).size)
