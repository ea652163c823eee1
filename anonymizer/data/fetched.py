"""Tables of a study: rows in memory, and a name by which messages tell one from the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from anonymizer.data.arrow import ArrowTable
from anonymizer.data.column import Cells
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.release import FileKind
from anonymizer.data.table import File, ReleasePlan, Table, WrappedTable


@dataclass(frozen=True, eq=False)
class FetchedTable(WrappedTable):
    """What an engine has, fetched once, since its rows have no order there; released from memory."""

    @cached_property
    def content(self) -> ArrowTable:
        """The rows in Arrow's memory."""
        return ArrowTable(self.origin.read(self.origin.columns))

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return self.content.rows

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The types of the columns."""
        return self.content.types

    @property
    def kind(self) -> str:
        """What kind of file its releases become."""
        return self.content.kind

    def file_name(self, kind: FileKind | None = None) -> str:
        """Return what the file of a release is called."""
        return self.content.file_name(kind)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows."""
        return self.content.batches(columns)

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Return some columns."""
        return self.content.read(columns)

    def release(self, plan: ReleasePlan, target: File | None = None) -> Any:
        """Make a release of the rows in memory."""
        return self.content.release(plan, target)


@dataclass(frozen=True, eq=False)
class NamedTable(WrappedTable):
    """A dataframe that messages call by the name that it is given by."""

    called: str

    @property
    def name(self) -> str:
        """How messages call it."""
        return self.called

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return self.origin.rows

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows of the dataframe."""
        return self.origin.batches(columns)


def fetch(table: Table) -> Table:
    """Have the rows of a table in an engine in memory; any other table as it is."""
    return FetchedTable(table) if isinstance(table, EngineTable) else table
