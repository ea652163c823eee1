from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from anonymizer.data import table
from anonymizer.data.table import (
    CsvTable,
    FrameTable,
    ParquetTable,
    Table,
    check_columns,
    open_table,
)
from anonymizer.engine.microdata import encode
from anonymizer.errors import DataError
from anonymizer.hierarchy import Hierarchy

SECRET = "Eve Adams"


def write(folder: Path, content: str | bytes, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def cells(opened: Table, *columns: str) -> list[tuple[object, ...]]:
    """Read the rows as a whole, missing cells as None."""
    rows: list[tuple[object, ...]] = []
    for batch in opened.batches(columns):
        read = [[None if i < 0 else c.distinct[i] for i in c.indices.tolist()] for c in batch]
        rows += zip(*read, strict=True)
    return rows


def message_of(opened: Table, *columns: str) -> str:
    """Return the error that reading gives, which is one line about the file."""
    with pytest.raises(DataError) as caught:
        opened.columns, cells(opened, *columns)  # either may be the first to see it
    message = str(caught.value)
    assert message.startswith(f"{opened.name}: ")
    assert "\n" not in message
    assert message.endswith(".")
    assert SECRET not in message
    return message.removeprefix(f"{opened.name}: ")


# What is read


def test_cells_are_text_and_only_an_empty_cell_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path, 'a,b\n34,NA\n34.0,null\n,nan\n" 34",""\n007,-\n')
    assert cells(open_table(path), "a", "b") == [
        ("34", "NA"),
        ("34.0", "null"),
        (None, "nan"),
        (" 34", None),
        ("007", "-"),
    ]


def test_quoted_cells_may_hold_delimiters_quotes_and_line_ends(tmp_path: Path) -> None:
    path = write(tmp_path, 'a;b\n"x;y";"say ""hi"""\n"two\nlines";"\r\n"\n')
    assert cells(open_table(path, ";"), "a", "b") == [
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
    assert cells(open_table(path), "a", "b") == [("1", "é"), ("3", "4")]


def test_a_quoted_header_may_hold_the_delimiter(tmp_path: Path) -> None:
    path = write(tmp_path, '"age, in years","the ""sex"""\n34,f\n')
    opened = open_table(path)
    assert opened.columns == ("age, in years", 'the "sex"')
    assert cells(opened, 'the "sex"', "age, in years") == [("f", "34")]


def test_columns_come_in_the_order_asked_for(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["1", "2"], "b": ["3", "4"], "c": ["5", "6"]})
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_parquet(tmp_path / "people.parquet", index=False)
    for data in (tmp_path / "people.csv", tmp_path / "people.parquet", frame):
        assert cells(open_table(data), "c", "a") == [("5", "1"), ("6", "2")]


@pytest.mark.parametrize("rows", [1, 7, 8, 100])
def test_batches_join_up_to_the_whole_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    frame = pd.DataFrame({"a": [f"line\n{i % 3}" for i in range(rows)], "b": map(str, range(rows))})
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_parquet(tmp_path / "people.parquet", index=False)
    expected = list(frame.itertuples(index=False, name=None))
    monkeypatch.setattr(table, "BATCH_BYTES", 64)
    monkeypatch.setattr(table, "BATCH_ROWS", 7)
    for name in ("people.csv", "people.parquet"):
        opened = open_table(tmp_path / name)
        assert len(list(opened.batches(["a"]))) >= rows // 7
        assert cells(opened, "a", "b") == expected


