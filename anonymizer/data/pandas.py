"""Dataframes of pandas, and rows or columns in Python's own lists and dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data import arrays
from anonymizer.data.arrays import Read, parse_texts, texts_of
from anonymizer.data.column import MISSING, Cells, cells_of_values, text_of
from anonymizer.data.formulas import secure
from anonymizer.data.rebuild import choose
from anonymizer.data.release import write_csv
from anonymizer.data.table import ReleasePlan, Table
from anonymizer.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class FrameTable(Table):
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
        for start in range(0, len(self.frame), arrays.BATCH_ROWS):
            rows = slice(start, start + arrays.BATCH_ROWS)
            yield [cells_of_series(column.iloc[rows]) for column in chosen]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns with the types that Arrow has for them; as text where it has none."""
        return pa.table({name: self.arrow_column(name) for name in columns})

    def arrow_column(self, name: str) -> pa.Array | pa.ChunkedArray:
        """Read one column."""
        if arrow_type(self.column(name)) is None:
            return texts_of([name], self.batches([name])).column(0)
        return pa.array(self.column(name))

    def to_native(self, plan: ReleasePlan) -> Any:
        """Make a release as a dataframe."""
        return self.to_frame(plan)

    def to_frame(self, plan: ReleasePlan) -> pd.DataFrame:
        """Make a release as a dataframe whose kept columns have the types they had."""
        released = {
            name: recoded_series(plan, name, self.column(name))
            if name in plan.recodings
            else kept_series(self.column(name), plan.rows)
            for name in plan.columns
        }
        secured = secure(released, plan.escape_formulas)
        return pd.DataFrame(secured, columns=list(plan.columns))

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
        """Write a release to a CSV file, every cell as its text."""
        released = FrameTable(self.to_frame(plan))
        write_csv(texts_of(plan.columns, released.batches(plan.columns)), path, delimiter)


def arrow_type(column: pd.Series[Any]) -> pa.DataType | None:
    """Return the type Arrow has for a pandas column; None for objects, and where it has none."""
    if column.dtype == object:
        return None
    try:
        return pa.array(column.iloc[:0]).type
    except (pa.ArrowException, TypeError, ValueError):
        return None


def recoded_series(plan: ReleasePlan, name: str, column: pd.Series[Any]) -> pd.Series[Any]:
    """Write a column from its values: in its own type if that has just these texts, or else as text.

    Categories stay categories; so do generalized values that have an order.
    """
    numbers, texts = plan.recoded(name)
    recoding, dtype = plan.recodings[name], column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        own = None
        if recoding.original:
            own = series_values(texts, pd.Series(dtype.categories), recoding.read_texts)
        if own is not None:
            return categories(numbers, own, bool(dtype.ordered), dtype.categories)
    elif (
        recoding.original and (own := series_values(texts, column, recoding.read_texts)) is not None
    ):
        return pd.Series(own.take(numbers))
    values = pd.Series([text if text != MISSING else None for text in texts], dtype="str").array
    if recoding.ordered or isinstance(dtype, pd.CategoricalDtype):
        return categories(numbers, values, recoding.ordered)
    return pd.Series(values.take(numbers))


def categories(
    numbers: NDArray[np.int32], values: Any, ordered: bool, order: pd.Index[Any] | None = None
) -> pd.Series[Any]:
    """Write numbers as the categories they stand for, in their order or in another that has them all."""
    there = ~np.asarray(pd.isna(values))
    if order is None:
        order = pd.Index(values[there])
    used = order[order.isin(values[there])]
    codes = np.full(len(values), -1, np.int64)
    codes[there] = used.get_indexer(values[there])
    return pd.Series(pd.Categorical.from_codes(codes[numbers], used, ordered=ordered))


def series_values(texts: Sequence[str], column: pd.Series[Any], read: Read = list) -> Any:
    """Return the values of a column's type that are read as these texts; None if there are none."""
    kind, dtype = arrow_type(column), cast(Any, column.dtype)
    try:
        if kind is None or isinstance(dtype, pd.PeriodDtype):
            values = pd.array(objects_of(texts, column), dtype=dtype)
        elif (parsed := parse_texts(texts, kind)) is None:
            return None
        else:
            values = pd.array(parsed.to_pylist(), dtype=dtype)
    except (ArithmeticError, TypeError, ValueError, pa.ArrowException):
        return None
    written = read(list(map(text_of, pd.Series(values).tolist())))
    return values if written == list(texts) else None


