from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from anonymizer.assessment.procedure.linkage import (
    external_sizes,
    level_of,
    link,
    link_probabilities,
    match_columns,
    to_leaves,
)
from anonymizer.data.columns import Coded
from anonymizer.data.frame import FrameTable
from anonymizer.errors import DataError, HierarchyError
from anonymizer.hierarchy import Hierarchy
from tests.assessment.tables import Row, frame_of, key_set, tables

AGE = Hierarchy.from_rows(
    "age", [("31", "30-39", "*"), ("38", "30-39", "*"), ("45", "40-49", "*")], "age.csv"
)

HERE: list[Row] = [("1to1",), ("1tom",), *[("kto1",)] * 3, *[("ktom",)] * 2, ("nobody",)]
THERE: list[Row] = [("1to1",), *[("1tom",)] * 4, ("kto1",), *[("ktom",)] * 5, ("elsewhere",)]


def test_the_four_kinds_of_match_have_the_probabilities_of_section_3_3():
    keys = key_set(HERE, external=THERE)
    found = link(keys)
    assert (found.one_to_one, found.one_to_many, found.many_to_one, found.many_to_many) == (
        1,
        1,
        3,
        2,
    )
    assert found.unmatched == 1
    assert found.people == 8
    assert (found.external_records, found.external_matched) == (12, 11)
    probabilities = link_probabilities(keys.cells().sizes, external_sizes(keys))
    by_row = probabilities[keys.classes().label_of_tuple[keys.microdata.tuple_of_row]]
    assert by_row.tolist() == pytest.approx([1, 1 / 4, *[1 / 3] * 3, *[1 / 10] * 2, 0])


def test_a_person_with_several_rows_counts_where_the_risk_is_highest():
    found = link(key_set([("x",), ("y",), ("y",)], persons=[1, 1, 2], external=[("x",), ("y",)]))
    assert (found.one_to_one, found.many_to_one) == (1, 1)  # person 1 by x, person 2 by y


@given(tables(keys=2), tables(keys=2))
def test_matches_are_those_that_comparing_all_pairs_finds(here, there):
    rows, persons = here
    width = min(len(rows[0]), len(there[0][0]))
    rows, other = ([row[:width] for row in table] for table in (rows, there[0]))
    keys = key_set(rows, persons, external=other)
    expected = {}
    for row, who in zip(rows, persons, strict=True):
        k = len({whose for r, whose in zip(rows, persons, strict=True) if r == row})
        m = other.count(row)
        expected[who] = max(expected.get(who, 0), 1 / (k * m) if m else 0)
    cells = keys.cells()
    risk = cells.highest(link_probabilities(cells.sizes, external_sizes(keys)))
    found = np.repeat(risk, cells.people_of_history)
    assert sorted(found.tolist()) == pytest.approx(sorted(expected.values()))
    assert link(keys).unmatched == sum(value == 0 for value in expected.values())


def test_the_level_of_a_column_is_the_finest_that_knows_its_values():
    assert level_of(AGE, ["31", "45", ""], "here") == 0
    assert level_of(AGE, ["30-39"], "there") == 1
    assert level_of(AGE, ["*"], "there") == 2


@pytest.mark.usefixtures("values_shown")
def test_values_of_no_single_level_are_named():
    with pytest.raises(
        HierarchyError, match=r"voters.csv: column 'age' has values that no single .*: '30-39'; "
    ):
        level_of(AGE, ["31", "38", "30-39"], "voters.csv")


def test_leaves_stand_for_the_values_of_a_level():
    column = Coded(np.array([0, 1, 2]), ("40-49", "30-39", ""))
    leaves = to_leaves(AGE, 1, column)
    assert [leaves.texts[code] for code in leaves.codes] == ["45", "31", ""]
    assert to_leaves(AGE, 0, column) is column


def test_an_external_table_without_a_common_key_is_refused():
    external = FrameTable(frame_of([("x", "y")]))
    with pytest.raises(DataError, match=r"no column in common with the keys 'age', 'sex'"):
        match_columns(["age", "sex"], external, {})
    with pytest.raises(DataError, match=r"no column for the key 'sex'; leave it out"):
        match_columns(["a", "sex"], external, {})
    assert match_columns(["age"], external, {"age": "b"}) == {"age": "b"}
