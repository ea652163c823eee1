"""A table in an engine, behind the contract that all tables meet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa

from anonymizer.data.arrays import cells_of_arrow
from anonymizer.data.column import Cells, Tuples
from anonymizer.data.engines.duckdb import DuckDB
from anonymizer.data.engines.engine import Engine, unwritable, working
from anonymizer.data.files import FirstRead, digest_of_file
from anonymizer.data.release import FileKind
from anonymizer.data.table import ReleasePlan, Table, check_rows
from anonymizer.errors import DataError, ReleaseError

FOLDER = "release"
"""What a released folder of files is called."""


@dataclass(frozen=True, eq=False)
class EngineTable(Table):
    """A table that is grouped, joined and written where it is; rows have no order there."""

    source: Any
    """Ibis's table."""
    engine: Engine
    called: str
    files: tuple[Path, ...] = ()
    """The files that the table is made of, where it is made of files."""
    delimiter: str | None = None
    """Of CSV files."""
    counted: dict[tuple[str, ...], Any] = field(default_factory=dict, repr=False)
    """What was aggregated, by columns: a release is made from it."""
    noted: dict[str, str] = field(default_factory=dict, repr=False)
    """The digest of the rows when they were first counted."""

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: a connection is of its process, and with it what was counted."""
        raise DataError(
            f"{self.name}: a table in an engine, or a solution for it, cannot be pickled; keep the "
            "manifest, and use apply."
        )

    @property
    def name(self) -> str:
        """What messages call it: a path, or a table and where it is, without who asks."""
        return self.called

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.source.columns)

    @cached_property
    def types(self) -> Mapping[str, pa.DataType]:
        """The types that Arrow has for the columns."""
        with self.working():
            schema = self.source.schema().to_pyarrow()
        return dict(zip(schema.names, schema.types, strict=True))

    @cached_property
    def rows(self) -> int | None:
        """The number of rows."""
        with self.working():
            return self.engine.count(self.source)

    @property
    def kind(self) -> str:
        """A CSV file where the table is of those; else a folder of Parquet files, without an end."""
        return "" if self.delimiter is None else "csv"

    def file_name(self, kind: FileKind | None = None) -> str:
        """Return what the file or the folder of a release is called."""
        if not self.engine.writes_files:
            raise unwritable(self.name)
        if not self.is_own(kind):
            raise ReleaseError(
                f"{self.name}: an engine writes its release itself; leave out file in [release]."
            )
        return f"{FOLDER}.{self.kind}" if self.kind else FOLDER

    def working(self) -> Any:
        """Say in one sentence that the engine failed."""
        return working(self.name)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows as distinct values, in whatever order the engine has them."""
        if not columns:
            return
        self.check_files()
        with self.working():
            fetched = self.engine.fetch(self.source.select(*columns))
        with closing(fetched):
            while True:
                with self.working():  # not while others work on a batch
                    batch = next(fetched, None)
                if batch is None:
                    return
                yield [cells_of_arrow(column) for column in batch.columns]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns, with their types."""
        with self.working():
            query = self.source.select(*columns)
            return pa.Table.from_batches(self.engine.fetch(query), query.schema().to_pyarrow())

    def aggregate(self, columns: Sequence[str], known: Sequence[Sequence[str]] = ()) -> Tuples:
        """Count the distinct tuples of some columns in the engine; only codes and counts come over."""
        from anonymizer.data.engines.aggregation import aggregate_in, to_tuples  # compiled

        self.check_files()
        self.check_unchanged()
        with self.working():
            found = aggregate_in(self.engine, self.source, columns, self.name)
        check_rows(self, int(found.counts.sum()))
        self.counted[tuple(columns)] = found
        return to_tuples(found, known)

    def to_native(self, plan: ReleasePlan) -> Any:
        """Make a release of the engine's own kind, computed when it is asked for."""
        releasing = self.releasing(plan)
        with self.working():
            return self.engine.native(releasing.query())

    def releasing(self, plan: ReleasePlan) -> Any:
        """Put a plan to what was aggregated."""
        from anonymizer.data.engines.release import Releasing  # compiled

        if plan.grouped is None or plan.grouped.columns not in self.counted:
            raise ReleaseError(f"{self.name}: read the table again; what was counted is not known.")
        found = self.counted[plan.grouped.columns]
        releasing = Releasing(self.engine, self.source, found, plan, plan.grouped, self.types)
        releasing.warn_of_formulas()
        return releasing

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
        """Have the engine write a release, and check that it has the rows that were counted."""
        self.check_files()
        self.check_unchanged()
        releasing = replace(self.releasing(plan), to_file=True)
        with self.working():
            written = self.written(releasing.query(), path, delimiter or self.delimiter)
            if written != releasing.records:
                raise self.changed()

    def write_to(self, plan: ReleasePlan, name: str) -> None:
        """Have the engine write a release to a new table, which is there whole or not at all."""
        self.check_unchanged()
        releasing = self.releasing(plan)
        with self.working():
            if self.engine.write_table(releasing.query(), name) != releasing.records:
                self.engine.drop_table(name)
                raise self.changed()

    def write_into(self, plan: ReleasePlan, path: Path, name: str) -> None:
        """Have DuckDB write a release to a new table of another of its databases."""
        self.check_files()
        releasing = self.releasing(plan)
        with self.working():
            assert isinstance(self.engine, DuckDB)
            if not self.engine.write_into(releasing.query(), path, name, releasing.records):
                raise self.changed()

    def send(self, plan: ReleasePlan, target: Engine, name: str) -> None:
        """Hand a release to another engine, batch by batch, which writes it whole or not at all."""
        self.check_files()
        self.check_unchanged()
        releasing = self.releasing(plan)
        with self.working():
            query = releasing.query()
            batches = self.counted_batches(query, releasing.records)
            target.receive(name, query.schema().to_pyarrow(), batches)

    def counted_batches(self, query: Any, records: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a query; raise a ReleaseError at the end where they are not as many."""
        for batch in self.engine.fetch(query):
            records -= batch.num_rows
            yield batch
        if records:
            raise self.changed()

    def written(self, query: Any, path: Path, delimiter: str | None) -> int:
        """Write rows to a folder of Parquet files, or to a CSV file; return how many there are."""
        if self.delimiter is None:
            return self.engine.write_folder(query, path)
        return self.engine.write_file(query, path, delimiter)

    def digest(self) -> str:
        """Return a digest of the files' bytes, or else of the rows, whatever their order."""
        if not self.files:
            with self.working():
                return self.noted.get("digest") or self.engine.digest(self.source)
        self.check_files()
        digest = hashlib.sha256()
        for path, first in zip(self.files, self.first_read, strict=True):
            digest.update(bytes.fromhex(first.digest or first.check_digest(digest_of_file(path))))
        return digest.hexdigest()

    @cached_property
    def first_read(self) -> tuple[FirstRead, ...]:
        """The files as they were when they were first read."""
        return tuple(map(FirstRead, self.files))

    def check_files(self) -> None:
        """Raise a ReleaseError if a file was replaced or written since it was first read."""
        for first in self.first_read:
            try:
                first.check_stamp()
            except OSError:
                raise DataError(f"{first.path}: the file is no longer there; run again.") from None

    def check_unchanged(self) -> None:
        """Raise a ReleaseError if others wrote the table since it was first counted."""
        if self.files or not self.engine.changes:
            return
        with self.working():
            digest = self.engine.digest(self.source)
        if self.noted.setdefault("digest", digest) != digest:
            raise self.changed()

    def changed(self) -> ReleaseError:
        """Say that what was counted is no longer there."""
        return ReleaseError(f"{self.name} changed while it was anonymized. Run again.")