OBJECTS: dict[str, Callable[[str], Any]] = {
    "boolean": "True".__eq__,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "decimal": Decimal,
    "floating": float,
    "integer": int,
    "time": time.fromisoformat,
}
"""How Python's own objects are read from their texts, by the kind that pandas finds in a column."""


def objects_of(texts: Sequence[str], column: pd.Series[Any]) -> list[Any]:
    """Read texts as the one kind of objects that a column has; as text where it has several."""
    if isinstance(column.dtype, pd.PeriodDtype):
        frequency: Any = column.dtype.freq
        return [pd.Period(text, frequency) if text else None for text in texts]
    read = OBJECTS.get(pd.api.types.infer_dtype(column, skipna=True), str)
    return [read(text) if text != MISSING else None for text in texts]


def kept_series(column: pd.Series[Any], rows: NDArray[np.int64]) -> pd.Series[Any]:
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


def cells_of_series(column: pd.Series[Any]) -> Cells:
    """Split a pandas column into its distinct values and where they stand."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return Cells(column.cat.codes.to_numpy(), list(column.cat.categories))
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) != "string":
        # 34, 34.0 and True are equal to Python but not the same text
        column = column.map(text_of, na_action="ignore")
    try:
        indices, values = pd.factorize(column)
    except (TypeError, NotImplementedError, pa.ArrowNotImplementedError):  # lists and the like
        return cells_of_values(column)
    return Cells(indices, list(values))


@dataclass(frozen=True, eq=False)
class RecordsTable(FrameTable):
    """A list with a dict for each row; a key that a row does not have is a missing cell."""

    @staticmethod
    def of(records: Sequence[Mapping[Any, Any]]) -> RecordsTable:
        """Put the values of each key together."""
        if not all(isinstance(record, Mapping) for record in records):
            raise DataError(
                "the data is a list: give a dict for each row, the path of a file or a dataframe."
            )
        if not records:
            raise DataError("the list is empty, so it has no columns; give a dict for each row.")
        names = dict.fromkeys(name for record in records for name in record)
        return RecordsTable(
            frame_of({name: [record.get(name) for record in records] for name in names})
        )

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the list of rows"

    def to_native(self, plan: ReleasePlan) -> list[dict[str, Any]]:
        """Make a release as a list of dicts."""
        columns = lists_of(self.to_frame(plan))
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]


@dataclass(frozen=True, eq=False)
class ColumnsTable(FrameTable):
    """A dict with a list for each column."""

    @staticmethod
    def of(columns: Mapping[Any, Sequence[Any]]) -> ColumnsTable:
        """Take lists of one length."""
        strange = [name for name, values in columns.items() if not is_column(values)]
        if strange or not columns:
            raise DataError(
                "the data is a dict: give a list of values for each column, all equally long."
            )
        if len({len(values) for values in columns.values()}) > 1:
            raise DataError("the columns of the dict are not equally long; give each row a value.")
        return ColumnsTable(frame_of(columns))

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the dict of columns"

    def to_native(self, plan: ReleasePlan) -> dict[str, list[Any]]:
        """Make a release as a dict of lists."""
        return lists_of(self.to_frame(plan))


def is_column(values: object) -> bool:
    """Whether something has a value for each row."""
    listed = isinstance(values, Sized) and isinstance(values, Iterable)
    return listed and not isinstance(values, str | bytes | Mapping)


def frame_of(columns: Mapping[Any, Sequence[Any]]) -> pd.DataFrame:
    """Make a dataframe whose cells are the objects themselves."""
    made = {str(name): pd.Series(list(values), dtype=object) for name, values in columns.items()}
    if len(made) < len(columns):
        raise DataError("two columns have the same name as text; rename one.")
    return pd.DataFrame(made)


def lists_of(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the cells of each column; a missing one that was written anew is None."""
    return {
        str(name): column.tolist()
        if column.dtype == object
        else column.astype(object).where(column.notna(), None).tolist()
        for name, column in frame.items()
    }
