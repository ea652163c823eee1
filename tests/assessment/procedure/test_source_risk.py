from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.assessment.procedure.source_risk import SourceRisk
from anonymizer.knowledge.statement import ExternalSource
from tests.assessment.tables import key_set, smallest_cells, tables


def source_risk(rows, persons=None, threshold=0.2, external=None, **stated) -> SourceRisk:
    names = list("abcdefgh")[: len(rows[0])]
    table = {} if external is None else {"table": "x.csv"}
    source = ExternalSource(name="source", keys=names, **stated, **table)
    return SourceRisk(key_set(rows, persons, external=external), source, threshold)


def highest(found: SourceRisk, left_out: tuple[str, ...] = ()) -> float:
    cells, risk = found.cells(found.key_set.without(*left_out))
    return float(cells.highest(risk).max())


def test_the_overlap_may_depend_on_the_value_of_a_key():
    shares = {"by": "a", "values": {"x": 0.8}, "default": 0.1}
    found = source_risk([("x", "1"), ("y", "1"), ("y", "2")], p=shares, q=0.5)
    cells, risk = found.cells()
    assert sorted(cells.highest(risk).tolist()) == pytest.approx([0.05, 0.05, 0.4])


def test_where_unlike_people_share_a_cell_the_larger_overlap_counts():
    shares = {"by": "a", "values": {"x": 0.8}, "default": 0.1}
    found = source_risk([("x", "1"), ("y", "1")], p=shares)
    assert highest(found, ("a",)) == pytest.approx(0.4)


def test_a_key_left_out_may_change_the_overlap():
    found = source_risk([("x", "1"), ("y", "2")], p=0.5, without={"b": {"q": 0.1}})
    assert highest(found) == 0.5
    assert highest(found, ("b",)) == pytest.approx(0.05)


def test_the_needed_size_of_a_cell_is_the_first_that_is_acceptable():
    assert source_risk([("x",)], p=0.12, threshold=0.05).needed_size() == 3
    assert source_risk([("x",)], threshold=0.2).needed_size() == 5
    assert source_risk([("x",)], p=0.01).needed_size() == 1
    assert source_risk([("x",)], external=[("x",)]).needed_size() is None


def test_one_fifth_is_not_above_a_fifth():
    found = source_risk([("x",)] * 5, threshold=0.2)
    assert not found.above(found.cells()[1]).any()


@given(tables(), st.sampled_from([0.2, 0.25, 0.5, 1.0]))
def test_after_dropping_nobody_is_above_the_threshold(table, threshold):
    rows, persons = table
    found = source_risk(rows, persons, threshold)
    dropped = found.drop(*found.cells())
    # the obvious way: drop everyone above, look again, until nobody is
    left = set(persons)
    keys = range(len(rows[0]))
    while True:
        kept = [(row, who) for row, who in zip(rows, persons, strict=True) if who in left]
        if not kept:
            break
        sizes = smallest_cells(*zip(*kept, strict=True), keys)
        over = {who for who, size in sizes.items() if 1 / size > threshold + 1e-12}
        if not over:
            break
        left -= over
    people = found.key_set.people.people_of_history
    assert people[~dropped].sum() == len(left)
    assert np.all(people[dropped] > 0)
