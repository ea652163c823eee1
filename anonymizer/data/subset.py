"""The research subset of a table that holds a whole population: those of its rows that are released."""

from __future__ import annotations

from anonymizer.data.columns import read_columns
from anonymizer.data.contract import Table
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.selection import Selection
from anonymizer.errors import DataError


class Subset(Selection):
    """The rows of the members; the table itself is the population."""

    __slots__ = ()


def take_members(table: Table, column: str, value: str) -> Subset:
    """Take the rows that have a value in a column."""
    if isinstance(table, EngineTable):
        raise DataError(
            f"{table.name}: a research subset cannot be taken from a table that stays in an engine; "
            "write its members to a table of their own, and name all people as population_table."
        )
    members = read_columns(table, [column])[column].where(value)
    if not members.any():
        raise DataError(
            f"{table.name}: no row has {value!r} in column '{column}', which marks the research "
            "subset; correct member."
        )
    return Subset(table, members)


def whole_of(table: Table) -> Table:
    """Return the table that a research subset was taken from; any other as it is."""
    return table.origin if isinstance(table, Subset) else table
