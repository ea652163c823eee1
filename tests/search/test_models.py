"""With every risk model, and with several together, the search finds what exhaustive search finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.lattice import Lattice
from anonymizer.risk import RiskModel
from anonymizer.search import SearchParams, SearchResult, search
from anonymizer.utility import Aggregate, Loss
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem
from tests.risk.test_contract import ALL, table_of
from tests.strategies import lattice_of, problems

PATHS = (
    SearchParams(),  # evaluations alone
    SearchParams(boxes_work=0),
    SearchParams(boxes_work=0, max_loose=0),  # evaluations as soon as a bound says too little
    SearchParams(large_lattice=0, max_loose=10**9),  # subtree bounds, from gap to gap
)
"""Every way through a search."""


def assert_right(problem: Problem, models: list[RiskModel]) -> None:
    """Search a table with some models."""
    evaluator = Evaluator(
        table_of(problem),
        models,
        Loss(Aggregate(problem.aggregate), problem.weights),
        problem.suppression_limit,
    )
    assert_equals_exhaustive_search(evaluator, lattice_of(problem))


def assert_equals_exhaustive_search(evaluator: Evaluator, lattice: Lattice) -> None:
    """Go every way through a search, and compare what it finds and counts."""
    expected = search_exhaustively(evaluator, lattice)
    for params in PATHS:
        found = search(evaluator, lattice, params=params)
        assert essence(found) == essence(expected)
        assert found.proof.open == 0
        assert found.proof.evaluated + sum(found.proof.pruned.values()) == found.proof.schemes


def essence(result: SearchResult) -> tuple[object, ...]:
    if result.best is None:
        return (result.status,)
    return result.status, result.best.scheme, result.best.suppressed_records, result.best.loss


@pytest.mark.parametrize("model", ALL, ids=str)
@settings(max_examples=25)
@given(problem=problems(max_attributes=3))
def test_each_model_alone(model: RiskModel, problem: Problem) -> None:
    assert_right(problem, [model])


@settings(max_examples=200)
@given(
    problem=problems(max_attributes=3),
    models=st.lists(st.sampled_from(ALL), min_size=2, max_size=3),
)
def test_several_models_together(problem: Problem, models: list[RiskModel]) -> None:
    assert_right(problem, models)
