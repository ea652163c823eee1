from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.lattice import Scheme
from anonymizer.search import Limits, SearchParams
from anonymizer.search.branch_and_bound import BranchAndBound
from anonymizer.search.incumbent import find_incumbent
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.limits import LimitReached, Usage
from tests.oracle import Problem
from tests.search.test_branch_and_bound import medium
from tests.strategies import evaluator_of, lattice_of, problems

LARGE = SearchParams(large_lattice=0)


def start(
    problem: Problem,
    params: SearchParams,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> BranchAndBound:
    """Begin a search and find its first incumbent."""
    usage = Usage(limits, lambda: 0.0)
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    state = BranchAndBound(
        evaluator,
        lattice,
        usage,
        params,
        lambda job, items: list(map(job, items)),
        None,
        Interrupt(),
    )
    find_incumbent(state)
    return state


@settings(max_examples=150)
@given(problems(), st.sampled_from([SearchParams(), LARGE]))
def test_the_root_is_open_again_and_knows_what_was_evaluated(
    problem: Problem, params: SearchParams
) -> None:
    state = start(problem, params)
    (root,) = state.open.boxes
    assert root.schemes == state.lattice
    assert set(root.evaluated) == state.evaluated.known
    assert root.bounding is not None
    assert root.bounding.scheme == state.lattice.high
    assert state.pending == []


@settings(max_examples=150)
@given(problems())
def test_no_scheme_one_step_finer_than_the_last_is_better(problem: Problem) -> None:
    state = start(problem, SearchParams())

    def better(scheme: Scheme) -> list[Scheme]:
        loss = state.evaluator.evaluate(scheme).loss
        finer = [state.evaluator.evaluate(other) for other in state.lattice.finer(scheme)]
        return [each.scheme for each in finer if each.feasible and each.loss < loss]

    tied = [each.scheme for each in state.evaluated.contenders]  # the last is one of these
    assert not tied or not all(better(scheme) for scheme in tied)


def test_local_search_improves_what_greedy_refinement_finds() -> None:
    greedy, improved = (start(medium(), params).evaluated for params in (SearchParams(), LARGE))
    assert improved.best_loss <= greedy.best_loss
    assert len(improved) > len(greedy)


def test_local_search_ends_with_its_share_of_the_evaluations() -> None:
    greedy = len(start(medium(), SearchParams()).evaluated)
    limit = 4 * greedy + 8
    state = start(medium(), LARGE, Limits(evaluations=limit))
    assert greedy < len(state.evaluated) <= limit / 4 + LARGE.batch_size


def test_stopped_on_the_way_the_root_is_not_lost() -> None:
    usage = Usage(Limits(evaluations=3), lambda: 0.0)
    evaluator, lattice = evaluator_of(medium()), lattice_of(medium())
    state = BranchAndBound(
        evaluator,
        lattice,
        usage,
        LARGE,
        lambda job, items: list(map(job, items)),
        None,
        Interrupt(),
    )
    with pytest.raises(LimitReached):
        find_incumbent(state)
    (root,) = state.open.boxes
    assert root.schemes == lattice
    assert len(root.evaluated) == 3
