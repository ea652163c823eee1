"""Columns: the texts of cells, numbered, and one small integer for each cell.

This is the one place where a cell becomes a value. A value is its text: `34` and `34.0` are different
values. An empty cell, a null and a NaN are missing, and a missing cell is the empty text.

Every column has a vocabulary that grows as batches come in. What is kept of a batch is one small integer
for each cell.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import DataError

MISSING = ""
"""The text of a missing cell; hierarchies know it by the same."""


ROW_LIMIT = 2**31  # row and tuple numbers fit an int32


Codes: TypeAlias = NDArray[np.integer]
"""Numbers of texts, from 0, in small integers."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of one column in a batch: `distinct[indices[row]]`, or missing where the index is -1.

    Values that no row has may be listed: Arrow's dictionaries have those of other batches.
    """

    indices: NDArray[np.integer]
    distinct: Sequence[Any]


class Vocabulary:
    """The texts of one column, numbered as they come, after those that are known before."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.number_of = dict(zip(known, itertools.count(), strict=False))

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
class Column:
    """A whole column as the numbers of its texts; the empty text is a missing cell."""

    codes: Codes
    texts: tuple[str, ...]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells are missing."""
        return self.where(MISSING)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many cells have each text."""
        return np.bincount(self.codes, minlength=len(self.texts))

    def where(self, text: str) -> NDArray[np.bool_]:
        """Say which cells have a text."""
        if text not in self.texts:
            return np.zeros(self.codes.size, np.bool_)
        return np.equal(self.codes, self.texts.index(text))

    def cells(self) -> list[str]:
        """Write out the text of each cell."""
        return [self.texts[code] for code in self.codes.tolist()]

    def first_row(self, texts: Collection[str]) -> int:
        """Return the first row, from 0, that has one of some texts; one of them must be there."""
        numbers = [number for number, text in enumerate(self.texts) if text in texts]
        return int(np.argmax(np.isin(self.codes, numbers)))

    def keep(self, rows: NDArray[np.bool_] | NDArray[np.integer]) -> Column:
        """Return the column with some rows only, and the texts that these have."""
        codes = self.codes[rows]
        used = np.zeros(len(self.texts), np.bool_)
        used[codes] = True
        numbers = (np.cumsum(used) - 1).astype(smallest_type(int(used.sum())))
        kept = tuple(text for text, there in zip(self.texts, used.tolist(), strict=True) if there)
        return Column(numbers[codes], kept)

    def rename(self, texts: Sequence[str]) -> Column:
        """Return the column with other texts for its own, one for each; equal ones become one."""
        words = Vocabulary()
        codes = words.encode(Cells(self.codes, texts))
        return Column(codes, words.texts)


@dataclass(frozen=True, slots=True, eq=False)
class Tuples:
    """The distinct tuples of some columns in the order of their codes, and how often each occurs."""

    texts: tuple[tuple[str, ...], ...]
    """The texts of each column, by number; the empty one is a missing cell, and some may not occur."""
    codes: tuple[NDArray[np.integer], ...]
    """The number of each tuple's text, for each column."""
    counts: NDArray[np.int32]
    tuple_of_row: NDArray[np.int32]
    grouped: bool = False
    """Whether an engine counted the rows: `tuple_of_row` is then of each tuple that came from there."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum(dtype=np.int64))


def code_columns(columns: Sequence[str], batches: Iterable[Sequence[Cells]]) -> dict[str, Column]:
    """Turn the cells of all batches into codes, and put those of each column together."""
    vocabularies = [Vocabulary() for _ in columns]
    parts: list[list[Codes]] = [[] for _ in columns]
    for batch in code_batches(batches, vocabularies):
        for part, codes in zip(parts, batch, strict=True):
            part.append(codes)
    return {
        column: Column(join(part), words.texts)
        for column, part, words in zip(columns, parts, vocabularies, strict=True)
    }


def join(parts: list[Codes]) -> Codes:
    """Put the codes of batches together, in integers that hold them all; empties the list."""
    joined = np.concatenate(parts) if parts else np.zeros(0, np.uint8)
    parts.clear()
    return joined


def check_whose(person: Column, where: str, name: str) -> None:
    """Raise a DataError if the column that tells whose a row is has a missing cell."""
    if person.missing.any():
        raise nobodys_row(where, int(person.missing.argmax()), name)


def nobodys_row(where: str, row: int | None, name: str) -> DataError:
    """Return the error for a row without an id of its person; rows count from 0."""
    which = "a row" if row is None else f"row {row + 1}"
    return DataError(
        f"{where}: {which} has no '{name}', so it is not known whose it is; fill it in, or leave "
        "the row out."
    )


def cells_of_values(values: Iterable[object]) -> Cells:
    """Split values of any kind into their distinct texts and where they stand."""
    number_of: dict[str, int] = {}
    numbers = [number_of.setdefault(text_of(value), len(number_of)) for value in values]
    return Cells(np.array(numbers, np.int64), list(number_of))


def text_of(value: Any) -> str:
    """Write a cell's value as the text that hierarchies know it by.

    >>> text_of(34), text_of(34.0), text_of(datetime(2024, 3, 1)), text_of("a"), text_of(None)
    ('34', '34.0', '2024-03-01', 'a', '')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, np.ndarray) or is_of_pandas(value, "Series"):
        return str(value.tolist())  # its own text leaves out what is in the middle
    if value is None or is_of_pandas(value, "NAType") or value != value:
        return MISSING
    if isinstance(value, datetime):
        return (value.date() if value.time() == time() else value).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, float | np.floating):
        return str(value + 0.0)  # -0.0 is 0.0
    return str(value)


def is_of_pandas(value: object, name: str) -> bool:
    """Whether a value is of a class of pandas, found without importing pandas."""
    return any(
        kind.__name__ == name and kind.__module__.startswith("pandas.")
        for kind in type(value).__mro__
    )


NUMBER = re.compile(r"(-?(?:0|[1-9]\d*))(?:\.(\d*?)0*)?", re.ASCII)


MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d*?)0*)?([+-]\d\d:\d\d|Z)?", re.ASCII
)


def same_text(text: str) -> str:
    """Return one text for a number or a time in its several spellings; any other text as it is.

    Saved as text and read again by another library, 34 with missing cells around is 34.0.

    >>> same_text("34.0"), same_text("1.50"), same_text("007"), same_text("2024-03-01 00:00:00")
    ('34', '1.5', '007', '2024-03-01')
    """
    if not text[-1:].isdigit() and not text.endswith((".", "Z")):
        return text
    if number := NUMBER.fullmatch(text):
        whole, part = number.groups()
        return f"{whole}.{part}" if part else "0" if whole == "-0" else whole
    if moment := MOMENT.fullmatch(text):
        day, clock, part, zone = moment.groups()
        clock = f"{clock}.{part}" if part else clock
        return day if (clock, zone) == ("00:00:00", None) else f"{day}T{clock}{zone or ''}"
    return text
