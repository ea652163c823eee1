from __future__ import annotations

import time
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from anonymizer.data import arrays, csv
from anonymizer.data.opening import (
    FILES,
    UNREADABLE,
    check_columns,
    check_kind,
    check_present,
    open_table,
)
from anonymizer.data.pandas import FrameTable
from anonymizer.data.table import Table
from anonymizer.data.text import COMPRESSIONS
from anonymizer.errors import DataError, show_values
from anonymizer.hierarchy import Hierarchy
from anonymizer.table.microdata import encode
from tests.data.reading import rows_in, write


def test_columns_come_in_the_order_asked_for(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["1", "2"], "b": ["3", "4"], "c": ["5", "6"]})
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_parquet(tmp_path / "people.parquet", index=False)
    for data in (tmp_path / "people.csv", tmp_path / "people.parquet", frame):
        assert rows_in(open_table(data), "c", "a") == [("5", "1"), ("6", "2")]


@pytest.mark.parametrize("rows", [1, 7, 8, 100])
def test_batches_join_up_to_the_whole_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    frame = pd.DataFrame({"a": [f"line\n{i % 3}" for i in range(rows)], "b": map(str, range(rows))})
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_parquet(tmp_path / "people.parquet", index=False)
    expected = list(frame.itertuples(index=False, name=None))
    monkeypatch.setattr(csv, "BATCH_BYTES", 64)
    monkeypatch.setattr(arrays, "BATCH_ROWS", 7)
    for name in ("people.csv", "people.parquet"):
        opened = open_table(tmp_path / name)
        assert len(list(opened.batches(["a"]))) >= rows // 7
        assert rows_in(opened, "a", "b") == expected


def test_a_table_that_is_open_already_is_taken_as_it_is(tmp_path: Path) -> None:
    opened = open_table(write(tmp_path, "a\n1\n"))
    assert open_table(opened) is opened


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


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.csv: there is no such file; check the path\."):
        open_table(tmp_path / "nowhere.csv")


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"this is a folder\."):
        open_table(tmp_path)


@pytest.mark.parametrize("data", [3, None, [1], {1, 2}, {"a": 3}, {}, "a".__len__])
def test_other_things_are_no_table(data: object) -> None:
    with pytest.raises(DataError, match=r"the data is a .*: give [^.]*\.$"):
        open_table(data)  # type: ignore[arg-type]


def test_a_header_without_rows_is_nothing_to_anonymize(tmp_path: Path) -> None:
    hierarchy = Hierarchy.from_rows("a", [("1", "*")])
    empty = pd.DataFrame({"a": pd.Series([], dtype=str)})
    empty.to_parquet(tmp_path / "people.parquet", index=False)
    for data in (write(tmp_path, "a,b\n"), tmp_path / "people.parquet", empty):
        with pytest.raises(DataError, match=r"no rows, so there is nothing to anonymize\.$"):
            encode(open_table(data), [hierarchy])


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


def test_a_header_without_any_expected_name_may_be_a_row_of_cells_and_is_not_shown(
    tmp_path: Path,
) -> None:
    opened = open_table(write(tmp_path, "Ann,34\nBob,35\n"))
    message = columns_message(opened, "name", "age")
    assert message == (
        "no column 'name', 'age', which the policy gives a role; the header has no name that is "
        "expected (hidden without --show-values)."
    )
    with pytest.raises(DataError, match="no column 'age'; the header has no name that is expected"):
        check_present(opened, ["age"])
    with show_values():
        assert "the header reads 'Ann', '34'" in columns_message(opened, "name", "age")


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
    message = columns_message(opened, "a", "b")
    assert message.endswith(f"Is the delimiter {meant!r} rather than {given!r}?")


def test_all_that_is_wrong_with_the_columns_is_said_at_once(tmp_path: Path) -> None:
    message = columns_message(open_table(write(tmp_path, "a,a,c\n1,2,3\n")), "a", "b")
    assert "'a'; rename" in message
    assert "no column 'b'" in message
    assert "no role in the policy for 'c'" in message


# Paths and headers that are meant to break it


def test_a_path_with_a_nul_is_one_sentence() -> None:
    with pytest.raises(DataError, match=r"^'peo\\x00ple.csv': a path cannot hold a NUL character"):
        open_table("peo\0ple.csv")


def test_a_file_that_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "a\n1\n")
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(DataError, match="the file may not be read; check its permissions"):
        open_table(path)


