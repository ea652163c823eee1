"""Tables in memory: columns as codes, computed or read once for all who ask; rows that an engine had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.arrow import ArrowTable
from anonymizer.data.column import Cells, Column, Tuples, code_columns
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.table import Table, WrappedTable, read_columns


@dataclass(frozen=True, slots=True, eq=False)
class CodedTable(Table):
    """Columns that were computed as codes."""

    coded: Mapping[str, Column]
    counts: NDArray[np.int64] | None = None
    """How often each row occurs, where equal rows are one; None: once."""

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the table"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.coded)

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return rows_of(self.coded)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield all rows at once: they are in memory already."""
        yield cells_of(self.coded, columns)

    def aggregate(self, columns: Sequence[str], known: Sequence[Sequence[str]] = ()) -> Tuples:
        """Count the distinct tuples of some columns, each row as often as it occurs."""
        tuples = Table.aggregate(self, columns, known)
        if self.counts is None:
            return tuples
        counts = np.bincount(tuples.tuple_of_row, self.counts, tuples.counts.size)
        return replace(tuples, counts=counts.astype(np.int32), grouped=True)


@dataclass(frozen=True, eq=False)
class LoadedTable(WrappedTable):
    """Some columns of a table, read in one pass when they are first asked for, and kept.

    A column that the table does not have, or has twice, is left to the checks of those who ask. A release
    is made by the table itself.
    """

    wanted: tuple[str, ...]

    @cached_property
    def coded(self) -> dict[str, Column]:
        """The columns as codes."""
        times = Counter(self.origin.columns)
        return read_columns(self.origin, [name for name in self.wanted if times[name] == 1])

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return rows_of(self.coded)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield all rows at once."""
        yield cells_of(self.coded, columns)

    def digest(self) -> str:
        """Return the digest of the table that is read; of a file it is made on the way."""
        assert self.coded is not None
        return self.origin.digest()


def read_once(table: Table, columns: Sequence[str]) -> Table:
    """Have some columns read once; a table that stays in an engine is asked again, and counts there."""
    return table if isinstance(table, EngineTable) else load(table, columns)


def read_first(table: Table, columns: Sequence[str]) -> tuple[dict[str, Column], Table]:
    """Read the first batch of some columns as codes.

    Where that is all there is, the table that is returned has it, and is not read again.
    """
    batches = table.batches(columns)
    coded = code_columns(columns, islice(batches, 1))
    if isinstance(table, EngineTable) or next(batches, None) is not None:
        return coded, table
    loaded = load(table, columns)
    vars(loaded)["coded"] = coded  # what it would read when first asked
    return coded, loaded


def read_counted(
    table: Table, columns: Sequence[str]
) -> tuple[dict[str, Column], NDArray[np.int64] | None]:
    """Read columns as codes; where an engine counts equal rows, these come once, with how often.

    The counts are None where every row has come.
    """
    if not isinstance(table, EngineTable):
        return read_columns(table, columns), None
    tuples = table.aggregate(columns)
    pairs = zip(columns, tuples.codes, tuples.texts, strict=True)
    return {name: Column(codes, texts) for name, codes, texts in pairs}, tuples.counts.astype(
        np.int64
    )


def load(table: Table, columns: Sequence[str]) -> LoadedTable:
    """Have some columns of a table read once, for all who ask for them."""
    return LoadedTable(table, tuple(dict.fromkeys(columns)))


def rows_of(coded: Mapping[str, Column]) -> int | None:
    """Return the number of rows of columns; None without any."""
    return next((column.codes.size for column in coded.values()), None)


def cells_of(coded: Mapping[str, Column], columns: Sequence[str]) -> list[Cells]:
    """Return columns as cells."""
    return [Cells(coded[name].codes, coded[name].texts) for name in columns]


# --- tables of a study ---


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
