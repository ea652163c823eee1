"""Dates as the days since an index date: computed while a table is read, its rows as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from anonymizer.data.arrays import texts_of
from anonymizer.data.column import Cells, Column
from anonymizer.data.table import File, ReleasePlan, WrappedTable


@dataclass(frozen=True, eq=False)
class ElapsedTable(WrappedTable):
    """A table in which some columns of dates are numbers of days."""

    elapsed: Mapping[str, Column]

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The types of its columns; a number of days is a text, as intervals of them are."""
        return {**self.origin.types, **dict.fromkeys(self.elapsed, pa.string())}

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return next(iter(self.elapsed.values())).codes.size

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows, batch by batch, with numbers of days in place of dates."""
        own = [name for name in columns if name not in self.elapsed]
        start = 0
        for batch in self.origin.batches(own) if own else [[]]:
            end = start + batch[0].indices.size if own else self.rows
            cells = dict(zip(own, batch, strict=True))
            for name in self.elapsed.keys() & set(columns):
                column = self.elapsed[name]
                cells[name] = Cells(column.codes[start:end], column.texts)
            yield [cells[name] for name in columns]
            start = end or 0

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns, the others with their types."""
        ours = [name for name in columns if name in self.elapsed]
        whole = self.origin.read([name for name in columns if name not in self.elapsed])
        made = texts_of(ours, self.batches(ours) if ours else ())
        return pa.table({c: (made if c in ours else whole).column(c) for c in columns})

    def release(self, plan: ReleasePlan, target: File | None = None) -> Any:
        """Have the table itself make a release; what were dates are none any more."""
        changed = {
            name: replace(recoding, original=False) if name in self.elapsed else recoding
            for name, recoding in plan.recodings.items()
        }
        return self.origin.release(replace(plan, recodings=changed), target)
