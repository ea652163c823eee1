from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import hierarchy
from anonymizer.data import arrays
from anonymizer.data.arrays import cells_of_arrow, parse_texts
from anonymizer.data.column import (
    MISSING,
    Cells,
    Column,
    Vocabulary,
    cells_of_values,
    smallest_type,
    text_of,
)
from anonymizer.data.pandas import FrameTable, cells_of_series
from anonymizer.data.table import check_rows, read_columns
from anonymizer.errors import DataError
from tests.data.kinds import ARROW

TEXTS = st.one_of(st.none(), st.sampled_from(["", "a", "b", "c", "1", "é"]))
TABLES = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=30)


def texts_in(column: Column) -> list[str]:
    return [column.texts[code] for code in column.codes.tolist()]


@given(TABLES, st.integers(1, 7))
def test_codes_are_those_of_the_texts_whatever_the_batches(
    rows: list[tuple[str | None, ...]], size: int
) -> None:
    table = FrameTable(pd.DataFrame(rows, columns=["x", "y"], dtype=object))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "BATCH_ROWS", size)
        columns = read_columns(table, ["y", "x"])
    for at, name in enumerate(["x", "y"]):
        expected = [row[at] or "" for row in rows]
        assert texts_in(columns[name]) == expected
        assert set(columns[name].texts) == set(expected)  # no text that no row has
        assert columns[name].missing.tolist() == [text == "" for text in expected]
        assert columns[name].where("a").tolist() == [text == "a" for text in expected]


@given(TABLES, st.data())
def test_rows_that_are_kept_leave_no_text_of_the_others(
    rows: list[tuple[str | None, ...]], data: st.DataObject
) -> None:
    table = FrameTable(pd.DataFrame(rows, columns=["x", "y"], dtype=object))
    column = read_columns(table, ["x"])["x"]
    kept = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    found = column.keep(np.array(kept, np.bool_))
    expected = [row[0] or "" for row, there in zip(rows, kept, strict=True) if there]
    assert texts_in(found) == expected
    assert set(found.texts) == set(expected)


def test_texts_that_are_known_come_first_whether_or_not_they_occur() -> None:
    words = Vocabulary(["low", "high"])
    assert words.encode(Cells(np.array([0, 1]), ["new", "high"])).tolist() == [2, 1]
    assert words.texts == ("low", "high", "new")
    assert words.encode(Cells(np.array([-1, 0]), ["low"])).tolist() == [3, 0]
    assert words.texts == ("low", "high", "new", "")


def test_a_value_that_no_row_has_gets_no_number() -> None:
    words = Vocabulary()
    words.encode(Cells(np.array([2, 2]), ["never", "nor this", "x"]))
    assert words.texts == ("x",)


@pytest.mark.parametrize("size", [1, 2, 256, 257, 65_536, 65_537, 70_000])
def test_codes_are_in_the_smallest_integers_that_hold_them(size: int) -> None:
    words = Vocabulary()
    codes = words.encode(Cells(np.arange(size), [str(number) for number in range(size)]))
    assert codes.dtype == smallest_type(size) == np.min_scalar_type(size - 1)
    assert codes.tolist() == list(range(size))


def test_texts_that_become_equal_become_one() -> None:
    column = Column(np.array([0, 1, 2, 1]), ("31", "38", "45"))
    renamed = column.rename(["30s", "30s", "40s"])
    assert texts_in(renamed) == ["30s", "30s", "40s", "30s"]
    assert renamed.texts == ("30s", "40s")


