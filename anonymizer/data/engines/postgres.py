"""PostgreSQL: tables that stay in the database."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from anonymizer.data.engines.engine import Engine, digest_of_sums, new_name

# what it logs where nobody listens goes to the terminal: a server that dies is said in one sentence
logging.getLogger("psycopg").addHandler(logging.NullHandler())


@dataclass(frozen=True, eq=False)
class Postgres(Engine):
    """A connection to PostgreSQL."""

    def upload(self, table: pa.Table) -> Any:
        """Copy a table into a temporary one: row by row, as Ibis does it, takes long."""
        import ibis

        kept = self.backend.create_table(
            new_name(), schema=ibis.Schema.from_pyarrow(table.schema), temp=True
        )
        connection = self.backend.con
        with connection.transaction(), connection.cursor() as cursor:
            with cursor.copy(f'COPY "{kept.get_name()}" FROM STDIN') as copy:
                copy_rows(copy, table.to_batches())
            cursor.execute(f'ANALYZE "{kept.get_name()}"')
        return kept

    def receive(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        """Write the rows of another engine to a new table, in one transaction."""
        import ibis
        import sqlglot

        table = sqlglot.to_identifier(name, quoted=True).sql("postgres")
        columns = ibis.Schema.from_pyarrow(schema).to_sqlglot_column_defs("postgres")
        defined = ", ".join(column.sql("postgres") for column in columns)
        connection = self.backend.con
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {table} ({defined})")
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                copy_rows(copy, batches)

    def keep(self, query: Any) -> Any:
        """Compute a query now, and let the planner know how large it is."""
        kept = super().keep(query)
        connection = self.backend.con
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute(f'ANALYZE "{kept.get_name()}"')
        return kept

    def drop_table(self, name: str) -> None:
        """Remove a table that was written, in a transaction of its own."""
        with self.backend.con.transaction():
            super().drop_table(name)

    def digest(self, query: Any) -> str:
        """Sum two hashes of each row's text."""
        inner = self.backend.compile(query)
        connection = self.backend.con
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*), sum(hashtextextended(t::text, 0)::numeric), "
                f"sum(hashtextextended(t::text, 1)::numeric) FROM ({inner}) AS t"
            )
            sums = cursor.fetchone()
        return digest_of_sums(tuple(query.columns), sums)


def copy_rows(copy: Any, batches: Iterable[pa.RecordBatch]) -> None:
    """Copy batches row by row."""
    for batch in batches:
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            copy.write_row(row)