@pytest.mark.usefixtures("values_shown")
@pytest.mark.parametrize("same", [False, True])
def test_very_many_columns_are_looked_over_in_seconds(tmp_path: Path, same: bool) -> None:
    names = ["c" if same else f"c{number}" for number in range(200_000)]
    opened = open_table(write(tmp_path, ",".join(names) + "\n"))
    started = time.process_time()
    message = columns_message(opened, "a", "b")
    with pytest.raises(DataError, match="no column 'a'; the header reads "):
        check_present(opened, ["a"])
    assert time.process_time() - started < 2
    assert len(message) < 400
    assert "and 199995 more" in message


def test_a_column_that_occurs_twice_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,age,zip\n1,2,3\n")
    table = open_table(tmp_path / "people.csv")
    with pytest.raises(DataError, match="column 'age' occurs twice; rename one"):
        check_present(table, table.columns)


FRAME = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        open_table(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def make(kind: str, folder: Path) -> bytes:
    """Return the bytes of a file of each kind."""
    path = folder / "made"
    if kind == "spss":
        import pyreadstat

        pyreadstat.write_sav(FRAME, str(path))
    else:
        {
            "parquet": FRAME.to_parquet,
            "feather": FRAME.to_feather,
            "stata": lambda path: FRAME.to_stata(path, write_index=False, version=118),
            "excel": lambda path: FRAME.to_excel(path, index=False, engine="openpyxl"),
            "gzip": lambda path: FRAME.to_csv(path, compression="gzip"),
            "bzip2": lambda path: FRAME.to_csv(path, compression="bz2"),
            "xz": lambda path: FRAME.to_csv(path, compression="xz"),
        }[kind](path)
    return path.read_bytes()


KINDS = {
    "parquet": (".parquet", "this is a Parquet file; name it .parquet."),
    "feather": (".feather", "this is a Feather file; name it .feather."),
    "stata": (".dta", "this is a Stata file; name it .dta."),
    "spss": (".sav", "this is an SPSS file; name it .sav."),
    "excel": (
        ".xlsx",
        "this is an Excel workbook or a zip archive; name a workbook .xlsx, and unpack an archive.",
    ),
    "gzip": (".gz", "this is compressed; name it .csv.gz."),
    "bzip2": (".bz2", "this is compressed; name it .csv.bz2."),
    "xz": (".xz", "this is compressed; name it .csv.xz."),
}


@pytest.mark.parametrize("other", [".csv", ".txt", "", *FILES])
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_with_the_name_of_another_kind_is_said_to_be_what_it_is(
    kind: str, other: str, tmp_path: Path
) -> None:
    suffix, message = KINDS[kind]
    content = make(kind, tmp_path)
    check_kind(write(tmp_path, content, f"people{suffix}"))
    if FILES.get(suffix) != FILES.get(other, None):
        assert refusal(write(tmp_path, content, f"people{other}")) == message


def test_an_old_workbook_or_one_with_a_password_is_said_to_be_so(tmp_path: Path) -> None:
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    for name in ("people.xlsx", "people.xls", "people.csv"):
        assert refusal(write(tmp_path, content, name)) == (
            "this is an Excel workbook that is old (.xls) or has a password; save it as .xlsx without "
            "a password."
        )


@pytest.mark.parametrize("suffix", UNREADABLE)
def test_files_that_no_reader_is_for_are_refused_by_name(tmp_path: Path, suffix: str) -> None:
    assert refusal(write(tmp_path, "what it is", f"people{suffix}")) == (
        f"{suffix} files cannot be read; save it as .xlsx, .csv or .parquet."
    )


def test_a_zip_archive_is_not_a_workbook(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("people.csv", "a,b\n1,2\n")
    assert "unpack an archive" in refusal(path)


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_of_compressed_files_only_csv_is_read(tmp_path: Path, suffix: str) -> None:
    for inner in (".parquet", ".xlsx"):
        assert refusal(write(tmp_path, "a", f"people{inner}{suffix}")) == (
            "of compressed files only CSV can be read; unpack it."
        )


def test_names_that_begin_as_other_files_do_are_no_trouble(tmp_path: Path) -> None:
    for header in ("PAR1,b", "BZh,b", "%PDF,b", "$FL,b", "ARROW1,b"):
        assert open_table(write(tmp_path, f"{header}\n1,2\n")).columns == tuple(header.split(","))
