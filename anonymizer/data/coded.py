"""Tables whose columns are in memory as codes: a table that was read once, or one that was computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonymizer.data.batched import BatchedTable
from anonymizer.data.cells import Cells
from anonymizer.data.columns import Coded, read_columns
from anonymizer.data.contract import Table


@dataclass(frozen=True, slots=True, eq=False)
class CodedTable(BatchedTable):
    """Columns as codes; they stand for those of another table where they were read from one."""

    coded: Mapping[str, Coded]
    origin: Table | None = None

    @property
    def name(self) -> str:
        """How messages call the table that was read."""
        return "the table" if self.origin is None else self.origin.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns of the table that was read."""
        return tuple(self.coded) if self.origin is None else self.origin.columns

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return next((column.codes.size for column in self.coded.values()), None)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield all rows at once: they are in memory already."""
        yield [Cells(self.coded[name].codes, self.coded[name].texts) for name in columns]

    def digest(self) -> str:
        """Return the digest of the table that was read."""
        assert self.origin is not None, "a table that was computed has no digest"
        return self.origin.digest()


def load(table: Table, columns: Sequence[str]) -> CodedTable:
    """Read some columns of a table once, for all who ask for them later."""
    return CodedTable(read_columns(table, list(dict.fromkeys(columns))), table)
