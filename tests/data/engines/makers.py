"""One Arrow table as every kind that can be given, those that stay in an engine among them."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from pyarrow import parquet

from anonymizer.data.arrays import batches_of_arrow, texts_of
from anonymizer.data.engines.opening import Address
from anonymizer.data.opening import open_table
from anonymizer.data.release import write_csv

PARTS = 3
"""The files that a table is cut into."""


@dataclass(frozen=True)
class Servers:
    """The servers that some kinds of tables need."""

    find: Callable[[str], Any]

    @property
    def postgres(self) -> str:
        return str(self.find("postgres"))

    @property
    def spark(self) -> Any:
        return self.find("spark")


def in_parts(table: pa.Table) -> list[pa.Table]:
    size = -(-table.num_rows // PARTS)
    return [table.slice(start, size) for start in range(0, table.num_rows, size)]


def write_texts(table: pa.Table, path: Path) -> Path:
    write_csv(texts_of(table.column_names, batches_of_arrow(table)), path, ";")
    return path


def write_parquets(table: pa.Table, folder: Path, _: Servers) -> Path:
    made = folder / "parts"
    made.mkdir()
    for at, part in enumerate(in_parts(table)):
        parquet.write_table(part, made / f"part-{at}.parquet")
    return made


def write_csvs(table: pa.Table, folder: Path, _: Servers) -> Path:
    made = folder / "texts"
    made.mkdir()
    for at, part in enumerate(in_parts(table)):
        write_texts(part, made / f"part-{at}.csv")
    return made / "*.csv"


def write_parquet(table: pa.Table, folder: Path, _: Servers) -> Path:
    parquet.write_table(table, folder / "made.parquet")
    return folder / "made.parquet"


def as_relation(table: pa.Table, _: Path, __: Servers) -> Any:
    import duckdb

    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("CREATE TABLE kept AS SELECT * FROM given")
    return connection.table("kept")


def as_ibis(table: pa.Table, _: Path, __: Servers) -> Any:
    import ibis

    backend = ibis.duckdb.connect()
    backend.con.register("given", table)
    backend.con.execute("CREATE TABLE kept AS SELECT * FROM given")
    return backend.table("kept")


def in_duckdb(table: pa.Table, folder: Path, _: Servers) -> Any:
    import duckdb

    path = folder / "made.duckdb"
    with duckdb.connect(path) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE patients AS SELECT * FROM given")
    return open_table(path, table="patients")


def in_postgres(table: pa.Table, _: Path, servers: Servers) -> Any:
    import ibis

    name = f"patients_{secrets.token_hex(4)}"
    backend = ibis.connect(servers.postgres)
    backend.create_table(name, table)
    backend.disconnect()
    return open_table(Address(servers.postgres), table=name)


def in_spark(table: pa.Table, _: Path, servers: Servers) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas 3
        return servers.spark.createDataFrame(table)


PRESENT: dict[str, Callable[[pa.Table, Path, Servers], Any]] = {
    "pandas": lambda table, *_: table.to_pandas(),
    "polars": lambda table, *_: pl.from_arrow(table),
    "arrow": lambda table, *_: table,
    "csv": lambda table, folder, _: write_texts(table, folder / "made.csv"),
    "parquet": write_parquet,
}
"""Kinds that are read here."""
EMBEDDED: dict[str, Callable[[pa.Table, Path, Servers], Any]] = {
    "folder": write_parquets,
    "glob": lambda *given: write_parquets(*given) / "*.parquet",
    "csv glob": write_csvs,
    "relation": as_relation,
    "ibis": as_ibis,
    "duckdb": in_duckdb,
}
"""Kinds that stay in DuckDB."""
SERVED: dict[str, Callable[[pa.Table, Path, Servers], Any]] = {
    "postgres": in_postgres,
    "spark": in_spark,
}
"""Kinds that need a server."""
KINDS = {**PRESENT, **EMBEDDED, **SERVED}
