"""A search that raises its bound by subtree bounds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizer.search import (
    TIE,
    Checkpoint,
    Limits,
    Progress,
    SearchParams,
    SearchResult,
    Status,
    StopReason,
    search,
)
from anonymizer.search.driver import prove
from anonymizer.search.incumbent import find_incumbent
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.limits import LimitReached, Usage
from anonymizer.search.state import State
from anonymizer.search.subtree import FIRST_BUDGET
from anonymizer.search.subtree_bounds import PartsLeft
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem
from tests.search.test_boxes import essence, medium
from tests.search.test_subtree_bounds import wide
from tests.strategies import evaluator_of, lattice_of, problems

LARGE, SMALL = SearchParams(large_lattice=0), SearchParams(boxes_work=0)
"""Subtree bounds from the start, as in a large lattice and in a small one."""


def solve(problem: Problem, **options: object) -> SearchResult:
    """Search as in a large lattice: with subtree bounds, from gap to gap."""
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    return search(evaluator, lattice, **{"params": LARGE, **options})  # type: ignore[arg-type]


@pytest.mark.slow
@settings(max_examples=300)
@given(st.one_of(problems(), problems(limits=True)), st.sampled_from([LARGE, SMALL]))
@example(medium(), LARGE)
@example(wide(), LARGE)
@example(wide(rows=30), LARGE)
@example(wide(), SMALL)
def test_with_subtree_bounds_it_finds_what_exhaustive_search_finds(
    problem: Problem, params: SearchParams
) -> None:
    found = solve(problem, params=params)
    expected = search_exhaustively(evaluator_of(problem), lattice_of(problem))
    assert essence(found.best) == essence(expected.best)
    assert (found.status, found.stopped) == (expected.status, StopReason.COMPLETE)
    assert found.proof.evaluated + sum(found.proof.pruned.values()) == found.proof.schemes
    assert all(count >= 0 for count in found.proof.pruned.values())
    assert found.proof.open == 0
    if found.best is not None:
        assert found.proof.bound == found.best.loss
        assert found.gap == 0


@settings(max_examples=25)
@given(problem=problems(), workers=st.sampled_from([2, 3]))
@example(problem=wide(), workers=2)
def test_with_subtree_bounds_the_number_of_workers_changes_nothing(
    problem: Problem, workers: int
) -> None:
    alone, together = solve(problem), solve(problem, workers=workers)
    assert essence(together.best) == essence(alone.best)
    assert (together.status, together.proof) == (alone.status, alone.proof)


@pytest.mark.slow
@settings(max_examples=100)
@given(problems(), st.lists(st.integers(1, 30), max_size=6))
@example(wide(), [40, 7, 60, 30, 200])
def test_stopped_amid_subtree_bounds_a_search_is_sound_and_can_be_resumed(
    problem: Problem, limits: list[int]
) -> None:
    straight = solve(problem)
    checkpoint = None
    for limit in limits:
        found = solve(problem, limits=Limits(evaluations=limit), resume=checkpoint)
        if found.checkpoint is None:
            break
        assert found.proof.bound <= straight.proof.bound + TIE
        assert 0 <= found.proof.open <= found.proof.schemes
        assert found.gap is None or found.gap >= 0
        assert (found.gap == 0) == (found.status is Status.OPTIMAL)
        checkpoint = Checkpoint.read(json.loads(json.dumps(found.checkpoint.describe())))
    found = solve(problem, resume=checkpoint)
    assert essence(found.best) == essence(straight.best)
    assert found.status is straight.status
    assert found.proof.open == 0


def test_subtree_bounds_go_from_gap_to_gap() -> None:
    seen: list[Progress] = []
    found = solve(wide(rows=400, attributes=6), on_progress=seen.append)
    assert found.status is Status.OPTIMAL
    assert found.proof.partitions > 0
    bounds = [progress.proof.bound for progress in seen]
    assert bounds == sorted(bounds)
    assert found.best is not None
    steps = [found.best.loss - gap for gap in SearchParams().target_gaps if gap < found.best.loss]
    assert all(any(bound == pytest.approx(step) for bound in bounds) for step in steps)


@pytest.mark.parametrize(("work", "expected"), [(1 << 30, False), (0, True)])
def test_a_small_lattice_has_subtree_bounds_only_after_so_much_work(
    work: int, expected: bool
) -> None:
    problem = wide()
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    found = search(evaluator, lattice, params=SearchParams(boxes_work=work))
    assert (found.proof.partitions > 0) == expected
    assert essence(found.best) == essence(search_exhaustively(evaluator, lattice).best)
    # of a small lattice nothing but the proof is the target: nothing is gone through twice
    if expected:
        assert found.proof.partitions < solve(problem).proof.partitions


def test_little_memory_ends_what_is_left_over_at_once() -> None:
    problem = wide()
    found = solve(problem, limits=Limits(memory=0))
    assert essence(found.best) == essence(solve(problem).best)
    assert found.status is Status.OPTIMAL
    assert found.proof.open == 0


class Clock:
    """A clock that stands still but for partitions, which take a second each."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def run_all(self, job: Callable[..., Any], items: list[Any]) -> list[Any]:
        found = [job(item) for item in items]
        self.now += sum(each.partitions for each in found if isinstance(each, PartsLeft))
        return found


@pytest.mark.parametrize("seconds", [1, 50, 150])
def test_rounds_grow_shorter_as_time_runs_out(seconds: int) -> None:
    problem, clock = wide(), Clock()
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    usage, params = Usage(Limits(seconds=seconds), clock), SearchParams(large_lattice=0)
    state = State(evaluator, lattice, usage, params, clock.run_all, None, Interrupt())
    find_incumbent(state)
    with pytest.raises(LimitReached):
        prove(state)
    # the first round has no time to go by; later ones take half of what is left, or just split boxes
    assert clock.now <= 1.1 * seconds + FIRST_BUDGET
    found = state.result(StopReason.TIME)
    assert found.checkpoint is not None
    assert essence(solve(problem, resume=found.checkpoint).best) == essence(solve(problem).best)
