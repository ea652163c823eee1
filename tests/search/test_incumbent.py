from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.lattice import Scheme
from anonymizer.risk import PUniqueness, RiskModel
from anonymizer.risk.model import binds_finer
from anonymizer.search import Limits, SearchParams, incumbent
from anonymizer.search.incumbent import FIRST_NEIGHBOURS, IteratedSearch, find_incumbent
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.limits import LimitReached, Usage
from anonymizer.search.state import State
from tests.oracle import Problem
from tests.search.test_boxes import medium
from tests.search.test_subtree_bounds import wide
from tests.strategies import Recorder, evaluator_of, lattice_of, problems

LARGE = SearchParams(large_lattice=0)


def start(
    problem: Problem,
    params: SearchParams,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    models: Sequence[RiskModel] | None = None,
) -> State:
    """Begin a search and find its first incumbent, for the models of the problem or others."""
    usage = Usage(limits, lambda: 0.0)
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    if models is not None:
        evaluator = replace(evaluator, models=models)
    state = State(
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


def greedily(problem: Problem, models: Sequence[RiskModel] | None = None) -> State:
    """The same in a smaller lattice, without a look at neighbours."""
    with mock.patch.object(incumbent, "FIRST_NEIGHBOURS", 0):
        return start(problem, SearchParams(), models=models)


@settings(max_examples=150)
@given(problems(), st.sampled_from([SearchParams(), LARGE]))
def test_the_root_is_open_again_and_knows_what_was_evaluated(
    problem: Problem, params: SearchParams
) -> None:
    state = start(problem, params)
    assert state.taken == []
    if len(state.evaluated) == state.lattice.size:
        assert not state.open
        return
    (root,) = state.open.boxes
    assert root.schemes == state.lattice
    assert set(root.evaluated) == state.evaluated.known
    assert root.bounding is not None
    assert root.bounding.scheme == state.lattice.high


@settings(max_examples=150)
@given(problems())
def test_no_scheme_one_step_finer_than_the_last_is_better(problem: Problem) -> None:
    state = greedily(problem)

    def better(scheme: Scheme) -> list[Scheme]:
        loss = state.evaluator.evaluate(scheme).loss
        finer = [state.evaluator.evaluate(other) for other in state.lattice.finer(scheme)]
        return [each.scheme for each in finer if each.feasible and each.loss < loss]

    tied = [each.scheme for each in state.evaluated.contenders]  # the last is one of these
    assert not tied or not all(better(scheme) for scheme in tied)


def test_local_search_improves_what_greedy_refinement_finds() -> None:
    greedy, improved = greedily(medium()).evaluated, start(medium(), LARGE).evaluated
    assert improved.best_loss <= greedy.best_loss
    assert len(improved) > len(greedy)


@pytest.mark.parametrize("seed", [18, 22, 26, 37])
def test_in_a_smaller_lattice_a_few_neighbours_lead_on_where_greedy_refinement_is_stuck(
    seed: int,
) -> None:
    problem = wide(seed=seed)
    greedy, near = greedily(problem).evaluated, start(problem, SearchParams()).evaluated
    assert near.best_loss < greedy.best_loss
    assert greedy.known < near.known
    assert (len(near) - len(greedy)) % FIRST_NEIGHBOURS == 0


def test_where_no_neighbour_is_better_no_more_than_a_few_are_evaluated() -> None:
    greedy, near = greedily(hilly(1)).evaluated, start(hilly(1), SearchParams()).evaluated
    assert near.best_loss == greedy.best_loss
    assert len(near) == len(greedy) + FIRST_NEIGHBOURS


def test_where_evaluations_bound_nothing_no_neighbour_is_tried() -> None:
    models = [PUniqueness(0.01, population=10**6, estimator="snb")]
    greedy = greedily(wide(seed=18), models).evaluated.known
    near = start(wide(seed=18), SearchParams(), models=models).evaluated.known
    assert not binds_finer(models[0], 10**6)
    assert greedy == near


def test_local_search_ends_with_its_share_of_the_evaluations() -> None:
    greedy = len(greedily(medium()).evaluated)
    limit = 4 * greedy + 8
    state = start(medium(), LARGE, Limits(evaluations=limit))
    assert greedy < len(state.evaluated) <= limit / 4 + LARGE.batch_size


def test_stopped_on_the_way_the_root_is_not_lost() -> None:
    usage = Usage(Limits(evaluations=3), lambda: 0.0)
    evaluator, lattice = evaluator_of(medium()), lattice_of(medium())
    state = State(
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
    assert state.taken == []
    if len(state.evaluated) == state.lattice.size:
        assert not state.open
        return
    (root,) = state.open.boxes
    assert root.schemes == lattice
    assert len(root.evaluated) == 3


def hilly(seed: int) -> Problem:
    """A problem of 16,384 schemes with dependent attributes: local search has somewhere to get stuck."""
    draw = random.Random(seed)
    tree = {
        str(leaf): (str(leaf), f"pair {leaf // 2}", f"half {leaf // 4}", "*") for leaf in range(8)
    }
    rows = []
    for _ in range(150):
        person = draw.randrange(8)
        rows.append(tuple(str((person * draw.choice((1, 1, 3))) % 8) for _ in range(7)))
    return Problem(tuple(rows), (tree,) * 7, k=4, aggregate="arithmetic")


FEW = replace(LARGE, neighbours_tried=2)
"""So few neighbours that the first local search ends early."""


def test_kicks_find_what_local_search_alone_does_not() -> None:
    without = [start(hilly(seed), replace(FEW, max_stale_kicks=0)).evaluated for seed in range(5)]
    kicked = [start(hilly(seed), FEW).evaluated for seed in range(5)]
    assert all(k.best_loss <= w.best_loss for k, w in zip(kicked, without, strict=True))
    assert any(k.best_loss < w.best_loss for k, w in zip(kicked, without, strict=True))


def test_kicks_are_the_same_for_the_same_seed_and_number_of_evaluations() -> None:
    limits = Limits(evaluations=2000)
    one, again, other = (
        start(hilly(1), replace(FEW, seed=seed), limits).evaluated.known for seed in (1, 1, 2)
    )
    assert one == again != other


@given(problems(), st.integers(0, 2**32))
def test_a_kick_stays_in_the_lattice(problem: Problem, seed: int) -> None:
    state = start(problem, replace(LARGE, seed=seed))
    coarsest = state.evaluator.evaluate(state.lattice.high)
    kicks, scheme = IteratedSearch(state, coarsest), state.lattice.low
    for _ in range(20):
        scheme = kicks.kick(scheme)
        assert scheme in state.lattice


def test_no_scheme_is_evaluated_twice() -> None:
    recorder = Recorder(evaluator_of(hilly(2)))
    usage, run_all = Usage(Limits(), lambda: 0.0), lambda job, items: list(map(job, items))
    lattice = lattice_of(hilly(2))
    find_incumbent(
        State(recorder, lattice, usage, FEW, run_all, None, Interrupt())  # type: ignore[arg-type]
    )
    assert len(recorder.asked) == len(set(recorder.asked)) == usage.evaluations
