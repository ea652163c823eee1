"""Linked tables that an engine has: fetched, released from memory, and verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from anonymizer import anonymize, verify, write_study
from tests.clinic import NAMES, POLICY, frames, write_clinic


def test_a_study_in_a_database_is_released_as_files(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("ibis")
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        for name, frame in frames().items():  # noqa: B007 - DuckDB finds it by its name
            connection.execute(f"create table {name} as select * from frame")
    text = POLICY
    for name in NAMES:
        text = text.replace(f'path = "{name}.csv"', f'path = "clinic.duckdb"\ntable = "{name}"')
    policy = write_clinic(tmp_path, text)
    solution = anonymize(None, policy)
    assert solution.loss == anonymize(frames(), policy).loss
    out = tmp_path / "out"
    write_study(solution, out)
    assert {path.name for path in out.iterdir()} == {
        "manifest.json", *(f"{name}.csv" for name in NAMES),
    }  # fmt: skip
    assert verify(out, policy, against=path).passed


def test_a_folder_of_files_is_a_table_of_a_study(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("ibis")
    policy = write_clinic(tmp_path, POLICY.replace('"drug.csv"', '"drugs"'))
    (tmp_path / "drugs").mkdir()
    for part, drugs in enumerate((frames()["drug"].iloc[:30], frames()["drug"].iloc[30:])):
        drugs.to_parquet(tmp_path / "drugs" / f"{part}.parquet", index=False)
    solution = anonymize(None, policy)
    assert solution.loss == anonymize(frames(), policy).loss
    write_study(solution, tmp_path / "out")
    assert verify(tmp_path / "out", policy, against=tmp_path).passed
