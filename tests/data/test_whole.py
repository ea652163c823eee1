"""Feather, Stata and SPSS files."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from anonymizer.data.opening import open_table
from tests.data.reading import SECRET, message_of, rows_in, write

TABLE = pa.table({"a": ["x", None], "größe": pa.array([1, 2]).dictionary_encode()})
DAMAGED = "this is not a Feather file, or it is damaged; export it again."


def stored(folder: Path, name: str, stream: bool = False) -> Path:
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(str(folder / name), TABLE.schema) as writer:
        writer.write_table(TABLE)
    return folder / name


@pytest.mark.parametrize("name", ["people.feather", "people.arrow", "people.IPC"])
@pytest.mark.parametrize("stream", [False, True])
def test_files_and_streams_are_read_with_their_types(
    tmp_path: Path, name: str, stream: bool
) -> None:
    opened = open_table(stored(tmp_path, name, stream))
    assert opened.types == dict(zip(TABLE.column_names, TABLE.schema.types, strict=True))
    assert rows_in(opened, "größe", "a") == [(1, "x"), (2, None)]
    assert opened.rows == 2


def test_files_that_pandas_compressed_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x"] * 1000, "b": range(1000)})
    frame.to_feather(tmp_path / "people.feather", compression="zstd")
    assert open_table(tmp_path / "people.feather").rows == 1000


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    content = stored(tmp_path, "people.feather").read_bytes()
    for damaged in (b"", content[: len(content) // 2], content[:8] + b"\1" * 500, SECRET.encode()):
        assert message_of(open_table(write(tmp_path, damaged, "half.feather")), "a") == DAMAGED


FRAME = pd.DataFrame(
    {
        "age": pd.Series([34, None, 36], dtype="float64"),
        "size": [1.5, 2.0, 3.0],
        "town": ["Łódź", "", "Ulm"],
        "seen": pd.to_datetime(["2024-03-01", "2024-03-02", None]),
    }
)


def sav(folder: Path, **labels: dict[float, str]) -> Path:
    path = folder / "people.sav"
    frame = FRAME.assign(sex=[1.0, 2.0, 9.0])
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels)
    return path


def dta(folder: Path) -> Path:
    path = folder / "people.dta"
    labels = pd.Categorical(["male", "female", "male"])
    FRAME.assign(sex=labels).to_stata(path, write_index=False, version=118)
    return path


def test_numbers_without_a_fraction_are_whole_and_values_with_labels_are_their_labels(
    tmp_path: Path,
) -> None:
    expected = [("34", "1.5", "Łódź"), ("", "2.0", ""), ("36", "3.0", "Ulm")]
    for path, sex in (
        (dta(tmp_path), ["male", "female", "male"]),
        (sav(tmp_path), ["1", "2", "9"]),
    ):
        opened = open_table(path)
        assert opened.columns == ("age", "size", "town", "seen", "sex")
        rows = rows_in(opened, "age", "size", "town", "sex")
        found = [tuple("" if cell is None else str(cell) for cell in row) for row in rows]
        assert [row[:3] for row in found] == expected
        assert [row[3] for row in found] == sex
    labelled = open_table(sav(tmp_path, sex={1.0: "male", 2.0: "female", 9.0: "unknown"}))
    assert rows_in(labelled, "sex") == [("male",), ("female",), ("unknown",)]


def test_days_are_days(tmp_path: Path) -> None:
    for path in (dta(tmp_path), sav(tmp_path)):
        days = [cell for (cell,) in rows_in(open_table(path), "seen")]
        assert [None if day is None else pd.Timestamp(day).date() for day in days] == [
            date(2024, 3, 1), date(2024, 3, 2), None,
        ]  # fmt: skip


@pytest.mark.parametrize(("suffix", "kind"), [(".dta", "a Stata file"), (".sav", "an SPSS file")])
def test_a_damaged_file_of_a_package_is_one_sentence(
    suffix: str, kind: str, tmp_path: Path
) -> None:
    content = (dta(tmp_path) if suffix == ".dta" else sav(tmp_path)).read_bytes()
    for damaged in (b"", content[:300], SECRET.encode() * 9):
        path = write(tmp_path, damaged, f"half{suffix}")
        assert message_of(open_table(path), "age") == (
            f"this is not {kind}, or it is damaged; export it again."
        )


def test_without_its_reader_an_spss_file_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sav(tmp_path)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    assert message_of(open_table(path), "age") == (
        "an SPSS file needs the package pyreadstat; install it with `pip install 'anonymizer[spss]'`."
    )


def test_values_of_which_two_have_one_label_stay_numbers(tmp_path: Path) -> None:
    path = tmp_path / "people.dta"
    frame = pd.DataFrame({"sex": [1, 2, 9]})
    labels = {"sex": {1: "known", 2: "known", 9: "unknown"}}
    frame.to_stata(path, write_index=False, version=118, value_labels=labels)
    assert [str(cell) for (cell,) in rows_in(open_table(path), "sex")] == ["1", "2", "9"]
