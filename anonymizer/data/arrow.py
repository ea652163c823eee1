"""Arrow tables in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from anonymizer.data.batched import BatchedTable
from anonymizer.data.cells import Cells, batches_of_arrow
from anonymizer.data.contract import ArrowStream
from anonymizer.errors import DataError


@dataclass(frozen=True, slots=True, eq=False)
class ArrowTable(BatchedTable):
    """A table in Arrow's memory."""

    content: pa.Table

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the table"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self.content.column_names)

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The types of its columns."""
        return dict(zip(self.columns, self.content.schema.types, strict=True))

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return int(self.content.num_rows)

    @staticmethod
    def of_stream(data: ArrowStream) -> ArrowTable:
        """Read a stream of record batches to its end; it cannot be read again."""
        try:
            return ArrowTable(pa.table(data))
        except (pa.ArrowException, OSError):
            raise DataError(
                f"the data is a {type(data).__name__} that Arrow cannot read as a table; give a "
                "dataframe, or a stream that was not read before."
            ) from None

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield its record batches as distinct values."""
        return batches_of_arrow(self.content.select(list(columns)))

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Return some columns."""
        return self.content.select(list(columns))
