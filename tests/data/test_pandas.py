from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from anonymizer import Hierarchy, Policy, anonymize
from anonymizer.data import arrays
from anonymizer.data.column import text_of
from anonymizer.data.opening import open_table
from anonymizer.data.pandas import ColumnsTable, FrameTable, RecordsTable
from anonymizer.data.table import Recoding, ReleasePlan, read_columns
from anonymizer.errors import DataError
from tests.data.kinds import PANDAS
from tests.data.reading import rows_in


def test_the_index_of_a_dataframe_is_no_part_of_the_data() -> None:
    frame = pd.DataFrame({"a": ["x", "y"]}, index=[7, 7])
    assert open_table(frame).columns == ("a",)
    assert rows_in(open_table(frame), "a") == [("x",), ("y",)]
    assert open_table(frame).digest() == open_table(frame.reset_index(drop=True)).digest()


def test_a_dataframe_may_have_numbers_for_names() -> None:
    frame = pd.DataFrame({0: ["x"], 1: ["y"]})
    assert open_table(frame).columns == ("0", "1")
    assert rows_in(open_table(frame), "1", "0") == [("y", "x")]


def test_numbers_that_are_equal_but_written_differently_stay_apart_in_a_dataframe() -> None:
    frame = pd.DataFrame({"a": pd.Series([34, 34.0, True, 1], dtype=object)})
    texts = [text_of(value) for (value,) in rows_in(open_table(frame), "a")]
    assert texts == ["34", "34.0", "True", "1"]


