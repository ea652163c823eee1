from __future__ import annotations

import numpy as np
from hypothesis import given

from tests.assessment.tables import Row, key_set, tables

ROWS: list[Row] = [("x", "1"), ("x", "1"), ("x", "2"), ("y", "1"), ("x", "2")]


def test_where_rows_are_people_the_histories_are_the_distinct_tuples():
    people = key_set(ROWS).people
    assert people.people == 5
    assert people.people_of_history.tolist() == [2, 2, 1]


def test_people_with_the_same_set_of_rows_have_one_history():
    # 1 and 2 both have (x, 1) and (x, 2); 3 has (y, 1)
    people = key_set(ROWS, persons=[1, 2, 1, 3, 2]).people
    assert sorted(people.people_of_history.tolist()) == [1, 2]
    assert people.rows_of_entry.sum() == 5


def test_a_person_is_counted_once_in_a_cell():
    cells = key_set([("x",), ("x",), ("x",), ("y",)], persons=[1, 1, 2, 2]).cells()
    assert sorted(cells.sizes.tolist()) == [1, 2]
    assert cells.people == 2


def test_the_risk_of_a_person_is_that_of_the_smallest_cell():
    cells = key_set([("x",), ("x",), ("y",)], persons=[1, 2, 2]).cells()
    assert sorted(cells.sizes.tolist()) == [1, 2]
    assert sorted(cells.smallest().tolist()) == [1, 2]  # person 2 is in both cells
    assert sorted(cells.highest(1 / cells.sizes).tolist()) == [0.5, 1.0]


@given(tables())
def test_histories_are_the_sets_of_tuples_that_people_have(table):
    rows, persons = table
    sets: dict[int, set[Row]] = {}
    for row, who in zip(rows, persons, strict=True):
        sets.setdefault(who, set()).add(row)
    people = key_set(rows, persons).people
    expected: dict[frozenset[Row], int] = {}
    for of_person in sets.values():
        expected[frozenset(of_person)] = expected.get(frozenset(of_person), 0) + 1
    assert sorted(people.people_of_history.tolist()) == sorted(expected.values())
    assert people.rows_of_entry.sum() == len(rows)
    lengths = np.bincount(people.history_of_entry)
    assert sorted(lengths.tolist()) == sorted(len(tuples) for tuples in expected)
