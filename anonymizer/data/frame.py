"""pandas dataframes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data import cells
from anonymizer.data.assemble import texts_of
from anonymizer.data.batched import BatchedTable
from anonymizer.data.cells import MISSING, Cells, cells_of_series, parse_texts, text_of
from anonymizer.data.csv import write_csv
from anonymizer.data.formulas import secure
from anonymizer.data.plan import Read, ReleasePlan
from anonymizer.data.rebuild import choose


@dataclass(frozen=True, eq=False)
class FrameTable(BatchedTable):
    """A pandas dataframe; its index is not part of the data."""

    frame: pd.DataFrame

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the dataframe"

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(str(column) for column in self.frame.columns)

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The types that Arrow has for its columns; text for objects."""
        return {
            name: arrow_type(self.frame.iloc[:, at]) or pa.string()
            for at, name in enumerate(self.columns)
        }

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return len(self.frame)

    def column(self, name: str) -> pd.Series[Any]:
        """Return a column by its name as text."""
        return self.frame.iloc[:, self.columns.index(name)]

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows as distinct values."""
        chosen = [self.column(name) for name in columns]
        for start in range(0, len(self.frame), cells.BATCH_ROWS):
            rows = slice(start, start + cells.BATCH_ROWS)
            yield [cells_of_series(column.iloc[rows]) for column in chosen]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns with the types that Arrow has for them; as text where it has none."""
        return pa.table({name: self.arrow_column(name) for name in columns})

    def arrow_column(self, name: str) -> pa.Array | pa.ChunkedArray:
        """Read one column."""
        if arrow_type(self.column(name)) is None:
            return texts_of([name], self.batches([name])).column(0)
        return pa.array(self.column(name))

    def release(self, plan: ReleasePlan) -> pd.DataFrame:
        """Make a release as a dataframe whose kept columns have the types they had."""
        released = {
            name: recode(plan, name, self.column(name).dtype, arrow_type(self.column(name)))
            if name in plan.recodings
            else keep(self.column(name), plan.rows)
            for name in plan.columns
        }
        secured = secure(released, plan.escape_formulas)
        return pd.DataFrame(secured, columns=list(plan.columns))

    def write(self, plan: ReleasePlan, path: Path, delimiter: str) -> None:
        """Write a release to a CSV file, every cell as its text."""
        released = FrameTable(self.release(plan))
        write_csv(texts_of(plan.columns, released.batches(plan.columns)), path, delimiter)


def arrow_type(column: pd.Series[Any]) -> pa.DataType | None:
    """Return the type Arrow has for a pandas column; None for objects, and where it has none."""
    if column.dtype == object:
        return None
    try:
        return pa.array(column.iloc[:0]).type
    except (pa.ArrowException, TypeError, ValueError):
        return None


def recode(plan: ReleasePlan, name: str, dtype: Any, kind: pa.DataType | None) -> pd.Series[Any]:
    """Write a column from its values: in its own type if that has just these texts, or else as text."""
    numbers, texts = plan.recoded(name)
    values = None
    if plan.recodings[name].original and kind is not None:
        values = values_of(texts, dtype, kind, plan.recodings[name].read_texts)
    if values is None:
        values = pd.Series([text if text != MISSING else None for text in texts], dtype="str").array
    return pd.Series(values.take(numbers))


def values_of(texts: Sequence[str], dtype: Any, kind: pa.DataType, read: Read = list) -> Any:
    """Return the values of a pandas type that are read as these texts; None if there are none."""
    parsed = None if isinstance(dtype, pd.CategoricalDtype) else parse_texts(texts, kind)
    if parsed is None:
        return None
    try:
        values = pd.array(parsed.to_pylist(), dtype=dtype)
    except (TypeError, ValueError, pa.ArrowException):
        return None
    written = read(list(map(text_of, pd.Series(values).tolist())))
    return values if written == list(texts) else None


def keep(column: pd.Series[Any], rows: NDArray[np.int64]) -> pd.Series[Any]:
    """Copy some rows of a column so that nothing of the others is left in it."""
    if is_stored_by_arrow(column) or isinstance(column.array, MASKED):
        stored = pa.array(column)
        chunks = stored if isinstance(stored, pa.ChunkedArray) else pa.chunked_array([stored])
        dtype: Any = column.dtype
        return pd.Series(dtype.__from_arrow__(pa.chunked_array([choose(chunks, rows)])))
    kept = column.iloc[rows].reset_index(drop=True)
    if isinstance(kept.dtype, pd.CategoricalDtype):
        return kept.cat.remove_unused_categories()
    return kept


MASKED = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
"""Arrays that hold a value of its own under a missing cell."""


def is_stored_by_arrow(column: pd.Series[Any]) -> bool:
    """Whether the values of a column are in Arrow's buffers."""
    return isinstance(column.dtype, pd.ArrowDtype | pd.StringDtype)
