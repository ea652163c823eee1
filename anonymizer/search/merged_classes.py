"""Classes of many schemes, with their histograms, while they are merged into those of coarser ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.merging import list_entries, pack_counts, raise_levels
from anonymizer.table.bit_paths import WORD_BITS
from anonymizer.table.microdata import Microdata

Booleans = NDArray[np.bool_]
Entries = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Where the count of each value stands in a row; the values of all columns are numbered in a row."""

    names: list[str]
    offsets: NDArray[np.int64]
    """Where the values of each column begin; the last is where they end."""
    words: NDArray[np.int64]
    shifts: NDArray[np.uint64]
    ones: np.uint64
    """The bits of a count."""

    @staticmethod
    def of(microdata: Microdata, names: list[str]) -> Counts:
        """Make counts as wide as the number of all records is."""
        offsets = np.cumsum([0, *(len(microdata.sensitive[name].texts) for name in names)])
        width = max(1, microdata.records.bit_length())
        words, places = np.divmod(np.arange(offsets[-1]), WORD_BITS // width)
        shifts = (places * width).astype(np.uint64)
        return Counts(names, offsets, words, shifts, np.uint64((1 << width) - 1))

    def rows(self, microdata: Microdata) -> NDArray[np.uint64]:
        """Return the counts of each tuple."""
        rows = np.zeros((microdata.distinct, int(self.words.max(initial=0)) + 1), np.uint64)
        for name, offset in zip(self.names, self.offsets, strict=False):
            column = microdata.sensitive[name]
            pack_counts(
                column.tuple_of_pair,
                column.value_of_pair + offset,
                column.records,
                self.words,
                self.shifts,
                rows,
            )
        return rows

    def entries(self, rows: NDArray[np.uint64], chosen: NDArray[np.int64], name: str) -> Entries:
        """Return the histograms of a column in some rows: where they begin, the values and counts."""
        found: Entries = list_entries(rows, chosen, *self.layout(name))
        return found

    def layout(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.uint64], np.uint64]:
        """Return the word and the shift of each value of a column, and the bits of a count."""
        at = self.names.index(name)
        own = slice(self.offsets[at], self.offsets[at + 1])
        return self.words[own], self.shifts[own], self.ones


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of some schemes while they are merged; see kernels/merging.py."""

    digits: NDArray[np.int64]
    """The levels of each scheme above the lowest, of the attributes that are set so far, in order."""
    words: NDArray[np.uint64]
    tuples: NDArray[np.int32]
    sizes: NDArray[np.int64]
    rows: NDArray[np.uint64]
    """The counts of all sensitive values in each class; see `Counts`."""
    starts: NDArray[np.int64]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What kernels take."""
        return self.words, self.tuples, self.sizes, self.rows, self.starts

    @property
    def without_rows(self) -> tuple[NDArray[Any], ...]:
        """Where those of each scheme begin, a tuple of each class, and its records."""
        return self.starts, self.tuples, self.sizes

    @staticmethod
    def of(microdata: Microdata, counts: Counts, mask: NDArray[np.uint64]) -> Classes:
        """Merge the tuples that agree under a mask."""
        merged = raise_levels(
            np.array(microdata.words.T, order="C"),  # a copy can be written to, as merged ones
            np.arange(microdata.distinct, dtype=np.int32),
            microdata.counts.astype(np.int64),
            counts.rows(microdata),
            np.array([0, microdata.distinct]),
            np.ones(microdata.distinct, np.bool_),
            np.zeros(1, np.int64),
            mask[np.newaxis],
        )
        return Classes(np.zeros((1, 0), np.int64), *merged)

    def batches(self, chosen: Booleans, most: int) -> Iterator[slice]:
        """Split the schemes into batches of at most so many chosen classes, the last ones first."""
        before = np.concatenate([[0], np.cumsum(chosen)])[self.starts]
        end = len(self.digits)
        while end > 0:
            begin = min(int(np.searchsorted(before, before[end] - most)), end - 1)
            yield slice(begin, end)
            end = begin

    def range_of(self, schemes: slice) -> slice:
        """Return where the classes of some schemes in a row are."""
        return slice(int(self.starts[schemes.start]), int(self.starts[schemes.stop]))

    def part(self, schemes: slice) -> Classes:
        """Return the classes of some schemes in a row."""
        starts = self.starts[schemes.start : schemes.stop + 1]
        of = self.range_of(schemes)
        return Classes(
            self.digits[schemes],
            self.words[of],
            self.tuples[of],
            self.sizes[of],
            self.rows[of],
            starts - starts[0],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The classes of some schemes at their lowest levels, and the groups of those that may be merged."""

    classes: Classes
    groups: Classes
    group: NDArray[np.int32]
    """The group of each class."""
    kept: NDArray[np.int64]
    """How many records of each group are kept at any open scheme, at most."""
    low: NDArray[np.int64]
    """The levels of the classes, in order, above the lowest of the lattice."""
    high: NDArray[np.int64]
    """Those of the groups."""

    @property
    def alive(self) -> Booleans:
        """Mark the groups of which something may be kept."""
        return self.kept > 0

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What kernels take: the classes, and their groups."""
        own, groups = self.classes, self.groups
        return own.tuples, own.sizes, own.rows, self.group, groups.starts, groups.sizes
