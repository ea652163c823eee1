from __future__ import annotations

import pandas as pd

from anonymizer.data.cells import text_of
from anonymizer.data.table import open_table
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
