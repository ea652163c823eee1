"""A rebuilt array is equal to the old one, and its buffers hold nothing else."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data.rebuild import bare_type, choose
from tests.data.kinds import ARROW

CODED = pa.dictionary(pa.int16(), pa.string())
TEXT = st.sampled_from(["a", "b", "SECRET"])
LEAF: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.string(): TEXT,
    CODED: TEXT,
    pa.int32(): st.integers(0, 9),
}


@st.composite
def typed_values(draw: st.DrawFn) -> tuple[pa.DataType, st.SearchStrategy[Any]]:
    """Draw a type, nested up to three times, and what its values are."""
    kind, values = draw(st.sampled_from([*LEAF.items()]))
    for _ in range(draw(st.integers(0, 3))):
        values = st.one_of(st.none(), values)
        wrap = draw(st.sampled_from(["list", "large list", "fixed", "struct", "map"]))
        kind, values = {
            "list": (pa.list_(kind), st.lists(values, max_size=2)),
            "large list": (pa.large_list(kind), st.lists(values, max_size=2)),
            "fixed": (pa.list_(kind, 2), st.lists(values, min_size=2, max_size=2)),
            "struct": (
                pa.struct([("p", kind), ("q", pa.int8())]),
                st.fixed_dictionaries({"p": values, "q": st.none()}),
            ),
            "map": (
                pa.map_(pa.string(), kind),
                st.lists(st.tuples(TEXT.filter(lambda key: key != "SECRET"), values), max_size=2),
            ),
        }[wrap]
    return kind, st.one_of(st.none(), values)


def bytes_of(array: pa.Array) -> bytes:
    table, sink = pa.table({"x": array}), io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


@given(typed_values(), st.data())
def test_chosen_rows_are_equal_and_nothing_else_is_left(
    typed: tuple[pa.DataType, st.SearchStrategy[Any]], data: st.DataObject
) -> None:
    kind, values = typed
    cells = data.draw(st.lists(values, min_size=1, max_size=8))
    rows = data.draw(st.lists(st.integers(0, len(cells) - 1), max_size=8))
    parts = [pa.array(cells[: len(cells) // 2], kind), pa.array(cells[len(cells) // 2 :], kind)]
    chosen = choose(pa.chunked_array(parts), np.array(rows, np.int64))
    chosen.validate(full=True)
    assert chosen.type == kind
    assert chosen.to_pylist() == [pa.array(cells, kind)[row].as_py() for row in rows]
    if "SECRET" not in str(chosen.to_pylist()):
        assert b"SECRET" not in bytes_of(chosen)


@pytest.mark.parametrize("name", ARROW)
def test_every_type_can_be_chosen_from(name: str) -> None:
    column, secret = ARROW[name]
    for rows in ([], [0, 2, 3], [3, 0]):
        chosen = choose(pa.chunked_array([column]), np.array(rows, np.int64))
        assert chosen.type == column.type
        assert len(chosen) == len(rows)
        assert secret not in bytes_of(chosen)


def test_an_ordered_dictionary_keeps_its_order() -> None:
    order = pa.DictionaryArray.from_arrays([2, 0, 1], ["low", "middle", "high"], ordered=True)
    chosen = choose(pa.chunked_array([order]), np.array([0, 1]))
    assert chosen.type.ordered
    assert chosen.dictionary.to_pylist() == ["low", "high"]


def test_what_fields_say_of_themselves_is_gone() -> None:
    field = pa.field("p", pa.string(), nullable=False, metadata={"note": "SECRET"})
    for kind in (
        pa.struct([field]),
        pa.list_(field),
        pa.large_list(field),
        pa.list_(field, 2),
        pa.map_(pa.field("key", pa.string(), nullable=False), field),
        pa.list_(pa.struct([field])),
    ):
        bare = bare_type(kind)
        assert bare == kind
        assert not bare.equals(kind, check_metadata=True)