def test_no_rows_and_too_many_are_one_sentence() -> None:
    table = FrameTable(pd.DataFrame({"a": ["x"]}))
    check_rows(table, 1)
    with pytest.raises(DataError, match="no rows, so there is nothing to anonymize"):
        check_rows(table, 0)
    with pytest.raises(DataError, match="2147483648 rows are more than the 2147483648 supported"):
        check_rows(table, 2**31)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("34", "34"),
        (34, "34"),
        (np.int64(34), "34"),
        (34.0, "34.0"),
        (True, "True"),
        (np.bool_(False), "False"),
        (date(2024, 3, 1), "2024-03-01"),
        (datetime(2024, 3, 1), "2024-03-01"),
        (pd.Timestamp("2024-03-01"), "2024-03-01"),
        (datetime(2024, 3, 1, 8, 30), "2024-03-01T08:30:00"),
        (b"34", "34"),
    ],
)
def test_a_value_is_known_by_its_text(value: object, text: str) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.nan, pd.NA, pd.NaT, np.float32("nan"), ""]
)
def test_a_missing_cell_is_the_empty_text(value: object) -> None:
    assert text_of(value) == MISSING == hierarchy.MISSING


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.float16])
def test_minus_zero_is_zero(kind: Any) -> None:
    assert text_of(kind(-0.0)) == text_of(kind(0.0)) == "0.0"


def test_a_long_array_is_written_to_its_end() -> None:
    numbers = np.arange(5000)
    assert text_of(numbers) == str(list(range(5000)))
    assert text_of(numbers) != text_of(np.where(numbers == 2500, 0, numbers))


VALUES = {
    pa.int16(): st.integers(-(2**15), 2**15 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float64(): st.floats(allow_nan=False),
    pa.float32(): st.floats(allow_nan=False, width=32),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(),
    pa.date64(): st.dates(),
    pa.timestamp("us"): st.datetimes(),
    pa.timestamp("s"): st.datetimes().map(lambda moment: moment.replace(microsecond=0)),
    pa.time64("us"): st.times(),
    pa.decimal128(12, 3): st.decimals(-(10**8), 10**8, places=3, allow_nan=False),
    pa.string(): st.text(min_size=1),
    pa.large_string(): st.text(min_size=1),
    pa.binary(): st.text(min_size=1).map(str.encode),
}


@pytest.mark.parametrize("kind", VALUES, ids=str)
@given(data=st.data())
def test_a_value_can_be_read_back_from_its_text(kind: pa.DataType, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.one_of(st.none(), VALUES[kind])))
    texts = [text_of(value) for value in pa.array(values, kind).to_pylist()]
    parsed = parse_texts(texts, kind)
    assert parsed is not None
    assert parsed.type == kind
    assert [text_of(value) for value in parsed.to_pylist()] == texts


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["x"], pa.int64()),
        (["300"], pa.int8()),
        (["1 day"], pa.duration("s")),
        (["25:00"], pa.time32("s")),
    ],
)
def test_a_text_that_is_no_value_of_a_type_is_not_read(texts: list[str], kind: Any) -> None:
    assert parse_texts(texts, kind) is None


def test_a_day_is_not_read_as_a_moment_in_some_time_zone() -> None:
    assert parse_texts(["2024-03-01"], pa.timestamp("us", tz="Europe/Berlin")) is None


MIXED = st.one_of(
    st.none(), st.integers(-3, 3), st.booleans(), st.sampled_from(["", "1", "True", "a"]),
    st.sampled_from([0.0, -0.0, 1.0, float("nan")]), st.lists(st.integers(0, 1), max_size=2),
)  # fmt: skip


@given(st.lists(MIXED))
def test_cells_of_any_kind_come_back_as_their_texts(values: list[object]) -> None:
    column = pd.Series(values, dtype=object)
    for cells in (cells_of_values(values), cells_of_series(column)):
        found = ["" if i < 0 else text_of(cells.distinct[i]) for i in cells.indices.tolist()]
        assert found == [text_of(value) for value in values]


@pytest.mark.parametrize("name", ARROW)
def test_every_arrow_type_is_split_into_cells(name: str) -> None:
    column, _ = ARROW[name]
    cells = cells_of_arrow(column)
    found = ["" if i < 0 else text_of(cells.distinct[i]) for i in cells.indices.tolist()]
    assert found == [text_of(value) for value in column.to_pylist()]
