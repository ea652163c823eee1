from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data.pandas import FrameTable
from anonymizer.errors import AnonymizerWarning, HierarchyError, show_values
from anonymizer.hierarchy import Dates, Hierarchy, Intervals, Priority
from anonymizer.table.microdata import Microdata, encode

pytestmark = pytest.mark.quick

AGE = Intervals((0, 99), widths=(10,), open="high", missing="top").build("age")
DOSE = Intervals((0.0, 10.0), widths=(2.5, 5), open="both", missing="top").build("dose")
DAY = Dates("2020-01-01", "2020-12-31", format="%d.%m.%Y", missing="top").build("day")
HIERARCHIES = [AGE, DOSE, DAY]

SPELLINGS: dict[str, list[Any]] = {
    "age": ["{}", "{}.0", " {} ", "{:e}", "0{}"],
    "dose": ["{:.2f}", "{:.5f}", " {:+.2f}", "{:.9e}"],
    "day": ["{:%Y-%m-%d}", "{:%d.%m.%Y}", "{:%Y-%m-%dT%H:%M:%S}", " {:%Y-%m-%d %H:%M} "],
}
ROWS = st.lists(
    st.tuples(
        st.integers(0, 130),
        st.decimals(-3, 13, places=2, allow_nan=False),
        st.datetimes(pd.Timestamp(2020, 1, 1), pd.Timestamp(2020, 12, 31)),
    ),
    min_size=1,
    max_size=20,
)


def encoded(columns: dict[str, list[Any]], population: Any = None) -> Microdata:
    table = FrameTable(pd.DataFrame(columns, dtype=object))
    people = None if population is None else FrameTable(pd.DataFrame(population, dtype=object))
    return encode(table, HIERARCHIES, people)


def tuples_of(microdata: Microdata, level: int) -> list[tuple[str, ...]]:
    columns = [
        column.texts(level)[codes]
        for column, codes in zip(microdata.columns, microdata.codes, strict=True)
    ]
    return [tuple(map(str, row)) for row in np.array(columns).T[microdata.tuple_of_row]]


@given(ROWS, st.data())
def test_the_way_a_value_is_written_changes_nothing(rows: list[Any], data: st.DataObject) -> None:
    plain = {name: [str(value) for value in column] for name, column in columns_of(rows).items()}
    written = {
        name: [data.draw(st.sampled_from(SPELLINGS[name])).format(value) for value in column]
        for name, column in columns_of(rows).items()
    }
    one, other = encoded(plain), encoded(written)
    assert one.codes.tolist() == other.codes.tolist()
    assert one.counts.tolist() == other.counts.tolist()
    for level in (0, 1):
        assert tuples_of(one, level) == tuples_of(other, level)


def columns_of(rows: list[Any]) -> dict[str, list[Any]]:
    return dict(zip(("age", "dose", "day"), map(list, zip(*rows, strict=True)), strict=True))


@given(ROWS)
def test_numbers_and_dates_count_as_their_text_does(rows: list[Any]) -> None:
    columns = columns_of(rows)
    texts = encoded({name: [str(value) for value in column] for name, column in columns.items()})
    typed = FrameTable(
        pd.DataFrame(
            {
                "age": np.array(columns["age"], float),
                "dose": np.array(columns["dose"], float),
                "day": pd.to_datetime(columns["day"]),
            }
        )
    )
    assert encode(typed, HIERARCHIES).codes.tolist() == texts.codes.tolist()


@given(ROWS, ROWS)
def test_the_values_of_a_population_are_taken_in_too(rows: list[Any], others: list[Any]) -> None:
    mine, theirs = (
        {n: [*map(str, c)] for n, c in columns_of(each).items()} for each in (rows, others)
    )
    microdata = encoded(mine, theirs)
    assert microdata.population is not None
    assert int(microdata.population.counts.sum()) == len(others)
    alone = encoded(mine)
    assert tuples_of(microdata, 1) == tuples_of(alone, 1)
    assert microdata.domain.sizes.tolist() == alone.domain.sizes.tolist()


def test_a_value_covers_nothing_of_a_continuous_domain_and_one_leaf_of_another() -> None:
    microdata = encoded({"age": ["130", "7"], "dose": ["2", "3.3"], "day": ["2020-01-01"] * 2})
    # a leaf for missing cells counts as one more
    assert microdata.domain.sizes.tolist() == [101, 4, 367]
    assert microdata.domain.least.tolist() == [1, 0, 1]
    assert microdata.columns[0].covered.tolist() == [[1, 1], [10, 10], [101, 101]]
    assert microdata.columns[1].covered.tolist() == [[0, 0], [1, 1], [2, 2], [4, 4]]


def test_blank_cells_of_numbers_and_dates_are_missing() -> None:
    microdata = encoded({"age": ["", " ", "5"], "dose": ["1"] * 3, "day": ["2020-01-01"] * 3})
    assert microdata.distinct == 2


def test_values_that_no_list_has_are_the_least_important() -> None:
    illness = Priority(("flu", "gout", "asthma"), keep=(1,), unlisted=True).build("illness")
    microdata = encode(FrameTable(pd.DataFrame({"illness": ["new", "flu", "older"]})), [illness])
    assert [*microdata.columns[0].texts(1)] == ["flu", "other (2 values)", "other (2 values)"]
    assert microdata.domain.sizes.tolist() == [3]


def test_all_values_without_a_leaf_are_named_with_the_row_of_the_first() -> None:
    table = {"age": ["1", "-1"], "dose": ["x", "1"], "day": ["2020-01-01", "2021-01-01"]}
    with show_values(), pytest.raises(HierarchyError) as caught:
        encoded(table)
    assert "column 'age': 1 value is not among the numbers from 0 to 99: '-1'" in str(caught.value)
    assert "column 'dose': 1 value is not a number: 'x'" in str(caught.value)
    assert "column 'day': 1 value is not among the dates from 2020-01-01" in str(caught.value)
    assert str(caught.value).count("First at row") == 3


def test_missing_cells_without_a_stated_place_are_warned_of() -> None:
    dose = Intervals((0.0, 10.0), widths=(5,)).build("dose")
    with pytest.warns(AnonymizerWarning, match='missing = "top"'):
        microdata = encode(FrameTable(pd.DataFrame({"dose": [1.5, None]})), [dose])
    assert microdata.columns[0].covered.tolist() == [[0, 0], [1, 0], [2, 2]]
    assert isinstance(microdata.columns[0].hierarchy.declared, Hierarchy)
