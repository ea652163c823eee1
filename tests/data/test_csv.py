from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data import csv
from anonymizer.data.csv import CsvTable
from anonymizer.data.files import digest_of_file
from anonymizer.data.opening import open_table
from anonymizer.data.release import write_csv
from anonymizer.data.text import COMPRESSIONS, open_to_write
from anonymizer.errors import DataError, ReleaseError
from anonymizer.hierarchy import Hierarchy
from anonymizer.table.microdata import encode
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

EMPTY = "the file is empty. It needs a header and rows."


@pytest.mark.parametrize("content", ["", "\n", "\ufeff"])
def test_an_empty_file_is_said_to_be_empty(tmp_path: Path, content: str) -> None:
    assert message_of(open_table(write(tmp_path, content)), "a") == EMPTY


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
    ],
    ids=["header", "first row", "far down"],
)
def test_an_encoding_that_cannot_be_found_is_to_be_stated(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path, content)
    assert message_of(open_table(path), "a", "b") == (
        'the file is not UTF-8; say what it is, such as encoding = "latin-1" or "cp1252" in [data], or '
        "--encoding."
    )
    columns = open_table(path, encoding="latin-1").columns
    assert rows_in(open_table(path, encoding="latin-1"), *columns)[0][0] == "1"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("rows", [1, 40_000])
def test_encodings_that_the_first_bytes_tell_are_found(
    tmp_path: Path, encoding: str, rows: int
) -> None:
    text = "größe;ort\n" + '1;"Łódź; \u0122"\n' * rows
    opened = open_table(write(tmp_path, text.encode(encoding)))
    assert opened.columns == ("größe", "ort")
    assert set(rows_in(opened, "ort", "größe")) == {("Łódź; Ģ", "1")}
    assert opened.read(["ort"]).num_rows == rows


def test_a_stated_encoding_wins_and_one_that_does_not_fit_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n1,größe\n".encode("cp1252"))
    assert rows_in(open_table(path, encoding="cp1250"), "b") == [("größe",)]
    assert message_of(open_table(path, encoding="ascii"), "b").startswith("the file is not ASCII; ")
    assert message_of(open_table(path, encoding="utf-16"), "b").startswith("the file is not UTF-16")


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_a_compressed_file_is_read_and_written_as_its_name_says(
    tmp_path: Path, suffix: str
) -> None:
    table = pa.table({"a;b": ["1", "2"] * 5000, "c": ['x"y', "größe"] * 5000})
    path = tmp_path / f"people.csv{suffix}"
    write_csv(table, path, ";")
    opened = open_table(path)
    assert opened.columns == ("a;b", "c")
    assert rows_in(opened, "c", "a;b")[:2] == [('x"y', "1"), ("größe", "2")]
    assert opened.digest() == digest_of_file(path)
    assert opened.file_name() == f"release.csv{suffix}"
    assert path.stat().st_size < 2000
    latin = tmp_path / f"latin.csv{suffix}"
    with open_to_write(latin) as file:
        file.write("größe|b\n1|2\n".encode("latin-1"))
    assert rows_in(open_table(latin, encoding="latin-1"), "größe") == [("1",)]


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_a_damaged_compressed_file_is_one_sentence(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"people.csv{suffix}"
    write_csv(pa.table({"a": [f"{SECRET}{n * n}" for n in range(20_000)]}), path, ",")
    content = path.read_bytes()
    again = f"the file is not a whole {suffix} file; export it again."
    for length in (len(content) // 2, len(content) - 1, 40):
        path.write_bytes(content[:length])
        assert message_of(open_table(path), "a") == again
    path.write_bytes(f"a\n{SECRET}\n".encode())
    assert message_of(open_table(path), "a") == again
    path.write_bytes(b"")
    assert message_of(open_table(path), "a") in (again, EMPTY)


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


HEADERS = {
    "never closed": 'a,"b,c\n' + f"1,2,{SECRET}\n" * 20_000,
    "closed far down": 'a,"b,c\n' + f"1,2,{SECRET}\n" * 20_000 + '1,2",3\n' + "1,2,3\n" * 20_000,
    "closed in the next row": f'a,"b,c\n1,{SECRET}",3\n1,2,3\n',
    "never closed in a small file": f'a,"b,c\n1,2,{SECRET}\n',
    "never closed with one column": f'"a\n{SECRET}\n',
    "closed in the middle": f'"a"b,c\n{SECRET},2\n',
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_stray_quote_in_the_header_is_one_sentence_without_cells(
    tmp_path: Path, name: str
) -> None:
    message = message_of(open_table(write(tmp_path, HEADERS[name])), "a")
    assert message == 'a name in the header holds whole rows; is a quote (") missing or too many?'


def test_a_name_may_have_several_lines(tmp_path: Path) -> None:
    opened = open_table(write(tmp_path, 'a,"age\n(years)"\n1,2\n'))
    assert rows_in(opened, "age\n(years)") == [("2",)]


def test_a_header_that_does_not_end_is_not_read_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv, "HEADER_LIMIT", 1 << 10)
    opened = open_table(write(tmp_path, "x" * 5000))
    assert message_of(opened, "a") == "the header is longer than 0 MiB; is this a CSV file?"


def test_a_header_longer_than_a_block_is_said_to_be_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv, "BATCH_BYTES", 1 << 10)
    names = [f"column {number}" for number in range(500)]
    opened = open_table(write(tmp_path, ",".join(names) + "\n" + ",".join("1" for _ in names)))
    assert message_of(opened, "column 7").startswith("a row is longer than 1 KiB")


@pytest.mark.parametrize("delimiter", ["", ";;", "é", '"', "\n", "\r", "\0"])
def test_a_delimiter_is_one_ascii_character(tmp_path: Path, delimiter: str) -> None:
    with pytest.raises(DataError, match=r"^delimiter: .* is not a delimiter; use one ASCII"):
        open_table(write(tmp_path, "a\n1\n"), delimiter)


def test_a_digest_is_made_while_the_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "a,b\n" + "1,2\n" * 1000)
    expected = open_table(path).digest()
    opened = open_table(path)
    rows_in(opened, "a")
    monkeypatch.setattr("anonymizer.data.table.digest_of_file", None)  # would be another pass
    assert opened.digest() == expected


def test_a_file_that_changes_between_two_readings_is_noticed(tmp_path: Path) -> None:
    opened = open_table(write(tmp_path, "a,b\n1,2\n"))
    rows_in(opened, "a")
    write(tmp_path, "a,b\n1,3\n")
    with pytest.raises(ReleaseError, match="changed while it was anonymized or assessed"):
        opened.read(["b"])


def test_reading_may_be_given_up(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n" + "1,2\n" * 500_000)
    opened = open_table(path)
    first = next(opened.batches(["a"]))
    assert first[0].indices.size > 0
    assert opened.digest() == open_table(path).digest()  # what was read of it does not count


TEXTS = st.text(st.sampled_from('ab;"\n\r é,'), max_size=4)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_what_is_written_reads_back_equal(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "people.csv"
    names = ["a;b", 'the "c"']
    columns = [pa.array(column).dictionary_encode() for column in zip(*cells, strict=True)]
    write_csv(pa.table(columns, names=names), path, ";")
    opened = CsvTable(path, ";")
    assert opened.columns == tuple(names)
    assert rows_in(opened, *names) == [tuple(cell or None for cell in row) for row in cells]
