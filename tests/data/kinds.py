"""A column of every Arrow and pandas type, with a value that only one record has."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute

SECRET = "SECRETVALUE"
WORD = SECRET.encode()
NUMBER = 0x5EC2E7
LONG = NUMBER << 32
DAY = dt.date(2077, 7, 7)
DAYS = (DAY - dt.date(1970, 1, 1)).days

Case = tuple[pa.Array, bytes]
"""A column whose second cell is the secret one, and the bytes by which it is known."""


def texts(kind: pa.DataType) -> Case:
    return pa.array(["u", SECRET * 2, "v", "u"], kind), WORD


def nested(kind: pa.DataType, wrap: Any = lambda text: [text]) -> Case:
    return pa.array([wrap("u"), wrap(SECRET * 2), wrap("v"), None], kind), WORD


def numbers(kind: pa.DataType, secret: Any, form: str, stored: Any = None) -> Case:
    one, two = type(secret)(1), type(secret)(2)  # older versions of Arrow mix no types
    column = pa.array([one, secret, two, None], kind)
    return column, struct.pack(f"<{form}", secret if stored is None else stored)


def days(kind: pa.DataType, form: str, stored: int) -> Case:
    column = pa.array([dt.date(2000, 1, 1), DAY, dt.date(2000, 1, 2), None], kind)
    return column, struct.pack(f"<{form}", stored)


def decimals(kind: pa.DataType, width: int) -> Case:
    column = pa.array([Decimal("1.00"), Decimal("61234.56"), Decimal("2.00"), None], kind)
    return column, (6123456).to_bytes(width, "little")


def times(kind: pa.DataType, form: str, unit: int) -> Case:
    column = pa.array([dt.time(1), dt.time(17, 17, 17), dt.time(2), None], kind)
    return column, struct.pack(f"<{form}", (17 * 3600 + 17 * 60 + 17) * unit)


def unions() -> dict[str, Case]:
    kind, first, second = pa.array([0, 0, 0, 1], pa.int8()), ["u", SECRET, "v", "w"], [1, 2, 3, 4]
    places = pa.array([0, 1, 2, 0], pa.int32())
    coded = pa.array(first).dictionary_encode()
    return {
        "sparse union": (
            pa.UnionArray.from_sparse(kind, [pa.array(first), pa.array(second)]),
            WORD,
        ),
        "dense union": (pa.UnionArray.from_dense(kind, places, [coded, pa.array([5])]), WORD),
    }


def stored_otherwise() -> dict[str, Case]:
    identifiers = pa.array([b"u" * 16, (WORD * 2)[:16], b"v" * 16, None], pa.binary(16))
    documents = pa.array(["1", f'"{SECRET}"', "2", None])
    runs = compute.run_end_encode(pa.array(["u", SECRET, "v", "v"]))
    found = {"runs": (runs, WORD)}
    if hasattr(pa, "uuid"):
        found["uuid"] = (pa.ExtensionArray.from_storage(pa.uuid(), identifiers), WORD)
    if hasattr(pa, "json_"):
        found["json"] = (pa.ExtensionArray.from_storage(pa.json_(), documents), WORD)
    return found


CODED = pa.dictionary(pa.int32(), pa.string())

ARROW: dict[str, Case] = {
    "string": texts(pa.string()),
    "large string": texts(pa.large_string()),
    "string view": texts(pa.string_view()),
    "binary": texts(pa.binary()),
    "large binary": texts(pa.large_binary()),
    "binary view": texts(pa.binary_view()),
    "fixed size binary": (pa.array([b"u" * 11, WORD, b"v" * 11, None], pa.binary(11)), WORD),
    "int32": numbers(pa.int32(), NUMBER, "i"),
    "int64": numbers(pa.int64(), LONG, "q"),
    "uint64": numbers(pa.uint64(), LONG, "Q"),
    "half float": numbers(pa.float16(), np.float16(1234), "e", 1234.0),
    "float": numbers(pa.float32(), 1234.5, "f"),
    "double": numbers(pa.float64(), 1234.567, "d"),
    "decimal128": decimals(pa.decimal128(10, 2), 16),
    "decimal256": decimals(pa.decimal256(40, 2), 32),
    "date32": days(pa.date32(), "i", DAYS),
    "date64": days(pa.date64(), "q", DAYS * 86_400_000),
    "time32": times(pa.time32("s"), "i", 1),
    "time64": times(pa.time64("us"), "q", 1_000_000),
    "duration": numbers(pa.duration("s"), NUMBER, "q"),
    "timestamp us": numbers(pa.timestamp("us"), LONG, "q"),
    "timestamp ns": numbers(pa.timestamp("ns"), LONG, "q"),
    "timestamp with zone": numbers(pa.timestamp("us", tz="Europe/Berlin"), LONG, "q"),
    "interval": (
        pa.array([(1, 1, 1), (5, 77, NUMBER), (2, 2, 2), None], pa.month_day_nano_interval()),
        struct.pack("<iiq", 5, 77, NUMBER),
    ),
    "dictionary": texts(CODED),
    "dictionary of bytes": texts(pa.dictionary(pa.uint8(), pa.string())),
    "dictionary of numbers": (
        pa.array([1, LONG, 2, None]).dictionary_encode(),
        struct.pack("<q", LONG),
    ),
    "list": nested(pa.list_(pa.string())),
    "large list": nested(pa.large_list(pa.string())),
    "list view": nested(pa.list_view(pa.string())),
    "large list view": nested(pa.large_list_view(pa.string())),
    "fixed size list": nested(pa.list_(pa.string(), 1)),
    "list of dictionaries": nested(pa.list_(CODED)),
    "fixed size list of dictionaries": nested(pa.list_(CODED, 1)),
    "list of views": nested(pa.list_(pa.string_view())),
    "struct": nested(pa.struct([("p", pa.string())]), lambda text: {"p": text}),
    "struct of dictionaries": nested(pa.struct([("p", CODED)]), lambda text: {"p": text}),
    "map": nested(pa.map_(pa.string(), pa.string()), lambda text: [("k", text)]),
    "map of dictionaries": nested(pa.map_(pa.string(), CODED), lambda text: [("k", text)]),
    "list of structs of dictionaries": nested(
        pa.list_(pa.struct([("p", CODED)])), lambda text: [{"p": text}]
    ),
    **unions(),
    **stored_otherwise(),
}

Values = tuple[pd.Series, bytes]


def series(values: Sequence[Any], dtype: Any, secret: bytes) -> Values:
    return pd.Series(values, dtype=dtype), secret


PANDAS: dict[str, Values] = {
    "int64": series([1, LONG, 2, 3], "int64", struct.pack("<q", LONG)),
    "float64": series([1, 1234.567, 2, None], "float64", struct.pack("<d", 1234.567)),
    "complex": series([1, 1234.567j, 2, 3], "complex128", struct.pack("<d", 1234.567)),
    "datetime": series([1, LONG, 2, 3], "datetime64[ns]", struct.pack("<q", LONG)),
    "datetime with zone": series([1, LONG, 2, 3], "datetime64[ns, UTC]", struct.pack("<q", LONG)),
    "timedelta": series([1, LONG, 2, 3], "timedelta64[ns]", struct.pack("<q", LONG)),
    "period": (
        pd.Series(pd.PeriodIndex.from_ordinals([1, NUMBER, 2, 3], freq="s")),
        struct.pack("<q", NUMBER),
    ),
    "sparse": series([0, LONG, 2, 3], pd.SparseDtype("int64", 0), struct.pack("<q", LONG)),
    "interval": (
        pd.Series(pd.arrays.IntervalArray.from_arrays([0, 1234.567, 2, 3], [1, 2000, 3, 4])),
        struct.pack("<d", 1234.567),
    ),
    "Int64": series([1, LONG, 2, None], "Int64", struct.pack("<q", LONG)),
    "Float64": series([1, 1234.567, 2, None], "Float64", struct.pack("<d", 1234.567)),
    "str": series(["u", SECRET, "v", None], "str", WORD),
    "string of Python": series(["u", SECRET, "v", None], "string[python]", WORD),
    "string of Arrow": series(["u", SECRET, "v", None], "string[pyarrow]", WORD),
    "object": series(["u", SECRET, 1, None], object, WORD),
    "object of lists": series([["u"], [SECRET], ["v"], None], object, WORD),
    "category": series(["u", SECRET, "v", None], "category", WORD),
    "category of numbers": series([1, LONG, 2, 3], "category", struct.pack("<q", LONG)),
    **{
        f"Arrow {name}": (pd.Series(column, dtype=pd.ArrowDtype(column.type)), secret)
        for name, (column, secret) in ARROW.items()
        if not pa.types.is_union(column.type)
        and "view" not in name
        and name not in ("runs", "uuid", "json", "interval")
    },
}
"""pandas cannot choose rows of the others."""
