"""The contract of a table, all that is common to its kinds, and the plan by which it makes a release."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.arrays import batches_of_arrow, text_column, texts_of, values_of
from anonymizer.data.column import (
    ROW_LIMIT,
    Cells,
    Column,
    Tuples,
    Vocabulary,
    code_batches,
    code_columns,
    same_text,
    text_of,
)
from anonymizer.data.files import FirstRead, digest_of_file
from anonymizer.data.formulas import secure
from anonymizer.data.rebuild import choose
from anonymizer.data.release import FileKind, write_csv, write_parquet
from anonymizer.errors import DataError, ReleaseError

# --- the plan of a release ---


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
        written = Column(recoding.number_of_tuple, recoding.values)
        released = written.keep(self.tuple_of_row[self.rows])
        return released.codes.astype(np.int32), list(released.texts)


@dataclass(frozen=True, slots=True)
class File:
    """A file that a release is written to."""

    path: Path
    delimiter: str | None = None
    """Of a CSV file; None is that of the table, or else a comma."""
    kind: FileKind | None = None
    """None is that of the table; a dataframe becomes a CSV file."""


# --- the contract ---


class Table(ABC):
    """A table of people, a row for each.

    A kind of table must give its name, its columns and its rows in batches; all else follows from these.
    One that can group, join or write by itself does so in `aggregate`, `to_native` and `write`.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """How messages call the table: a file's path."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows, batch by batch, as the distinct values of each of the columns."""

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The type of each column: text, where it has none of its own."""
        return dict.fromkeys(self.columns, pa.string())

    @property
    def rows(self) -> int | None:
        """The number of rows; None where that is not known before they are read."""
        return None

    @property
    def kind(self) -> str:
        """What kind of file a release becomes unless another is asked for: the end of its name."""
        return "csv"

    @property
    def delimiter(self) -> str | None:
        """What separates the cells of a text file; None for other kinds."""
        return None

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns, with their types."""
        return texts_of(columns, self.batches(columns))

    def aggregate(self, columns: Sequence[str], known: Sequence[Sequence[str]] = ()) -> Tuples:
        """Count the distinct tuples of some columns, in one pass over the batches.

        Texts that are `known`, column by column, are numbered first, so that codes and the order of
        tuples follow from them and not from the order of rows.
        """
        from anonymizer.data.aggregate import (
            count_tuples,  # compiled, and not needed to look at a table
        )

        vocabularies = [Vocabulary(texts) for texts in known] or [Vocabulary() for _ in columns]
        batches = list(code_batches(self.batches(columns), vocabularies))
        check_rows(self, sum(batch[0].size for batch in batches))
        return count_tuples(batches, [words.texts for words in vocabularies])

    def digest(self) -> str:
        """Return a SHA-256 digest of the content: the names and the values, row by row.

        A dataframe that is saved and read again may have other types, but the same digest.
        """
        from pandas.util import hash_array

        digest = hashlib.sha256("\0".join(self.columns).encode())
        for column in read_columns(self, self.columns).values():
            texts = np.array([same_text(text) for text in column.texts], object)
            hashes = hash_array(texts, categorize=False)
            digest.update(hashes[column.codes].tobytes())
        return digest.hexdigest()

    def release(self, plan: ReleasePlan, target: File | None = None) -> Any:
        """Make a release: of the table's own kind, of pandas for most files, or written to a file."""
        if target is None:
            return self.to_native(plan)
        if self.is_own(target.kind):
            self.write(plan, target.path, target.delimiter)
        elif target.kind == "parquet":
            write_parquet(self.assemble(plan, stored_once=True), target.path)
        else:
            self.write_texts(plan, target.path, target.delimiter)
        return None

    def file_name(self, kind: FileKind | None = None) -> str:
        """Return what the file of a release is called; the kind None is that of the table."""
        return f"release.{self.kind if self.is_own(kind) else kind}"

    def is_own(self, kind: FileKind | None) -> bool:
        """Whether releases are of a kind anyway; a compressed CSV file is one too."""
        return kind is None or self.kind.startswith(kind)

    def to_native(self, plan: ReleasePlan) -> Any:
        """Make a release of the table's own kind."""
        return self.assemble(plan)

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
        """Write a release to a file of the table's own kind."""
        self.write_texts(plan, path, delimiter)

    def write_texts(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
        """Write a release to a CSV file, every cell as its text."""
        released = self.assemble(plan)
        write_csv(texts_of(plan.columns, batches_of_arrow(released)), path, delimiter)

    def assemble(
        self, plan: ReleasePlan, typed: bool = True, stored_once: bool = False
    ) -> pa.Table:
        """Make the released table in Arrow's memory; kept columns are read again, and keep their types.

        So do recoded ones whose values are their own, unless all is text anyway. Texts of theirs may be
        `stored_once` each, in a dictionary, for a writer that writes them out.
        """
        kept = read_kept(self, plan)
        types = self.types if typed else {}
        columns = {
            column: recoded_column(self, plan, column, types.get(column), stored_once)
            if column in plan.recodings
            else choose(kept.column(column), plan.rows)
            for column in plan.columns
        }
        return pa.table(secure(columns, plan.escape_formulas))


def read_kept(table: Table, plan: ReleasePlan) -> pa.Table:
    """Read the columns that are copied; the table must be the one that was aggregated."""
    if not plan.kept:
        return pa.table({})
    kept, records = table.read(plan.kept), plan.tuple_of_row.size
    if kept.num_rows != records:
        raise ReleaseError(
            f"{table.name} changed while it was anonymized: it had {records} rows and now has "
            f"{kept.num_rows}. Run again."
        )
    return kept


def recoded_column(
    table: Table, plan: ReleasePlan, column: str, kind: pa.DataType | None, stored_once: bool
) -> pa.Array:
    """Write a column from its values: in its own type if that has just these texts, or else as text."""
    numbers, texts = plan.recoded(column)
    recoding = plan.recodings[column]
    values = (
        values_of(texts, kind, recoding.read_texts)
        if recoding.original and kind is not None
        else None
    )
    if kind is None or values is None:
        return text_column(numbers, texts, recoding.ordered)
    if pa.types.is_dictionary(kind):
        if kind.ordered:
            order = own_order(table, column, texts)
            numbers = np.argsort(order).astype(np.int32)[numbers]
            values = values.take(pa.array(order, pa.int64()))
            texts = [texts[number] for number in order]
        indices = text_column(numbers, texts).indices.cast(kind.index_type)
        return pa.DictionaryArray.from_arrays(indices, values.drop_null(), ordered=kind.ordered)
    if stored_once and kind in (pa.string(), pa.large_string()):
        return pa.DictionaryArray.from_arrays(
            text_column(numbers, texts).indices, values.drop_null()
        )
    return choose(pa.chunked_array([values]), numbers.astype(np.int64))


def own_order(table: Table, column: str, texts: Sequence[str]) -> list[int]:
    """Return the numbers of texts in the order of the column's own dictionary, a missing cell last."""
    chunks = table.read([column]).column(0).unify_dictionaries().chunks
    own = map(text_of, chunks[0].dictionary.to_pylist() if chunks else ())
    place = {text: number for number, text in enumerate(own)}
    return sorted(range(len(texts)), key=lambda number: place.get(texts[number], len(place)))


# --- tables in files, and tables that stand for others ---


class Proxy(Table):
    """A table whose rows another one has."""

    @property
    @abstractmethod
    def content(self) -> Table:
        """The table that has the rows."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return self.content.columns

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The types of its columns."""
        return self.content.types

    @property
    def rows(self) -> int | None:
        """The number of its rows."""
        return self.content.rows

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield its rows."""
        return self.content.batches(columns)

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns of it, with their types."""
        return self.content.read(columns)


@dataclass(frozen=True, eq=False)
class FileTable(Table):
    """A table that is one file, which must stay as it was when it was first read."""

    path: Path

    @property
    def name(self) -> str:
        """The file's path."""
        return str(self.path)

    @cached_property
    def first_read(self) -> FirstRead:
        """The file as it was when it was first read."""
        return FirstRead(self.path)

    def digest(self) -> str:
        """Return the digest of the file's bytes, as it was when it was first read."""
        return self.first_read.digest or self.first_read.check_digest(digest_of_file(self.path))


# --- tables as codes ---


def read_columns(table: Table, columns: Sequence[str]) -> dict[str, Column]:
    """Read whole columns of a table as codes, in one pass."""
    return code_columns(columns, table.batches(columns))


def check_rows(table: Table, rows: int) -> None:
    """Raise a DataError unless there are rows, and not too many."""
    if rows == 0:
        raise DataError(f"{table.name}: the table has no rows, so there is nothing to anonymize.")
    if rows >= ROW_LIMIT:
        raise DataError(f"{table.name}: {rows} rows are more than the {ROW_LIMIT} supported.")


@dataclass(frozen=True, eq=False)
class WrappedTable(Proxy):
    """A table that is called as another one, has its columns, and leaves a release to it."""

    origin: Table

    @property
    def content(self) -> Table:
        """The table that has the rows, and makes a release of them."""
        return self.origin

    @property
    def name(self) -> str:
        """How messages call the other table."""
        return self.origin.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all its columns."""
        return self.origin.columns

    @property
    def kind(self) -> str:
        """What kind of file its releases become."""
        return self.content.kind

    @property
    def delimiter(self) -> str | None:
        """What separates its cells."""
        return self.origin.delimiter

    def file_name(self, kind: FileKind | None = None) -> str:
        """Return what it calls the file of a release."""
        return self.content.file_name(kind)

    def release(self, plan: ReleasePlan, target: File | None = None) -> Any:
        """Have it make a release."""
        return self.content.release(plan, target)

    def digest(self) -> str:
        """Return its digest."""
        return self.origin.digest()
