"""Excel workbooks: one sheet, its first row the header."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer.data.pandas import FrameTable, frame_of, lists_of
from anonymizer.data.table import ReleasePlan
from anonymizer.data.whole import WholeFile, damaged
from anonymizer.errors import DataError, ReleaseError, import_extra, quote_some

MOST_ROWS = 1 << 20
MOST_CHARACTERS = 32_767
NOT_AVAILABLE = "#N/A"
"""The one error that people write to say that a cell is missing."""
ERROR = "e"
"""How a cell says that its formula failed."""


@dataclass(frozen=True, eq=False)
class ExcelTable(WholeFile):
    """A sheet of a workbook, the only one unless it is stated; empty rows do not count."""

    sheet: str | None = None

    def load(self) -> FrameTable:
        """Read the sheet."""
        library = import_extra("openpyxl", f"{self.path}: an Excel file", "excel")
        try:
            with warnings.catch_warnings(), self.path.open("rb") as file:
                warnings.simplefilter("ignore")  # of styles and the like, which are not read
                book = library.load_workbook(file, read_only=True, data_only=True)
                return FrameTable(self.read_rows(rows_of(self.choose(book))))
        except Exception as error:  # whatever a broken archive makes of the library
            raise damaged(self.path, "an Excel workbook", error) from None

    def choose(self, book: Any) -> Any:
        """Return the sheet that is stated, or else the one that is not empty."""
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        if self.sheet is not None and self.sheet not in sheets:
            raise DataError(
                f"{self.path}: there is no sheet '{self.sheet}'; it has {quote_some(sheets)}."
            )
        filled = [sheet for sheet in sheets.values() if next(rows_of(sheet), None) is not None]
        if self.sheet is None and len(filled) > 1:
            raise DataError(
                f"{self.path}: it has the sheets {quote_some(sheet.title for sheet in filled)}; say "
                f'which, with sheet = "{filled[0].title}" in [data] or --sheet.'
            )
        chosen = filled[0] if self.sheet is None and filled else sheets.get(self.sheet or "")
        if chosen is None or chosen not in filled:
            raise DataError(f"{self.path}: the sheet is empty. It needs a header and rows.")
        return chosen

    def read_rows(self, rows: Iterator[Row]) -> pd.DataFrame:
        """Make columns of rows, the first of which is the header."""
        _, header = next(rows)
        names = self.check_header(header)
        columns: list[list[Any]] = [[] for _ in names]
        for number, row in rows:
            self.check_width(number, row, len(names))
            for at, values in enumerate(columns):
                values.append(self.value(row[at], number, names[at]) if at < len(row) else None)
        return frame_of(dict(zip(names, columns, strict=True)))

    def check_header(self, header: Sequence[Any]) -> list[str]:
        """Return the names of the columns; each must have one of its own."""
        names = ["" if cell.value is None else str(cell.value) for cell in header]
        while not names[-1]:
            names.pop()
        if "" in names:
            raise DataError(
                f"{self.path}: the header has no name for column {names.index('') + 1}; name each "
                "column in the first row, and split merged cells."
            )
        if len(set(names)) < len(names):
            twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
            raise DataError(
                f"{self.path}: column {quote_some(twice)} occurs twice; rename one of each."
            )
        return names

    def check_width(self, number: int, row: Sequence[Any], width: int) -> None:
        """Raise a DataError if a row has a cell beside the columns."""
        if any(cell.value is not None for cell in row[width:]):
            raise DataError(
                f"{self.path}: row {number} has a cell to the right of the last column; name the "
                "column, or empty the cell."
            )

    def value(self, cell: Any, number: int, column: str) -> Any:
        """Return what stands in a cell; raise a DataError if its formula failed."""
        if cell.data_type != ERROR:
            return cell.value
        if cell.value == NOT_AVAILABLE:
            return None
        raise DataError(
            f"{self.path}: row {number}, column '{column}': the formula failed; fix it, or empty the "
            "cell."
        )

    @property
    def kind(self) -> str:
        """An Excel workbook too."""
        return "xlsx"

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:  # noqa: ARG002
        """Write a release to a workbook of one sheet; no text in it is a formula."""
        import_extra("openpyxl", f"{path}: an Excel file", "excel")
        write_sheet(self.to_native(plan), path)


Row = tuple[int, Sequence[Any]]
"""The number of a row as Excel counts, and its cells."""


def rows_of(sheet: Any) -> Iterator[Row]:
    """Yield the rows of a sheet that are not empty."""
    for number, row in enumerate(sheet.iter_rows(), start=1):
        if any(cell.value is not None for cell in row):
            yield number, row


def write_sheet(frame: pd.DataFrame, path: Path) -> None:
    """Write a dataframe to a workbook that has only this sheet."""
    from openpyxl import Workbook

    if len(frame) >= MOST_ROWS:
        raise ReleaseError(
            f"{path.name}: an Excel sheet has at most {MOST_ROWS - 1:,} rows below its header, and the "
            f"release has {len(frame):,}; convert the original to CSV or Parquet, and run again."
        )
    columns = {
        name: [excel_value(value) for value in values] for name, values in lists_of(frame).items()
    }
    book = Workbook(write_only=True)
    sheet = book.create_sheet("release")
    sheet.append([excel_cell(sheet, name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        sheet.append([excel_cell(sheet, value) for value in row])
    book.save(path)


KNOWN = (bool, int, float, datetime, date, time, timedelta)
"""Values that a cell of Excel can hold as they are."""


def excel_value(value: Any) -> Any:
    """Return a value that Excel can hold; raise a ReleaseError for a text that it cannot."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if value is None or isinstance(value, KNOWN):
        return value
    text = str(value)
    if len(text) > MOST_CHARACTERS or ILLEGAL_CHARACTERS_RE.search(text):
        raise ReleaseError(
            f"an Excel cell has at most {MOST_CHARACTERS:,} characters and no control characters, but a "
            "kept cell has; convert the original to CSV or Parquet, and run again."
        )
    return text


def excel_cell(sheet: Any, value: Any) -> Any:
    """Make a cell; a text is a text even where it begins as a formula does."""
    from openpyxl.cell import WriteOnlyCell

    if not isinstance(value, str):
        return value
    cell = WriteOnlyCell(sheet, value=value)
    cell.data_type = "s"
    return cell
