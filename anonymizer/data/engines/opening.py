"""Opening tables that stay in an engine: folders of files, databases, and objects of the engines."""

from __future__ import annotations

import glob
import os
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from anonymizer.data.csv import CsvTable
from anonymizer.data.engines.duckdb import DuckDB, connect_duckdb
from anonymizer.data.engines.engine import Engine, working
from anonymizer.data.engines.postgres import Postgres
from anonymizer.data.engines.spark import Spark
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.files import check_path
from anonymizer.errors import DataError, import_extra, quote_some

PASSWORD = (
    "the address holds a password; remove it, and leave it to the environment (PGPASSWORD, ~/.pgpass) "
    "or to the engine's own configuration"
)


SECRET_KEYS = ("password", "passwd", "pwd", "token", "secret", "key", "credential", "sslpassword")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is; its text tells neither who asks nor how."""

    url: str = field(repr=False)

    def __str__(self) -> str:
        return describe_address(self.url)


def holds_secret(url: str) -> bool:
    """Whether an address holds a password, a token or the like.

    >>> holds_secret("postgres://ann:pw@host/db"), holds_secret("postgres://ann@host/db")
    (True, False)
    """
    parts = urlsplit(url)
    named = [name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    return parts.password is not None or any(
        secret in name for name in named for secret in SECRET_KEYS
    )


def describe_address(url: str) -> str:
    """Return an address without who asks and how.

    >>> describe_address("postgres://ann@host:5432/db?sslmode=require")
    'postgres://host:5432/db'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


Where = Path | Address | None
"""Another database, DuckDB's by its path; None is the one that the original is in."""


DUCKDB = "duckdb://"
"""How the address of a DuckDB database begins."""


def locate(url: str | None, folder: Path) -> Where:
    """Return where a release goes; the path of a DuckDB database is relative to a folder.

    >>> locate("duckdb://released.duckdb", Path("/data"))
    PosixPath('/data/released.duckdb')
    """
    if url is None:
        return None
    return folder / url.removeprefix(DUCKDB) if url.startswith(DUCKDB) else Address(url)


ENGINES: dict[str, Callable[[Any], Engine]] = {
    "duckdb": DuckDB,
    "postgres": Postgres,
    "pyspark": Spark,
}
"""Engines that have ways of their own, by Ibis's name for them; all others are `Engine`."""


DATABASES = (".duckdb", ".ddb")
"""How the names of DuckDB's databases end."""


PARQUET, CSV = ".parquet", ".csv"


MOST_FOUND = 100_000
"""Files and folders below a path; more of them are not one table, but a whole disk."""


def is_several(path: Path) -> bool:
    """Whether a path stands for several files: a folder, or a name with wildcards."""
    return path.is_dir() or (not path.exists() and glob.has_magic(str(path)))


def is_database(path: Path) -> bool:
    """Whether a path is that of a DuckDB database."""
    return path.suffix.lower() in DATABASES


def open_files(
    path: Path, delimiter: str | None = None, encoding: str | None = None, memory: str | None = None
) -> EngineTable:
    """Open a folder of Parquet or CSV files, or those that wildcards stand for, as one table."""
    check_path(path)
    files = find_files(path)
    kinds = {PARQUET if file.suffix.lower() == PARQUET else CSV for file in files}
    if len(kinds) > 1:
        raise DataError(f"{path}: there are Parquet and other files; name those that are meant.")
    load_ibis(str(path))
    with working(str(path), "is each of them a whole file with the same columns?"):
        engine = connect_duckdb(memory)
        names = [str(file) for file in files]
        if kinds == {PARQUET}:
            source = engine.backend.read_parquet(
                names, hive_partitioning=is_partitioned(path, files)
            )
            return EngineTable(source, engine, str(path), files)
        first = CsvTable(files[0], delimiter, encoding)
        options = {"encoding": first.encoding} if first.encoding != "utf-8" else {}
        source = engine.backend.read_csv(
            names, header=True, all_varchar=True, delim=first.delimiter, quote='"', escape='"',
            nullstr="", **options,
        )  # fmt: skip
        return EngineTable(source, engine, str(path), files, first.delimiter)


