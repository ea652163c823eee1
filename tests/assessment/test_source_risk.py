from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.assessment.source_risk import SourceRisk, link
from anonymizer.attackers.overlap import Proportion
from anonymizer.attackers.statement import ExternalSource
from tests.assessment.tables import Row, key_set, smallest_cells, tables

HERE: list[Row] = [("1to1",), ("1tom",), *[("kto1",)] * 3, *[("ktom",)] * 2, ("nobody",)]
THERE: list[Row] = [("1to1",), *[("1tom",)] * 4, ("kto1",), *[("ktom",)] * 5, ("elsewhere",)]


def source_risk(rows, persons=None, threshold=0.2, external=None, **stated) -> SourceRisk:
    names = list("abcdefgh")[: len(rows[0])]
    table = {} if external is None else {"path": "x.csv"}
    source = ExternalSource(name="source", keys=names, **stated, **table)
    return SourceRisk(key_set(rows, persons, external=external), source, threshold)


def highest(found: SourceRisk, left_out: tuple[str, ...] = ()) -> float:
    cells, risk = found.cells(found.key_set.without(*left_out))
    return float(cells.highest(risk).max())


def test_the_overlap_may_depend_on_the_value_of_a_key():
    shares = {"by": "a", "probabilities": {"x": 0.8}, "default": 0.1}
    found = source_risk([("x", "1"), ("y", "1"), ("y", "2")], p=shares, q=0.5)
    cells, risk = found.cells()
    assert sorted(cells.highest(risk).tolist()) == pytest.approx([0.05, 0.05, 0.4])


def test_where_unlike_people_share_a_cell_the_larger_overlap_counts():
    shares = {"by": "a", "probabilities": {"x": 0.8}, "default": 0.1}
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


SHARES = st.one_of(
    st.floats(0, 1),
    st.fixed_dictionaries(
        {
            "by": st.just("a"),
            "probabilities": st.dictionaries(st.sampled_from("xyz"), st.floats(0, 1)),
            "default": st.floats(0, 1),
        }
    ),
)


def shares_of(row: tuple[str, ...], stated: tuple[Proportion, ...]) -> float:
    """Return the largest of some shares for a row: the obvious way."""
    return max(
        each.default if each.by is None else each.probabilities.get(row[0], each.default)
        for each in stated
    )


@given(tables(), SHARES, SHARES, st.one_of(st.none(), SHARES), st.sets(st.integers(0, 2)))
def test_the_probability_in_a_cell_is_p_q_over_k_of_whom_it_is_largest(
    table, p, q, without, left_out
):
    rows, _ = table
    rows = [row if row[0] in "xyz" else ("x", *row[1:]) for row in rows]
    names = list("abc")[: len(rows[0])]
    told = {} if without is None else {"without": {names[-1]: {"p": without}}}
    values = {row[0] for row in rows}
    for share in (p, q, without):
        if isinstance(share, dict):
            share["probabilities"] = {
                k: v for k, v in share["probabilities"].items() if k in values
            }
    found = source_risk(rows, p=p, q=q, **told)
    gone = [names[at] for at in sorted(left_out) if at < len(names)]
    kept = [at for at, name in enumerate(names) if name not in gone]
    cells, risk = found.cells(found.key_set.without(*gone))
    shares = found.source.overlap(gone)
    certain = {row: shares_of(row, shares[0]) * shares_of(row, shares[1]) for row in rows}
    expected = {}
    for row in rows:
        alike = [other for other in rows if all(other[at] == row[at] for at in kept)]
        expected[row] = max(certain[other] for other in alike) / len(alike)
    assert sorted(set(np.round(cells.highest(risk), 9))) == sorted(
        set(np.round(list(expected.values()), 9))
    )


@given(tables(most=8), tables(most=8))
def test_the_probability_of_a_source_at_hand_is_one_over_k_m(table, other):
    rows, theirs = ([(row[0],) for row in each[0]] for each in (table, other))
    found = source_risk(rows, external=theirs)
    cells, risk = found.cells()
    expected = {
        row: 1 / (rows.count(row) * theirs.count(row)) if row in theirs else 0.0 for row in rows
    }
    assert sorted(set(np.round(cells.highest(risk), 9))) == sorted(
        set(np.round(list(expected.values()), 9))
    )


def test_the_four_kinds_of_match_have_the_probabilities_of_section_3_3():
    source = source_risk(HERE, external=THERE)
    found, keys = link(source), source.key_set
    assert (found.one_to_one, found.one_to_many, found.many_to_one, found.many_to_many) == (
        1,
        1,
        3,
        2,
    )
    assert found.unmatched == 1
    assert found.people == 8
    assert (found.external_people, found.external_matched) == (12, 11)
    by_row = source.cells()[1][keys.classes().label_of_tuple[keys.microdata.tuple_of_row]]
    assert by_row.tolist() == pytest.approx([1, 1 / 4, *[1 / 3] * 3, *[1 / 10] * 2, 0])


def test_a_person_with_several_rows_counts_where_the_risk_is_highest():
    rows, other = [("x",), ("y",), ("y",)], [("x",), ("y",)]
    found = link(source_risk(rows, [1, 1, 2], external=other))
    assert (found.one_to_one, found.many_to_one) == (1, 1)  # person 1 by x, person 2 by y


@given(tables(keys=2), tables(keys=2))
def test_matches_are_those_that_comparing_all_pairs_finds(here, there):
    rows, persons = here
    width = min(len(rows[0]), len(there[0][0]))
    rows, other = ([row[:width] for row in table] for table in (rows, there[0]))
    source = source_risk(rows, persons, external=other)
    expected = {}
    for row, who in zip(rows, persons, strict=True):
        k = len({whose for r, whose in zip(rows, persons, strict=True) if r == row})
        m = other.count(row)
        expected[who] = max(expected.get(who, 0), 1 / (k * m) if m else 0)
    cells, risk = source.cells()
    found = np.repeat(cells.highest(risk), cells.people_of_history)
    assert sorted(found.tolist()) == pytest.approx(sorted(expected.values()))
    assert link(source).unmatched == sum(value == 0 for value in expected.values())
