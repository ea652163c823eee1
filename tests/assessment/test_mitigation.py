from __future__ import annotations

import pytest
from hypothesis import given, settings

from anonymizer.assessment.mitigation import (
    Mitigation,
    join,
    list_access,
    list_options,
    loss_of,
)
from anonymizer.assessment.source_risk import SourceRisk
from anonymizer.hierarchy import Hierarchy
from anonymizer.utility import Aggregate, Loss
from tests.assessment.tables import frame_of, key_set, tables
from tests.assessment.test_source_risk import source_risk


def measure(keys: int) -> Loss:
    return Loss(Aggregate.GEOMETRIC, (1.0,) * keys)


def test_each_way_is_weighed_and_the_cheapest_comes_first():
    rows = [("x", str(number % 3)) for number in range(30)] + [("y", "0")]
    options = list_options(source_risk(rows, threshold=0.2), measure(2))
    assert [option.loss for option in options] == sorted(option.loss for option in options)
    cheapest = options[0]
    assert (cheapest.kind, cheapest.what, cheapest.dropped) == (Mitigation.MIX, "keep all keys", 1)
    left_out = {option.what: option for option in options if option.kind is Mitigation.LEAVE_OUT}
    assert left_out["leave out a"].above == 0
    assert left_out["leave out b"].dropped == 1
    assert left_out["leave out b"].highest == 1.0


def test_coarsening_is_weighed_by_level():
    age = Hierarchy.from_rows("a", [(str(n), f"{n // 5 * 5}+", "*") for n in range(10)])
    rows = [(str(n),) for n in range(10)]
    found = SourceRisk(key_set(rows, hierarchies=[age]), source_risk(rows).source, 0.2)
    options = list_options(found, measure(1))
    assert options[0].what == "coarsen a to level 1 of 2 (2 values)"
    assert options[0].loss == pytest.approx(4 / 9)  # each value covers 5 of 10 leaves
    assert {option.loss for option in options[1:]} == {
        1.0
    }  # dropping all, or the key, leaves nothing


@settings(max_examples=40)
@given(tables(keys=2))
def test_the_loss_is_that_of_the_formula(table):
    rows, persons = table
    found = source_risk(rows, persons, 0.5)
    keys = found.key_set
    dropped = found.drop(*found.cells())
    frame = frame_of(rows)
    gone = keys.people.rows_of_tuples(dropped, keys.microdata.distinct).sum()
    for levels in ({}, {"a": keys.tops[0]}):
        total = 1.0
        for key in keys.keys:
            leaves = frame[key].nunique()
            share = 1.0 if key in levels else 1 / leaves
            covered = (len(rows) - gone) * share + gone
            full = len(rows) - len(rows) / leaves
            total *= 1 + (max(0.0, (covered - len(rows) / leaves) / full) if leaves > 1 else 0.0)
        expected = total ** (1 / len(keys.keys)) - 1
        assert loss_of(keys, measure(len(keys.keys)), levels, dropped) == pytest.approx(expected)


@settings(max_examples=40)
@given(tables())
def test_no_way_is_cheaper_than_the_best_mix(table):
    rows, _ = table
    options = list_options(source_risk(rows, threshold=0.4), measure(len(rows[0])))
    (mix,) = [option for option in options if option.kind is Mitigation.MIX]
    assert mix.loss <= min(option.loss for option in options) + 1e-12


def test_restricted_access_is_judged_by_its_own_threshold():
    agreement, enclave = list_access(0.5, {"agreement": 0.4, "enclave": 1.0})
    assert (agreement.passes, enclave.passes) == (False, True)


def test_names_are_joined_as_in_a_sentence():
    assert join(["a"]) == "a"
    assert join(["a", "b"]) == "a and b"


def test_a_key_left_out_counts_with_the_overlap_it_leaves():
    rows = [("x", str(number)) for number in range(4)]
    found = source_risk(rows, p=0.9, threshold=0.2, without={"b": {"q": 0.1}})
    options = list_options(found, measure(2))
    best = options[0]
    assert (best.what, best.above, best.dropped) == ("leave out b", 0, 0)
    assert best.highest == pytest.approx(0.9 * 0.1 / 4)
    assert Mitigation.MIX not in {option.kind for option in options}


def test_a_mix_where_the_overlap_hangs_on_a_value_is_not_called_the_best():
    shares = {"by": "a", "probabilities": {"x": 0.9}, "default": 0.1}
    options = list_options(source_risk([("x", "1"), ("y", "2")], p=shares), measure(2))
    assert Mitigation.FOUND in {option.kind for option in options}
    assert Mitigation.MIX not in {option.kind for option in options}
