"""CSV files, read in one stream."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import pyarrow as pa

from anonymizer.data.arrays import arrow_number, cells_of_arrow
from anonymizer.data.column import Cells
from anonymizer.data.release import to_pandas, write_csv
from anonymizer.data.table import FileTable, ReleasePlan
from anonymizer.data.text import (
    Readable,
    Tap,
    as_text,
    compression_of,
    decompress,
    find_delimiter,
    find_encoding,
    to_utf8,
)
from anonymizer.errors import DataError, list_cells

if TYPE_CHECKING:
    import pandas as pd

BATCH_BYTES = 1 << 20  # Arrow reads ahead, so that a reader holds many times this


HEADER_LIMIT = 1 << 26  # bytes of one line


HEAD = 1 << 10  # bytes that tell the encoding


@dataclass(frozen=True)
class CsvTable(FileTable):
    """A CSV file with a header; cells are text and an empty cell is missing.

    What is not stated is found: the delimiter in the header, the encoding in the first bytes. The name
    says whether the file is compressed.
    """

    stated_delimiter: str | None = None
    stated_encoding: str | None = None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The header."""
        delimiter = self.delimiter
        try:
            with self.text() as lines:
                header = next(csv.reader(lines, delimiter=delimiter, strict=True), None)
        except csv.Error:  # a name of many lines, or one that does not end
            raise self.odd_header() from None
        if not header:
            raise self.empty()
        if any("\n" in name and self.delimiter in name for name in header):
            raise self.odd_header()
        return tuple(header)

    @cached_property
    def delimiter(self) -> str:
        """What separates cells: as stated, or as found in the header."""
        if self.stated_delimiter is not None:
            return self.stated_delimiter
        with self.text() as lines:
            found = find_delimiter(lines)
        if found is None:
            raise DataError(
                f"{self.path}: the header may be cut at more than one character; say which, with "
                "delimiter in [data] or --delimiter."
            )
        return found

    @cached_property
    def encoding(self) -> str:
        """How the text is written: as stated, or as its first bytes say."""
        if self.stated_encoding is not None:
            return codecs.lookup(self.stated_encoding).name
        with self.reading(), self.path.open("rb") as file:
            return find_encoding(decompress(file, self.path).read(HEAD))

    def unpack(self, file: Readable) -> Readable:
        """Read the text as UTF-8."""
        return to_utf8(decompress(file, self.path), self.encoding)

    @contextmanager
    def text(self) -> Iterator[Iterator[str]]:
        """Read the text line by line."""
        with self.reading(), self.path.open("rb") as file:
            yield self.lines(as_text(self.unpack(file)))

    def lines(self, file: TextIO) -> Iterator[str]:
        """Yield the lines of a file, as long as they can be of a header."""
        while line := file.readline(HEADER_LIMIT):
            if len(line) == HEADER_LIMIT:
                raise DataError(
                    f"{self.path}: the header is longer than {HEADER_LIMIT >> 20} MiB; is this a CSV "
                    "file?"
                )
            yield line

    @property
    def kind(self) -> str:
        """A CSV file too, compressed alike."""
        return f"csv{compression_of(self.path)}"

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows as distinct values; Arrow reads and splits them outside Python."""
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

    def to_native(self, plan: ReleasePlan) -> pd.DataFrame:
        """Make a release as a pandas dataframe."""
        return to_pandas(self.assemble(plan, typed=False))

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
        """Write a release to a CSV file, with the same delimiter unless another is stated."""
        write_csv(self.assemble(plan, typed=False), path, delimiter or self.delimiter)

    def record_batches(self, columns: Sequence[str], kind: pa.DataType) -> Iterator[pa.RecordBatch]:
        """Stream the columns as record batches of one type; the digest is made on the way."""
        from pyarrow import csv as arrow_csv

        if not columns:  # Arrow reads every column when none is asked for
            return
        with self.reading(), self.path.open("rb", buffering=0) as file:
            tap = Tap(file, self.unpack)
            try:
                yield from arrow_csv.open_csv(
                    pa.PythonFile(tap, mode="r"),
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
            except pa.ArrowException as error:
                raise self.explain(str(error)) from None  # Arrow quotes cells
            tap.finish()
        if tap.quotes % 2:  # Arrow took all that follows the last one for a cell
            raise self.unclosed_quote()
        self.first_read.check_digest(tap.digest)

    def check_cells(self, cells: pa.ChunkedArray, column: str) -> None:
        """Raise a DataError if a cell looks like the rows between two stray quotes."""
        from pyarrow import compute

        delimiters = len(self.columns) - 1
        cuts = compute.count_substring(cells, self.delimiter)
        broken = compute.and_(
            compute.match_substring(cells, "\n"),
            compute.greater_equal(cuts, arrow_number(delimiters)),
        )
        if delimiters and compute.any(broken).as_py():
            row = compute.index(broken, True).as_py() + 1
            raise DataError(
                f"{self.path}: row {row}, column '{column}': the cell holds whole rows; is a quote "
                '(") missing or too many?'
            )

    # --- what is wrong, in the user's words ---

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Say in one sentence that the bytes are not what they should be."""
        try:
            yield
        except UnicodeError:
            raise self.not_encoded() from None  # the cause holds cells
        except OSError:
            packed = compression_of(self.path)
            what = f"is not a whole {packed} file; export" if packed else "cannot be read; copy"
            raise DataError(f"{self.path}: the file {what} it again.") from None

    def count_quotes(self) -> int:
        """Count the quotes in the text."""
        with self.reading(), self.path.open("rb") as file:
            tap = Tap(file, self.unpack)
            tap.finish()
        return tap.quotes

    def unclosed_quote(self) -> DataError:
        """Say that a quote is missing."""
        return DataError(
            f'{self.path}: a quote (") is never closed, or stands alone in a cell; close it, or put '
            "quotes around the cell and double the one inside."
        )

    def odd_header(self) -> DataError:
        """Say that the header has a name that holds rows."""
        return DataError(
            f'{self.path}: a name in the header holds whole rows; is a quote (") missing or too many?'
        )

    def not_encoded(self) -> DataError:
        """Say that the file is in another encoding."""
        return DataError(
            f"{self.path}: the file is not {self.encoding.upper()}; say what it is, such as "
            'encoding = "latin-1" or "cp1252" in [data], or --encoding.'
        )

    def empty(self) -> DataError:
        """Say that there is nothing in the file."""
        return DataError(f"{self.path}: the file is empty. It needs a header and rows.")

    def explain(self, message: str) -> DataError:
        """Turn Arrow's words into the user's, without the cells that Arrow quotes."""
        if self.count_quotes() % 2:
            return self.unclosed_quote()
        if "UTF8" in message or "UTF-8" in message:
            return self.not_encoded()
        if ragged := re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", message):
            row, expected, found = ragged.groups()
            where = f"row {int(row) - 1}" if row else "a row"  # Arrow counts the header
            return DataError(
                f"{self.path}: {where} has {found} cells where the header has {expected}. "
                "Fix that row, or quote the cells that contain the delimiter."
            )
        # a row longer than Arrow's blocks, or a header
        large = compression_of(self.path) or self.path.stat().st_size > BATCH_BYTES
        if "straddl" in message or (large and "Empty" in message):
            return DataError(
                f'{self.path}: a row is longer than {BATCH_BYTES >> 10:,} KiB; is a quote (") missing?'
            )
        if "Empty CSV" in message:
            return self.empty()
        return DataError(f"{self.path}: cannot be read as CSV{list_cells([message])}.")
