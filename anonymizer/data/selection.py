"""Some rows of a table: the research subset of a population, or a sample of people.

Who is drawn follows from the steward's secret key, so that the same run draws the same people again and
nobody else can tell who they are. Where a column says whose a row is, people are drawn with all their
rows, each on their own account: they are in the sample of next month's table too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.column import Cells, Column
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.rebuild import choose
from anonymizer.data.secret import keyed_digest
from anonymizer.data.table import File, ReleasePlan, Table, WrappedTable, read_columns
from anonymizer.errors import DataError, percent


@dataclass(frozen=True, eq=False)
class Selection(WrappedTable):
    """The rows of a table that were chosen; a release is made by the table itself."""

    chosen: NDArray[np.bool_]
    """Which rows of the table these are."""

    @property
    def rows(self) -> int:
        """The number of rows that were chosen."""
        return int(self.chosen.sum())

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows that were chosen, batch by batch."""
        if not columns:  # batches without a column do not say how many rows they have
            return
        start = 0
        for batch in self.origin.batches(columns):
            end = start + batch[0].indices.size
            chosen = self.chosen[start:end]
            yield [Cells(cells.indices[chosen], cells.distinct) for cells in batch]
            start = end

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns, with their types."""
        whole, rows = self.origin.read(columns), np.flatnonzero(self.chosen)
        return pa.table({name: choose(whole.column(name), rows) for name in whole.column_names})

    def release(self, plan: ReleasePlan, target: File | None = None) -> Any:
        """Have the table itself make a release."""
        return self.origin.release(self.of_origin(plan), target)

    def of_origin(self, plan: ReleasePlan) -> ReleasePlan:
        """Say the same of the rows of the whole table; those not chosen are not released."""
        rows = np.flatnonzero(self.chosen)
        tuple_of_row = np.zeros(self.chosen.size, plan.tuple_of_row.dtype)
        tuple_of_row[rows] = plan.tuple_of_row
        return replace(plan, tuple_of_row=tuple_of_row, rows=rows[plan.rows])


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


class Sample(Selection):
    """The rows of a table that were drawn."""


def draw_sample(table: Table, share: float, person: str | None) -> Table:
    """Draw a share of the people of a table; what is a sample already stays as it is."""
    if share == 1 or isinstance(table, Sample):
        return table
    if isinstance(table, EngineTable):
        raise DataError(
            f"{table.name}: a sample cannot be drawn from a table that stays in an engine; leave out "
            "`sample`, and draw it there."
        )
    if person is None:
        drawn = draw_rows(count_rows(table), share)
    else:
        drawn = draw_people(read_columns(table, [person])[person], share)
    if not drawn.any():
        raise DataError(
            f"{table.name}: none of {drawn.size} rows is in a sample of {percent(share, 2)}; raise "
            "`sample`."
        )
    return Sample(table, drawn)


def count_rows(table: Table) -> int:
    """Return the number of rows, which a text file does not tell before it is read."""
    if table.rows is not None:
        return table.rows
    return sum(batch[0].indices.size for batch in table.batches(table.columns[:1]))


def draw_rows(rows: int, share: float) -> NDArray[np.bool_]:
    """Draw each row with a probability, by its place in the table."""
    seed = int(keyed_digest("sample", b"rows"), 16)
    return np.asarray(np.random.default_rng(seed).random(rows) < share)


def draw_people(person: Column, share: float) -> NDArray[np.bool_]:
    """Draw each person with a probability, by what they are called; a person has all rows or none."""
    key, limit = bytes.fromhex(keyed_digest("sample", b"people")), int(share * 2**64)
    hashes = (hashlib.blake2b(text.encode(), digest_size=8, key=key) for text in person.texts)
    drawn = np.array([int.from_bytes(each.digest()) < limit for each in hashes], np.bool_)
    return drawn[person.codes]
