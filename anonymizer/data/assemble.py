"""The release of a table put together in Arrow: what is recoded from its values, the rest row for row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.arrays import arrow_numbers, arrow_texts
from anonymizer.data.cells import MISSING, Cells, parse_texts, text_of
from anonymizer.data.columns import code_columns
from anonymizer.data.contract import Table
from anonymizer.data.formulas import secure
from anonymizer.data.plan import Read, ReleasePlan
from anonymizer.data.rebuild import choose
from anonymizer.errors import ReleaseError

if TYPE_CHECKING:
    import pandas as pd


def assemble(
    table: Table, plan: ReleasePlan, typed: bool = True, stored_once: bool = False
) -> pa.Table:
    """Make the released table; kept columns are read again, and keep their types.

    So do recoded ones whose values are their own, unless all is text anyway. Texts of theirs may be
    `stored_once` each, in a dictionary, for a writer that writes them out.
    """
    kept = read_kept(table, plan)
    types = table.types if typed else {}
    columns = {
        column: recoded_column(table, plan, column, types.get(column), stored_once)
        if column in plan.recodings
        else choose(kept.column(column), plan.rows)
        for column in plan.columns
    }
    return pa.table(secure(columns, plan.escape_formulas))


def read_kept(table: Table, plan: ReleasePlan) -> pa.Table:
    """Read the columns that are copied; the table must be the one that was aggregated."""
    if not plan.kept:
        return pa.table({})
    kept, records = table.read(plan.kept), plan.tuple_of_row.size
    if kept.num_rows != records:
        raise ReleaseError(
            f"{table.name} changed while it was anonymized: it had {records} rows and now has "
            f"{kept.num_rows}. Run again."
        )
    return kept


def recoded_column(
    table: Table, plan: ReleasePlan, column: str, kind: pa.DataType | None, stored_once: bool
) -> pa.Array:
    """Write a column from its values: in its own type if that has just these texts, or else as text."""
    numbers, texts = plan.recoded(column)
    recoding = plan.recodings[column]
    values = (
        values_of(texts, kind, recoding.read_texts)
        if recoding.original and kind is not None
        else None
    )
    if kind is None or values is None:
        return text_column(numbers, texts, recoding.ordered)
    if pa.types.is_dictionary(kind):
        if kind.ordered:
            order = own_order(table, column, texts)
            numbers = np.argsort(order).astype(np.int32)[numbers]
            values = values.take(pa.array(order, pa.int64()))
            texts = [texts[number] for number in order]
        indices = text_column(numbers, texts).indices.cast(kind.index_type)
        return pa.DictionaryArray.from_arrays(indices, values.drop_null(), ordered=kind.ordered)
    if stored_once and kind in (pa.string(), pa.large_string()):
        return pa.DictionaryArray.from_arrays(
            text_column(numbers, texts).indices, values.drop_null()
        )
    return choose(pa.chunked_array([values]), numbers.astype(np.int64))


def own_order(table: Table, column: str, texts: Sequence[str]) -> list[int]:
    """Return the numbers of texts in the order of the column's own dictionary, a missing cell last."""
    chunks = table.read([column]).column(0).unify_dictionaries().chunks
    own = map(text_of, chunks[0].dictionary.to_pylist() if chunks else ())
    place = {text: number for number, text in enumerate(own)}
    return sorted(range(len(texts)), key=lambda number: place.get(texts[number], len(place)))


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


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Turn an Arrow table into a dataframe; a column that pandas has no type for is of objects."""
    import pandas as pd

    try:
        return pd.DataFrame(table.to_pandas())
    except pa.ArrowNotImplementedError:
        return pd.DataFrame(
            {name: table[name].to_pylist() for name in table.column_names}, dtype=object
        )


def texts_of(columns: Sequence[str], batches: Iterable[Sequence[Cells]]) -> pa.Table:
    """Write every cell as text, each value of a column stored once."""
    coded = code_columns(columns, batches)
    return pa.table({name: text_column(each.codes, each.texts) for name, each in coded.items()})
