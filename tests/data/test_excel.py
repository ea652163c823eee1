from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from anonymizer.data import excel
from anonymizer.data.excel import ExcelTable, write_sheet
from anonymizer.data.opening import open_table
from anonymizer.errors import ReleaseError
from tests.data.reading import SECRET, message_of, rows_in, write

Rows = Sequence[Sequence[Any]]


def workbook(folder: Path, *sheets: Rows, name: str = "people.xlsx") -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"Sheet{number}")
        for row in rows:
            sheet.append(row)
    book.save(folder / name)
    return folder / name


ROWS = [["a", "größe/cm", "c.d"], [1, "x", None], [2, None, True]]


def test_the_first_row_is_the_header_and_an_empty_cell_is_missing(tmp_path: Path) -> None:
    opened = open_table(workbook(tmp_path, ROWS))
    assert opened.columns == ("a", "größe/cm", "c.d")
    assert opened.rows == 2
    assert rows_in(opened, "a", "größe/cm", "c.d") == [("1", "x", None), ("2", None, "True")]


def test_values_of_several_types_may_stand_in_one_column(tmp_path: Path) -> None:
    cells = [34, "34", 34.5, "unknown", True, datetime(2024, 3, 1), datetime(2024, 3, 1, 12), None]
    opened = open_table(workbook(tmp_path, [["a", "b"], *([cell, "x"] for cell in cells)]))
    assert [text for (text,) in rows_in(opened, "a")] == [
        "34", "34", "34.5", "unknown", "True", "2024-03-01", "2024-03-01T12:00:00", None,
    ]  # fmt: skip


def test_empty_rows_and_columns_around_a_table_do_not_count(tmp_path: Path) -> None:
    rows = [[], ["a", "b", None, None], [None, None], [1, 2, None], [], [3, 4], [None], []]
    opened = open_table(workbook(tmp_path, rows))
    assert opened.columns == ("a", "b")
    assert rows_in(opened, "a", "b") == [("1", "2"), ("3", "4")]


def test_the_only_sheet_with_cells_is_taken_and_others_must_be_named(tmp_path: Path) -> None:
    assert open_table(workbook(tmp_path, [], ROWS, [])).rows == 2
    path = workbook(tmp_path, ROWS, [["z"], ["1"]])
    assert message_of(open_table(path), "a") == (
        "it has the sheets 'Sheet1', 'Sheet2'; say which, with sheet = \"Sheet1\" in [data] or --sheet."
    )
    assert open_table(path, sheet="Sheet2").columns == ("z",)
    assert message_of(ExcelTable(path, "people"), "a") == (
        "there is no sheet 'people'; it has 'Sheet1', 'Sheet2'."
    )


BROKEN = {
    "empty": ([[]], "the sheet is empty. It needs a header and rows."),
    "a title above the header": (
        [["Patients", None, None], ["a", "b", "c"], [1, 2, SECRET]],
        "row 2 has a cell to the right of the last column; name the column, or empty the cell.",
    ),
    "a name that is missing": (
        [["a", None, "c"], [1, 2, SECRET]],
        "the header has no name for column 2; name each column in the first row, and split merged "
        "cells.",
    ),
    "a name twice": (
        [["a", "b", "a"], [1, 2, SECRET]],
        "column 'a' occurs twice; rename one of each.",
    ),
    "a note beside the table": (
        [["a", "b"], [1, 2], [3, 4, SECRET]],
        "row 3 has a cell to the right of the last column; name the column, or empty the cell.",
    ),
    "a formula that failed": (
        [["a", "b"], [1, 2], [SECRET, "#REF!"]],
        "row 3, column 'b': the formula failed; fix it, or empty the cell.",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_sheet_that_is_no_table_is_one_sentence_without_cells(name: str, tmp_path: Path) -> None:
    rows, message = BROKEN[name]
    assert message_of(open_table(workbook(tmp_path, rows)), "a") == message


def test_merged_cells_in_the_header_are_one_sentence(tmp_path: Path) -> None:
    path = workbook(tmp_path, [["size", "weight", "age"], [1, 2, 3]])
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("A1:B1")
    book.save(path)
    assert "split merged cells" in message_of(open_table(path), "age")


def test_a_cell_that_is_not_available_is_missing(tmp_path: Path) -> None:
    opened = open_table(workbook(tmp_path, [["a", "b"], ["#N/A", 1]]))
    assert rows_in(opened, "a", "b") == [(None, "1")]


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04" + SECRET.encode() * 30, b"a,b\n1,2\n"],
    ids=["empty", "zip", "csv"],
)
def test_a_file_that_is_no_workbook_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path, content, "people.xlsx")
    assert message_of(open_table(path), "a") == (
        "this is not an Excel workbook, or it is damaged; export it again."
    )


def test_half_a_workbook_is_one_sentence(tmp_path: Path) -> None:
    content = workbook(tmp_path, ROWS).read_bytes()
    path = write(tmp_path, content[: len(content) // 2], "half.xlsx")
    assert "or it is damaged" in message_of(open_table(path), "a")


def test_without_its_reader_a_workbook_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path, ROWS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert message_of(open_table(path), "a") == (
        "an Excel file needs the package openpyxl; install it with `pip install 'anonymizer[excel]'`."
    )


def test_what_is_written_reads_back_equal_and_runs_nothing(tmp_path: Path) -> None:
    cells = ["=1+2", "+5", " x\ny ", None, 3, 2.5, True, date(2024, 3, 1), datetime(2024, 3, 1, 12)]
    path = tmp_path / "release.xlsx"
    write_sheet(pd.DataFrame({"=name": pd.Series(cells, dtype=object), "b": range(9)}), path)
    sheet = openpyxl.load_workbook(path)["release"]
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
    opened = open_table(path)
    assert opened.columns == ("=name", "b")
    assert [text for (text,) in rows_in(opened, "=name")] == [
        "=1+2", "+5", " x\ny ", None, "3", "2.5", "True", "2024-03-01", "2024-03-01T12:00:00",
    ]  # fmt: skip


def test_what_excel_has_no_room_for_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ReleaseError, match="at most 32,767 characters"):
        write_sheet(pd.DataFrame({"a": ["x" * 40_000]}), tmp_path / "long.xlsx")
    with pytest.raises(ReleaseError, match="no control characters"):
        write_sheet(pd.DataFrame({"a": ["x\0"]}), tmp_path / "odd.xlsx")
    monkeypatch.setattr(excel, "MOST_ROWS", 4)
    with pytest.raises(
        ReleaseError, match="at most 3 rows below its header, and the release has 4"
    ):
        write_sheet(pd.DataFrame({"a": range(4)}), tmp_path / "release.xlsx")
    assert not list(tmp_path.iterdir())


def test_a_workbook_that_changes_between_two_readings_is_noticed(tmp_path: Path) -> None:
    opened = open_table(workbook(tmp_path, ROWS))
    opened.digest()
    workbook(tmp_path, [["z"], [1]])
    with pytest.raises(ReleaseError, match="changed while it was anonymized or assessed"):
        _ = opened.columns
