"""Texts that a spreadsheet would run as a formula: found, and escaped with an apostrophe.

A cell such as =HYPERLINK(...) is text to us, but a program that opens a CSV file runs it. Numbers are
left alone, however they begin.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import compute

from anonymizer.data.column import text_of
from anonymizer.data.rebuild import from_values
from anonymizer.errors import AnonymizerWarning, quote_some

if TYPE_CHECKING:
    import pandas as pd

FIRST = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""What a formula begins with, as OWASP lists it: also in full width."""
BEGINS = f"^'*[{FIRST}]"
SUSPECT = re.compile(BEGINS)
HARMLESS = re.compile(
    r"'*(?:[+-]?(?:\d+(?:[.,]\d*)*|[.,]\d+)(?:[eE][+-]?\d+)?|[+-](?:inf|infinity|nan)"
    r"|-\d+ days?,? [+\d:.]+) *",
    re.IGNORECASE | re.ASCII,
)
"""Numbers, and durations as Python writes them."""


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may run a text; apostrophes before it, as we write them, do not count.

    >>> is_formula("=cmd()"), is_formula("-5.2"), is_formula("-"), is_formula("a=b")
    (True, False, True, False)
    """
    return SUSPECT.match(text) is not None and HARMLESS.fullmatch(text) is None


def escape(text: str) -> str:
    """Put an apostrophe before a formula; different texts stay different.

    >>> escape("=1+2"), escape("'=1+2"), escape("flu")
    ("'=1+2", "''=1+2", 'flu')
    """
    return f"'{text}" if is_formula(text) else text


def secure(columns: Mapping[str, Any], escaped: bool) -> dict[str, Any]:
    """Escape the formulas in the columns of a release, of Arrow or of pandas, or else warn of them."""
    formulas = {name: formulas_in(column) for name, column in columns.items()}
    found = [name for name, texts in formulas.items() if texts]
    if found and not escaped:
        warn_of(found)
    if not found or not escaped:
        return dict(columns)
    return {name: escape_column(column, formulas[name]) for name, column in columns.items()}


def warn_of(columns: Iterable[str]) -> None:
    """Warn that spreadsheets may run cells of a release."""
    warnings.warn(
        f"column {quote_some(columns)} of the release has cells that begin as spreadsheet formulas do; "
        "opened in a spreadsheet, they may run. Add escape_formulas = true to [release] to put an "
        "apostrophe before them.",
        AnonymizerWarning,
        stacklevel=2,
    )


def formulas_in(column: pa.Array | pd.Series[Any]) -> set[Any]:
    """Return the distinct values of a column whose texts are formulas."""
    if not isinstance(column, pa.Array):
        return formulas_in_series(column)
    if pa.types.is_dictionary(column.type):
        return formulas_in(column.dictionary)
    if not is_text(column.type):
        return set()
    try:
        suspects = column.filter(compute.match_substring_regex(column, BEGINS)).unique().to_pylist()
    except pa.ArrowNotImplementedError:  # views, runs and the like
        suspects = column.to_pylist()
    return {value for value in suspects if is_formula(text_of(value))}


def formulas_in_series(column: pd.Series[Any]) -> set[Any]:
    """Return the distinct values of a pandas column whose texts are formulas."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return formulas_in_series(pd.Series(column.cat.categories))
    if isinstance(column.dtype, pd.StringDtype | pd.ArrowDtype):
        stored = pa.array(column)
        chunks = stored.chunks if isinstance(stored, pa.ChunkedArray) else [stored]
        return set().union(*map(formulas_in, chunks))
    if column.dtype != object:
        return set()
    return {text for text in map(text_of, column) if is_formula(text)}


def is_text(kind: pa.DataType) -> bool:
    """Whether cells of a type are written as their own text."""
    if isinstance(kind, pa.BaseExtensionType):
        return is_text(kind.storage_type)
    if pa.types.is_run_end_encoded(kind):
        return is_text(kind.value_type)
    text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    raw = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view)
    return any(applies(kind) for applies in (*text, *raw, pa.types.is_fixed_size_binary))


def escape_column(column: pa.Array | pd.Series[Any], formulas: set[Any]) -> Any:
    """Put an apostrophe before the formulas of a column, of which these are the distinct ones."""
    if not formulas:
        return column
    if not isinstance(column, pa.Array):
        return escape_series(column, formulas)
    if pa.types.is_dictionary(column.type):
        values = escape_column(column.dictionary, formulas)
        return pa.DictionaryArray.from_arrays(column.indices, values, ordered=column.type.ordered)
    written = [mark(value) if value in formulas else value for value in column.to_pylist()]
    fixed = pa.types.is_fixed_size_binary(column.type)  # no room for one more byte
    return from_values(written, pa.binary() if fixed else column.type)


def escape_series(column: pd.Series[Any], formulas: set[Any]) -> pd.Series[Any]:
    """Put an apostrophe before the formulas of a pandas column."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.rename_categories({value: mark(value) for value in formulas})
    if column.dtype == object:
        escaped = [escape_object(value, formulas) for value in column]
        return pd.Series(escaped, column.index, dtype=object)
    dtype: Any = column.dtype
    stored = pa.array(column)
    chunks = stored.chunks if isinstance(stored, pa.ChunkedArray) else [stored]
    written = pa.chunked_array([escape_column(chunk, formulas) for chunk in chunks])
    return pd.Series(dtype.__from_arrow__(written), column.index)


def escape_object(value: Any, formulas: set[Any]) -> Any:
    """Write an object whose text is a formula as that text with an apostrophe."""
    text = text_of(value)
    return escape(text) if text in formulas else value


def mark(value: Any) -> Any:
    """Put an apostrophe before a text or bytes."""
    return b"'" + value if isinstance(value, bytes) else f"'{value}"
