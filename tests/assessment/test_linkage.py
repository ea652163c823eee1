from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from anonymizer.assessment.linkage import (
    external_sizes,
    link,
    link_probabilities,
)
from tests.assessment.tables import Row, key_set, tables

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
    assert (found.external_people, found.external_matched) == (12, 11)
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
