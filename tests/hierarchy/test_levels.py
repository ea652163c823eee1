from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.hierarchy.levels import Levels

ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.text("abc", max_size=2), min_size=width, max_size=width))
)


@given(ROWS.filter(bool))
def test_levels_of_columns_are_those_of_the_rows(rows: list[list[str]]) -> None:
    by_row, by_column = Levels.of(rows), Levels.of_columns(list(zip(*rows, strict=True)))
    assert by_column.labels == by_row.labels
    assert np.array_equal(by_column.codes, by_row.codes)
    assert by_column.row_numbers.tolist() == by_row.row_numbers.tolist()


@given(ROWS.filter(bool))
def test_levels_read_back_as_the_rows(rows: list[list[str]]) -> None:
    levels = Levels.of(rows)
    decoded = [
        [labels[code] for code in codes]
        for labels, codes in zip(levels.labels, levels.codes, strict=True)
    ]
    assert [list(row) for row in zip(*decoded, strict=True)] == rows
