"""From cells to codes: one pass over a table, whatever it is made of and whoever asks.

Every column has a vocabulary that grows as batches come in: its texts, numbered. What is kept of a batch
is one small integer for each cell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.cells import MISSING, Cells, text_of
from anonymizer.data.contract import Table
from anonymizer.errors import DataError

ROW_LIMIT = 2**31  # row and tuple numbers fit an int32

Codes: TypeAlias = NDArray[np.integer]
"""Numbers of texts, from 0, in small integers."""


class Vocabulary:
    """The texts of one column, numbered as they come, after those that are known before."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.number_of = {text: number for number, text in enumerate(known)}

    def __len__(self) -> int:
        return len(self.number_of)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts in the order of their numbers."""
        return tuple(self.number_of)

    def encode(self, cells: Cells) -> Codes:
        """Return the number of each cell's text, in the smallest integers that hold all so far.

        >>> words = Vocabulary(["f", "m"])
        >>> words.encode(Cells(np.array([1, 0, -1]), ["m", "x"])).tolist(), words.texts
        ([2, 1, 3], ('f', 'm', 'x', ''))
        """
        texts = [*map(text_of, cells.distinct), MISSING]
        used = np.zeros(len(texts), np.bool_)
        used[cells.indices] = True  # index -1 is the last entry: a missing cell
        number_of = self.number_of
        numbers = [
            number_of.setdefault(text, len(number_of)) if there else 0
            for text, there in zip(texts, used.tolist(), strict=True)
        ]
        codes: Codes = np.array(numbers, smallest_type(len(self)))[cells.indices]
        return codes


def smallest_type(size: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest integers that number so many things."""
    return np.min_scalar_type(max(size - 1, 0))


def code_batches(
    batches: Iterable[Sequence[Cells]], vocabularies: Sequence[Vocabulary]
) -> Iterator[list[Codes]]:
    """Turn the cells of each batch into codes as it comes."""
    for batch in batches:
        yield [words.encode(cells) for words, cells in zip(vocabularies, batch, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A whole column as the numbers of its texts; the empty text is a missing cell."""

    codes: Codes
    texts: tuple[str, ...]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells are missing."""
        return self.where(MISSING)

    def where(self, text: str) -> NDArray[np.bool_]:
        """Say which cells have a text."""
        if text not in self.texts:
            return np.zeros(self.codes.size, np.bool_)
        return np.equal(self.codes, self.texts.index(text))

    def first_row(self, texts: Collection[str]) -> int:
        """Return the first row, from 0, that has one of some texts; one of them must be there."""
        numbers = [number for number, text in enumerate(self.texts) if text in texts]
        return int(np.argmax(np.isin(self.codes, numbers)))

    def keep(self, rows: NDArray[np.bool_] | NDArray[np.integer]) -> Coded:
        """Return the column with some rows only, and the texts that these have."""
        codes = self.codes[rows]
        used = np.zeros(len(self.texts), np.bool_)
        used[codes] = True
        numbers = (np.cumsum(used) - 1).astype(smallest_type(int(used.sum())))
        kept = tuple(text for text, there in zip(self.texts, used.tolist(), strict=True) if there)
        return Coded(numbers[codes], kept)

    def rename(self, texts: Sequence[str]) -> Coded:
        """Return the column with other texts for its own, one for each; equal ones become one."""
        words = Vocabulary()
        codes = words.encode(Cells(self.codes, texts))
        return Coded(codes, words.texts)


def read_columns(table: Table, columns: Sequence[str]) -> dict[str, Coded]:
    """Read whole columns of a table as codes, in one pass."""
    return code_columns(columns, table.batches(columns))


def code_columns(columns: Sequence[str], batches: Iterable[Sequence[Cells]]) -> dict[str, Coded]:
    """Turn the cells of all batches into codes, and put those of each column together."""
    vocabularies = [Vocabulary() for _ in columns]
    parts: list[list[Codes]] = [[] for _ in columns]
    for batch in code_batches(batches, vocabularies):
        for part, codes in zip(parts, batch, strict=True):
            part.append(codes)
    return {
        column: Coded(join(part), words.texts)
        for column, part, words in zip(columns, parts, vocabularies, strict=True)
    }


def join(parts: list[Codes]) -> Codes:
    """Put the codes of batches together, in integers that hold them all; empties the list."""
    joined = np.concatenate(parts) if parts else np.zeros(0, np.uint8)
    parts.clear()
    return joined


def check_whose(person: Coded, where: str, name: str) -> None:
    """Raise a DataError if the column that tells whose a row is has a missing cell."""
    if person.missing.any():
        raise nobodys_row(where, int(person.missing.argmax()), name)


def nobodys_row(where: str, row: int | None, name: str) -> DataError:
    """Return the error for a row, counted from 0, of which it is not known whose it is."""
    which = "a row" if row is None else f"row {row + 1}"
    return DataError(
        f"{where}: {which} has no '{name}', so it is not known whose it is; fill it in, or leave "
        "the row out."
    )


def check_rows(table: Table, rows: int) -> None:
    """Raise a DataError unless there are rows, and not too many."""
    if rows == 0:
        raise DataError(f"{table.name}: the table has no rows, so there is nothing to anonymize.")
    if rows >= ROW_LIMIT:
        raise DataError(f"{table.name}: {rows} rows are more than the {ROW_LIMIT} supported.")
