"""With every measure and every risk model, the search finds what exhaustive search finds."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.risk import KAnonymity, RiskModel
from anonymizer.search import Checkpoint, Limits, Status, search
from anonymizer.utility import MEASURES
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem
from tests.risk.test_contract import ALL
from tests.search.test_boxes import AGE, SEX, medium, people
from tests.search.test_models import essence
from tests.strategies import lattice_of, microdata_of, problems
from tests.utility.test_contract import EVERY, evaluator_for, measure_of


def assert_equals_exhaustive_search(evaluator: Evaluator, problem: Problem) -> None:
    lattice = lattice_of(problem)
    found, expected = search(evaluator, lattice), search_exhaustively(evaluator, lattice)
    assert essence(found) == essence(expected)
    assert found.proof.open == 0


@pytest.mark.parametrize("name", [name for name in EVERY if name != "loss"])
@settings(max_examples=200)
@given(
    problem=problems(max_attributes=3),
    models=st.lists(st.sampled_from(ALL), min_size=1, max_size=3),
)
def test_each_measure_with_several_models(
    name: str, problem: Problem, models: list[RiskModel]
) -> None:
    assert_equals_exhaustive_search(evaluator_for(name, problem, models), problem)


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=50)
@given(problem=problems())
@example(Problem(people(), (SEX, AGE), k=4, weights=(0.0, 0.0)))
@example(Problem(people(), (SEX, AGE), k=1, suppression_limit=0))
@example(Problem(people(), (SEX, AGE), k=61, suppression_limit=59))
def test_each_measure_with_k_anonymity(name: str, problem: Problem) -> None:
    evaluator = Evaluator(
        microdata_of(problem.rows, problem.trees),
        [KAnonymity(problem.k)],
        measure_of(name, problem),
        problem.suppression_limit,
    )
    assert_equals_exhaustive_search(evaluator, problem)


def some(name: str) -> Problem:
    """A problem of some size; a smaller one where bounds are so low that every scheme is evaluated."""
    return medium(attributes=4 if name == "kl-divergence" else 5)


@pytest.mark.parametrize("name", EVERY)
def test_most_schemes_need_no_look(name: str) -> None:
    problem = some(name)
    evaluator = evaluator_for(name, problem, [KAnonymity(problem.k)])
    found = search(evaluator, lattice_of(problem))
    assert essence(found) == essence(search_exhaustively(evaluator, lattice_of(problem)))
    # the bound of the KL-divergence is low where a release has little left, as here
    most = 1 if name == "kl-divergence" else 1 / 2
    assert found.proof.evaluated < found.proof.schemes * most


@pytest.mark.parametrize("name", MEASURES)
def test_a_search_that_was_stopped_goes_on_to_the_same_end(name: str) -> None:
    problem = dataclasses.replace(some(name), suppression_limit=40)
    evaluator = evaluator_for(name, problem, [KAnonymity(problem.k)])
    lattice = lattice_of(problem)
    whole = search(evaluator, lattice)
    part = search(evaluator, lattice, Limits(evaluations=20))
    assert part.status is Status.FEASIBLE
    assert part.checkpoint is not None
    assert part.proof.bound <= whole.proof.bound
    resumed = search(evaluator, lattice, resume=Checkpoint.read(part.checkpoint.describe()))
    assert essence(resumed) == essence(whole)
    assert resumed.proof.open == 0


@pytest.mark.parametrize("name", EVERY)
def test_the_number_of_workers_changes_nothing(name: str) -> None:
    problem = some(name)
    evaluator = evaluator_for(name, problem, [KAnonymity(problem.k)])
    one, three = (search(evaluator, lattice_of(problem), workers=n) for n in (1, 3))
    assert essence(one) == essence(three)
    assert one.proof == three.proof
