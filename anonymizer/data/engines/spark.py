"""Spark: dataframes and tables of a session."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from anonymizer.data.arrays import BATCH_ROWS
from anonymizer.data.engines.engine import Engine, digest_of_sums, new_name


@dataclass(frozen=True, eq=False)
class Spark(Engine):
    """A Spark session."""

    frames: bool = False
    """Whether a release is to be one of Spark's dataframes."""

    changes = False  # what a dataframe is made of is not written again
    writes_files = True

    def frame(self, query: Any) -> Any:
        """Return a query as Spark's dataframe."""
        self.backend._run_pre_execute_hooks(query)
        return self.backend._session.sql(self.backend.compile(query))

    def view(self, frame: Any) -> Any:
        """Give a dataframe a name, by which queries know it."""
        name = new_name()
        frame.createOrReplaceTempView(name)
        return self.backend.table(name)

    def keep(self, query: Any) -> Any:
        """Compute a query once, when it is first needed; Spark has no temporary tables."""
        return self.view(self.frame(query).persist())

    def forget(self, table: Any) -> None:
        """Let Spark's memory go of a table, and of its name."""
        name = table.get_name()
        self.backend._session.table(name).unpersist()
        self.backend._session.catalog.dropTempView(name)

    def upload(self, table: pa.Table) -> Any:
        """Hand a table over in Arrow's form; without rows, Spark does not take it so."""
        if table.num_rows == 0:
            return super().upload(table)
        return self.view(self.backend._session.createDataFrame(table))

    def fetch(self, query: Any, rows: int = BATCH_ROWS) -> Generator[pa.RecordBatch, None, None]:
        """Fetch the rows of a query."""
        yield from self.frame(query).toArrow().to_batches(max_chunksize=rows)

    def digest(self, query: Any) -> str:
        """Sum two hashes of each row."""
        frame, name = self.frame(query), new_name()
        frame.createOrReplaceTempView(name)
        columns = ", ".join(f"`{column.replace('`', '``')}`" for column in query.columns)
        sums = self.backend._session.sql(
            f"SELECT count(*), sum(cast(xxhash64({columns}) AS DECIMAL(38, 0))), "
            f"sum(cast(xxhash64(1, {columns}) AS DECIMAL(38, 0))) FROM `{name}`"
        ).collect()[0]
        return digest_of_sums(tuple(query.columns), tuple(sums))

    def write_folder(self, query: Any, path: Path) -> int:
        """Write Parquet files, one for each partition."""
        self.frame(query).write.parquet(str(path))
        return int(self.backend._session.read.parquet(str(path)).count())

    def native(self, query: Any) -> Any:
        """Return a dataframe where one was given, or else Ibis's table."""
        return self.frame(query) if self.frames else query
