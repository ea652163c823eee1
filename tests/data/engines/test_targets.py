"""Releases that an engine writes: to folders, to CSV files and to tables, whole or not at all."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from anonymizer import Policy, anonymize, apply, assess, explain, verify, write_release
from anonymizer.comparison.comparison import compare
from anonymizer.data.engines.duckdb import DuckDB
from anonymizer.data.engines.opening import Address
from anonymizer.data.engines.release import Releasing
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.opening import open_table
from anonymizer.errors import AnonymizerError, DataError, PolicyError, ReleaseError
from anonymizer.frontiers.frontier import frontier
from anonymizer.hierarchy import Hierarchy
from tests.data.engines import tables
from tests.data.engines.makers import EMBEDDED, SERVED, Servers
from tests.data.formats import rows_in
from tests.wards import POLICY, change, patients, write_files

pytestmark = [
    pytest.mark.xdist_group("engines"),
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
            "stay": {"role": "insensitive", "reveals": ["age"]},
        },
        risk=[{"model": "k-anonymity", "k": 5}],
    )
    files = write_release(anonymize(tmp_path / "parts", policy), tmp_path / "out")
    checks = verify(files["release"], policy, against=tmp_path / "parts").checks
    assert [c.passed for c in checks if c.claim == "the order of rows tells nothing"] == [True]


def test_a_release_does_not_stand_in_the_order_of_what_is_generalized(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    days, coin = [f"{day:03}" for day in range(120)], [("0", "*"), ("1", "*")]
    trees = {
        "day": Hierarchy.from_rows("day", [(day, f"in {int(day) // 50}", "*") for day in days]),
        "one": Hierarchy.from_rows("one", coin),
        "other": Hierarchy.from_rows("other", coin),
    }
    cells = {name: random.choice(tree.leaves, 120) for name, tree in trees.items()}
    given = pa.table({**cells, "day": random.permutation(days)})
    (tmp_path / "parts").mkdir()
    parquet.write_table(given, tmp_path / "parts" / "a.parquet")
    policy = Policy(
        attributes={name: {"role": "quasi", "hierarchy": tree} for name, tree in trees.items()},
        risk=[{"model": "k-anonymity", "k": 3}],
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
    with pytest.raises(DataError, match=r"only a table in a database .* or add url\."):
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


# Tables in another database


def elsewhere(url: str, name: str = "released", **data: Any) -> Policy:
    """Return a policy whose release goes to another database."""
    return tables.policy_of(
        ("age", "ward"),
        release={"table": name, "url": url, "suppressed": "redact"},
        data={"rows_are_people": True, **data},
    )


def rows_expected(policy: Policy) -> list[tuple[str, ...]]:
    return rows_in(anonymize(tables.drawn(), policy).to_frame())


@pytest.mark.parametrize("kind", ["folder", "csv glob", "duckdb"])
def test_duckdb_writes_to_another_of_its_databases(kind: str, tmp_path: Path) -> None:
    given = EMBEDDED[kind](tables.drawn(), tmp_path, NOBODY)
    path = tmp_path / "other.duckdb"
    for name in ("first", "second"):  # into a new file, and into one that is there
        policy = elsewhere(f"duckdb://{path}", name)
        write_release(anonymize(given, policy), tmp_path / name)
        assert rows_in(open_table(path, table=name)) == rows_expected(policy)
    assert not list(tmp_path.glob(".*"))
    with pytest.raises(DataError, match=r"other\.duckdb: there is a table 'second' already"):
        write_release(anonymize(given, policy), tmp_path / "third")


def test_every_command_knows_the_other_database(tmp_path: Path, run: Run) -> None:
    policy = folder_of_patients(tmp_path)
    text = policy.read_text() + '\n[release]\ntable = "released"\nurl = "duckdb://other.duckdb"\n'
    policy.write_text(text)
    status, _, errors = run("run", policy, "--out", tmp_path / "out")
    assert status == 0, errors
    manifest = tmp_path / "out" / "manifest.json"
    assert "other" not in manifest.read_text()
    status, printed, errors = run(
        "verify", "released", policy, "--manifest", manifest, "--against", tmp_path / "parts"
    )
    assert status == 0, printed + errors
    status, _, errors = run("run", policy, "--out", tmp_path / "out")
    assert status == 2
    assert "there is a table 'released' already" in errors


def test_a_folder_becomes_a_table_in_postgres(tmp_path: Path, servers: Servers) -> None:
    given = EMBEDDED["folder"](tables.drawn(), tmp_path, NOBODY)
    policy = elsewhere(servers.postgres, "from_folder", path=str(given))
    files = write_release(anonymize(None, policy), tmp_path / "out")
    assert verify("from_folder", policy, files["manifest"], against=given).passed
    found = open_table(Address(servers.postgres), table="from_folder")
    assert rows_in(found) == rows_expected(policy)


def test_postgres_is_released_into_duckdb(tmp_path: Path, servers: Servers) -> None:
    given = SERVED["postgres"](tables.drawn(), tmp_path, servers)
    policy = elsewhere(f"duckdb://{tmp_path / 'other.duckdb'}")
    write_release(anonymize(given, policy), tmp_path / "out")
    assert rows_in(open_table(tmp_path / "other.duckdb", table="released")) == rows_expected(policy)


def break_in_the_middle(monkeypatch: pytest.MonkeyPatch, engine: Any) -> None:
    """Let an engine fail after the first rows of a release."""
    fetch = type(engine).fetch

    def some(self: Any, query: Any, *rows: int) -> Iterator[pa.RecordBatch]:
        yield next(fetch(self, query, *rows)).slice(0, 5)
        raise ConnectionError("gone")

    monkeypatch.setattr(type(engine), "fetch", some)


@pytest.mark.parametrize(
    ("kind", "new"), [("folder", False), ("postgres", True), ("postgres", False)]
)
def test_a_source_that_breaks_in_the_middle_leaves_nothing_elsewhere(
    kind: str, new: bool, tmp_path: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = open_table({**EMBEDDED, **SERVED}[kind](tables.drawn(), tmp_path, servers))
    assert isinstance(given, EngineTable)
    path = tmp_path / "other.duckdb"
    policy = elsewhere(servers.postgres if kind == "folder" else f"duckdb://{path}", "broken")
    if not new:
        write_release(anonymize(given, elsewhere(str(policy.release.url), "whole")), tmp_path / "a")
    solution = anonymize(given, policy)
    break_in_the_middle(monkeypatch, given.engine)
    with pytest.raises(DataError, match=r"the engine failed \(ConnectionError\)"):
        write_release(solution, tmp_path / "out")
    assert "broken" not in tables_of(servers)
    assert path.exists() == (kind == "postgres" and not new)
    if path.exists():
        with pytest.raises(DataError, match="there is no table 'broken'"):
            open_table(path, table="broken")
    assert not list(tmp_path.glob(".*"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("new", [True, False])
def test_other_rows_than_were_counted_are_not_written_elsewhere(
    new: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "other.duckdb"
    given = EMBEDDED["folder"](tables.drawn(), tmp_path, NOBODY)
    if not new:
        write_release(anonymize(given, elsewhere(f"duckdb://{path}", "whole")), tmp_path / "a")
    solution = anonymize(given, elsewhere(f"duckdb://{path}"))
    monkeypatch.setattr(Releasing, "records", 7)
    with pytest.raises(ReleaseError, match="changed while it was anonymized"):
        write_release(solution, tmp_path / "out")
    assert path.exists() != new
    if not new:
        with pytest.raises(DataError, match="there is no table 'released'"):
            open_table(path, table="released")


def test_an_interrupted_run_takes_its_table_back_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = EMBEDDED["folder"](tables.drawn(), tmp_path, NOBODY)
    solution = anonymize(given, elsewhere(f"duckdb://{tmp_path / 'other.duckdb'}"))

    def fail(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(DuckDB, "digest", fail)
    with pytest.raises(KeyboardInterrupt):
        write_release(solution, tmp_path / "out")
    assert not (tmp_path / "other.duckdb").exists()


def test_where_a_release_cannot_go_is_said_in_one_sentence(tmp_path: Path) -> None:
    given = EMBEDDED["folder"](tables.drawn(), tmp_path, NOBODY)
    (tmp_path / "text.duckdb").write_text("nothing")
    for url, message in {
        f"duckdb://{tmp_path}/none/other.duckdb": "there is no such folder",
        f"duckdb://{tmp_path}/text.duckdb": "may it be written",
        "postgres://ann@127.0.0.1:1/db": r"^postgres://127\.0\.0\.1:1/db: the engine failed",
    }.items():
        with pytest.raises(DataError, match=message) as raised:
            write_release(anonymize(given, elsewhere(url)), tmp_path / "out")
        assert "\n" not in str(raised.value)
        assert "ann@" not in str(raised.value)
    assert (tmp_path / "text.duckdb").read_text() == "nothing"
    with pytest.raises(DataError, match="only a table in a database"):
        write_release(anonymize(tables.drawn(), elsewhere("postgres://h/d")), tmp_path / "out")


def test_the_database_of_the_original_is_not_another(tmp_path: Path) -> None:
    given = EMBEDDED["duckdb"](tables.drawn(), tmp_path, NOBODY)
    solution = anonymize(given, elsewhere(f"duckdb://{tmp_path / 'made.duckdb'}"))
    with pytest.raises(DataError, match="this is the database of the table itself"):
        write_release(solution, tmp_path / "out")


def test_the_address_of_a_release_holds_no_password_and_names_a_table() -> None:
    with pytest.raises(PolicyError, match="the address holds a password"):
        elsewhere("postgres://ann:hunter2@host/db")
    with pytest.raises(PolicyError, match=r"no table is named; add table to \[release\]"):
        tables.policy_of(release={"url": "postgres://host/db"})


def test_without_the_right_to_write_elsewhere_nothing_is_left(
    tmp_path: Path, servers: Servers
) -> None:
    given = EMBEDDED["folder"](tables.drawn(), tmp_path, NOBODY)
    execute(servers, "CREATE ROLE reader LOGIN")
    url = servers.postgres.replace("postgres@", "reader@")
    with pytest.raises(DataError, match=r"the engine failed \(InsufficientPrivilege\)"):
        write_release(anonymize(given, elsewhere(url, "denied")), tmp_path / "out")
    assert "denied" not in tables_of(servers)
