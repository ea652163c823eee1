from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from anonymizer.data.arrays import text_column, values_of
from anonymizer.data.arrow import ArrowTable
from anonymizer.data.release import to_pandas
from anonymizer.data.table import Recoding, ReleasePlan
from anonymizer.errors import ReleaseError

TABLE = ArrowTable(pa.table({"age": pa.array([31, 45, None], pa.int8()), "ward": ["a", "b", "c"]}))


def plan_of(values: tuple[str, ...], original: bool, rows: list[int]) -> ReleasePlan:
    recoding = Recoding(values, np.array([0, 1, 2]), original)
    return ReleasePlan(
        TABLE.columns, {"age": recoding}, np.array([0, 1, 2], np.int32), np.array(rows)
    )


def test_values_of_the_column_itself_keep_its_type() -> None:
    released = TABLE.assemble(plan_of(("31", "45", ""), original=True, rows=[2, 0]))
    assert released.schema.types == [pa.int8(), pa.string()]
    assert released.to_pydict() == {"age": [None, 31], "ward": ["c", "a"]}


def test_generalized_values_are_text_each_stored_once() -> None:
    released = TABLE.assemble(plan_of(("30-39", "40-49", ""), original=False, rows=[1, 2]))
    ages = released["age"].chunk(0)
    assert ages.to_pylist() == ["40-49", None]
    assert ages.dictionary.to_pylist() == ["40-49"]


def test_a_table_that_lost_rows_meanwhile_is_an_error() -> None:
    plan = plan_of(("31", "45", ""), original=True, rows=[0])
    with pytest.raises(ReleaseError, match=r"it had 3 rows and now has 2\. Run again"):
        ArrowTable(TABLE.content.slice(0, 2)).assemble(plan)


def test_a_type_that_has_no_room_for_a_text_is_not_used() -> None:
    assert values_of(["34", "007"], pa.int8()) is None
    assert values_of(["34", ""], pa.int8()).to_pylist() == [34, None]  # type: ignore[union-attr]


def test_the_empty_text_is_a_missing_cell_and_no_value() -> None:
    column = text_column(np.array([1, 0, 2, 1], np.uint8), ["", "a", "b"])
    assert column.to_pylist() == ["a", None, "b", "a"]
    assert column.dictionary.to_pylist() == ["a", "b"]


def test_a_column_that_pandas_has_no_type_for_is_of_objects() -> None:
    views = pa.array([["a"], None], pa.list_(pa.string_view()))
    frame = to_pandas(pa.table({"x": views, "y": [1, 2]}))
    assert frame["x"].tolist() == [["a"], None]
    assert frame["y"].tolist() == [1, 2]


def test_values_in_an_order_are_an_ordered_dictionary() -> None:
    recoding = Recoding(("5-9", "20-29", "100-109"), np.array([2, 0, 2]), False, ordered=True)
    rows = np.arange(3)
    plan = ReleasePlan(("age",), {"age": recoding}, rows.astype(np.int32), rows)
    released = TABLE.assemble(plan)["age"].chunk(0)
    assert released.type.ordered
    assert released.dictionary.to_pylist() == ["5-9", "100-109"]


def test_a_dictionary_with_an_order_of_its_own_keeps_it() -> None:
    sizes = pa.DictionaryArray.from_arrays([2, 0, None], ["low", "mid", "high"], ordered=True)
    table = ArrowTable(pa.table({"age": pa.chunked_array([sizes.slice(0, 1), sizes.slice(1)])}))
    recoding = Recoding(("high", "low", ""), np.array([0, 1, 2]), original=True)
    rows = np.arange(3)
    plan = ReleasePlan(("age",), {"age": recoding}, rows.astype(np.int32), rows)
    released = table.assemble(plan)["age"].chunk(0)
    assert released.type == sizes.type
    assert released.dictionary.to_pylist() == ["low", "high"]
    assert released.to_pylist() == ["high", "low", None]


def plan_of_rows(rows: list[int]) -> ReleasePlan:
    recoding = Recoding(("low", "rare", "high"), np.array([0, 2, 1, 0]), original=False)
    of_row = np.array([0, 1, 2, 3, 1], np.int32)
    return ReleasePlan(("age", "ward"), {"age": recoding}, of_row, np.array(rows, np.int64))


def test_a_recoded_column_has_the_values_of_the_released_rows_alone() -> None:
    numbers, values = plan_of_rows([4, 0, 3]).recoded("age")
    assert [values[number] for number in numbers] == ["high", "low", "low"]
    assert set(values) == {"low", "high"}


def test_without_rows_there_are_no_values() -> None:
    numbers, values = plan_of_rows([]).recoded("age")
    assert (numbers.tolist(), values) == ([], [])


def test_columns_that_are_not_recoded_are_kept() -> None:
    assert plan_of_rows([0]).kept == ("ward",)
