from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizer.risk import Average, KAnonymity
from anonymizer.search import (
    Progress,
    SearchParams,
    SearchResult,
    Status,
    StopReason,
    search,
    search_thresholds,
    thresholds,
)
from anonymizer.search.interrupt import Interrupt
from tests.oracle import Problem
from tests.search.test_boxes import essence
from tests.search.test_subtree_bounds import wide
from tests.strategies import evaluator_of, lattice_of, problems


def search_all(
    problem: Problem, ks: list[int], params: SearchParams, workers: int = 1
) -> list[SearchResult] | None:
    evaluators = [replace(evaluator_of(problem), models=[KAnonymity(k)]) for k in ks]
    return search_thresholds(
        evaluators,
        lattice_of(problem),
        workers,
        params=params,
    )


@settings(max_examples=200, deadline=None)
@given(
    problems(),
    st.sets(st.integers(1, 9), min_size=1, max_size=6).map(sorted),
    st.sampled_from([2, 5, 1000]),
    st.sampled_from([1, 1 << 20]),
)
@example(wide(), [2, 3, 4, 5, 7, 9, 12, 20], 1000, 1 << 20)
@example(replace(wide(), aggregate="arithmetic"), [2, 3, 5, 9, 20], 3, 1)
@example(replace(wide(), suppression_limit=10), [2, 3, 5, 9, 20], 1000, 1 << 20)
def test_at_every_threshold_it_finds_what_a_search_at_that_one_finds(
    problem: Problem, ks: list[int], budget: int, cells: int
) -> None:
    params = SearchParams(subtree_budget=budget, max_subtree_cells=cells)
    found = search_all(problem, ks, params)
    assert found is not None
    lattice = lattice_of(problem)
    for k, result in zip(ks, found, strict=True):
        evaluator = replace(evaluator_of(problem), models=[KAnonymity(k)])
        alone = search(evaluator, lattice)
        assert (result.status, result.stopped) == (alone.status, StopReason.COMPLETE)
        if alone.best is not None:
            assert result.best is not None
            assert result.best.scheme == alone.best.scheme
            assert result.best.suppressed_records == alone.best.suppressed_records
            assert result.proof.bound == result.best.loss
        assert result.proof.open == 0


def test_the_number_of_workers_changes_nothing() -> None:
    one, three = (search_all(wide(), [2, 3, 5, 9], SearchParams(), n) for n in (1, 3))
    assert one is not None
    assert three is not None
    assert [r.proof for r in one] == [r.proof for r in three]


def test_interrupted_it_returns_what_holds_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, ks = wide(rows=300), [2, 3, 5, 9, 15]
    evaluators = [replace(evaluator_of(problem), models=[KAnonymity(k)]) for k in ks]
    alone = [search(evaluator, lattice_of(problem)) for evaluator in evaluators]
    interrupts: list[Interrupt] = []

    class Noted(Interrupt):
        def __init__(self) -> None:
            super().__init__()
            interrupts.append(self)

    def interrupt(at: int, progress: Progress) -> None:
        assert progress.best is not None
        assert progress.proof.bound <= progress.best.loss
        assert 0 <= at < len(ks)
        interrupts[0].requested = True

    monkeypatch.setattr(thresholds, "Interrupt", Noted)
    params = SearchParams(subtree_budget=2)
    found = search_thresholds(
        evaluators,
        lattice_of(problem),
        on_threshold=interrupt,
        params=params,
    )
    assert found is not None
    assert StopReason.INTERRUPTED in {result.stopped for result in found}
    for result, other in zip(found, alone, strict=True):
        assert other.best is not None
        assert result.proof.bound <= other.best.loss + 1e-12
        if result.status is Status.OPTIMAL:
            assert result.best is not None
            assert result.best.loss == pytest.approx(other.best.loss)
        if result.stopped is StopReason.INTERRUPTED:
            assert result.gap is not None
            assert result.checkpoint is not None


def test_what_is_stopped_can_be_resumed_at_each_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, ks = wide(rows=300), [2, 5, 15]
    evaluators = [replace(evaluator_of(problem), models=[KAnonymity(k)]) for k in ks]
    lattice = lattice_of(problem)
    monkeypatch.setattr(Interrupt, "requested", True, raising=False)
    monkeypatch.setattr(Interrupt, "__init__", lambda self: setattr(self, "previous", None))
    found = search_thresholds(evaluators, lattice, params=SearchParams(subtree_budget=2))
    monkeypatch.undo()
    assert found is not None
    for evaluator, result in zip(evaluators, found, strict=True):
        assert result.stopped is StopReason.INTERRUPTED
        assert result.checkpoint is not None
        alone = search(evaluator, lattice)
        resumed = search(evaluator, lattice, resume=result.checkpoint)
        assert essence(resumed.best) == essence(alone.best)
        assert resumed.status is Status.OPTIMAL
        assert resumed.proof.open == 0


def test_it_is_for_small_lattices_and_models_that_ask_for_a_least_class() -> None:
    assert search_all(wide(), [2, 3], SearchParams(large_lattice=10)) is None
    evaluators = [replace(evaluator_of(wide()), models=[Average(t)]) for t in (0.5, 0.3)]
    lattice = lattice_of(wide())
    found = search_thresholds(evaluators, lattice)
    assert found is None
