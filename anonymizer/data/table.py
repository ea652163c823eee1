"""The edges of the system: CSV files, Parquet files and dataframes, read in batches."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.cells import Cells, cells_of_arrow, cells_of_series, is_nested, text_of
from anonymizer.errors import DataError, quote_some

BATCH_BYTES = 1 << 20  # Arrow reads ahead, so that a reader holds many times this
BATCH_ROWS = 1 << 18


class Table(Protocol):
    """A table of people, one row for each."""

    @property
    def name(self) -> str:
        """How messages call the table."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows, batch by batch, as the distinct values of each of the columns."""

    def digest(self) -> str:
        """Return a SHA-256 digest of the content."""


def open_table(data: str | Path | pd.DataFrame | Table, delimiter: str = ",") -> Table:
    """Open a CSV file, a Parquet file or a dataframe."""
    if isinstance(data, str | Path):
        path = Path(data)
        check_readable(path)
        return (
            ParquetTable(path) if path.suffix.lower() == ".parquet" else CsvTable(path, delimiter)
        )
    if isinstance(data, pd.DataFrame):
        return FrameTable(data)
    if isinstance(data, CsvTable | ParquetTable | FrameTable | ArrowTable):
        return data
    raise DataError(
        f"the data is a {type(data).__name__}: give the path of a CSV or Parquet file, "
        "or a pandas DataFrame."
    )


def check_readable(path: Path) -> None:
    """Raise a DataError unless the path is a file that can be read."""
    if not path.exists():
        raise DataError(f"{path}: there is no such file; check the path.")
    if not path.is_file():
        raise DataError(f"{path}: this is a folder. Name the CSV or Parquet file in it.")


def digest_of_file(path: Path) -> str:
    """Return the SHA-256 digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A CSV file with a header, in UTF-8; cells are text and an empty cell is missing."""

    path: Path
    delimiter: str = ","

    @property
    def name(self) -> str:
        """The file's path."""
        return str(self.path)

    @property
    def columns(self) -> tuple[str, ...]:
        """The header."""
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                header = next(csv.reader(file, delimiter=self.delimiter), None)
        except UnicodeDecodeError as error:
            raise self.not_utf8() from error
        if not header:
            raise DataError(f"{self.path}: the file is empty. It needs a header and rows.")
        return tuple(header)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows as distinct values; Arrow reads and splits them outside Python."""
        self.check_quotes()
        dictionary = pa.dictionary(pa.int32(), pa.string())
        for batch in self.record_batches(columns, dictionary):
            yield [cells_of_arrow(batch.column(i)) for i in range(batch.num_columns)]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns as text."""
        schema = pa.schema([(column, pa.string()) for column in columns])
        table = pa.Table.from_batches(self.record_batches(columns, pa.string()), schema)
        for column in columns:
            self.check_cells(table.column(column), column)
        return table

    def check_cells(self, cells: pa.ChunkedArray, column: str) -> None:
        """Raise a DataError if a cell looks like the rows between two stray quotes."""
        from pyarrow import compute

        delimiters = len(self.columns) - 1
        broken = compute.and_(
            compute.match_substring(cells, "\n"),
            compute.greater_equal(compute.count_substring(cells, self.delimiter), delimiters),
        )
        if delimiters and compute.any(broken).as_py():
            row = compute.index(broken, True).as_py() + 1
            raise DataError(
                f"{self.path}: row {row}, column '{column}': the cell holds whole rows; is a quote "
                '(") missing or too many?'
            )

    def record_batches(self, columns: Sequence[str], kind: pa.DataType) -> Iterator[pa.RecordBatch]:
        """Stream the columns as record batches of one type."""
        from pyarrow import csv as arrow_csv

        if not columns:  # Arrow reads every column when none is asked for
            return
        try:
            yield from arrow_csv.open_csv(
                self.path,
                # one thread: only then do Arrow's errors name the row
                arrow_csv.ReadOptions(block_size=BATCH_BYTES, use_threads=False),
                arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(columns, kind),
                    include_columns=list(columns),
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                ),
            )
        except pa.ArrowInvalid as error:
            raise self.explain(str(error)) from error

    def digest(self) -> str:
        """Return the digest of the file's bytes."""
        return digest_of_file(self.path)

    def check_quotes(self) -> None:
        """Raise a DataError if a quote is never closed: Arrow would take all that follows for a cell."""
        with self.path.open("rb") as file:
            quotes = sum(block.count(b'"') for block in iter(lambda: file.read(BATCH_BYTES), b""))
        if quotes % 2:
            raise self.unclosed_quote()

    def unclosed_quote(self) -> DataError:
        """Say that a quote is missing."""
        return DataError(
            f'{self.path}: a quote (") is never closed, or stands alone in a cell; close it, or put '
            "quotes around the cell and double the one inside."
        )

    def not_utf8(self) -> DataError:
        """Say that the file is in another encoding."""
        return DataError(f"{self.path}: the file is not UTF-8. Convert it, for example with iconv.")

    def explain(self, message: str) -> DataError:
        """Turn Arrow's words into the user's, without the cells that Arrow quotes."""
        if "UTF8" in message or "UTF-8" in message:
            return self.not_utf8()
        if ragged := re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", message):
            row, expected, found = ragged.groups()
            where = f"row {int(row) - 1}" if row else "a row"  # Arrow counts the header
            return DataError(
                f"{self.path}: {where} has {found} cells where the header has {expected}. "
                "Mend that row, or quote the cells that contain the delimiter."
            )
        if "straddl" in message:  # a row longer than Arrow's blocks
            return DataError(
                f'{self.path}: a row is longer than {BATCH_BYTES >> 10:,} KiB; is a quote (") missing?'
            )
        if "Empty CSV" in message:
            return DataError(f"{self.path}: the file is empty. It needs a header and rows.")
        return DataError(f"{self.path}: cannot be read as CSV ({message.splitlines()[0]}).")


