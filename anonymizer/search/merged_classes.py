"""Classes of many schemes, with their histograms, while they are merged into those of coarser ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.microdata import Microdata
from anonymizer.kernels.merging import raise_levels

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of some schemes while they are merged; see kernels/merging.py."""

    digits: NDArray[np.int64]
    """The levels of each scheme above the lowest, of the attributes that are set so far, in order."""
    words: NDArray[np.uint64]
    tuples: NDArray[np.int32]
    sizes: NDArray[np.int64]
    rows: NDArray[np.int32]
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
    def of(
        microdata: Microdata,
        names: list[str],
        offsets: NDArray[np.int64],
        mask: NDArray[np.uint64],
    ) -> Classes:
        """Merge the tuples that agree under a mask.

        The values of several columns are numbered one after the other.
        """
        rows = np.zeros((microdata.distinct, int(offsets[-1])), np.int32)
        for name, offset in zip(names, offsets, strict=False):
            column = microdata.sensitive[name]
            rows[column.tuple_of_pair, column.value_of_pair + offset] = column.records
        merged = raise_levels(
            np.ascontiguousarray(microdata.words.T),
            np.arange(microdata.distinct, dtype=np.int32),
            microdata.counts.astype(np.int64),
            rows,
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
        """What kernels take: the classes, and which groups are alive."""
        own, groups = self.classes, self.groups
        return own.tuples, own.sizes, own.rows, self.group, groups.starts, groups.sizes, self.alive
