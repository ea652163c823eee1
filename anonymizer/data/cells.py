"""Cells of a column: its distinct values, where they stand, and the text that each is known by.

This is the one place where a cell becomes a value. A value is its text: `34` and `34.0` are different
values. An empty cell, a null and a NaN are missing, and a missing cell is the empty text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.arrays import arrow_number, numpy_numbers

if TYPE_CHECKING:
    import pandas as pd

MISSING = ""
"""The text of a missing cell; hierarchies know it by the same."""
BATCH_ROWS = 1 << 18
"""The rows of a batch, where a kind of table can choose."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of one column in a batch: `distinct[indices[row]]`, or missing where the index is -1.

    Values that no row has may be listed: Arrow's dictionaries have those of other batches.
    """

    indices: NDArray[np.integer]
    distinct: Sequence[Any]


def text_of(value: Any) -> str:
    """Write a cell's value as the text that hierarchies know it by.

    >>> text_of(34), text_of(34.0), text_of(datetime(2024, 3, 1)), text_of("a"), text_of(None)
    ('34', '34.0', '2024-03-01', 'a', '')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, np.ndarray) or is_of_pandas(value, "Series"):
        return str(value.tolist())  # its own text leaves out what is in the middle
    if value is None or is_of_pandas(value, "NAType") or value != value:
        return MISSING
    if isinstance(value, datetime):
        return (value.date() if value.time() == time() else value).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, float | np.floating):
        return str(value + 0.0)  # -0.0 is 0.0
    return str(value)


def is_of_pandas(value: object, name: str) -> bool:
    """Whether a value is of a class of pandas, found without importing pandas."""
    return any(
        kind.__name__ == name and kind.__module__.startswith("pandas.")
        for kind in type(value).__mro__
    )


NUMBER = re.compile(r"(-?(?:0|[1-9]\d*))(?:\.(\d*?)0*)?", re.ASCII)
MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d*?)0*)?([+-]\d\d:\d\d|Z)?", re.ASCII
)


def same_text(text: str) -> str:
    """Return one text for a number or a time in its several spellings; any other text as it is.

    Saved as text and read again by another library, 34 with missing cells around is 34.0.

    >>> same_text("34.0"), same_text("1.50"), same_text("007"), same_text("2024-03-01 00:00:00")
    ('34', '1.5', '007', '2024-03-01')
    """
    if not text[-1:].isdigit() and not text.endswith((".", "Z")):
        return text
    if number := NUMBER.fullmatch(text):
        whole, part = number.groups()
        return f"{whole}.{part}" if part else "0" if whole == "-0" else whole
    if moment := MOMENT.fullmatch(text):
        day, clock, part, zone = moment.groups()
        clock = f"{clock}.{part}" if part else clock
        return day if (clock, zone) == ("00:00:00", None) else f"{day}T{clock}{zone or ''}"
    return text


def parse_texts(texts: Sequence[str], kind: pa.DataType) -> pa.Array | None:
    """Write texts as values of a type again, the empty one as null; None where that cannot be done.

    The caller checks that the values have these texts: a type may have no room for them.

    >>> parse_texts(["34", ""], pa.int8()).to_pylist()
    [34, None]
    """
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_timestamp(plain) and plain.tz is not None:
        return None  # a day has no one midnight in all time zones
    try:
        if pa.types.is_time(plain):  # Arrow cannot read these from text
            return pa.array([time.fromisoformat(text) if text else None for text in texts], plain)
        return pa.array([text or None for text in texts], pa.string()).cast(plain)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError):
        return None


def cells_of_arrow(column: pa.Array) -> Cells:
    """Split an Arrow array into its distinct values and where they stand."""
    if not pa.types.is_dictionary(column.type):
        try:
            column = column.dictionary_encode()
        except pa.ArrowNotImplementedError:  # lists, structures and the like
            return cells_of_values(column.to_pylist())
    indices = column.indices
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(arrow_number(-1))
    return Cells(numpy_numbers(indices), column.dictionary.to_pylist())


def batches_of_arrow(table: pa.Table) -> Iterator[list[Cells]]:
    """Split a table in Arrow's memory, batch by batch."""
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        yield [cells_of_arrow(column) for column in batch.columns]


def cells_of_values(values: Iterable[object]) -> Cells:
    """Split values of any kind into their distinct texts and where they stand."""
    number_of: dict[str, int] = {}
    numbers = [number_of.setdefault(text_of(value), len(number_of)) for value in values]
    return Cells(np.array(numbers, np.int64), list(number_of))


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


def is_nested(kind: pa.DataType) -> bool:
    """Whether cells of a type hold several values."""
    return bool(pa.types.is_nested(kind))
