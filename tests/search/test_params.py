from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings

from anonymizer.search import SearchParams, Status, params, search
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem
from tests.search.test_boxes import essence, medium
from tests.search.test_subtree_bounds import wide
from tests.strategies import evaluator_of, lattice_of, problems

SMALL = SearchParams(
    batch_size=1,
    recent_evaluations=1,
    large_lattice=0,
    neighbours_tried=1,
    boxes_work=0,
    unscreened_work=0,
    subtree_batch_size=1,
    subtree_budget=2,
)
LARGE = SearchParams(
    batch_size=64,
    large_lattice=10**9,
    neighbours_tried=10**6,
    boxes_work=10**18,
    unscreened_work=10**18,
    target_gaps=(),
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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"batch_size": 0}, "batch_size must be at least 1, got 0"),
        ({"batch_size": 2.5}, "batch_size must be a whole number, got 2.5"),
        ({"batch_size": True}, "batch_size must be a whole number, got True"),
        ({"sent_after": "soon"}, "sent_after must be a number, got 'soon'"),
        ({"sent_after": float("nan")}, "sent_after must be at least 0, got nan"),
        ({"target_gaps": (0.1, 0.2)}, "target_gaps must be falling numbers between 0 and 1"),
        ({"target_gaps": (1.0,)}, "target_gaps must be falling numbers between 0 and 1"),
        ({"target_gaps": 0.5}, "target_gaps must be falling numbers between 0 and 1"),
    ],
)
def test_what_does_not_fit_is_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        SearchParams(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [field.name for field in fields(SearchParams)])
def test_each_is_explained(name: str) -> None:
    _, after = Path(params.__file__).read_text().split(f"\n    {name}: ")
    assert after.splitlines()[1].strip().startswith('"""')
