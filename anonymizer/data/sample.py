"""A sample of a table: some of its people, drawn at random before anything else is done.

Who is drawn follows from the steward's secret key, so that the same run draws the same people again and
nobody else can tell who they are. Where a column says whose a row is, people are drawn with all their
rows, each on their own account: they are in the sample of next month's table too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.batched import BatchedTable
from anonymizer.data.cells import Cells
from anonymizer.data.columns import Coded, read_columns
from anonymizer.data.contract import Table
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.plan import ReleasePlan
from anonymizer.data.rebuild import choose
from anonymizer.data.secret import keyed_digest
from anonymizer.errors import DataError


@dataclass(frozen=True, slots=True, eq=False)
class Sample(BatchedTable):
    """The rows of a table that were drawn; the others are read past."""

    origin: Table
    drawn: NDArray[np.bool_]
    """Which rows of the table are in the sample."""

    @property
    def name(self) -> str:
        """How messages call the table that was drawn from."""
        return self.origin.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.origin.columns

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The types of the columns."""
        return self.origin.types

    @property
    def rows(self) -> int:
        """The number of rows that were drawn."""
        return int(self.drawn.sum())

    @property
    def file_name(self) -> str:
        """What the table that was drawn from calls it."""
        return self.origin.file_name

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows that were drawn, batch by batch."""
        if not columns:  # batches without a column do not say how many rows they have
            return
        start = 0
        for batch in self.origin.batches(columns):
            end = start + batch[0].indices.size
            drawn = self.drawn[start:end]
            yield [Cells(cells.indices[drawn], cells.distinct) for cells in batch]
            start = end

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns, with their types."""
        whole, rows = self.origin.read(columns), np.flatnonzero(self.drawn)
        return pa.table({name: choose(whole.column(name), rows) for name in whole.column_names})

    def release(self, plan: ReleasePlan) -> Any:
        """Make a release of the kind of the table itself."""
        return self.origin.release(self.of_origin(plan))

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
        """Write a release as the table itself does."""
        self.origin.write(self.of_origin(plan), path, delimiter)

    def of_origin(self, plan: ReleasePlan) -> ReleasePlan:
        """Say the same of the rows of the table that was drawn from; those not drawn are not released."""
        rows = np.flatnonzero(self.drawn)
        tuple_of_row = np.zeros(self.drawn.size, plan.tuple_of_row.dtype)
        tuple_of_row[rows] = plan.tuple_of_row
        return replace(plan, tuple_of_row=tuple_of_row, rows=rows[plan.rows])

    def digest(self) -> str:
        """Return the digest of the table that was drawn from."""
        return self.origin.digest()


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
            f"{table.name}: none of {drawn.size} rows is in a sample of {share:.2%}; raise `sample`."
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


def draw_people(person: Coded, share: float) -> NDArray[np.bool_]:
    """Draw each person with a probability, by what they are called; a person has all rows or none."""
    key, limit = bytes.fromhex(keyed_digest("sample", b"people")), int(share * 2**64)
    hashes = (hashlib.blake2b(text.encode(), digest_size=8, key=key) for text in person.texts)
    drawn = np.array([int.from_bytes(each.digest()) < limit for each in hashes], np.bool_)
    return drawn[person.codes]
