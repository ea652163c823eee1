from __future__ import annotations

import pyarrow as pa
import pytest

from anonymizer.data import cells
from anonymizer.data.arrow import ArrowTable
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


def test_a_digest_tells_types_apart() -> None:
    numbers, words = pa.table({"a": [1]}), pa.table({"a": ["1"]})
    assert ArrowTable(numbers).digest() != ArrowTable(words).digest()
