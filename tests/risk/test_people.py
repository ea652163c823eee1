"""Risk counts people, each once; quality counts records: against sets, on random tables."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.data.pandas import FrameTable
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import suppress
from anonymizer.problem import describe_risk
from anonymizer.risk import (
    Average,
    KAnonymity,
    Remaining,
    RiskModel,
    SampleUniqueness,
    StrictAverage,
)
from anonymizer.search import search
from anonymizer.table.classes import partition
from anonymizer.table.microdata import Microdata
from anonymizer.table.people import People
from tests import oracle
from tests.oracle import Problem
from tests.strategies import assert_best, evaluator_of, lattice_of, problems

MODELS: list[RiskModel] = [
    KAnonymity(2),
    KAnonymity(3),
    Average(0.4),
    StrictAverage(k=2, threshold=0.3),
    SampleUniqueness(0.2),
]


def with_people(evaluator: Evaluator, person_of_row: list[int]) -> Evaluator:
    microdata = evaluator.microdata
    _, numbers = np.unique(person_of_row, return_inverse=True)
    people = People.of_rows(numbers.astype(np.int64), microdata.tuple_of_row, microdata.distinct)
    return replace(evaluator, microdata=replace(microdata, people=people))


def rows_of(microdata: Microdata, scheme) -> list[tuple[int, ...]]:
    """The generalized values of each row."""
    return [
        tuple(
            int(c.groups[level][codes[t]])
            for c, level, codes in zip(microdata.columns, scheme, microdata.codes, strict=True)
        )
        for t in microdata.tuple_of_row
    ]


def classes_of(rows=(), persons=()) -> dict[tuple[int, ...], set[int]]:
    classes: dict[tuple[int, ...], set[int]] = {}
    for row, person in zip(rows, persons, strict=True):
        classes.setdefault(row, set()).add(person)
    return classes


def meets(model: RiskModel, classes: dict[tuple[int, ...], set[int]]) -> bool:
    """Whether the model holds, by its definition."""
    sizes = [len(people) for people in classes.values()]
    everybody = set().union(*classes.values()) if classes else set()
    if not sizes:
        return True
    if isinstance(model, KAnonymity):
        return min(sizes) >= model.k
    if isinstance(model, StrictAverage) and min(sizes) < model.k:
        return False
    if isinstance(model, Average):
        return float(oracle.average([*classes.values()])) <= model.threshold
    unique = set().union(*[p for p in classes.values() if len(p) == 1], set())
    return len(unique) / len(everybody) <= model.threshold


@pytest.mark.parametrize("model", MODELS, ids=str)
@settings(max_examples=40)
@given(problem=problems(max_attributes=2), data=st.data())
def test_what_is_kept_meets_the_model_and_a_shorter_cut_does_not(
    model, problem: Problem, data
) -> None:
    evaluator = evaluator_of(problem)
    microdata = evaluator.microdata
    persons = data.draw(
        st.lists(st.integers(0, 6), min_size=microdata.records, max_size=microdata.records)
    )
    evaluator = replace(with_people(evaluator, persons), models=(model,))
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    classes = partition(evaluator.microdata, scheme)
    suppression = suppress(evaluator.microdata, classes, [model])
    gone = suppression.tuples[microdata.tuple_of_row]
    rows = rows_of(microdata, scheme)
    kept = [(r, p) for r, p, out in zip(rows, persons, gone, strict=True) if not out]
    assert meets(model, classes_of([r for r, _ in kept], [p for _, p in kept]))
    labels = classes.label_of_tuple[microdata.tuple_of_row]
    order = Remaining(evaluator.microdata, classes, model.violating(classes)).order
    cuts = (
        [(r, p) for r, p, label in zip(rows, persons, labels, strict=True) if label in order[cut:]]
        for cut in range(order.size + 1)
    )
    assert kept == next(cut for cut in cuts if meets(model, classes_of(*zip(*cut, strict=True))))
    if isinstance(model, KAnonymity):  # the greatest set that does
        whole = classes_of(rows, persons)
        assert {r for r, _ in kept} == {r for r, people in whole.items() if len(people) >= model.k}


@settings(max_examples=60)
@given(problem=problems(max_attributes=3), data=st.data())
def test_the_average_is_never_above_the_highest_and_never_rises_when_classes_merge(
    problem: Problem, data
) -> None:
    microdata = evaluator_of(problem).microdata
    persons = data.draw(
        st.lists(st.integers(0, 9), min_size=microdata.records, max_size=microdata.records)
    )
    microdata = with_people(evaluator_of(problem), persons).microdata
    coarse = data.draw(st.sampled_from(list(lattice_of(problem))))
    fine = tuple(data.draw(st.integers(0, level)) for level in coarse)
    risks = []
    for scheme in (fine, coarse):
        classes = partition(microdata, scheme)
        remaining = Remaining(microdata, classes, np.zeros(classes.sizes.size, np.bool_))
        risks.append(Average(0.1).risk(remaining))
        sets = classes_of(rows_of(microdata, scheme), persons)
        assert risks[-1] == float(oracle.average([*sets.values()]))
        assert risks[-1] <= 1 / classes.sizes.min()
    assert risks[0] >= risks[1]


@settings(max_examples=60)
@given(problem=problems(max_attributes=2, max_rows=7), data=st.data())
def test_no_rows_that_meet_the_average_at_a_finer_scheme_break_its_binding(
    problem: Problem, data
) -> None:
    microdata = evaluator_of(problem).microdata
    records = microdata.records
    persons = data.draw(st.lists(st.integers(0, 4), min_size=records, max_size=records))
    microdata = with_people(evaluator_of(problem), persons).microdata
    coarse = data.draw(st.sampled_from(list(lattice_of(problem))))
    fine = tuple(data.draw(st.integers(0, level)) for level in coarse)
    model = Average(data.draw(st.sampled_from([0.0, 0.2, 0.4, 0.5, 0.7])))
    found = suppress(microdata, partition(microdata, coarse), [model])
    must_go = int(found.classes.records[found.binding.classes].sum()) - found.binding.exempt
    rows = rows_of(microdata, fine)
    for size in range(records + 1):
        for subset in combinations(range(records), size):
            if meets(model, classes_of([rows[i] for i in subset], [persons[i] for i in subset])):
                assert records - size >= must_go


@pytest.mark.parametrize("model", MODELS, ids=str)
@settings(max_examples=25)
@given(problem=problems(max_attributes=3), data=st.data())
def test_branch_and_bound_is_exhaustive_search_for_people(model, problem: Problem, data) -> None:
    evaluator = evaluator_of(problem)
    records = evaluator.microdata.records
    persons = data.draw(st.lists(st.integers(0, 6), min_size=records, max_size=records))
    evaluator = replace(with_people(evaluator, persons), models=(model,))
    assert_best(search(evaluator, lattice_of(problem)), evaluator, lattice_of(problem))


@settings(max_examples=100)
@given(problem=problems(max_attributes=3, limits=True), data=st.data())
def test_the_optimum_for_people_is_the_one_found_by_trying_everything(
    problem: Problem, data
) -> None:
    rows = len(problem.rows)
    persons = tuple(data.draw(st.lists(st.integers(0, 6), min_size=rows, max_size=rows)))
    evaluator = with_people(evaluator_of(problem), [*persons])
    found = search(evaluator, lattice_of(problem)).best
    expected = oracle.best(replace(problem, persons=persons))
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert (found.scheme, found.suppressed_records) == (
            expected.levels,
            len(expected.suppressed),
        )
        assert found.loss == pytest.approx(expected.loss, abs=1e-12)


@settings(max_examples=60)
@given(problem=problems(max_attributes=2), data=st.data())
def test_k_anonymity_of_people_is_best_over_all_subsets_of_records(problem: Problem, data) -> None:
    evaluator = evaluator_of(problem)
    microdata = evaluator.microdata
    if microdata.records > 7:
        return
    persons = data.draw(
        st.lists(st.integers(0, 4), min_size=microdata.records, max_size=microdata.records)
    )
    model = KAnonymity(2)
    evaluator = replace(with_people(evaluator, persons), models=(model,))
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    rows = rows_of(microdata, scheme)
    feasible = [
        len(subset)
        for size in range(microdata.records + 1)
        for subset in combinations(range(microdata.records), size)
        if meets(model, classes_of([rows[i] for i in subset], [persons[i] for i in subset]))
    ]
    assert microdata.records - evaluator.evaluate(scheme).suppressed_records == max(feasible)


@settings(max_examples=60)
@given(problem=problems(max_attributes=2), data=st.data())
def test_the_profile_counts_everybody_once(problem: Problem, data) -> None:
    microdata = evaluator_of(problem).microdata
    persons = data.draw(
        st.lists(st.integers(0, 6), min_size=microdata.records, max_size=microdata.records)
    )
    microdata = with_people(evaluator_of(problem), persons).microdata
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    classes = partition(microdata, scheme)
    kept = np.array(
        data.draw(
            st.lists(st.booleans(), min_size=classes.sizes.size, max_size=classes.sizes.size)
        ),
        np.bool_,
    )
    found = describe_risk(microdata, (), classes, kept)
    rows = rows_of(microdata, scheme)
    label = classes.label_of_tuple[microdata.tuple_of_row]
    there = [(r, p) for r, p, at in zip(rows, persons, label, strict=True) if kept[at]]
    sets = classes_of([r for r, _ in there], [p for _, p in there])
    people = {p for _, p in there}
    assert (found.records, found.people, found.classes) == (len(there), len(people), len(sets))
    assert found.sample_uniques == len(
        set().union(*[s for s in sets.values() if len(s) == 1], set())
    )
    if people:
        assert math.isclose(found.prosecutor.average, oracle.average([*sets.values()]))
        assert found.prosecutor.average <= found.prosecutor.highest
        worst = {p: max(1 / len(s) for s in sets.values() if p in s) for p in people}
        assert found.prosecutor.above["0.2"] == sum(w > 0.2 + 1e-12 for w in worst.values()) / len(
            people
        )


def test_five_rows_of_one_patient_are_one_person() -> None:
    import pandas as pd

    from anonymizer.hierarchy import Hierarchy
    from anonymizer.table.microdata import encode

    sex = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
    microdata = encode(FrameTable(pd.DataFrame({"sex": ["F"] * 5 + ["M"] * 5})), [sex])
    person = np.array([0, 0, 0, 0, 0, 1, 2, 3, 4, 5])
    people = People.of_rows(person, microdata.tuple_of_row, microdata.distinct)
    classes = partition(replace(microdata, people=people), (0,))
    assert classes.sizes.tolist() == [1, 5]
    assert KAnonymity(5).violating(classes).tolist() == [True, False]