@dataclass(frozen=True, slots=True)
class ParquetTable:
    """A Parquet file."""

    path: Path

    @property
    def name(self) -> str:
        """The file's path."""
        return str(self.path)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in the file's schema."""
        return tuple(self.file().schema_arrow.names)

    def file(self, dictionaries: Sequence[str] = ()) -> Any:
        """Open the file."""
        from pyarrow import parquet

        try:
            return parquet.ParquetFile(self.path, read_dictionary=list(dictionaries))
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(f"{self.path}: this is not a Parquet file.") from error

    def types(self) -> dict[str, pa.DataType]:
        """Return the type of each column."""
        schema = self.file().schema_arrow
        return dict(zip(schema.names, schema.types, strict=True))

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows as distinct values."""
        if nested := [c for c, kind in self.types().items() if c in columns and is_nested(kind)]:
            raise DataError(
                f"{self.path}: column {quote_some(nested)} holds lists or structures; "
                "a quasi-identifier has one value in each cell."
            )
        flat = all(not is_nested(kind) for kind in self.types().values())
        file = self.file(dictionaries=columns if flat else ())
        for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=list(columns)):
            yield [cells_of_arrow(batch.column(column)) for column in columns]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns with their types."""
        return self.file().read(columns=list(columns))

    def digest(self) -> str:
        """Return the digest of the file's bytes."""
        return digest_of_file(self.path)


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """A pandas dataframe; its index is not part of the data."""

    frame: pd.DataFrame

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the dataframe"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(str(column) for column in self.frame.columns)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield all rows at once: they are in memory already."""
        positions = [self.columns.index(column) for column in columns]
        yield [cells_of_series(self.frame.iloc[:, position]) for position in positions]

    def digest(self) -> str:
        """Return a digest of the names and the cells, row by row."""
        digest = hashlib.sha256("\0".join(self.columns).encode())
        for position in range(len(self.columns)):
            column = self.frame.iloc[:, position]
            try:
                hashes = pd.util.hash_pandas_object(column, index=False)
            except TypeError:  # lists and the like
                hashes = pd.util.hash_pandas_object(column.map(repr), index=False)
            digest.update(hashes.to_numpy().tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class MemoryTable:
    """Columns that are already split into their distinct values."""

    cells: dict[str, Cells]

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the table"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self.cells)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield all rows at once."""
        yield [self.cells[column] for column in columns]

    def digest(self) -> str:
        """Say that such a table is never released."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class ArrowTable:
    """A table in Arrow's memory, such as a release before it is written."""

    content: pa.Table

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the table"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self.content.column_names)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield its record batches."""
        for batch in self.content.select(list(columns)).to_batches():
            yield [cells_of_arrow(column) for column in batch.columns]

    def digest(self) -> str:
        """Return a digest of the names and the cells, row by row."""
        return FrameTable(self.content.to_pandas()).digest()


def check_columns(table: Table, expected: Sequence[str]) -> None:
    """Raise a DataError that names every difference between a table's columns and the policy's."""
    columns = table.columns
    faults = []
    if repeated := sorted({column for column in columns if columns.count(column) > 1}):
        faults.append(f"columns that occur twice: {quote_some(repeated)}; rename one of each")
    if absent := [column for column in expected if column not in columns]:
        faults.append(
            f"no column {quote_some(absent)}, which the policy gives a role; the header reads "
            f"{quote_some(columns)}{guess_delimiter(table)}"
        )
    if undeclared := [column for column in columns if column not in expected]:
        faults.append(f"no role in the policy for {quote_some(undeclared)}; add it to [attributes]")
    if faults:
        raise DataError(f"{table.name}: " + "; ".join(faults) + ".")


def check_present(table: Table, needed: Sequence[str]) -> None:
    """Raise a DataError unless a table has some columns, each once; others do not matter."""
    columns = table.columns
    if absent := [name for name in needed if name not in columns]:
        raise DataError(
            f"{table.name}: no column {quote_some(absent)}; the header reads "
            f"{quote_some(columns, most=20)}{guess_delimiter(table)}."
        )
    if twice := [name for name in needed if columns.count(name) > 1]:
        raise DataError(f"{table.name}: column {quote_some(twice)} occurs twice; rename one.")


def guess_delimiter(table: Table) -> str:
    """Suggest another delimiter where the header looks like one long name."""
    if len(table.columns) == 1 and isinstance(table, CsvTable):
        for other in ",;\t|":
            if other in table.columns[0]:
                return f". Is the delimiter {other!r} rather than {table.delimiter!r}?"
    return ""


def read_column(table: Table, column: str) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct texts of a column and the number of each row's text."""
    numbers_of: dict[str, int] = {}
    parts = []
    for (cells,) in table.batches([column]):
        texts = [*(text_of(value) for value in cells.distinct), ""]
        missing = bool((cells.indices < 0).any())
        known = [
            numbers_of.setdefault(text, len(numbers_of))
            for text in (texts if missing else texts[:-1])
        ]
        parts.append(np.array(known, np.int64)[cells.indices])
    numbers = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    return list(numbers_of), numbers
