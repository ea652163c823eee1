"""The plan of a release: which rows and columns it has, and what is written in place of which values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Read = Callable[[Sequence[str]], list[str]]
"""What writes cells as the values that they stand for."""


@dataclass(frozen=True, slots=True, eq=False)
class Recoding:
    """What one column becomes: the released value of each distinct tuple."""

    values: tuple[str, ...]
    """The empty text is a missing cell."""
    number_of_tuple: NDArray[np.integer]
    original: bool
    """Whether these are values of the column itself, so that they may be written in its type."""
    ordered: bool = False
    """Whether the values stand in an order of their own, as intervals of numbers do."""
    read: Callable[[str], str | None] | None = None
    """How a cell of the column itself is read as one of the values; None where its text is the value."""

    def read_texts(self, texts: Sequence[str]) -> list[str]:
        """Write cells as the values that they stand for; what is none stays as it is."""
        if self.read is None:
            return list(texts)
        known = set(self.values)
        values = [text if text in known else self.read(text) for text in texts]
        return [text if value is None else value for text, value in zip(texts, values, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """What a release says of the tuples that an engine counted, in place of rows."""

    columns: tuple[str, ...]
    """The columns that the engine grouped by."""
    deciding: tuple[str, ...]
    """Those of them that decide the tuple of a row; they come first."""
    redacted: NDArray[np.bool_]
    """Which tuples are suppressed and stay in the release, every recoded cell redacted alike."""
    shuffled: bool
    """Whether rows are written in a random order."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleasePlan:
    """All that a table must know to make its release.

    A kind of table that joins by values may look at tuples alone; one that copies looks at rows.
    """

    columns: tuple[str, ...]
    recodings: Mapping[str, Recoding]
    """The columns that are written from the values their classes were formed by; others are kept."""
    tuple_of_row: NDArray[np.int32]
    """The tuple of each row of the original."""
    rows: NDArray[np.int64]
    """The row of the original that each released row is made from."""
    escape_formulas: bool = False
    """Whether texts that a spreadsheet would run get an apostrophe before them."""
    grouped: Grouped | None = None
    """What an engine must know; None where the rows are those of the table."""

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that are copied cell for cell."""
        return tuple(column for column in self.columns if column not in self.recodings)

    def recoded(self, column: str) -> tuple[NDArray[np.int32], list[str]]:
        """Return a recoded column: numbers for the released rows, and the values that these have.

        A value that only suppressed records have is not among them.
        """
        recoding = self.recodings[column]
        numbers = recoding.number_of_tuple[self.tuple_of_row[self.rows]]
        used = np.zeros(len(recoding.values), np.bool_)
        used[numbers] = True
        values = [v for v, there in zip(recoding.values, used.tolist(), strict=True) if there]
        return (np.cumsum(used) - 1).astype(np.int32)[numbers], values
