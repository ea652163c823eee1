from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from anonymizer.assessment.special_uniques import (
    SpecialUniques,
    dis_power,
    dis_scores,
    find_special_uniques,
    original_weight,
    why_infeasible,
)
from experiments.simon2020.sdcmicro import share_weight
from tests.assessment.tables import Row, key_set, tables
from tests.assessment.test_keys import adult, check_series, needs_reference

ORIGINAL, SHARE = "suda2_original_TRUE", "suda2_original_FALSE"


def spread(found: SpecialUniques, cells: int) -> np.ndarray:
    """The scores of all cells; one with several people has none."""
    scores = np.zeros(cells)
    scores[found.cells] = found.score
    return scores


@needs_reference
@pytest.mark.parametrize("name", ["keys9", "keys3"])
def test_scores_are_those_of_sdcmicro(name):
    keys, _, reference = adult(name)
    cells = keys.cells()
    label = keys.classes().label_of_tuple[keys.microdata.tuple_of_row]
    uniques, pairs = int((cells.sizes == 1).sum()), 2 * int((cells.sizes == 2).sum())
    for call, weight in ((ORIGINAL, original_weight), (SHARE, share_weight)):
        found = find_special_uniques(keys, weight=weight)
        of_cell, by_key = spread(found, cells.sizes.size), found.contributions
        check_series(of_cell[label], reference[call]["score"])
        contributions = {
            c["variable"]: c["contribution"] for c in reference[call]["attribute_contributions"]
        }
        assert {key: 100 * value for key, value in by_key.items()} == pytest.approx(contributions)
        dis = dis_scores(of_cell, uniques, pairs, dis_power(len(keys.keys)), 0.01)
        # sdcMicro keeps the exponent in single precision: 0.95 for nine keys is off by 1e-8
        check_series(dis[label], reference[call]["disScore"], 1e-7)
        single = float(np.float32(dis_power(len(keys.keys))))
        dis = dis_scores(of_cell, uniques, pairs, single, 0.01)
        check_series(dis[label], reference[call]["disScore"])


def minimal_sets(rows: list[Row], persons: list[int], row: Row) -> list[tuple[int, ...]]:
    """The minimal sets of keys by which only one person has a row's values: the obvious way."""
    sets = []
    keys = range(len(row))
    for size in range(1, len(row) + 1):
        for chosen in combinations(keys, size):
            having = {
                who
                for other, who in zip(rows, persons, strict=True)
                if all(other[key] == row[key] for key in chosen)
            }
            if len(having) == 1 and not any(set(part) <= set(chosen) for part in sets):
                sets.append(chosen)
    return sets


@given(tables(keys=4))
def test_the_sets_are_those_that_trying_them_all_finds(table):
    rows, persons = table
    for whose in (persons, list(range(len(rows)))):
        keys = key_set(rows, whose)
        width, cells = len(rows[0]), keys.classes().sizes.size
        scores = spread(find_special_uniques(keys), cells)
        shares = spread(find_special_uniques(keys, weight=share_weight), cells)
        for number, row in enumerate(rows):
            cell = keys.classes().label_of_tuple[keys.microdata.tuple_of_row[number]]
            sizes = [len(chosen) for chosen in minimal_sets(rows, whose, row)]
            assert scores[cell] == sum(original_weight(width, size) for size in sizes)
            assert shares[cell] == pytest.approx(sum(share_weight(width, size) for size in sizes))


def test_rows_of_one_person_do_not_hide_each_other():
    keys = key_set([("x", "1"), ("x", "2"), ("y", "1"), ("y", "2")], persons=[1, 1, 2, 3])
    found = find_special_uniques(keys)
    assert found.sets.tolist() == [2, 2]  # (x) alone tells who it is, twice; (y, 1) and (y, 2) do


def test_nobody_unique_is_no_score():
    found = find_special_uniques(key_set([("x",), ("x",)]))
    assert found.cells.size == 0
    assert found.contributions == {"a": 0.0}
    assert dis_scores(np.zeros(3), 0, 2, 1.35, 0.1).tolist() == [0, 0, 0]


def test_too_many_keys_are_said_not_tried(monkeypatch):
    from anonymizer.assessment import special_uniques

    assert why_infeasible(key_set([("x", "y")])) is None
    monkeypatch.setattr(special_uniques, "MOST_KEYS", 1)
    assert "2 keys have 3 combinations" in (why_infeasible(key_set([("x", "y")])) or "")
