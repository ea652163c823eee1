"""Tables of a study: rows in memory, and a name by which messages tell one from the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from anonymizer.data.arrow import ArrowTable
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.table import Table, WrappedTable


@dataclass(frozen=True, eq=False)
class FetchedTable(WrappedTable):
    """What an engine has, fetched once, since its rows have no order there; released from memory."""

    @cached_property
    def content(self) -> ArrowTable:
        """The rows in Arrow's memory."""
        return ArrowTable(self.origin.read(self.origin.columns))


@dataclass(frozen=True, eq=False)
class NamedTable(WrappedTable):
    """A dataframe that messages call by the name that it is given by."""

    called: str

    @property
    def name(self) -> str:
        """How messages call it."""
        return self.called


def fetch(table: Table) -> Table:
    """Have the rows of a table in an engine in memory; any other table as it is."""
    return FetchedTable(table) if isinstance(table, EngineTable) else table
