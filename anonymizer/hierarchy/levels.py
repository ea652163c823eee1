"""The rows of a hierarchy as integers, sound or not: what linter and `Hierarchy` both look at."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.arrays import numpy_numbers

Rows = Sequence[Sequence[str]]

MISSING = ""
"""How a missing cell is written as a value."""
REDACTED = "*"
"""How a release writes a cell that is suppressed."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The rows of equal width, level by level: row i has the value labels[level][codes[level, i]].

    >>> levels = Levels.of([["a", "*"], ["b", "*"], ["odd one out"]])
    >>> levels.labels, levels.codes.tolist(), levels.row_numbers.tolist()
    ((('a', 'b'), ('*',)), [[0, 1], [0, 0]], [1, 2])
    """

    labels: tuple[tuple[str, ...], ...]
    codes: NDArray[np.int32]
    row_numbers: NDArray[np.int64]
    """Where each row stands in the file, from 1; empty lines count."""

    @classmethod
    def of(cls, rows: Rows) -> Levels:
        """Encode the rows that have the usual width; leave the others to the linter."""
        width = usual_width(rows)
        odd = {number for number, row in enumerate(rows, start=1) if len(row) != width}
        row_numbers = [number for number in range(1, len(rows) + 1) if number not in odd]
        even = [rows[number - 1] for number in row_numbers] if odd else rows
        return cls.of_columns(list(zip(*even, strict=True)), np.array(row_numbers, np.int64))

    @classmethod
    def of_columns(
        cls, columns: Sequence[Sequence[str]], row_numbers: NDArray[np.int64] | None = None
    ) -> Levels:
        """Encode the values of all leaves, given level by level; rows are numbered from 1."""
        encoded = [encode(column) for column in columns]
        if row_numbers is None:
            row_numbers = np.arange(1, len(columns[0]) + 1)
        codes = np.array([codes for _, codes in encoded], np.int32)
        codes = codes.reshape(len(encoded), row_numbers.size)
        return cls(tuple(labels for labels, _ in encoded), codes, row_numbers)

    @classmethod
    def of_arrow(cls, columns: Sequence[pa.ChunkedArray]) -> Levels:
        """Encode columns of texts, as `of_columns` does."""
        encoded = [column.dictionary_encode().combine_chunks() for column in columns]
        labels = tuple(tuple(each.dictionary.to_pylist()) for each in encoded)
        codes = np.array([numpy_numbers(each.indices) for each in encoded], np.int32)
        return cls(labels, codes, np.arange(1, codes.shape[1] + 1))

    def first_rows(self, level: int) -> NDArray[np.int64]:
        """Find for each value of a level the row (its index in codes) where it first appears."""
        # values are numbered as they appear: each new one exceeds all before
        return np.flatnonzero(np.diff(np.maximum.accumulate(self.codes[level]), prepend=-1))

    def first_row_numbers(self, level: int) -> dict[str, int]:
        """Find for each value of a level the number of the row where it first appears."""
        numbers = self.row_numbers[self.first_rows(level)].tolist()
        return dict(zip(self.labels[level], numbers, strict=True))


def usual_width(rows: Rows) -> int:
    """Return the number of cells that most rows have; empty lines do not count, 0 if all are.

    >>> usual_width([["a", "*"], [], ["b", "*"], ["c"]])
    2
    """
    widths = Counter(len(row) for row in rows if row)
    return max(widths, key=widths.__getitem__, default=0)


def encode(column: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Number the distinct values of a column in order of first appearance.

    >>> encode(["b", "a", "b"])[0]
    ('b', 'a')
    """
    index: defaultdict[str, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(index.__getitem__, column), np.int32, len(column))
    return tuple(index), codes
