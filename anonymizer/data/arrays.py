"""Arrays between Arrow, NumPy and Python, by their buffers.

Arrow's own `array`, `scalar` and `to_numpy` import pandas first, which takes as long as a whole run on
a table of some 10,000 rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


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
