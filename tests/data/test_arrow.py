from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from anonymizer import Hierarchy, Policy, anonymize, make_manifest, verify
from anonymizer.data import arrays
from anonymizer.data.arrow import ArrowTable, DataFrameTable, in_order
from anonymizer.data.opening import open_table
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
    monkeypatch.setattr(arrays, "BATCH_ROWS", size)
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


FRAME = pl.DataFrame(
    {
        "text": ["x", None, "y"],
        "whole": pl.Series([1, None, 3], dtype=pl.Int8),
        "real": [1.5, float("nan"), 2.0],
        "flag": [True, None, False],
        "day": [dt.date(2024, 3, 1), None, dt.date(2024, 3, 2)],
        "moment": [dt.datetime(2024, 3, 1, 12), None, dt.datetime(2024, 3, 2)],
        "money": pl.Series([Decimal("1.50"), None, Decimal("2.00")], dtype=pl.Decimal(9, 2)),
        "category": pl.Series(["u", None, "v"], dtype=pl.Categorical),
        "enum": pl.Series(["lo", None, "hi"], dtype=pl.Enum(["lo", "hi"])),
        "list": [[1], None, [2, 3]],
    }
)


def test_cells_are_those_of_the_dataframe() -> None:
    for data in (FRAME, FRAME.lazy()):
        opened = open_table(data)
        assert isinstance(opened, DataFrameTable)
        assert opened.columns == tuple(FRAME.columns)
        assert opened.rows == 3
        assert rows_in(opened, "whole", "category", "day")[::2] == [
            (1, "u", dt.date(2024, 3, 1)),
            (3, "v", dt.date(2024, 3, 2)),
        ]


def test_an_enum_has_an_order_even_where_its_library_does_not_say_so() -> None:
    sizes = pa.array(["lo", None, "hi"]).dictionary_encode()
    table = pa.table({"enum": sizes, "category": sizes, "text": ["a", "b", "c"]})
    found = in_order(table, {"enum"})
    assert [found.schema.field(name).type.ordered for name in ("enum", "category")] == [True, False]
    assert found.to_pydict() == table.to_pydict()
    assert in_order(found, {"enum", "text"}) is found


@pytest.mark.filterwarnings("ignore:.*missing cells")
@pytest.mark.parametrize("name", ["text", "whole", "flag", "day", "money", "category", "enum"])
def test_an_untouched_column_keeps_its_type_and_kept_ones_do(name: str) -> None:
    leaves = {text for (text,) in rows_in(open_table(FRAME.select(pl.col(name).cast(str))), name)}
    if name == "flag":
        leaves = {"True", "False"}
    rows = [(str(leaf), "*") for leaf in sorted(filter(None, leaves))]  # type: ignore[type-var]
    quasi = {"role": "quasi", "hierarchy": Hierarchy.from_rows(name, rows), "max_level": 0}
    policy = Policy(
        attributes={
            **{column: {"role": "sensitive"} for column in FRAME.columns},
            name: quasi,
        },
        risk=[{"model": "k-anonymity", "k": 1}],
    )
    solution = anonymize(FRAME, policy)
    released = solution.to_frame()
    assert released.schema == FRAME.schema
    assert sorted(map(str, released.rows())) == sorted(map(str, FRAME.rows()))
    assert verify(released, policy, make_manifest(solution, released), against=FRAME).passed
