from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from anonymizer.data import cells
from anonymizer.data.arrow import ArrowTable
from anonymizer.data.table import open_table
from anonymizer.errors import DataError
from tests.data.kinds import ARROW
from tests.data.reading import rows_in

TABLE = pa.table({"a": ["x", None, "x"], "b": [1, 2, 3]})


def test_columns_types_and_rows_are_those_of_the_table() -> None:
    opened = ArrowTable(TABLE)
    assert opened.columns == ("a", "b")
    assert opened.types == {"a": pa.string(), "b": pa.int64()}
    assert opened.rows == 3
    assert opened.read(["b"]).to_pydict() == {"b": [1, 2, 3]}


@pytest.mark.parametrize("size", [1, 2, 9])
def test_chunks_and_batches_never_matter(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "BATCH_ROWS", size)
    chunked = pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1)])
    assert rows_in(ArrowTable(chunked), "b", "a") == [(1, "x"), (2, None), (3, "x")]
    assert ArrowTable(chunked).digest() == ArrowTable(TABLE).digest()


@pytest.mark.parametrize("name", ARROW)
def test_a_table_of_every_type_has_a_digest(name: str) -> None:
    column, _ = ARROW[name]
    whole = ArrowTable(pa.table({"a": column}))
    assert whole.digest() != ArrowTable(pa.table({"a": column.slice(0, 1)})).digest()


def test_a_digest_is_of_values_whatever_their_types() -> None:
    tables = [pa.table({"a": values}) for values in ([1], ["1"], [1.0], ["1.5"], ["01"])]
    digests = [ArrowTable(table).digest() for table in tables]
    assert digests[0] == digests[1] == digests[2]
    assert len(set(digests)) == 3


class Stream:
    """An object that Arrow can read, of a library that nobody knows."""

    def __init__(self, content: pa.Table | pa.Array) -> None:
        self.content = content

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.content.__arrow_c_stream__(requested_schema)


def test_any_object_with_an_arrow_stream_is_a_table() -> None:
    for data in (Stream(TABLE), TABLE.to_reader(), TABLE.to_batches()[0]):
        opened = open_table(data)
        assert isinstance(opened, ArrowTable)
        assert rows_in(opened, "b", "a") == rows_in(ArrowTable(TABLE), "b", "a")


def test_a_stream_that_is_no_table_is_one_sentence() -> None:
    for data in (Stream(pa.chunked_array([[1, 2]])), pd.Series(["a"])):
        # in older versions of pandas, a Series is not a stream
        with pytest.raises(
            DataError, match=r"cannot read as a table; give a da|a Series: give the p"
        ):
            open_table(data)
