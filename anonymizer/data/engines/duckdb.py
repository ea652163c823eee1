"""DuckDB: in this process, on files larger than memory or on a database of its own."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from anonymizer.data.arrays import BATCH_ROWS
from anonymizer.data.engines.engine import Engine, digest_of_sums, new_name

LARGEST_FILE = "256MB"
"""Of the files in a folder, before another is begun."""
MOST_LABELS = 10_000
"""With more of them in a column, a dictionary in every part of a file would take too much."""
SHARE_OF_MEMORY = 0.5
"""What DuckDB may take of the machine's memory unless --memory says otherwise; the rest spills."""


@dataclass(frozen=True, eq=False)
class DuckDB(Engine):
    """A connection to DuckDB."""

    relations: bool = False
    """Whether a release is to be one of DuckDB's relations."""

    changes = False  # files are watched, and a database has one process that writes
    writes_files = True

    def upload_labels(self, table: pa.Table) -> Any:
        """Make texts an ENUM, whose numbers a Parquet file takes as they are: in a third of the time.

        Every value of an ENUM is in the file: it must have no labels but those that are released.
        """
        codes, labels = table.column_names
        texts = table[labels].drop_null().unique().to_pylist()
        if table.schema.field(labels).type != pa.string() or not 0 < len(texts) <= MOST_LABELS:
            return super().upload_labels(table)
        given, kind = new_name(), f"ENUM ({', '.join(map(quoted, texts))})"
        self.backend.con.register(given, table)
        name, label = new_name(), identifier(labels)
        self.backend.con.execute(
            f"CREATE TEMP TABLE {name} AS "
            f"SELECT {identifier(codes)}, {label}::{kind} AS {label} FROM {given}"
        )
        self.backend.con.unregister(given)
        return self.backend.table(name)

    def fetch(self, query: Any, rows: int = BATCH_ROWS) -> Generator[pa.RecordBatch, None, None]:
        """Fetch the rows of a query, as they are computed."""
        kind = query.schema().to_pyarrow()
        with self.relation(query).to_arrow_reader(rows) as reader:  # or nothing else can be asked
            for batch in reader:
                yield pa.RecordBatch.from_arrays(
                    [cast(c, k) for c, k in zip(batch.columns, kind.types, strict=True)],
                    names=kind.names,
                )

    def has_table(self, name: str, schema: str | None = None) -> bool:
        """Whether there is a table of that name."""
        found = self.backend.con.execute(
            "SELECT count(*) FROM information_schema.tables WHERE table_name = ? AND table_schema = ?",
            [name, schema or "main"],
        ).fetchall()
        return bool(found[0][0])

    def list_tables(self) -> list[str]:
        """List the tables of the schema that is looked at first, by their names."""
        found = self.backend.con.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY 1"
        ).fetchall()
        return [name for (name,) in found]

    def receive(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        """Write the rows of another engine to a new table, as they come."""
        given, failed = new_name(), list[BaseException]()
        reader = pa.RecordBatchReader.from_batches(schema, noting(batches, failed))
        self.backend.con.register(given, reader)
        try:
            self.backend.con.execute(f"CREATE TABLE {identifier(name)} AS SELECT * FROM {given}")
        except Exception as error:
            raise failed[0] if failed else error from None
        finally:
            self.backend.con.unregister(given)

    def holds(self, path: Path) -> bool:
        """Whether a file is the connection's own database."""
        listed = self.backend.con.execute("SELECT path FROM duckdb_databases()").fetchall()
        return any(own is not None and Path(own).resolve() == path.resolve() for (own,) in listed)

    @contextmanager
    def attached(self, path: Path) -> Iterator[str]:
        """Attach another database, and detach it again; yield its name."""
        name = new_name()
        self.backend.con.execute(f"ATTACH {quoted(str(path))} AS {name} (READ_WRITE)")
        try:
            yield name
        finally:
            self.backend.con.execute(f"DETACH {name}")

    def write_into(self, query: Any, path: Path, name: str, rows: int) -> bool:
        """Write a query to a table of another database if it has so many rows; say whether it has."""
        self.backend._run_pre_execute_hooks(query)
        inner, connection = self.backend.compile(query), self.backend.con
        with self.attached(path) as database:
            connection.begin()
            same = False
            try:
                target = f"{database}.main.{identifier(name)}"
                made = connection.execute(f"CREATE TABLE {target} AS {inner}").fetchall()
                if same := made[0][0] == rows:
                    connection.commit()
            finally:
                if not same:
                    connection.rollback()
        return bool(same)

    def view(self, select: str) -> Any:
        """Give a query in DuckDB's words a name, by which others know it."""
        name = new_name()
        self.backend.con.execute(f"CREATE TEMP VIEW {name} AS {select}")
        return self.backend.table(name)

    def relation(self, query: Any) -> Any:
        """Return a query as DuckDB's relation, computed by a cursor of its own when asked for."""
        return self.backend._to_duckdb_relation(query)

    def digest(self, query: Any) -> str:
        """Sum a hash of each row."""
        names = ", ".join(f't."{name.replace(chr(34), chr(34) * 2)}"' for name in query.columns)
        inner = self.backend.compile(query)
        sums = self.backend.con.execute(
            f"SELECT count(*), sum(hash({names})::HUGEINT), sum(hash({names}, 1)::HUGEINT) "
            f"FROM ({inner}) AS t"
        ).fetchall()
        return digest_of_sums(tuple(query.columns), sums[0])

    def write_folder(self, query: Any, path: Path) -> int:
        """Write Parquet files of a size that can be handled."""
        return self.copy(query, path, f"FORMAT parquet, FILE_SIZE_BYTES '{LARGEST_FILE}'")

    def write_file(self, query: Any, path: Path, delimiter: str | None) -> int:
        """Write one file."""
        if delimiter is None:
            return self.copy(query, path, "FORMAT parquet")
        return self.copy(query, path, f"FORMAT csv, HEADER, DELIMITER {quoted(delimiter)}")

    def copy(self, query: Any, path: Path, options: str) -> int:
        """Write the rows of a query to files; return how many there are."""
        self.backend._run_pre_execute_hooks(query)
        inner = self.backend.compile(query)
        command = f"COPY ({inner}) TO {quoted(str(path))} ({options})"
        return int(self.backend.con.execute(command).fetchall()[0][0])

    def native(self, query: Any) -> Any:
        """Return a relation where one was given, or else Ibis's table."""
        return self.relation(query) if self.relations else query


def cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column in the type that Ibis states for it, which all engines share."""
    return column if column.type == kind else column.cast(kind)


def quoted(text: str) -> str:
    """Write a text as SQL does."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Write a name as SQL does."""
    return '"' + name.replace('"', '""') + '"'


def noting(
    batches: Iterator[pa.RecordBatch], failed: list[BaseException]
) -> Iterator[pa.RecordBatch]:
    """Yield batches; note why there are no more, which DuckDB words otherwise."""
    try:
        yield from batches
    except BaseException as error:
        failed.append(error)
        raise


def connect_duckdb(
    memory: str | None, database: Path | None = None, writable: bool = False
) -> DuckDB:
    """Connect to DuckDB with a limit on its memory; what is above is spilled to a temporary folder."""
    import ibis

    limit = memory or f"{int(physical_memory() * SHARE_OF_MEMORY) >> 20}MiB"
    config: dict[str, Any] = {
        "memory_limit": limit,
        "temp_directory": spill_folder(os.getpid()),
        "preserve_insertion_order": True,
    }
    if database is None:
        return DuckDB(ibis.duckdb.connect(**config))
    return DuckDB(ibis.duckdb.connect(database, read_only=not writable, **config))


@cache
def spill_folder(process: int) -> str:
    """Make a process's folder for what is spilled: rows of the original, for its owner alone."""
    folder = tempfile.mkdtemp(prefix=f"anonymizer-duckdb-{process}-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def physical_memory() -> int:
    """Return the bytes of memory that the machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