def test_reading_whole_columns_gives_the_cells_of_the_batches(tmp_path: Path) -> None:
    path = write(tmp_path, 'a,b,c\n1,"x\ny",\n2,,z\n')
    whole = CsvTable(path).read(["c", "b"])
    assert whole.to_pydict() == {"c": [None, "z"], "b": ["x\ny", None]}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("34", "34"),
        (34, "34"),
        (np.int64(34), "34"),
        (34.0, "34.0"),
        (True, "True"),
        (np.bool_(False), "False"),
        (date(2024, 3, 1), "2024-03-01"),
        (datetime(2024, 3, 1), "2024-03-01"),
        (pd.Timestamp("2024-03-01"), "2024-03-01"),
        (datetime(2024, 3, 1, 8, 30), "2024-03-01T08:30:00"),
        (b"34", "34"),
    ],
)
def test_a_value_is_known_by_its_text(value: object, text: str) -> None:
    assert table.text_of(value) == text


def test_a_table_that_is_open_already_is_taken_as_it_is(tmp_path: Path) -> None:
    opened = open_table(write(tmp_path, "a\n1\n"))
    assert open_table(opened) is opened


def test_the_index_of_a_dataframe_is_no_part_of_the_data() -> None:
    frame = pd.DataFrame({"a": ["x", "y"]}, index=[7, 7])
    assert open_table(frame).columns == ("a",)
    assert cells(open_table(frame), "a") == [("x",), ("y",)]
    assert open_table(frame).digest() == open_table(frame.reset_index(drop=True)).digest()


def test_a_digest_tells_tables_apart_by_names_cells_and_order(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    others = [frame.iloc[::-1], frame[["b", "a"]], frame.rename(columns={"a": "c"}), frame.head(1)]
    digests = [FrameTable(each).digest() for each in (frame, *others)]
    assert len(set(digests)) == 5
    assert FrameTable(frame.copy()).digest() == digests[0]
    files = [
        write(tmp_path, text, f"{n}.csv") for n, text in enumerate(["a\n1\n", "a\n1\n", "a\n2"])
    ]
    first, same, other = (open_table(file).digest() for file in files)
    assert first == same != other


# What is refused


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.csv: there is no such file; check the path\."):
        open_table(tmp_path / "nowhere.csv")


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"this is a folder\."):
        open_table(tmp_path)


@pytest.mark.parametrize("data", [3, None, [1], pd.Series(["a"])])
def test_other_things_are_no_table(data: object) -> None:
    with pytest.raises(DataError, match="give the path of a CSV or Parquet file"):
        open_table(data)  # type: ignore[arg-type]


def test_text_named_parquet_is_no_parquet_file(tmp_path: Path) -> None:
    path = write(tmp_path, SECRET, "people.parquet")
    assert message_of(ParquetTable(path), "a") == "this is not a Parquet file."


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
        "Mend that row, or quote the cells that contain the delimiter."
    )


def test_a_ragged_row_in_a_later_batch_is_named_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "BATCH_BYTES", 64)
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


def test_a_header_without_rows_is_nothing_to_anonymize(tmp_path: Path) -> None:
    hierarchy = Hierarchy.from_rows("a", [("1", "*")])
    empty = pd.DataFrame({"a": pd.Series([], dtype=str)})
    empty.to_parquet(tmp_path / "people.parquet", index=False)
    for data in (write(tmp_path, "a,b\n"), tmp_path / "people.parquet", empty):
        with pytest.raises(DataError, match=r"no rows, so there is nothing to anonymize\.$"):
            encode(open_table(data), [hierarchy])