@pytest.mark.parametrize("rows", [1, 7, 8, 100])
def test_batches_of_a_dataframe_join_up_to_the_whole(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "BATCH_ROWS", 7)
    frame = pd.DataFrame({"a": [i % 3 for i in range(rows)], "b": map(str, range(rows))})
    opened = FrameTable(frame)
    assert len(list(opened.batches(["a"]))) == -(-rows // 7)
    assert rows_in(opened, "a", "b") == list(frame.itertuples(index=False, name=None))


@pytest.mark.parametrize("name", PANDAS)
def test_every_pandas_type_is_read_as_the_texts_of_its_cells(name: str) -> None:
    column, _ = PANDAS[name]
    opened = FrameTable(pd.DataFrame({"a": column}))
    coded = read_columns(opened, ["a"])["a"]
    assert [coded.texts[code] for code in coded.codes] == [text_of(value) for value in column]
    assert len(opened.read(["a"])) == len(column)
    assert set(opened.types) == {"a"}
    assert len(opened.digest()) == 64


ORIGINAL = {
    "int64": pd.Series([3, 1]),
    "float32": pd.Series([0.1, 2.5], dtype="float32"),
    "bool": pd.Series([True, False]),
    "datetime64[ns]": pd.Series(pd.to_datetime(["2024-03-01", "2024-03-02"])).astype(
        "datetime64[ns]"
    ),
    "Int64": pd.Series([3, None], dtype="Int64"),
    "boolean": pd.Series([True, None], dtype="boolean"),
    "string": pd.Series(["x", None], dtype="string"),
    "str": pd.Series(["x", None], dtype="str"),
    "date32[day][pyarrow]": pd.Series([date(2024, 3, 1), None], dtype="date32[pyarrow]"),
    "category": pd.Series(["x", None], dtype="category"),
    "category of numbers": pd.Series([3, 1], dtype="category"),
    "period": pd.Series(pd.period_range("2024-03", periods=2, freq="M")),
    "decimals": pd.Series([Decimal("1.50"), None]),
    "days": pd.Series([date(2024, 3, 1), None]),
    "objects that are whole": pd.Series([3, None], dtype=object),
    "objects that are true or false": pd.Series([True, None], dtype=object),
}


@pytest.mark.parametrize("name", ORIGINAL)
def test_a_recoded_column_whose_values_are_its_own_keeps_its_type(name: str) -> None:
    column = ORIGINAL[name]
    coded = read_columns(FrameTable(pd.DataFrame({"a": column})), ["a"])["a"]
    recoding = Recoding(coded.texts, np.array([0, 1]), original=True)
    plan = ReleasePlan(("a",), {"a": recoding}, np.array([0, 1], np.int32), np.array([1, 0]))
    released = FrameTable(pd.DataFrame({"a": column})).release(plan)["a"]
    assert released.dtype == column.dtype
    again = read_columns(FrameTable(released.to_frame()), ["a"])["a"]
    assert [again.texts[code] for code in again.codes] == [*coded.texts][::-1]
    if column.dtype == object:
        assert [type(value) for value in released.dropna()] == [type(column[0])]


def recoded(column: pd.Series, recoding: Recoding) -> pd.Series:
    rows = np.arange(len(column))
    plan = ReleasePlan(("a",), {"a": recoding}, rows.astype(np.int32), rows)
    return FrameTable(pd.DataFrame({"a": column})).release(plan)["a"]


def test_objects_of_several_kinds_are_released_as_text() -> None:
    column = pd.Series([3, "x"], dtype=object)
    released = recoded(column, Recoding(("3", "x"), np.array([0, 1]), original=True))
    assert released.tolist() == ["3", "x"]
    assert released.dtype == pd.Series(["x"]).dtype


def test_categories_keep_their_own_order_and_lose_what_no_row_has() -> None:
    column = pd.Series(pd.Categorical(["high", "low"], ["low", "mid", "high"], ordered=True))
    recoding = Recoding(("high", "low", "mid"), np.array([0, 1]), original=True)
    assert recoded(column, recoding).dtype == pd.CategoricalDtype(["low", "high"], ordered=True)


@pytest.mark.parametrize("dtype", ["int64", "str", "category"])
def test_values_in_an_order_come_out_as_ordered_categories(dtype: str) -> None:
    column = pd.Series([100, 20, 8]).astype(dtype)
    groups = Recoding(("5-9", "20-29", "40-49", "100-109", ""), np.array([3, 1, 4]), False, True)
    released = recoded(column, groups)
    assert released.dtype == pd.CategoricalDtype(["20-29", "100-109"], ordered=True)
    assert released.sort_values().tolist()[:2] == ["20-29", "100-109"]
    assert pd.isna(released[2])


ROWS = [{"a": 1, "b": "x"}, {"b": None, "c": [2]}, {"a": 1.0, "c": None}]


def test_a_key_that_a_row_does_not_have_is_a_missing_cell() -> None:
    opened = open_table(ROWS)
    assert isinstance(opened, RecordsTable)
    assert opened.columns == ("a", "b", "c")
    assert rows_in(opened, "a", "b", "c") == [
        ("1", "x", None),
        (None, None, "[2]"),
        ("1.0", None, None),
    ]


def test_columns_may_be_any_lists_or_arrays() -> None:
    opened = open_table({"a": [1, 2], 7: np.array(["x", "y"]), "c": range(2)})
    assert isinstance(opened, ColumnsTable)
    assert rows_in(opened, "7", "a", "c") == [("x", "1", "0"), ("y", "2", "1")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "the list is empty, so it has no columns; give a dict for each row."),
        ([{"a": 1}, 3], "the data is a list: give a dict for each row, "),
        ({"a": "text"}, "the data is a dict: give a list of values for each column"),
        ({"a": [1], "b": [1, 2]}, "the columns of the dict are not equally long; give each row a "),
        ({"1": [1], 1: [2]}, "two columns have the same name as text; rename one."),
    ],
)
def test_what_is_no_table_is_one_sentence(data: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_table(data)  # type: ignore[arg-type]


def test_values_come_out_as_the_objects_they_were() -> None:
    leaves = [("1.50", "*"), ("2", "*")]
    policy = Policy(
        attributes={
            "size": {
                "role": "quasi",
                "hierarchy": Hierarchy.from_rows("size", leaves),
                "max_level": 0,
            },
            "seen": {"role": "sensitive"},
        },
        risk=[{"model": "k-anonymity", "k": 1}],
    )
    rows = [{"size": Decimal("1.50"), "seen": date(2024, 3, 1)}, {"size": Decimal(2), "seen": None}]
    released = anonymize(rows, policy).to_frame()
    assert sorted(released, key=lambda row: row["size"]) == rows
    columns = {"size": [Decimal(2)], "seen": [[1, 2]]}
    assert anonymize(columns, policy).to_frame() == columns
