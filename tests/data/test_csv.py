from __future__ import annotations

from pathlib import Path

import pytest

from anonymizer.data import csv
from anonymizer.data.csv import CsvTable
from anonymizer.data.table import open_table
from anonymizer.engine.microdata import encode
from anonymizer.errors import DataError
from anonymizer.hierarchy import Hierarchy
from tests.data.reading import SECRET, message_of, rows_in, write

# What is read


def test_cells_are_text_and_only_an_empty_cell_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path, 'a,b\n34,NA\n34.0,null\n,nan\n" 34",""\n007,-\n')
    assert rows_in(open_table(path), "a", "b") == [
        ("34", "NA"),
        ("34.0", "null"),
        (None, "nan"),
        (" 34", None),
        ("007", "-"),
    ]


def test_quoted_cells_may_hold_delimiters_quotes_and_line_ends(tmp_path: Path) -> None:
    path = write(tmp_path, 'a;b\n"x;y";"say ""hi"""\n"two\nlines";"\r\n"\n')
    assert rows_in(open_table(path, ";"), "a", "b") == [
        ("x;y", 'say "hi"'),
        ("two\nlines", "\r\n"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("last", ["", "end"])
def test_line_ends_and_byte_order_marks_are_no_part_of_names_or_cells(
    tmp_path: Path, end: str, mark: str, last: str
) -> None:
    lines = ["a,b", "1,é", "3,4"]
    path = write(tmp_path, mark + end.join(lines) + (end if last else ""))
    assert open_table(path).columns == ("a", "b")
    assert rows_in(open_table(path), "a", "b") == [("1", "é"), ("3", "4")]


def test_a_quoted_header_may_hold_the_delimiter(tmp_path: Path) -> None:
    path = write(tmp_path, '"age, in years","the ""sex"""\n34,f\n')
    opened = open_table(path)
    assert opened.columns == ("age, in years", 'the "sex"')
    assert rows_in(opened, 'the "sex"', "age, in years") == [("f", "34")]


def test_reading_whole_columns_gives_the_cells_of_the_batches(tmp_path: Path) -> None:
    path = write(tmp_path, 'a,b,c\n1,"x\ny",\n2,,z\n')
    whole = CsvTable(path).read(["c", "b"])
    assert whole.to_pydict() == {"c": [None, "z"], "b": ["x\ny", None]}


# What is refused


@pytest.mark.parametrize("content", ["", "\n", "\ufeff"])
def test_an_empty_file_is_said_to_be_empty(tmp_path: Path, content: str) -> None:
    assert message_of(open_table(write(tmp_path, content)), "a") == (
        "the file is empty. It needs a header and rows."
    )


@pytest.mark.parametrize(
    ("rows", "number", "found"),
    [
        (["1,2,3"], 1, 3),
        (["1,2", f"1,{SECRET},3"], 2, 3),
        (["1,2", "3,4", SECRET], 3, 1),
        (["1,2"] * 5000 + [f"{SECRET},2,3,4"], 5001, 4),
    ],
)
def test_a_ragged_row_is_named_by_its_number(
    tmp_path: Path, rows: list[str], number: int, found: int
) -> None:
    opened = open_table(write(tmp_path, "\n".join(["a,b", *rows])))
    assert message_of(opened, "a", "b") == (
        f"row {number} has {found} cells where the header has 2. "
        "Fix that row, or quote the cells that contain the delimiter."
    )


def test_a_ragged_row_in_a_later_batch_is_named_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv, "BATCH_BYTES", 64)
    opened = open_table(write(tmp_path, "\n".join(["a,b", *["1,2"] * 500, f"1,2,{SECRET}"])))
    assert message_of(opened, "a").startswith("row 501 has 3 cells")


@pytest.mark.parametrize(
    "content",
    [
        "größe,b\n1,2\n".encode("latin-1"),
        "a,b\n1,größe\n".encode("latin-1"),
        b"a,b\n" + b"1,2\n" * 50_000 + f"{SECRET} größe,2\n".encode("latin-1"),
        "a,b\n1,2\n".encode("utf-16"),
    ],
    ids=["header", "first row", "far down", "utf-16"],
)
def test_another_encoding_is_said_to_be_one(tmp_path: Path, content: bytes) -> None:
    assert message_of(open_table(write(tmp_path, content)), "a", "b") == (
        "the file is not UTF-8. Convert it, for example with iconv."
    )


def test_a_header_without_even_a_line_end_has_no_rows_either(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no rows|It needs a header and rows\."):
        encode(open_table(write(tmp_path, "a,b")), [Hierarchy.from_rows("a", [("1", "*")])])


def test_a_quote_that_is_never_closed_does_not_swallow_the_rows_after_it(tmp_path: Path) -> None:
    opened = open_table(write(tmp_path, 'a,b\n1,"2\n' + "3,4\n" * 1000))
    assert "quote" in message_of(opened, "a")


def test_a_quote_that_is_never_closed_in_a_long_file_is_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv, "BATCH_BYTES", 64)
    opened = open_table(write(tmp_path, 'a,b\n1,"2\n' + "3,4\n" * 1000))
    assert "quote" in message_of(opened, "a")
