"""Columns in Arrow's memory: read as values and where they stand, and written from texts.

Arrow's own `array`, `scalar` and `to_numpy` import pandas first, which takes as long as a whole run on
a table of some 10,000 rows: what is here goes by the buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import time
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.column import MISSING, Cells, cells_of_values, code_columns, text_of

Read = Callable[[Sequence[str]], list[str]]
"""What writes cells as the values that they stand for."""
BATCH_ROWS = 1 << 18
"""The rows of a batch, where a kind of table can choose."""


def arrow_texts(texts: Sequence[str]) -> pa.StringArray:
    """Make an Arrow array of texts.

    >>> arrow_texts(["a", "", "b"]).to_pylist()
    ['a', '', 'b']
    """
    joined = "".join(texts)
    data = joined.encode()
    sizes = map(len, texts if len(data) == len(joined) else map(str.encode, texts))
    ends = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(sizes, np.int64, len(texts)), out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers).cast(pa.string())


def arrow_numbers(numbers: NDArray[np.integer], there: NDArray[np.bool_] | None = None) -> pa.Array:
    """Make an Arrow array of whole numbers, null where they are not `there`."""
    valid = None if there is None else pa.py_buffer(np.packbits(there, bitorder="little"))
    buffers = [valid, pa.py_buffer(np.ascontiguousarray(numbers))]
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), numbers.size, buffers)


def arrow_text(text: str) -> pa.StringScalar:
    """Make an Arrow scalar of a text."""
    return arrow_texts([text])[0]


def arrow_number(number: int) -> pa.Int64Scalar:
    """Make an Arrow scalar of a whole number."""
    return arrow_numbers(np.array([number], np.int64))[0]


def numpy_numbers(numbers: pa.Array) -> NDArray[Any]:
    """Look at an Arrow array of whole numbers, none of them null, as a NumPy array."""
    if numbers.null_count:
        raise ValueError(f"{numbers.null_count} of the numbers are null")
    kind: np.dtype[Any] = np.dtype(str(numbers.type))  # both call whole numbers alike
    if not len(numbers):
        return np.empty(0, kind)
    return np.frombuffer(numbers.buffers()[1], kind, len(numbers), numbers.offset * kind.itemsize)


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


def is_nested(kind: pa.DataType) -> bool:
    """Whether cells of a type hold several values."""
    return bool(pa.types.is_nested(kind))


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


def values_of(texts: Sequence[str], kind: pa.DataType, read: Read = list) -> pa.Array | None:
    """Return the values of a type that are read as these texts; None if there are none."""
    values = parse_texts(texts, kind)
    if values is None:
        return None
    written = read(list(map(text_of, values.to_pylist())))
    return values if written == list(texts) else None


def text_column(
    codes: NDArray[np.integer], texts: Sequence[str], ordered: bool = False
) -> pa.DictionaryArray:
    """Write codes as the texts they stand for, each stored once; the empty text is a missing cell."""
    there = np.array([text != MISSING for text in texts], np.bool_)
    numbers = (np.cumsum(there) - 1).astype(np.int32)[codes]
    values = arrow_texts([text for text in texts if text != MISSING])
    indices = arrow_numbers(numbers, there[codes])
    return pa.DictionaryArray.from_arrays(indices, values, ordered=ordered)


def texts_of(columns: Sequence[str], batches: Iterable[Sequence[Cells]]) -> pa.Table:
    """Write every cell as text, each value of a column stored once."""
    coded = code_columns(columns, batches)
    return pa.table({name: text_column(each.codes, each.texts) for name, each in coded.items()})
