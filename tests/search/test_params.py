from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings

from anonymizer.search import SearchParams, Status, params, search, search_exhaustively
from tests.oracle import Problem
from tests.search.test_boxes import essence, medium
from tests.search.test_subtree_bounds import wide
from tests.strategies import evaluator_of, lattice_of, problems

SMALL = SearchParams(
    batch_size=1,
    recent_evaluations=1,
    large_lattice=0,
    neighbours_tried=1,
    max_moves=1,
    max_steps=1,
    boxes_work=0,
    subtree_batch_size=1,
    first_subtree_budget=2,
    min_subtree_budget=2,
    max_subtree_budget=2,
)
LARGE = SearchParams(
    batch_size=64,
    large_lattice=10**9,
    first_neighbours=10**6,
    neighbours_tried=10**6,
    ridge=5.0,
    usual_step=-3.0,
    boxes_work=10**18,
    target_gaps=(),
    finer_weight=2.0,
)


@pytest.mark.parametrize("tuned", [SMALL, LARGE, replace(LARGE, large_lattice=0)])
@settings(max_examples=60)
@given(problem=problems(limits=True))
@example(problem=medium())
def test_they_never_change_what_is_found(tuned: SearchParams, problem: Problem) -> None:
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    found = search(evaluator, lattice, params=tuned)
    expected = search_exhaustively(evaluator, lattice)
    assert essence(found.best) == essence(expected.best)
    assert found.status is expected.status
    assert found.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert found.proof.open == 0


def test_they_change_what_a_proof_costs() -> None:
    evaluator, lattice = evaluator_of(wide()), lattice_of(wide())
    costs = {
        search(evaluator, lattice, params=p).proof.effort for p in (SearchParams(), SMALL, LARGE)
    }
    assert len(costs) == 3


def test_a_table_of_a_file_may_give_some_of_them() -> None:
    assert SearchParams.read({}) == SearchParams()
    read = SearchParams.read({"batch_size": 9, "ridge": 1, "target_gaps": [0.3, 0.1]})
    assert read == SearchParams(batch_size=9, ridge=1, target_gaps=(0.3, 0.1))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"batch_sise": 3}, "no parameter 'batch_sise'; did you mean 'batch_size'?"),
        ({"batch_size": 0}, "batch_size must be at least 1, got 0"),
        ({"batch_size": 2.5}, "batch_size must be a whole number, got 2.5"),
        ({"batch_size": True}, "batch_size must be a whole number, got True"),
        ({"ridge": "much"}, "ridge must be a number, got 'much'"),
        ({"ridge": float("nan")}, "ridge must be at least 1e-09, got nan"),
        ({"improvement_share": 1.5}, "improvement_share must be from 0 to 1, got 1.5"),
        ({"usual_step": 0.5}, "usual_step must be from -100 to 0, got 0.5"),
        ({"target_gaps": [0.1, 0.2]}, "target_gaps must be falling numbers between 0 and 1"),
        ({"target_gaps": [1.0]}, "target_gaps must be falling numbers between 0 and 1"),
        ({"target_gaps": 0.5}, "target_gaps must be falling numbers between 0 and 1"),
        ({"max_subtree_budget": 9}, "max_subtree_budget must not be below min_subtree_budget"),
    ],
)
def test_what_does_not_fit_is_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        SearchParams.read(given)


@pytest.mark.parametrize("name", [field.name for field in fields(SearchParams)])
def test_each_is_explained(name: str) -> None:
    _, after = Path(params.__file__).read_text().split(f"\n    {name}: ")
    assert after.splitlines()[1].strip().startswith('"""')
