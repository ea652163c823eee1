from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data import aggregate as aggregate_module
from anonymizer.data.aggregate import (
    code_labels,
    count_people,
    count_people_alone,
    distinct_rows,
    label_columns,
    label_together,
    recode,
    word_radices,
)
from anonymizer.data.column import Column, Tuples
from anonymizer.data.pandas import FrameTable

Row = tuple[str, ...]
KNOWN = ["c", "a", "never", "b"]


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    columns = draw(st.integers(1, 4))
    return draw(st.lists(st.tuples(*[st.sampled_from("abc")] * columns), min_size=1, max_size=30))


def frame_table(rows: Sequence[Row]) -> FrameTable:
    names = [f"c{at}" for at in range(len(rows[0]))]
    return FrameTable(pd.DataFrame(rows, columns=names, dtype=object))


def tuples_in(tuples: Tuples) -> list[Row]:
    columns = [
        [texts[code] for code in codes]
        for texts, codes in zip(tuples.texts, tuples.codes, strict=True)
    ]
    return list(zip(*columns, strict=True))


@given(tables(), st.integers(2, 70))
def test_distinct_tuples_and_counts_are_those_of_the_rows(rows: list[Row], limit: int) -> None:
    table = frame_table(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aggregate_module, "KEY_LIMIT", limit)  # keys of one word or of several
        tuples = table.aggregate(table.columns)
    found = tuples_in(tuples)
    assert dict(zip(found, tuples.counts.tolist(), strict=True)) == Counter(rows)
    assert len(set(found)) == len(found)
    assert [found[number] for number in tuples.tuple_of_row] == rows
    assert tuples.rows == len(rows)


@given(tables(), st.randoms(use_true_random=False))
def test_with_known_texts_the_order_of_rows_decides_nothing(
    rows: list[Row], random: object
) -> None:
    table = frame_table(rows)
    known = [KNOWN] * len(table.columns)
    tuples = table.aggregate(table.columns, known)
    assert tuples_in(tuples) == sorted(set(rows), key=lambda row: [KNOWN.index(t) for t in row])
    assert tuples.texts == (tuple(KNOWN),) * len(known)
    shuffled = rows.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = frame_table(shuffled).aggregate(table.columns, known)
    assert tuples_in(again) == tuples_in(tuples)
    assert again.counts.tolist() == tuples.counts.tolist()


@given(tables())
def test_recoded_tuples_are_those_of_recoded_rows(rows: list[Row]) -> None:
    merged = {"a": "vowel", "b": "other", "c": "other"}
    table = frame_table(rows)
    tuples = table.aggregate(table.columns, [list("abc")] * len(table.columns))
    new = ("other", "vowel")
    numbers = [np.array([new.index(merged[text]) for text in texts]) for texts in tuples.texts]
    recoded = recode(tuples, numbers, [new] * len(numbers))
    expected = [tuple(merged[text] for text in row) for row in rows]
    found = tuples_in(recoded)
    assert dict(zip(found, recoded.counts.tolist(), strict=True)) == Counter(expected)
    assert [found[number] for number in recoded.tuple_of_row] == expected


def test_a_column_of_one_value_takes_no_room() -> None:
    assert word_radices([1, 1, 1]) == [[1, 1, 1]]
    table = frame_table([("a", "a")] * 3)
    assert tuples_in(table.aggregate(table.columns)) == [("a", "a")]


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
    labels = label_columns([Column(each, tuple("abcdef")) for each in codes])
    again = label_together(map(code_labels, codes), codes[0].size)
    assert labels.of_row.tolist() == again.of_row.tolist()
    assert labels.number == len(set(zip(*columns, strict=True)))


def test_a_table_without_rows_has_no_labels() -> None:
    labels = label_columns([Column(np.zeros(0, np.uint8), ())])
    assert (labels.number, labels.of_row.size, labels.first_rows().size) == (0, 0, 0)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1))
def test_people_are_counted_once_and_alone_with_a_row_that_nobody_else_has(
    rows: list[tuple[int, int]],
) -> None:
    labels, people = (np.array(each) for each in zip(*rows, strict=True))
    alone = {
        person
        for label, person in rows
        if {other for here, other in rows if here == label} == {person}
    }
    assert count_people_alone(labels, people) == len(alone)
    holders = [len({person for here, person in rows if here == label}) for label in range(6)]
    assert count_people(labels, people, 6).tolist() == holders
