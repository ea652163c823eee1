from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from anonymizer.assessment.keys import (
    KeyPeople,
    KeySet,
    count_by_history,
    count_violations,
    small_cells,
    values_in,
    what_if,
)
from anonymizer.data.pandas import FrameTable
from anonymizer.hierarchy import Hierarchy
from anonymizer.table.microdata import encode
from experiments.simon2020.sdcmicro import individual_risk
from tests.assessment.tables import Row, key_set, smallest_cells, tables
from tests.shared import ABSENT, DATA, REFERENCE

SETS = ["keys9", "keys8_without_salary", "keys3"]
SDCMICRO = REFERENCE / "sdcmicro.json"

ROWS: list[Row] = [("x", "1"), ("x", "1"), ("x", "2"), ("y", "1"), ("x", "2")]

needs_reference = pytest.mark.skipif(not SDCMICRO.exists(), reason=ABSENT)


def read_reference(name: str) -> dict:
    return json.loads(SDCMICRO.read_text())[name]


def adult(name: str) -> tuple[KeySet, pd.DataFrame, dict]:
    """ADULT by one of the sets of keys that sdcMicro was run with."""
    reference = read_reference(name)
    frame = pd.read_csv(DATA / "adult" / "data.csv", sep=";", dtype=str)
    frame.columns = frame.columns.str.replace("-", "_")
    keys = reference["keyVars"]
    trees = [Hierarchy.from_rows(key, [(v, "*") for v in frame[key].unique()]) for key in keys]
    microdata = encode(FrameTable(frame), trees)
    return KeySet(microdata, KeyPeople.of_rows(microdata), (0,) * len(keys)), frame, reference


def check_series(values: np.ndarray, reference: dict, tolerance: float = 1e-9) -> None:
    """Compare what is known of a column of figures: moments, quantiles, the first ten."""
    close = {"rel": tolerance, "abs": tolerance}
    assert values.sum() == pytest.approx(reference["sum"], **close)
    assert (values.astype(float) ** 2).sum() == pytest.approx(reference["sumsq"], **close)
    assert values[:10].tolist() == pytest.approx(reference["first10"], **close)
    shares = [float(key.rstrip("%")) / 100 for key in reference["quantiles"]]
    expected = list(reference["quantiles"].values())
    assert np.quantile(values, shares).tolist() == pytest.approx(expected, **close)


@needs_reference
@pytest.mark.parametrize("name", SETS)
def test_counts_are_those_of_sdcmicro(name):
    keys, _, reference = adult(name)
    counts = reference["freqCalc"]
    cells = keys.cells()
    expected = {k: counts[f"viol_{k}anon"] for k in (2, 3, 5, 10)}
    assert count_violations(cells, (2, 3, 5, 10)) == expected
    assert cells.sizes.size == counts["n_classes"]
    assert cells.sizes.max() == counts["fk_max"]
    sizes = cells.smallest()[keys.microdata.tuple_of_row]
    check_series(sizes, counts["fk"])
    check_series(individual_risk(sizes), reference["indivRisk"])


@needs_reference
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("weights", ["w_const", "w_var"])
def test_individual_risks_with_sampling_weights_are_those_of_sdcmicro(name, weights):
    keys, frame, reference = adult(name)
    rows = np.arange(1, len(frame) + 1)
    weight = np.full(rows.size, 100) if weights == "w_const" else 50 + rows % 101
    label = keys.classes().label_of_tuple[keys.microdata.tuple_of_row]
    population = np.bincount(label, weight)[label]
    check_series(population, reference[f"weighted_{weights}"]["Fk"])
    risks = individual_risk(keys.cells().sizes[label], population)
    check_series(risks, reference[f"weighted_{weights}"]["approx"])


def test_a_whole_population_has_the_risk_of_its_cells():
    sizes = np.array([1, 2, 5])
    assert individual_risk(sizes, sizes).tolist() == [1, 0.5, 0.2]


@given(tables())
def test_violations_are_those_that_counting_by_hand_finds(table):
    rows, persons = table
    keys = range(len(rows[0]))
    for whose in (persons, range(len(rows))):
        expected = list(smallest_cells(rows, list(whose), keys).values())
        found = count_violations(key_set(rows, list(whose)).cells())
        assert found == {k: sum(size < k for size in expected) for k in (2, 3, 5)}


@given(tables())
def test_what_if_leaves_out_each_key_and_each_pair(table):
    rows, persons = table
    names = list("abc")[: len(rows[0])]
    for variant in what_if(key_set(rows, persons)):
        used = [number for number, name in enumerate(names) if name not in variant.left_out]
        expected = smallest_cells(rows, persons, used).values()
        assert variant.violations == {k: sum(size < k for size in expected) for k in (2, 3, 5)}


def test_what_if_lists_keys_pairs_and_coarser_levels():
    age = Hierarchy.from_rows("a", [("1", "1-2", "*"), ("2", "1-2", "*"), ("3", "3-4", "*")])
    sex = Hierarchy.from_rows("b", [("F", "*"), ("M", "*")])
    year = Hierarchy.from_rows("c", [("2009",), ("2010",)])
    rows = [("1", "F", "2009"), ("2", "F", "2009"), ("3", "M", "2010"), ("3", "M", "2010")]
    found = list(what_if(key_set(rows, hierarchies=[age, sex, year])))
    assert [variant.left_out for variant in found if variant.left_out] == [
        *(("a",), ("b",), ("c",)),
        *(("a", "b"), ("a", "c"), ("b", "c")),
    ]
    (coarsened,) = [variant for variant in found if variant.coarsened]
    assert coarsened.coarsened == {"a": 1}
    assert coarsened.violations == {2: 0, 3: 4, 5: 4}


def test_values_of_few_people_are_not_named():
    rows = [("x",)] * 6 + [("y",)] * 2 + [("z",)]
    keys = key_set(rows)
    cells = keys.cells()
    (rare,) = values_in(keys, cells, cells.sizes < 5)
    assert (rare.value, rare.people, rare.inside) == (None, 3, 3)


def test_values_in_small_cells_are_counted_by_people():
    # eight people have x, two of them in a cell of their own with the other key
    rows = [("x", "1")] * 6 + [("x", "2"), ("x", "3")]
    keys = key_set(rows)
    cells = keys.cells()
    first = values_in(keys, cells, cells.sizes < 5)[0]
    assert (first.key, first.value, first.people, first.inside) == ("a", "x", 8, 2)


def test_all_rows_known_tells_more_than_one():
    rows = [("x",), ("y",), ("x",), ("z",), ("y",), ("z",)]
    persons = [1, 1, 2, 2, 3, 3]
    keys = key_set(rows, persons)
    assert count_violations(keys.cells())[2] == 0
    assert count_by_history(keys.people)[2] == 3


def test_small_cells_are_listed_for_the_steward():
    listed = small_cells(key_set([("x", "1")] * 5 + [("y", "1"), ("y", "2"), ("y", "2")]))
    assert listed.to_dict("list") == {"a": ["y", "y"], "b": ["1", "2"], "people": [1, 2]}


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
    lengths = np.bincount(people.everybody.history_of_entry)
    assert sorted(lengths.tolist()) == sorted(len(tuples) for tuples in expected)
