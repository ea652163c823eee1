"""Sensitive columns: who has which value, from tuples, against counting rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data.pandas import FrameTable
from anonymizer.hierarchy import Hierarchy
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode

pytestmark = pytest.mark.quick

AGE = Hierarchy.from_rows("age", [(str(n), f"{n // 2}*", "*") for n in range(4)])
ROW = st.tuples(st.sampled_from("0123"), st.sampled_from(["a", "b", None]), st.integers(0, 3))


@given(rows=st.lists(ROW, min_size=1, max_size=20), several=st.booleans(), level=st.integers(0, 2))
def test_people_are_counted_once_for_each_value_they_have_in_a_class(
    rows: list[tuple[str, str | None, int]], several: bool, level: int
) -> None:
    frame = pd.DataFrame(rows, columns=["age", "s", "id"], dtype=object).astype({"id": str})
    person = "id" if several else None
    microdata = encode(FrameTable(frame), [AGE], person=person, sensitive=["s"])
    classes = partition(microdata, (level,))
    column, found = microdata.sensitive["s"], classes.histograms("s")
    label_of_row = classes.label_of_tuple[microdata.tuple_of_row].tolist()
    who = [row[2] if several else number for number, row in enumerate(rows)]
    holders = {
        (label, row[1] or "", person)
        for label, row, person in zip(label_of_row, rows, who, strict=True)
    }
    expected: dict[tuple[int, str], int] = {}
    for label, value, _ in holders:
        expected[label, value] = expected.get((label, value), 0) + 1
    owners = np.repeat(np.arange(classes.sizes.size), found.distinct).tolist()
    entries = zip(owners, found.values.tolist(), found.counts.tolist(), strict=True)  # noqa: PD011
    assert {(label, column.texts[v]): n for label, v, n in entries} == expected
    everybody = {(value, person) for _, value, person in holders}
    for number, text in enumerate(column.texts):
        assert column.counts[number] == sum(value == text for value, _ in everybody)
    marked = column.choose(["a", "b"])
    with_any = column.people_with(classes.label_of_tuple, classes.sizes.size, marked)
    for label in range(classes.sizes.size):
        assert with_any[label] == len({p for c, v, p in holders if c == label and v})


def test_some_classes_are_counted_alone_and_more_when_they_are_asked_for() -> None:
    frame = pd.DataFrame({"age": list("0011"), "s": list("abab")}, dtype=object)
    classes = partition(encode(FrameTable(frame), [AGE], sensitive=["s"]), (0,))
    first = np.array([True, False])
    assert classes.histograms("s", first).distinct.tolist() == [2, 0]
    assert classes.histograms("s").distinct.tolist() == [2, 2]
    assert classes.histograms("s", first).distinct.tolist() == [2, 2]  # known already
