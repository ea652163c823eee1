"""Some rows of a table, chosen before anything else is done; the others are read past."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.cells import Cells
from anonymizer.data.plan import ReleasePlan
from anonymizer.data.rebuild import choose
from anonymizer.data.wrapped import WrappedTable


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

    def release(self, plan: ReleasePlan) -> Any:
        """Make a release of the kind of the table itself."""
        return self.origin.release(self.of_origin(plan))

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
        """Write a release as the table itself does."""
        self.origin.write(self.of_origin(plan), path, delimiter)

    def of_origin(self, plan: ReleasePlan) -> ReleasePlan:
        """Say the same of the rows of the whole table; those not chosen are not released."""
        rows = np.flatnonzero(self.chosen)
        tuple_of_row = np.zeros(self.chosen.size, plan.tuple_of_row.dtype)
        tuple_of_row[rows] = plan.tuple_of_row
        return replace(plan, tuple_of_row=tuple_of_row, rows=rows[plan.rows])
