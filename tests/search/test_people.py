"""Searches where one person has several rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import typeof

from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.risk import Average, KAnonymity, KMap, RiskModel, StrictAverage
from anonymizer.search import SearchParams, search
from anonymizer.search.subtree_bounds import SubtreeBounds
from anonymizer.table.people import People
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem
from tests.search.test_boxes import essence
from tests.search.test_subtree_bounds import check_left, check_samples, sums_of, wide
from tests.strategies import evaluator_of, lattice_of, problems

PEOPLE = (1, 2, 3, 7, 1000)
"""How many people the rows are drawn from at most."""


def with_people(evaluator: Evaluator, most: int, seed: int = 1) -> Evaluator:
    """Give the rows of a table to people, some of whom have several."""
    microdata = evaluator.microdata
    drawn = np.random.default_rng(seed).integers(0, most, microdata.records)
    person = np.unique(drawn, return_inverse=True)[1]
    people = People.of_rows(person, microdata.tuple_of_row, microdata.distinct)
    return replace(evaluator, microdata=replace(microdata, people=people))


@settings(max_examples=200)
@given(
    problems(),
    st.sampled_from(PEOPLE),
    st.integers(0, 9),
    st.floats(0, 1),
    st.sampled_from([1, 1 << 20]),
)
@example(wide(), 40, 1, 0.5, 1 << 20)
@example(wide(), 40, 2, 0.9, 1)
def test_bounds_are_true_where_people_are_counted(
    problem: Problem, most: int, seed: int, share: float, cells: int
) -> None:
    evaluator, lattice = with_people(evaluator_of(problem), most, seed), lattice_of(problem)
    prepared = SubtreeBounds.prepare([evaluator], SearchParams(max_subtree_cells=cells))
    assert prepared is not None
    assert prepared.exact
    sums = sums_of(evaluator, lattice)
    target = share * max((s for s in sums.values() if s < np.inf), default=1.0)
    steps = np.tile(-np.arange(int(prepared.task.heights.max())), (len(lattice.low), 1)) * 0.8
    found = prepared.bound(lattice, target, steps, 1000)

    check_left(found, lattice, sums)
    if found.best_sum[0] < np.inf:
        assert found.best_sum[0] == pytest.approx(sums[tuple(found.best[0].tolist())], abs=1e-9)
    check_samples(found, evaluator)


@pytest.mark.parametrize(
    "models",
    [
        [KAnonymity(2)],
        [KAnonymity(3)],
        [StrictAverage(threshold=0.4, k=2)],
        [Average(0.4)],
        [KMap(3, population=200)],
        [KAnonymity(2), Average(0.3)],
    ],
)
@settings(max_examples=60)
@given(problem=problems(limits=True), most=st.sampled_from(PEOPLE), seed=st.integers(0, 9))
@example(problem=wide(attributes=3), most=40, seed=1)
def test_the_optimum_is_that_of_exhaustive_search(
    models: list[RiskModel], problem: Problem, most: int, seed: int
) -> None:
    evaluator = with_people(replace(evaluator_of(problem), models=models), most, seed)
    lattice = lattice_of(problem)
    found, expected = search(evaluator, lattice), search_exhaustively(evaluator, lattice)
    assert essence(found.best) == essence(expected.best)
    assert found.proof.open == 0


def test_one_compiled_kernel_counts_people_and_records() -> None:
    by_record = evaluator_of(wide())
    one, other = (
        SubtreeBounds.prepare([evaluator], SearchParams())
        for evaluator in (by_record, with_people(by_record, 40))
    )
    assert one is not None
    assert other is not None
    assert typeof(one.task) == typeof(other.task)
    assert typeof(one.workspace) == typeof(other.workspace)


def test_the_rows_of_one_person_do_not_make_a_class() -> None:
    problem = wide(rows=60, attributes=3)
    evaluator = with_people(evaluator_of(problem), 1)
    found = search(evaluator, lattice_of(problem))
    assert found.best is None or found.best.suppressed_records == 60


def test_at_several_thresholds_people_are_not_counted() -> None:
    evaluator = with_people(evaluator_of(wide()), 40)
    other = replace(evaluator, models=[KAnonymity(5)])
    assert SubtreeBounds.prepare([evaluator, other], SearchParams()) is None
