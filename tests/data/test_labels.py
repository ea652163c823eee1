from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data.columns import Coded
from anonymizer.data.labels import code_labels, distinct_rows, label_columns, label_together

columns = st.integers(1, 8).flatmap(
    lambda rows: st.lists(
        st.lists(st.integers(0, 5), min_size=rows, max_size=rows), min_size=1, max_size=4
    )
)


@given(columns)
def test_rows_have_one_label_exactly_if_all_their_values_are_equal(
    columns: list[list[int]],
) -> None:
    rows = list(zip(*columns, strict=True))
    labels = label_together((code_labels(np.array(column)) for column in columns), len(rows))
    assert labels.number == len(set(rows)) == len(set(labels.of_row.tolist()))
    for label, row in zip(labels.of_row, rows, strict=True):
        assert rows[labels.first_rows()[label]] == row


@given(columns)
def test_distinct_rows_are_numbered_in_the_order_of_their_values(columns: list[list[int]]) -> None:
    rows = list(zip(*columns, strict=True))
    number, first = distinct_rows([np.array(column) for column in columns], len(rows))
    assert [rows[at] for at in first] == sorted(set(rows))
    assert [rows[at] for at in first[number]] == rows


@pytest.mark.parametrize("code", [-1, 2**31])
def test_codes_that_do_not_fit_are_refused(code: int) -> None:
    with pytest.raises(ValueError, match=f"codes are from 0 to 2147483647, got {code}"):
        code_labels(np.array([0, code]))


@given(columns)
def test_columns_are_labelled_as_their_codes_are(columns: list[list[int]]) -> None:
    codes = [np.array(column, np.uint8) for column in columns]
    labels = label_columns([Coded(each, tuple("abcdef")) for each in codes])
    again = label_together(map(code_labels, codes), codes[0].size)
    assert labels.of_row.tolist() == again.of_row.tolist()
    assert labels.number == len(set(zip(*columns, strict=True)))


def test_a_table_without_rows_has_no_labels() -> None:
    labels = label_columns([Coded(np.zeros(0, np.uint8), ())])
    assert (labels.number, labels.of_row.size, labels.first_rows().size) == (0, 0, 0)