def test_a_header_without_even_a_line_end_has_no_rows_either(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no rows|It needs a header and rows\."):
        encode(open_table(write(tmp_path, "a,b")), [Hierarchy.from_rows("a", [("1", "*")])])


# Columns and roles


def columns_message(opened: Table, *expected: str) -> str:
    with pytest.raises(DataError) as caught:
        check_columns(opened, expected)
    message = str(caught.value)
    assert message.startswith(f"{opened.name}: ")
    assert "\n" not in message
    return message.removeprefix(f"{opened.name}: ")


def test_columns_that_fit_the_policy_pass_in_any_order(tmp_path: Path) -> None:
    check_columns(open_table(write(tmp_path, "b,a\n1,2\n")), ["a", "b"])


def test_a_column_without_a_role_is_named(tmp_path: Path) -> None:
    opened = open_table(write(tmp_path, "a,b\n1,2\n"))
    assert columns_message(opened, "a") == "no role in the policy for 'b'; add it to [attributes]."


def test_a_role_without_a_column_is_named_with_the_header(tmp_path: Path) -> None:
    opened = open_table(write(tmp_path, "a,b\n1,2\n"))
    message = columns_message(opened, "a", "b", "age")
    assert message == "no column 'age', which the policy gives a role; the header reads 'a', 'b'."


def test_columns_that_occur_twice_are_named(tmp_path: Path) -> None:
    frame = pd.DataFrame([["1", "2", "3"]], columns=["a", "b", "a"])
    for opened in (open_table(write(tmp_path, "a,b,a\n1,2,3\n")), open_table(frame)):
        message = columns_message(opened, "a", "b")
        assert message == "columns that occur twice: 'a'; rename one of each."


@pytest.mark.parametrize(
    ("text", "given", "meant"),
    [("a;b\n1;2\n", ",", ";"), ("a\tb\n", ";", "\t"), ("a,b\n", ";", ",")],
)
def test_a_wrong_delimiter_is_guessed(tmp_path: Path, text: str, given: str, meant: str) -> None:
    opened = open_table(write(tmp_path, text), given)
    assert f"Is the delimiter {meant!r} rather than {given!r}?" in columns_message(opened, "a", "b")


def test_all_that_is_wrong_with_the_columns_is_said_at_once(tmp_path: Path) -> None:
    message = columns_message(open_table(write(tmp_path, "a,a,c\n1,2,3\n")), "a", "b")
    assert "'a'; rename" in message
    assert "no column 'b'" in message
    assert "no role in the policy for 'c'" in message


# Columns of dataframes and Parquet files


def test_a_dataframe_may_have_numbers_for_names() -> None:
    frame = pd.DataFrame({0: ["x"], 1: ["y"]})
    assert open_table(frame).columns == ("0", "1")
    assert cells(open_table(frame), "1", "0") == [("y", "x")]


def test_numbers_that_are_equal_but_written_differently_stay_apart_in_a_dataframe() -> None:
    frame = pd.DataFrame({"a": pd.Series([34, 34.0, True, 1], dtype=object)})
    texts = [table.text_of(value) for (value,) in cells(open_table(frame), "a")]
    assert texts == ["34", "34.0", "True", "1"]


def test_parquet_types_are_read_as_their_text(tmp_path: Path) -> None:
    content = pa.table(
        {
            "whole": pa.array([1, None], pa.int16()),
            "day": pa.array([date(2024, 3, 1), None]),
            "moment": pa.array([datetime(2024, 3, 1), datetime(2024, 3, 1, 8, 30)]),
            "yes": pa.array([True, False]),
            "word": pa.array(["x", None]).dictionary_encode(),
            "long": pa.array(["x", "y"], pa.large_string()),
        }
    )
    parquet.write_table(content, tmp_path / "people.parquet")
    rows = cells(open_table(tmp_path / "people.parquet"), *content.column_names)
    texts = [[value if value is None else table.text_of(value) for value in row] for row in rows]
    assert texts == [
        ["1", "2024-03-01", "2024-03-01", "True", "x", "x"],
        [None, None, "2024-03-01T08:30:00", "False", None, "y"],
    ]


def test_a_quote_that_is_never_closed_does_not_swallow_the_rows_after_it(tmp_path: Path) -> None:
    opened = open_table(write(tmp_path, 'a,b\n1,"2\n' + "3,4\n" * 1000))
    assert "quote" in message_of(opened, "a")


def test_a_quote_that_is_never_closed_in_a_long_file_is_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "BATCH_BYTES", 64)
    opened = open_table(write(tmp_path, 'a,b\n1,"2\n' + "3,4\n" * 1000))
    assert "quote" in message_of(opened, "a")
