"""Releases written as files of CSV and Parquet, whatever kind of table they come from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from anonymizer.data.arrays import BATCH_ROWS, arrow_text, arrow_texts
from anonymizer.data.text import CANDIDATES, DEFAULT, open_to_write

if TYPE_CHECKING:
    import pandas as pd

FileKind = Literal["csv", "parquet"]
"""A kind of file that any table can be released as."""


def write_csv(table: pa.Table, path: Path, delimiter: str | None) -> None:
    """Write a CSV file in UTF-8, with quotes only where they are needed; a missing cell is empty.

    Arrow joins the cells of a slice into lines outside Python; its own writer quotes every text. Names
    are quoted so that the delimiter can be found in the header.
    """
    from pyarrow import compute

    delimiter = delimiter or DEFAULT
    names = quote(arrow_texts(table.column_names), delimiter + CANDIDATES).to_pylist()
    header = delimiter.join(names)
    with open_to_write(path) as file:
        file.write(header.encode() + b"\n")
        for part in slices(table):
            cells = [csv_cells(column.combine_chunks(), delimiter) for column in part.columns]
            if len(cells) == 1:  # an empty line would be no row
                empty = compute.equal(cells[0], arrow_text(""))
                cells = [compute.if_else(empty, arrow_text('""'), cells[0])]
            lines = compute.binary_join_element_wise(*cells, arrow_text(delimiter))
            file.write("\n".join(lines.to_pylist()).encode() + b"\n")


def slices(table: pa.Table) -> Iterator[pa.Table]:
    """Cut a table into slices small enough to write at once."""
    for start in range(0, table.num_rows, BATCH_ROWS):
        yield table.slice(start, BATCH_ROWS)


def csv_cells(column: pa.Array, delimiter: str) -> pa.Array:
    """Write the cells of a column as they stand in a CSV file."""
    if isinstance(column, pa.ChunkedArray):  # what combine_chunks leaves of a column without rows
        column = pa.concat_arrays(column.chunks)
    if pa.types.is_dictionary(column.type):
        cells = quote(column.dictionary, delimiter).take(column.indices)
    else:
        cells = quote(column, delimiter)
    return cells.fill_null(arrow_text(""))


def quote(texts: pa.Array, delimiter: str) -> pa.Array:
    """Put quotes around the texts that contain the delimiter (or one of several), a quote or a line end.

    >>> quote(pa.array(["a;b", "c"]), ";").to_pylist()
    ['"a;b"', 'c']
    """
    from pyarrow import compute

    unsafe = compute.match_substring_regex(texts, f'[{re.escape(delimiter)}"\\r\\n]')
    if not compute.any(unsafe).as_py():
        return texts
    mark = arrow_text('"')
    doubled = compute.replace_substring(texts, '"', '""')
    quoted = compute.binary_join_element_wise(mark, doubled, mark, arrow_text(""))
    return compute.if_else(unsafe, quoted, texts)


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a Parquet file of the names, types and values alone.

    Dictionaries are written out, unless their values are in an order, which only a dictionary keeps.
    What else a schema says comes from the original: pandas' notes, names of fields, descriptions.
    """
    from pyarrow import parquet

    schema = pa.schema([(field.name, plain_type(field.type)) for field in table.schema])
    limit = 1 << 30  # bytes: a dictionary that is cut off loses its order
    with parquet.ParquetWriter(path, schema, dictionary_pagesize_limit=limit) as writer:
        for start in range(0, table.num_rows, BATCH_ROWS):
            writer.write_table(table.slice(start, BATCH_ROWS).cast(schema))


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of a dictionary without order; any other type as it is."""
    return kind.value_type if pa.types.is_dictionary(kind) and not kind.ordered else kind


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Turn an Arrow table into a dataframe; a column that pandas has no type for is of objects."""
    import pandas as pd

    try:
        return pd.DataFrame(table.to_pandas())
    except pa.ArrowNotImplementedError:
        return pd.DataFrame(
            {name: table[name].to_pylist() for name in table.column_names}, dtype=object
        )
