"""How often a file is read: each at most twice by run, assess and verify --against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from anonymizer import (
    AnonymizerWarning,
    Policy,
    anonymize,
    assess,
    make_manifest,
    verify,
    write_release,
)
from anonymizer.assessment import Source, Statement
from anonymizer.data.column import Cells
from anonymizer.data.csv import CsvTable
from anonymizer.data.files import digest_of_file
from anonymizer.data.pandas import FrameTable
from anonymizer.data.parquet import ParquetTable
from anonymizer.data.table import Table
from anonymizer.data.text import Tap
from tests.wards import SCENARIO, patients, write_files

STATEMENT = """
[[source]]
name = "voters"
keys = ["age", "sex"]
path = "voters.csv"
delimiter = ";"

[[source]]
name = "the same voters by zip"
keys = ["zip", "sex"]
path = "voters.csv"
delimiter = ";"

[[source]]
name = "newspapers"
keys = ["age"]
q = 0.1
"""

SOURCES = [Source("forum", 0.5, {"age": 0.5, "days": 0.2})]

Reads = Counter[str]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """Counts how often each file is read to its end, by its name, and how often its header is."""
    opened: Reads = Counter()
    read_text, finish = CsvTable.text, Tap.finish

    def counting(table: CsvTable) -> Any:
        opened[f"header of {table.path.name}"] += 1
        return read_text(table)

    def finishing(tap: Tap) -> None:
        opened[Path(tap.file.file.name).name] += 1
        finish(tap)

    def digesting(path: Path) -> str:
        opened[path.name] += 1
        return digest_of_file(path)

    monkeypatch.setattr(CsvTable, "text", counting)
    monkeypatch.setattr(Tap, "finish", finishing)
    monkeypatch.setattr("anonymizer.data.table.digest_of_file", digesting)
    count_columns(monkeypatch, opened)
    return opened


def count_columns(monkeypatch: pytest.MonkeyPatch, opened: Reads) -> None:
    """Arrow opens Parquet files by itself; a column is read by one call or by another."""
    batches, read = ParquetTable.batches, ParquetTable.read

    def in_batches(table: ParquetTable, columns: Sequence[str]) -> Iterator[list[Cells]]:
        yield from batches(table, columns)
        opened.update(f"{column} of {table.path.name}" for column in columns)

    def at_once(table: ParquetTable, columns: Sequence[str]) -> pa.Table:
        opened.update(f"{column} of {table.path.name}" for column in columns)
        return read(table, columns)

    monkeypatch.setattr(ParquetTable, "batches", in_batches)
    monkeypatch.setattr(ParquetTable, "read", at_once)


def files(folder: Path) -> tuple[Path, Path]:
    policy = write_files(folder)
    patients(rows=300, seed=4).to_csv(folder / "voters.csv", sep=";", index=False)
    (folder / "statement.toml").write_text(STATEMENT)
    (folder / "scenario.toml").write_text(SCENARIO)
    return policy, folder / "patients.csv"


def test_run_reads_a_csv_file_once_to_count_and_once_to_release(
    tmp_path: Path, reads: Reads
) -> None:
    policy, table = files(tmp_path)
    write_release(anonymize(table, policy), tmp_path / "out")
    assert reads["patients.csv"] == 2
    assert reads["header of patients.csv"] == 1
    assert reads["release.csv"] == 1  # for its digest


def test_run_reads_each_column_of_a_parquet_file_once_and_its_bytes_once(
    tmp_path: Path, reads: Reads
) -> None:
    policy, _ = files(tmp_path)
    write_release(anonymize(tmp_path / "patients.parquet", policy), tmp_path / "out")
    columns = ["age", "sex", "zip", "name"]
    assert [reads[f"{column} of patients.parquet"] for column in columns] == [1] * 4
    for column in ("diagnosis", "days"):  # looked at, then released as they are
        assert reads[f"{column} of patients.parquet"] == 2
    assert reads["patients.parquet"] == 1  # for its digest


def test_run_that_warns_of_repeated_people_reads_no_more(tmp_path: Path, reads: Reads) -> None:
    policy, table = files(tmp_path)
    patients().assign(name="Patient").to_csv(table, sep=";", index=False)
    with pytest.warns(AnonymizerWarning, match="has 1 different values in 120 rows"):
        write_release(anonymize(table, policy), tmp_path / "out")
    assert reads["patients.csv"] == 2


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_verify_reads_release_and_original_once(kind: str, tmp_path: Path, reads: Reads) -> None:
    policy, _ = files(tmp_path)
    table = tmp_path / f"patients.{kind}"
    release = Path(write_release(anonymize(table, policy), tmp_path / "out")["release"])
    reads.clear()
    assert verify(release, policy, against=table).passed
    for file in (table, release):
        read = [name for name in reads if name.endswith(file.name)]
        # header and rows, or columns and digest; of the original also the name, to look for an id
        assert len(read) == (2 if kind == "csv" else 6 + (file is table))
        assert all(reads[name] == 1 for name in read)


def test_assess_reads_the_table_once_whatever_is_asked(tmp_path: Path, reads: Reads) -> None:
    policy, table = files(tmp_path)
    found = assess(
        table,
        policy,
        tmp_path / "scenario.toml",
        statement=Statement.read(tmp_path / "statement.toml"),
        sources=SOURCES,
    )
    assert found.findings is not None
    assert found.disclosure is not None
    assert len(found.scenarios) == 1
    assert reads["patients.csv"] == reads["header of patients.csv"] == 1
    # once to link, once by the model `sources`, whose optimum is the plan
    assert reads["voters.csv"] == reads["header of voters.csv"] == 2


def test_assess_with_small_cells_reads_each_file_once_more(
    tmp_path: Path, reads: Reads, run: Any
) -> None:
    policy, _ = files(tmp_path)
    run(
        "assess", policy, "--statement", tmp_path / "statement.toml", "--out", tmp_path / "out",
        "--small-cells", tmp_path / "cells.csv",
    )  # fmt: skip
    assert (tmp_path / "cells.csv").is_file()
    assert (reads["patients.csv"], reads["voters.csv"]) == (2, 3)


class CountingTable(Table):
    """A table of any kind that counts how often its rows are gone through."""

    name = "the table"

    def __init__(self, table: FrameTable) -> None:
        self.table = table
        self.passes = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return self.table.columns

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        yield from self.table.batches(columns)
        self.passes += 1  # who looks at the first batch alone does not come here

    def read(self, columns: Sequence[str]) -> pa.Table:
        self.passes += 1
        return self.table.read(columns)

    def digest(self) -> str:
        return "0" * 64


def test_a_table_of_any_kind_is_gone_through_as_seldom(tmp_path: Path) -> None:
    policy = Policy.read(files(tmp_path)[0])
    table = CountingTable(FrameTable(patients()))
    solution = anonymize(table, policy)
    assert table.passes == 1
    released = solution.to_frame()
    assert table.passes == 2
    assert verify(released, policy, make_manifest(solution, released), against=table).passed
    assert table.passes == 3
    assess(table, policy, tmp_path / "scenario.toml", sources=SOURCES)
    assert table.passes == 4