def find_files(path: Path) -> tuple[Path, ...]:
    """List the files of a folder, with those in folders below, or those that wildcards stand for."""
    every = glob.iglob(str(path / "**" if path.is_dir() else path), recursive=True)
    found = list(islice(every, MOST_FOUND + 1))
    if len(found) > MOST_FOUND:
        raise DataError(
            f"{path}: there are more than {MOST_FOUND:,} files and folders; name those that are meant."
        )
    files = tuple(Path(name) for name in sorted(found) if is_data(Path(name)))
    if not files:
        where = "this is a folder. There" if path.is_dir() else "there"
        raise DataError(f"{path}: {where} are no Parquet or CSV files; check the path.")
    if unreadable := [str(file) for file in files if not os.access(file, os.R_OK)]:
        raise DataError(f"{quote_some(unreadable)} may not be read; check the permissions.")
    return files


def is_data(path: Path) -> bool:
    """Whether a file is one of those that hold rows, not a mark such as _SUCCESS."""
    packed = path.with_suffix("").suffix.lower() if path.suffix in (".gz", ".zst") else ""
    kind = path.suffix.lower() in (PARQUET, CSV) or packed == CSV
    return path.is_file() and kind and not path.name.startswith((".", "_"))


def is_partitioned(path: Path, files: tuple[Path, ...]) -> bool:
    """Whether the names of folders below hold values, as in year=2024."""
    return path.is_dir() and any("=" in file.parent.name for file in files)


def open_database(
    path: Path, table: str | None, memory: str | None = None, writable: bool = False
) -> EngineTable:
    """Open a table of a DuckDB database."""
    check_path(path)
    if not path.is_file():
        raise DataError(f"{path}: there is no such database; check the path.")
    load_ibis(str(path))
    with working(str(path), "is it a DuckDB database that no other process has open?"):
        engine = connect_duckdb(memory, path, writable)
    return find_table(engine, table, str(path))


def list_tables(path: Path) -> list[str]:
    """List the tables of a DuckDB database, in the order of their names."""
    check_path(path)
    if not path.is_file():
        raise DataError(f"{path}: there is no such database; check the path.")
    load_ibis(str(path))
    with working(str(path), "is it a DuckDB database that no other process has open?"):
        return connect_duckdb(None, path).list_tables()


def open_address(address: Address, table: str | None) -> EngineTable:
    """Open a table of a database that Ibis can connect to."""
    engine = connect_address(address)
    weakref.finalize(engine, engine.backend.disconnect)  # it was opened here
    return find_table(engine, table, str(address))


def connect_address(address: Address) -> Engine:
    """Connect to a database by Ibis."""
    where = str(address)
    if holds_secret(address.url):
        raise DataError(f"{where}: {PASSWORD}.")
    load_ibis(where)
    import ibis

    with working(where, "check the address, the server and the credentials in the environment"):
        return engine_of(ibis.connect(address.url))


def find_table(engine: Engine, table: str | None, where: str) -> EngineTable:
    """Find a table by its name, which may begin with that of a schema."""
    if table is None:
        raise DataError(f"{where}: no table is named; add table to [data].")
    *schema, name = table.split(".")
    with working(where):
        there = engine.has_table(name, *schema[:1])
    if not there:
        raise DataError(f"{where}: there is no table '{table}', or it may not be read; check both.")
    with working(f"{where}, table '{table}'"):
        source = engine.backend.table(name, database=schema[0] if schema else None)
    return EngineTable(source, engine, f"{where}, table '{table}'")


def engine_of(backend: Any) -> Engine:
    """Return the engine behind one of Ibis's backends."""
    return ENGINES.get(backend.name, Engine)(backend)


def open_ibis(table: Any) -> EngineTable:
    """Take one of Ibis's tables; one that is bound to no engine is computed by DuckDB."""
    with working("the table"):
        backends, _ = table._find_backends()
        engine = engine_of(backends[0]) if backends else connect_duckdb(None)
        return EngineTable(table, engine, "the table")


def open_relation(relation: Any) -> EngineTable:
    """Take one of DuckDB's relations."""
    load_ibis("the relation")
    import ibis

    with working("the relation", "pass it as one of Ibis's tables"):
        backend = ibis.duckdb.from_connection(relation._con)
        engine = DuckDB(backend, relations=True)
        return EngineTable(engine.view(relation.sql_query()), engine, "the relation")


def open_spark(frame: Any) -> EngineTable:
    """Take one of Spark's dataframes."""
    load_ibis("the dataframe", "spark")
    import ibis

    with working("the dataframe"):
        engine = Spark(ibis.pyspark.connect(frame.sparkSession), frames=True)
        return EngineTable(engine.view(frame), engine, "the dataframe")


def load_ibis(where: str, extra: str = "engines") -> None:
    """Import Ibis, or say how to install it."""
    import_extra("ibis", f"{where}: a table in an engine", extra)
