"""An engine: what is asked of it beside expressions, in the one way that Ibis has for all of them."""

from __future__ import annotations

import hashlib
import secrets
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from anonymizer.data.arrays import BATCH_ROWS
from anonymizer.errors import AnonymizerError, DataError, ReleaseError, values_shown

PREFIX = "anonymizer_"
"""How the names of temporary tables begin."""


@dataclass(frozen=True, eq=False)
class Engine:
    """A database that Ibis is connected to; what its own kind does otherwise, a subclass says."""

    backend: Any

    changes: ClassVar[bool] = True
    """Whether others may write a table while it is anonymized."""
    writes_files: ClassVar[bool] = False
    """Whether the engine writes files by itself."""

    def keep(self, query: Any) -> Any:
        """Compute a query now, into a temporary table."""
        return self.backend.create_table(new_name(), query, temp=True)

    @contextmanager
    def kept(self, query: Any) -> Iterator[Any]:
        """Compute a query now, and let go of it in the end."""
        table = self.keep(query)
        try:
            yield table
        finally:
            self.forget(table)

    def forget(self, table: Any) -> None:
        """Remove a table that was computed."""
        self.drop_table(table.op().name)  # its name alone, not where it is

    def upload(self, table: pa.Table) -> Any:
        """Hand a small table to the engine."""
        import ibis

        return ibis.memtable(table)

    def upload_labels(self, table: pa.Table) -> Any:
        """Hand over what codes become in a file: a column of codes, and one of labels."""
        return self.upload(table)

    def fetch(self, query: Any, rows: int = BATCH_ROWS) -> Generator[pa.RecordBatch, None, None]:
        """Fetch the rows of a query, batch by batch."""
        yield from self.backend.to_pyarrow_batches(query, chunk_size=rows)

    def count(self, query: Any) -> int:
        """Count the rows of a query."""
        return int(self.backend.execute(query.count()))

    def digest(self, query: Any) -> str:
        """Return a digest of the rows of a query, whatever their order."""
        from pandas.util import hash_pandas_object

        total = rows = 0
        for batch in self.fetch(query):
            hashes = hash_pandas_object(batch.to_pandas().astype(str), index=False)
            total, rows = total + sum(map(int, hashes)), rows + batch.num_rows
        return digest_of_sums(query.columns, (rows, total))

    def write_folder(self, query: Any, path: Path) -> int:  # noqa: ARG002
        """Write the rows of a query to a folder of Parquet files; return how many there are."""
        raise unwritable(self.backend.name)

    def write_file(self, query: Any, path: Path, delimiter: str | None) -> int:  # noqa: ARG002
        """Write the rows of a query to one file, of CSV where there is a delimiter; return how many."""
        raise unwritable(self.backend.name)

    def write_table(self, query: Any, name: str) -> int:
        """Write the rows of a query to a new table, which appears whole or not at all."""
        return self.count(self.backend.create_table(name, query))

    def receive(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:  # noqa: ARG002
        """Write the rows of another engine to a new table in one transaction."""
        raise ReleaseError(
            f"{self.backend.name}: only DuckDB and PostgreSQL take the release of another engine; leave "
            "out url in [release]."
        )

    def drop_table(self, name: str) -> None:
        """Remove a table that was written."""
        import sqlglot

        # Ibis's own way leaves out the name with some versions of sqlglot
        quoted = sqlglot.to_identifier(name, quoted=True).sql(self.backend.dialect)
        self.backend.raw_sql(f"DROP TABLE IF EXISTS {quoted}")

    def has_table(self, name: str, schema: str | None = None) -> bool:
        """Whether there is a table of that name."""
        return name in self.backend.list_tables(database=schema)

    def native(self, query: Any) -> Any:
        """Return a query as the kind of object that the engine's users work with."""
        return query


def unwritable(name: str) -> ReleaseError:
    """Return the error for an engine that writes no files."""
    return ReleaseError(
        f"{name}: a table in a database is released as a table there; name it with table in [release]."
    )


def new_name() -> str:
    """Return a name that no table has."""
    return f"{PREFIX}{secrets.token_hex(8)}"


def digest_of_sums(columns: tuple[str, ...], sums: tuple[Any, ...]) -> str:
    """Return the digest of the names of columns and of what an engine summed over the rows."""
    digest = hashlib.sha256("\0".join(columns).encode())
    digest.update("\0".join(str(int(each or 0)) for each in sums).encode())
    return digest.hexdigest()


@contextmanager
def working(name: str, remedy: str = "check it, and run again") -> Iterator[None]:
    """Say in one sentence that an engine failed, without its own words: they may hold cells.

    Ibis calls what DuckDB and pandas advise against.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", FutureWarning)
            warnings.simplefilter("ignore", UserWarning)
            yield
    except AnonymizerError:
        raise
    except Exception as error:  # each engine has errors of its own
        end = "" if remedy.endswith("?") else "."
        raise DataError(f"{name}: {explain(error)}; {remedy}{end}") from None


def explain(error: Exception) -> str:
    """Name what an engine complains of; its own words only where cells may be shown."""
    said = f": {' '.join(str(error).split())}" if values_shown() else ""
    return f"the engine failed ({type(error).__name__}{said})"
