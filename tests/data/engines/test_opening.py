"""Folders, wildcards, databases and addresses are opened, or refused in one sentence."""

from __future__ import annotations

import importlib
import logging
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from anonymizer.data.engines import opening
from anonymizer.data.engines.opening import Address, describe_address, holds_secret
from anonymizer.data.opening import open_table
from anonymizer.errors import DataError
from tests.data.engines import tables
from tests.data.engines.makers import EMBEDDED, Servers, write_texts

pytestmark = pytest.mark.xdist_group("engines")

NOBODY = Servers(str)


def test_importing_the_package_imports_no_engine() -> None:
    code = (
        "import sys, anonymizer; anonymizer.Policy; "
        "print({'ibis', 'duckdb', 'pyspark', 'psycopg'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_plain_file_is_read_as_before(tmp_path: Path) -> None:
    parquet.write_table(tables.drawn(), tmp_path / "one.parquet")
    assert type(open_table(tmp_path / "one.parquet")).__name__ == "ParquetTable"


def test_what_an_engine_spills_is_for_its_owner_alone() -> None:
    from anonymizer.data.engines.duckdb import connect_duckdb

    asked = "SELECT current_setting('temp_directory')"
    ((folder,),) = connect_duckdb(None).backend.con.execute(asked).fetchall()
    assert Path(folder).stat().st_mode & 0o777 == 0o700


def test_the_names_of_folders_are_columns(tmp_path: Path) -> None:
    for year in (2023, 2024):
        folder = tmp_path / "parts" / f"year={year}"
        folder.mkdir(parents=True)
        parquet.write_table(pa.table({"age": [1, 2]}), folder / "a.parquet")
    table = open_table(tmp_path / "parts")
    assert set(table.columns) == {"age", "year"}
    assert table.rows == 4


def test_marks_and_hidden_files_hold_no_rows(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"age": [1, 2]}), tmp_path / "a.parquet")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".a.parquet.crc").touch()
    assert open_table(tmp_path).rows == 2


def test_a_whole_disk_is_not_searched_for_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        parquet.write_table(pa.table({"age": [1, 2]}), tmp_path / f"{name}.parquet")
    assert open_table(tmp_path).rows == 6
    monkeypatch.setattr(opening, "MOST_FOUND", 3)  # the folder itself counts
    with pytest.raises(DataError, match="there are more than 3 files and folders; name those"):
        open_table(tmp_path)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none/*.parquet", "there are no Parquet or CSV files"),
        ("empty", r"this is a folder\. There are no Parquet or CSV files"),
        ("mixed", "there are Parquet and other files"),
        ("damaged", "is each of them a whole file"),
        ("none.duckdb", "there is no such database"),
        ("text.duckdb", "is it a DuckDB database"),
    ],
)
def test_what_cannot_be_opened_is_said_in_one_sentence(
    path: str, message: str, tmp_path: Path
) -> None:
    for folder in ("empty", "mixed", "damaged"):
        (tmp_path / folder).mkdir()
    write_texts(tables.drawn(), tmp_path / "mixed" / "a.csv")
    parquet.write_table(tables.drawn(), tmp_path / "mixed" / "b.parquet")
    (tmp_path / "damaged" / "a.parquet").write_bytes(b"PAR1 nothing")
    (tmp_path / "text.duckdb").write_text("nothing")
    with pytest.raises(DataError, match=message) as raised:
        open_table(tmp_path / path, table="patients")
    assert "\n" not in str(raised.value)


def test_a_table_that_is_not_there_is_said(tmp_path: Path) -> None:
    EMBEDDED["duckdb"](tables.drawn(), tmp_path, NOBODY)
    with pytest.raises(DataError, match="there is no table 'none'"):
        open_table(tmp_path / "made.duckdb", table="none")
    with pytest.raises(DataError, match=r"no table is named; add table to \[data\]"):
        open_table(tmp_path / "made.duckdb")


@pytest.mark.parametrize(
    "url",
    [
        "postgres://ann:hunter2@host/db",
        "postgres://host/db?password=hunter2",
        "snowflake://ann@account/db?Token=hunter2",
    ],
)
def test_an_address_with_a_password_is_refused_and_not_shown(url: str) -> None:
    assert holds_secret(url)
    with pytest.raises(DataError, match="the address holds a password") as raised:
        open_table(Address(url), table="patients")
    assert "hunter2" not in str(raised.value) + repr(Address(url)) + str(Address(url))
    assert "ann" not in describe_address(url).removeprefix("snowflake://account")


def test_a_server_that_does_not_answer_is_said_without_who_asked() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(
        DataError, match=r"^postgres://127\.0\.0\.1:1/db: the engine failed"
    ) as raised:
        open_table(Address("postgres://ann@127.0.0.1:1/db"), table="patients")
    assert "ann" not in str(raised.value)


def test_what_a_driver_logs_as_its_server_dies_is_not_printed() -> None:
    importlib.import_module("anonymizer.data.engines.postgres")
    kinds = [type(handler) for handler in logging.getLogger("psycopg").handlers]
    assert logging.NullHandler in kinds  # else Python prints it, above our own sentence
