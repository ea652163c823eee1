from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from anonymizer.data.coded import CodedTable, load
from anonymizer.data.csv import CsvTable
from anonymizer.data.opening import check_present
from anonymizer.data.pandas import FrameTable
from anonymizer.data.table import read_columns
from anonymizer.errors import DataError
from tests.data.reading import write

FRAME = pd.DataFrame({"a": ["x", "y", None], "b": [1, 2, 2]})


def test_nothing_is_read_before_somebody_asks() -> None:
    class Asked(FrameTable):
        passes = 0

        def batches(self, columns):  # type: ignore[no-untyped-def]
            Asked.passes += 1
            return super().batches(columns)

    loaded = load(Asked(FRAME), ["a", "b", "a"])
    assert Asked.passes == 0
    first = read_columns(loaded, ["a"])["a"]
    again = read_columns(loaded, ["b", "a"])["a"]
    assert Asked.passes == 1
    assert first.texts == again.texts == ("x", "y", "")


def test_a_column_that_is_lacking_is_left_to_those_who_ask() -> None:
    loaded = load(FrameTable(FRAME), ["a", "c"])
    assert set(loaded.coded) == {"a"}
    with pytest.raises(DataError, match="the dataframe: no column 'c'"):
        check_present(loaded, ["c"])


def test_columns_that_were_computed_are_a_table_too() -> None:
    computed = CodedTable(read_columns(FrameTable(FRAME), ["b", "a"]))
    assert computed.columns == ("b", "a")
    assert computed.rows == 3
    assert computed.aggregate(["b"]).counts.tolist() == [1, 2]
    assert computed.read(["a"])["a"].to_pylist() == ["x", "y", None]
    assert CodedTable({}).rows is None


def test_a_wrong_delimiter_is_guessed_through_it(tmp_path: Path) -> None:
    loaded = load(CsvTable(write(tmp_path, "a;b\n1;2\n"), ","), ["a"])
    with pytest.raises(DataError, match=r"Is the delimiter ';' rather than ','\?"):
        check_present(loaded, ["a"])
