"""Cells of a column: its distinct values, and where they stand.

A cell's value is its text: `34` and `34.0` are different values. An empty or null cell is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.errors import DataError


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of one column in a batch: `distinct[indices[row]]`, or missing where the index is -1."""

    indices: NDArray[np.int64]
    distinct: list[Any]

    def compact(self) -> Cells:
        """Leave out values that no row has, and take empty texts and NaN for missing cells.

        Arrow's dictionaries may list values of other batches, and NaN is not its null.
        """
        counts = np.bincount(self.indices + 1, minlength=len(self.distinct) + 1)[1:]
        wanted = [
            bool(count) and value is not None and value != "" and value == value
            for value, count in zip(self.distinct, counts.tolist(), strict=True)
        ]
        if all(wanted):
            return self
        numbers = np.append(np.where(wanted, np.cumsum(wanted) - 1, -1), -1)
        kept = [value for value, there in zip(self.distinct, wanted, strict=True) if there]
        return Cells(numbers[self.indices], kept)


def text_of(value: object) -> str:
    """Write a cell's value as the text that hierarchies know it by.

    >>> text_of(34), text_of(34.0), text_of(datetime(2024, 3, 1)), text_of("a")
    ('34', '34.0', '2024-03-01', 'a')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return (value.date() if value.time() == time() else value).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value)


def cells_of_arrow(column: pa.Array) -> Cells:
    """Split an Arrow array into its distinct values and where they stand."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    indices = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return Cells(indices, column.dictionary.to_pylist()).compact()


def cells_of_series(column: pd.Series[Any]) -> Cells:
    """Split a pandas column into its distinct values and where they stand."""
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) != "string":
        # 34, 34.0 and True are equal to Python but not the same text
        column = column.map(text_of, na_action="ignore")
    try:
        indices, values = pd.factorize(column)
    except TypeError:
        raise DataError(
            f"the dataframe: column '{column.name}' holds lists or other things that are no values; "
            "a quasi-identifier has one value in each cell."
        ) from None
    return Cells(indices.astype(np.int64, copy=False), list(values)).compact()


def is_nested(kind: pa.DataType) -> bool:
    """Whether cells of a type hold several values."""
    return bool(pa.types.is_nested(kind))
