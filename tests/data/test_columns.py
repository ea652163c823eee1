from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data import cells as cells_module
from anonymizer.data.cells import Cells
from anonymizer.data.columns import Coded, Vocabulary, check_rows, read_columns, smallest_type
from anonymizer.data.frame import FrameTable
from anonymizer.errors import DataError

TEXTS = st.one_of(st.none(), st.sampled_from(["", "a", "b", "c", "1", "é"]))
TABLES = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=30)


def texts_in(column: Coded) -> list[str]:
    return [column.texts[code] for code in column.codes.tolist()]


@given(TABLES, st.integers(1, 7))
def test_codes_are_those_of_the_texts_whatever_the_batches(
    rows: list[tuple[str | None, ...]], size: int
) -> None:
    table = FrameTable(pd.DataFrame(rows, columns=["x", "y"], dtype=object))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells_module, "BATCH_ROWS", size)
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
    column = Coded(np.array([0, 1, 2, 1]), ("31", "38", "45"))
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
