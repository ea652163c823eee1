"""Releases that an engine writes: to folders, to CSV files and to tables, whole or not at all."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from anonymizer import Policy, anonymize, apply, assess, explain, verify, write_release
from anonymizer.comparison.comparison import compare
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.table import open_table
from anonymizer.errors import AnonymizerError, DataError, ReleaseError
from anonymizer.frontiers.frontier import frontier
from tests.data.engines import tables
from tests.data.engines.makers import EMBEDDED, SERVED, Servers
from tests.data.formats import rows_in
from tests.wards import POLICY, change, patients, write_files

pytestmark = [
    pytest.mark.filterwarnings("ignore::anonymizer.errors.AnonymizerWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
NOBODY = Servers(str)
Run = Callable[..., tuple[int, str, str]]


def folder_of_patients(folder: Path, rows: int = 120) -> Path:
    """Write patients as a folder of Parquet files with a policy; return the path of the policy."""
    text = change(POLICY, path='path = "parts"').replace('delimiter = ";"\n', "")
    policy = write_files(folder, policy=text)
    (folder / "parts").mkdir()
    frame = patients(rows)
    for at in range(2):
        frame.iloc[at::2].to_parquet(folder / "parts" / f"{at}.parquet", index=False)
    return policy


def test_every_command_takes_a_folder(tmp_path: Path, run: Run) -> None:
    policy, out = folder_of_patients(tmp_path), tmp_path / "out"
    status, printed, errors = run("run", policy, "--out", out, "--json", "--explain")
    assert status == 0, errors
    assert json.loads(printed)["files"]["release"] == str(out / "release")
    alone, _ = write_release(
        anonymize(patients(), tmp_path / "policy.toml"), tmp_path / "alone"
    ).values()
    assert rows_in(out / "release") == rows_in(alone)
    status, printed, errors = run(
        "verify", out / "release", policy, "--against", tmp_path / "parts", "--json"
    )
    assert status == 0, printed + errors
    assert run("frontier", policy, "--at", "3", "--out", tmp_path / "front")[0] == 0
    again = run("apply", policy, out / "manifest.json", "--out", tmp_path / "again")
    assert again[0] == 0, again[2]
    assert rows_in(tmp_path / "again" / "release") == rows_in(alone)
    assert run("init", tmp_path / "parts", "--out", tmp_path / "init")[0] == 0


def test_a_second_release_leaves_nothing_of_the_first(tmp_path: Path) -> None:
    policy, out = folder_of_patients(tmp_path), tmp_path / "out"
    solution = anonymize(None, policy)
    write_release(solution, out)
    parquet.write_table(pa.table({"any": [1]}), out / "release" / "more.parquet")
    with pytest.raises(ReleaseError, match="there are files that are not of the release"):
        write_release(solution, out)
    (out / "release" / "more.parquet").unlink()
    write_release(solution, out)
    assert verify(out / "release", policy).passed


def test_a_folder_of_csv_files_becomes_a_csv_file(tmp_path: Path) -> None:
    path = EMBEDDED["csv glob"](tables.drawn(), tmp_path, NOBODY)
    policy = tables.policy_of()
    solution = anonymize(path, policy)
    files = write_release(solution, tmp_path / "out")
    assert files["release"].endswith("release.csv")
    assert rows_in(files["release"]) == rows_in(anonymize(tables.drawn(), policy).to_frame())
    assert verify(files["release"], policy, against=path).passed


def test_a_release_does_not_stand_in_the_order_of_the_original(tmp_path: Path) -> None:
    rows = 4000
    (tmp_path / "parts").mkdir()
    given = pa.table({"age": [n * 50 // rows for n in range(rows)], "stay": list(range(rows))})
    parquet.write_table(given, tmp_path / "parts" / "a.parquet")
    policy = Policy(
        attributes={
            "age": {"role": "quasi", "hierarchy": tables.QUASI["age"]},
            "stay": {"role": "insensitive"},
        },
        risk=[{"model": "k-anonymity", "k": 5}],
    )
    files = write_release(anonymize(tmp_path / "parts", policy), tmp_path / "out")
    checks = verify(files["release"], policy, against=tmp_path / "parts").checks
    assert [c.passed for c in checks if c.claim == "the order of rows tells nothing"] == [True]


def test_a_change_of_a_file_is_noticed(tmp_path: Path) -> None:
    policy = folder_of_patients(tmp_path)
    solution = anonymize(None, policy)
    patients(50, seed=9).to_parquet(tmp_path / "parts" / "0.parquet", index=False)
    with pytest.raises(ReleaseError, match="changed while it was anonymized"):
        write_release(solution, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_sample_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = tables.policy_of(data={"sample": 0.5, "rows_are_people": True})
    given = EMBEDDED["folder"](tables.drawn(), tmp_path, NOBODY)
    monkeypatch.setattr(EngineTable, "aggregate", None)
    with pytest.raises(DataError, match="a sample cannot be drawn from a table that stays"):
        anonymize(given, policy)


def test_questions_beside_a_release_are_answered_too(tmp_path: Path) -> None:
    policy = Policy.read(folder_of_patients(tmp_path))
    solution, alone = anonymize(None, policy), anonymize(patients(), policy)
    assert compare(solution).describe() == compare(alone).describe()
    assert explain(solution).describe() == explain(alone).describe()
    assert frontier(None, policy).describe() == frontier(patients(), policy).describe()
    assert (
        apply(None, policy, solution.scheme).describe()
        == apply(patients(), policy, alone.scheme).describe()
    )
    found, expected = (assess(data, policy, "worst-case") for data in (None, patients()))
    assert found.describe() | {"table": ""} == expected.describe() | {"table": ""}


def test_a_column_that_cannot_be_grouped_is_said(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    parquet.write_table(pa.table({"age": [[1], [2]]}), tmp_path / "parts" / "a.parquet")
    policy = Policy(
        attributes={"age": {"role": "quasi", "hierarchy": tables.QUASI["age"]}},
        risk=[{"model": "k-anonymity", "k": 2}],
    )
    with pytest.raises(DataError, match="column 'age' holds lists or structures"):
        anonymize(tmp_path / "parts", policy)


# Tables in databases


def released_to(name: str) -> Policy:
    return tables.policy_of(("age", "ward"), release={"table": name})


def test_a_release_becomes_a_table_in_duckdb(tmp_path: Path, run: Run) -> None:
    EMBEDDED["duckdb"](patients_table(), tmp_path, NOBODY)
    database = 'path = "made.duckdb"\ntable = "patients"'
    text = change(POLICY, path=database).replace('delimiter = ";"\n', "")
    policy = write_files(tmp_path, policy=text + '\n[release]\ntable = "released"\n')
    status, _, errors = run("run", policy, "--out", tmp_path / "out")
    assert status == 0, errors
    manifest = tmp_path / "out" / "manifest.json"
    status, printed, errors = run("verify", "released", policy, "--manifest", manifest)
    assert status == 0, printed + errors
    status, _, errors = run("run", policy, "--out", tmp_path / "out")
    assert status == 2
    assert "there is a table 'released' already" in errors
    found = open_table(tmp_path / "made.duckdb", table="released", writable=True)
    assert rows_in(found) == rows_in(anonymize(patients(), plain(policy)).to_frame())


def patients_table() -> pa.Table:
    return pa.Table.from_pandas(patients(), preserve_index=False)


def plain(policy: Path) -> Policy:
    """Return a policy without where the table is."""
    read = Policy.read(policy)
    return read.model_copy(update={"release": type(read.release)()})


def test_a_file_is_not_released_as_a_table(tmp_path: Path) -> None:
    given = EMBEDDED["folder"](tables.drawn(), tmp_path, NOBODY)
    with pytest.raises(DataError, match="only a table in a database is released as one"):
        write_release(anonymize(given, released_to("released")), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_table_in_postgres_needs_the_name_of_a_released_one(
    tmp_path: Path, servers: Servers
) -> None:
    given = SERVED["postgres"](tables.drawn(), tmp_path, servers)
    solution = anonymize(given, tables.policy_of(("age", "ward")))
    with pytest.raises(ReleaseError, match="is released as a table there; name it"):
        write_release(solution, tmp_path / "out")


def test_a_release_becomes_a_table_in_postgres_and_is_verified(
    tmp_path: Path, servers: Servers
) -> None:
    given = SERVED["postgres"](tables.drawn(), tmp_path, servers)
    name = given.name.split("'")[1]
    keys = {"data": {"url": servers.postgres, "table": name, "rows_are_people": True}}
    policy = tables.policy_of(("age", "ward"), release={"table": f"{name}_out"}, **keys)
    files = write_release(anonymize(None, policy), tmp_path / "out")
    assert files["release"] == f"{name}_out"
    text = Path(files["manifest"]).read_text()
    assert "postgres@" not in text
    verification = verify(f"{name}_out", policy, files["manifest"], against=given)
    assert verification.passed, verification.failures


def execute(servers: Servers, *statements: str) -> list[Any]:
    import psycopg

    with psycopg.connect(servers.postgres, autocommit=True) as connection:
        return [connection.execute(statement) for statement in statements]


def tables_of(servers: Servers) -> list[str]:
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    return [name for (name,) in execute(servers, query)[0].fetchall()]


def test_without_the_right_to_write_nothing_is_left(tmp_path: Path, servers: Servers) -> None:
    given = SERVED["postgres"](tables.drawn(), tmp_path, servers)
    name = given.name.split("'")[1]
    execute(
        servers,
        f"CREATE ROLE reader_{name} LOGIN",
        f'GRANT SELECT ON "{name}" TO reader_{name}',
    )
    url = servers.postgres.replace("postgres@", f"reader_{name}@")
    keys = {"data": {"url": url, "table": name, "rows_are_people": True}}
    policy = tables.policy_of(("age", "ward"), release={"table": f"{name}_out"}, **keys)
    with pytest.raises(DataError, match=r"the engine failed \(InsufficientPrivilege\)") as raised:
        write_release(anonymize(None, policy), tmp_path / "out")
    assert f"reader_{name}" not in str(raised.value)
    assert f"{name}_out" not in tables_of(servers)
    assert not (tmp_path / "out").exists()


def test_a_row_that_comes_meanwhile_is_noticed(tmp_path: Path, servers: Servers) -> None:
    given = SERVED["postgres"](tables.drawn(), tmp_path, servers)
    name = given.name.split("'")[1]
    solution = anonymize(given, released_to(f"{name}_out"))
    execute(servers, f'INSERT INTO "{name}" SELECT * FROM "{name}" LIMIT 1')
    with pytest.raises(ReleaseError, match="changed while it was anonymized"):
        write_release(solution, tmp_path / "out")
    assert f"{name}_out" not in tables_of(servers)


def test_a_table_with_fewer_rows_than_were_counted_is_taken_back(
    tmp_path: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = SERVED["postgres"](tables.drawn(), tmp_path, servers)
    name = given.name.split("'")[1]
    solution = anonymize(given, released_to(f"{name}_out"))
    monkeypatch.setattr(EngineTable, "check_unchanged", lambda _: None)
    execute(servers, f'INSERT INTO "{name}" SELECT * FROM "{name}"')
    with pytest.raises(ReleaseError, match="changed while it was anonymized"):
        write_release(solution, tmp_path / "out")
    assert f"{name}_out" not in tables_of(servers)


def test_a_connection_that_breaks_while_writing_leaves_nothing(
    tmp_path: Path, servers: Servers
) -> None:
    given = SERVED["postgres"](tables.drawn(), tmp_path, servers)
    name = given.name.split("'")[1]
    solution = anonymize(given, released_to(f"{name}_out"))
    process = given.engine.backend.con.info.backend_pid
    # the new table waits for a lock, so that the connection ends in the middle of writing it
    import psycopg

    blocking = psycopg.connect(servers.postgres)
    blocking.execute(f'CREATE TABLE "{name}_out" (any_column int)')
    killer = threading.Thread(target=end_when_waiting, args=(servers, process))
    killer.start()
    with pytest.raises(AnonymizerError, match=r"the engine failed \((AdminShutdown|Operational)"):
        write_release(solution, tmp_path / "out")
    killer.join()
    blocking.rollback()
    blocking.close()
    assert f"{name}_out" not in tables_of(servers)
    assert not (tmp_path / "out").exists()


def end_when_waiting(servers: Servers, process: int) -> None:
    """End a connection of the server once it waits for another."""
    for _ in range(200):
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE pid = {} AND wait_event_type = 'Lock'"
        )
        if execute(servers, waiting.format(process))[0].fetchone()[0]:
            break
        time.sleep(0.05)
    execute(servers, f"SELECT pg_terminate_backend({process})")


def test_an_interrupted_run_takes_its_table_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    EMBEDDED["duckdb"](tables.drawn(), tmp_path, NOBODY)
    given = open_table(tmp_path / "made.duckdb", table="patients", writable=True)
    assert isinstance(given, EngineTable)
    solution = anonymize(given, released_to("released"))

    def fail(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(given.engine), "digest", fail)
    with pytest.raises(KeyboardInterrupt):
        write_release(solution, tmp_path / "out")
    assert not given.engine.has_table("released")
