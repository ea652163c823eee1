from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.risk import Average, KAnonymity, PUniqueness, RiskModel
from anonymizer.search import (
    Checkpoint,
    Limits,
    Progress,
    Pruning,
    SearchParams,
    SearchResult,
    Status,
    StopReason,
    search,
)
from anonymizer.search.result import TIE
from tests import oracle
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem
from tests.strategies import Recorder, evaluator_of, lattice_of, problems

SEX = {"f": ("f", "*"), "m": ("m", "*")}
AGE = {str(age): (str(age), f"{age // 10}0s", "*") for age in range(30, 60)}
ONE_LEAF = {"x": ("x", "x", "x")}


def people(count: int = 60, seed: int = 1) -> tuple[oracle.Row, ...]:
    """Draw people of two attributes."""
    random_ = random.Random(seed)
    return tuple((random_.choice("fm"), str(random_.randint(30, 59))) for _ in range(count))


def eight_leaves() -> oracle.Tree:
    """A balanced tree: pairs, halves, all."""
    return {
        str(leaf): (str(leaf), f"pair {leaf // 2}", f"half {leaf // 4}", "*") for leaf in range(8)
    }


def medium(attributes: int = 5) -> Problem:
    """A problem of 1,024 schemes that takes some dozens of evaluations; fewer of fewer attributes."""
    random_ = random.Random(7)
    tree = eight_leaves()
    rows = tuple(tuple(random_.choice(list(tree)) for _ in range(attributes)) for _ in range(80))
    return Problem(rows, (tree,) * attributes, k=3)


EVALUATIONS = SearchParams()
"""No subtree bounds in a small lattice: what this file is about."""
SUBTREES = SearchParams(boxes_work=0)


def solve(problem: Problem, **options: object) -> SearchResult:
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    return search(evaluator, lattice, **{"params": EVALUATIONS, **options})  # type: ignore[arg-type]


def essence(evaluation: Evaluation | None) -> tuple[object, ...] | None:
    """What two evaluations of one scheme have in common, to the last bit."""
    if evaluation is None:
        return None
    return evaluation.scheme, evaluation.suppressed_records, evaluation.loss


@settings(max_examples=600)
@given(st.one_of(problems(), problems(limits=True)), st.sampled_from([SUBTREES, EVALUATIONS]))
@example(Problem((("x",),), (ONE_LEAF,), k=1), EVALUATIONS)
@example(Problem((("x",),) * 3, (ONE_LEAF,), k=5), EVALUATIONS)
@example(Problem((("f", "30"),), (SEX, AGE), k=1), EVALUATIONS)
@example(Problem((("f", "30"),) * 9, (SEX, AGE), k=3), EVALUATIONS)
@example(Problem(people(), (SEX, AGE), k=4, weights=(0.0, 0.0)), EVALUATIONS)
@example(Problem(people(), (SEX, AGE), k=1, suppression_limit=0), EVALUATIONS)
@example(Problem(people(), (SEX, AGE), k=61, suppression_limit=59), EVALUATIONS)
@example(Problem(people(), (SEX, AGE), k=61, suppression_limit=59), SUBTREES)
def test_it_finds_what_exhaustive_search_and_the_oracle_find(
    problem: Problem, params: SearchParams
) -> None:
    recorder = Recorder(evaluator_of(problem))
    found = search(recorder, lattice_of(problem), params=params)  # type: ignore[arg-type]
    exhaustive = search_exhaustively(evaluator_of(problem), lattice_of(problem))
    expected = oracle.best(problem)

    assert essence(found.best) == essence(exhaustive.best)
    if expected is None:
        assert found.status is exhaustive.status is Status.INFEASIBLE
        assert found.best is None
        assert found.gap is None
    else:
        assert found.status is exhaustive.status is Status.OPTIMAL
        assert found.best is not None
        assert found.best.scheme == expected.levels
        assert found.best.suppressed_records == len(expected.suppressed)
        assert found.best.loss == pytest.approx(expected.loss, abs=1e-12)
        assert found.proof.bound == found.best.loss
        assert found.gap == 0

    assert found.stopped is StopReason.COMPLETE
    assert len(recorder.asked) == len(set(recorder.asked)) <= found.proof.effort
    assert len(recorder.complete) == found.proof.evaluated
    assert found.proof.evaluated + sum(found.proof.pruned.values()) == found.proof.schemes
    assert found.proof.open == 0
    assert all(count >= 0 for count in found.proof.pruned.values())
    assert found.proof.schemes == lattice_of(problem).size == len(list(problem.schemes()))


def test_what_a_bound_drops_half_way_is_pruned_and_not_evaluated() -> None:
    recorder = Recorder(replace(evaluator_of(medium()), models=[KAnonymity(2), Average(0.1)]))
    seen: list[Progress] = []
    proof = search(recorder, lattice_of(medium()), on_progress=seen.append).proof  # type: ignore[arg-type]
    assert 0 < len(recorder.complete) < len(recorder.asked)
    assert (proof.evaluated, proof.effort) == (len(recorder.complete), len(recorder.asked))
    assert proof.evaluated + sum(proof.pruned.values()) == proof.schemes
    assert all(progress.proof.open >= 0 for progress in seen)


@given(problems(limits=True), st.data())
def test_the_order_of_rows_changes_nothing(problem: Problem, data: st.DataObject) -> None:
    shuffled = tuple(data.draw(st.permutations(problem.rows)))
    found = solve(problem)
    again = solve(Problem(**(vars(problem) | {"rows": shuffled})))
    assert essence(again.best) == essence(found.best)
    assert (again.status, again.proof) == (found.status, found.proof)


@pytest.mark.parametrize("workers", [2, 3])
@settings(max_examples=25)
@given(problem=problems())
@example(problem=medium())
def test_the_number_of_workers_changes_nothing(workers: int, problem: Problem) -> None:
    alone, together = solve(problem), solve(problem, workers=workers)
    assert essence(together.best) == essence(alone.best)
    assert (together.status, together.proof) == (alone.status, alone.proof)


def test_pruning_spares_most_evaluations() -> None:
    found = solve(medium())
    assert found.status is Status.OPTIMAL
    assert found.proof.evaluated < found.proof.schemes / 4


@pytest.mark.parametrize("params", [EVALUATIONS, SUBTREES])
def test_a_scheme_that_suppresses_too_much_takes_all_finer_ones_with_it(
    params: SearchParams,
) -> None:
    problem = Problem(medium().rows, medium().trees, k=3, suppression_limit=0)
    found = solve(problem, params=params)
    assert found.status is Status.OPTIMAL
    assert found.proof.pruned[Pruning.SUPPRESSION] > found.proof.schemes / 4
    assert found.proof.evaluated < found.proof.schemes / 4


# Limits


@settings(max_examples=300)
@given(problems(), st.integers(1, 40))
def test_a_limited_search_claims_no_more_than_it_has_proven(problem: Problem, limit: int) -> None:
    found = solve(problem, limits=Limits(evaluations=limit))
    expected = oracle.best(problem)
    if expected is None:
        assert found.status in (Status.INFEASIBLE, Status.UNKNOWN)
        assert found.best is None
        assert found.gap is None
        return
    assert found.best is not None  # the coarsest scheme is evaluated first, whatever the limit
    assert found.best.feasible
    assert found.gap is not None
    assert found.gap >= 0
    assert found.proof.bound <= expected.loss + TIE
    assert found.best.loss >= expected.loss - TIE
    if found.stopped is StopReason.COMPLETE:
        assert found.status is Status.OPTIMAL
        assert found.best.scheme == expected.levels
        assert found.gap == 0
    else:
        assert found.stopped is StopReason.EVALUATIONS
    assert (found.status is Status.OPTIMAL) == (found.gap == 0)
    assert found.status in (Status.OPTIMAL, Status.FEASIBLE)
    if found.gap == 0:
        assert found.best.loss <= expected.loss + TIE
    assert found.proof.open >= 0


def test_an_evaluation_limit_is_kept() -> None:
    problem = medium()
    for limit in (1, 2, 5, solve(problem).proof.evaluated - 1):
        assert solve(problem, limits=Limits(evaluations=limit)).proof.evaluated <= limit


@given(problems())
def test_a_limit_that_is_just_enough_gives_the_optimum(problem: Problem) -> None:
    complete = solve(problem)
    again = solve(problem, limits=Limits(evaluations=complete.proof.effort))
    assert (again.status, again.stopped) == (complete.status, StopReason.COMPLETE)
    assert again.proof == complete.proof


def test_the_gap_closes_as_the_limit_grows() -> None:
    problem = medium()
    optimum = solve(problem)
    assert optimum.best is not None
    gaps = []
    for limit in range(1, optimum.proof.evaluated, optimum.proof.evaluated // 4):
        found = solve(problem, limits=Limits(evaluations=limit))
        assert (found.status is Status.FEASIBLE) == (found.gap != 0)
        assert found.best is not None
        assert found.gap == found.best.loss - found.proof.bound
        gaps.append(found.gap)
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < gaps[len(gaps) // 2] < gaps[0]


def test_the_time_limit_is_read_from_the_clock() -> None:
    ticks = itertools.count()
    problem = medium()
    found = solve(problem, limits=Limits(seconds=5), clock=lambda: float(next(ticks)))
    assert (found.status, found.stopped) == (Status.FEASIBLE, StopReason.TIME)
    assert found.gap is not None
    assert found.gap > 0
    assert found.proof.evaluated == 5  # the clock is read before each evaluation but the first
    assert found.proof.bound <= solve(problem).proof.bound


def test_no_time_at_all_still_gives_the_coarsest_scheme() -> None:
    problem = medium()
    found = solve(problem, limits=Limits(seconds=0), clock=lambda: 0.0)
    assert found.best is not None
    assert found.best.scheme == problem.high
    assert found.stopped is StopReason.TIME


@given(problems())
@example(medium())
def test_reported_bounds_only_rise_and_never_pass_the_optimum(problem: Problem) -> None:
    seen: list[Progress] = []
    found = solve(problem, on_progress=seen.append)
    optimum = float("inf") if found.best is None else found.best.loss
    bounds = [progress.proof.bound for progress in seen]
    assert all(later >= earlier - TIE for earlier, later in itertools.pairwise(bounds))
    assert max(bounds) <= optimum + TIE
    losses = [progress.best.loss for progress in seen if progress.best]
    assert all(later <= earlier + TIE for earlier, later in itertools.pairwise(losses))
    assert all(progress.gap is None or progress.gap >= 0 for progress in seen)
    evaluated = [progress.proof.evaluated for progress in seen]
    assert evaluated == sorted(evaluated)
    assert evaluated[-1] == found.proof.evaluated
    assert all(progress.proof.open >= 0 for progress in seen)


@pytest.mark.slow
@pytest.mark.parametrize("attributes", [20, 40])
def test_a_lattice_too_large_to_list_is_searched(attributes: int) -> None:
    random_ = random.Random(3)
    rows = tuple(
        tuple(str(min(7, int(random_.expovariate(0.8)))) for _ in range(attributes))
        for _ in range(200)
    )
    problem = Problem(rows, (eight_leaves(),) * attributes, k=3)
    found = solve(problem, limits=Limits(evaluations=200))
    assert found.proof.schemes == 4**attributes
    assert found.status is Status.FEASIBLE
    assert found.best is not None
    assert found.best.loss < evaluator_of(problem).evaluate(problem.high).loss
    assert 0 < found.proof.bound <= found.best.loss
    assert found.proof.open > 0


@settings(max_examples=150)
@given(st.one_of(problems(), problems(limits=True)), st.lists(st.integers(1, 12), max_size=6))
@example(medium(), [1, 1, 7, 3])
def test_a_search_that_is_resumed_ends_where_one_that_was_never_stopped_does(
    problem: Problem, limits: list[int]
) -> None:
    checkpoint, bound, loss = None, 0.0, float("inf")
    for limit in limits:
        found = solve(problem, limits=Limits(evaluations=limit), resume=checkpoint)
        if found.checkpoint is None:
            break
        checkpoint = Checkpoint.read(json.loads(json.dumps(found.checkpoint.describe())))
        assert checkpoint == found.checkpoint
        assert found.proof.bound >= bound - TIE
        assert 0 <= found.proof.open <= found.proof.schemes
        bound = found.proof.bound
        if found.best is not None:
            assert found.best.loss <= loss + TIE
            loss = found.best.loss
    found, straight = solve(problem, resume=checkpoint), solve(problem)
    assert essence(found.best) == essence(straight.best)
    assert (found.status, found.stopped) == (straight.status, StopReason.COMPLETE)
    assert found.proof.open == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("models", [[KAnonymity(3)], [Average(0.3)], [PUniqueness(0.01, 10**4)]])
def test_whenever_a_search_of_a_large_lattice_stops_its_bound_and_gap_are_true(
    seed: int, models: list[RiskModel]
) -> None:
    random_ = random.Random(seed)
    tree = eight_leaves()
    rows = tuple(
        tuple(str(min(7, int(random_.expovariate(rate)))) for rate in (0.3, 0.5, 0.8, 1.0, 0.4))
        for _ in range(150)
    )
    problem = Problem(rows, (tree,) * 5, k=1)
    evaluator, lattice = replace(evaluator_of(problem), models=models), lattice_of(problem)
    optimum = search_exhaustively(evaluator, lattice).best
    assert optimum is not None
    assert lattice.size == 1024
    complete = search(evaluator, lattice).proof.effort
    for limit in sorted({1, 2, *random_.sample(range(1, complete), min(4, complete - 1))}):
        found = search(evaluator, lattice, Limits(evaluations=limit))
        assert found.best is not None
        assert found.gap is not None
        assert found.gap >= 0
        assert found.proof.bound <= optimum.loss + TIE
        assert found.best.loss >= optimum.loss - TIE
        assert (found.gap == 0) == (found.status is Status.OPTIMAL)


@pytest.mark.slow
@pytest.mark.parametrize("models", [[KAnonymity(3)], [PUniqueness(0.01, 10**4)]])
@pytest.mark.parametrize("recent", [1, 8, 4096])
def test_what_is_forgotten_of_old_evaluations_is_not_needed(
    models: list[RiskModel], recent: int
) -> None:
    params = replace(EVALUATIONS, recent_evaluations=recent)
    problem = medium()
    evaluator, lattice = replace(evaluator_of(problem), models=models), lattice_of(problem)
    straight = search(evaluator, lattice, params=params)
    known = [evaluator.evaluate(scheme) for scheme in [lattice.high, *list(lattice)[::7]]]
    found = search(evaluator, lattice, known=known, params=params)
    assert essence(found.best) == essence(straight.best)
    for limit in (1, 5, 30):
        stopped = search(evaluator, lattice, Limits(evaluations=limit), params=params)
        resumed = search(evaluator, lattice, resume=stopped.checkpoint, params=params)
        assert essence(resumed.best) == essence(straight.best)
        assert resumed.proof.open == 0
        # what is bounded is not evaluated, resumed or not
        assert resumed.proof.effort <= 1.2 * straight.proof.effort + limit


def test_what_is_known_beforehand_does_not_count_against_a_limit() -> None:
    problem = medium()
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    known = [evaluator.evaluate(scheme) for scheme in list(lattice)[:50]]
    found = search(evaluator, lattice, Limits(evaluations=10), known=known)
    assert found.proof.evaluated == 60


def test_more_open_boxes_than_memory_allows_are_ended_depth_first() -> None:
    problem = medium()
    straight = solve(problem)
    for memory in (0, 2048, 10 * 2048):
        found = solve(problem, limits=Limits(memory=memory))
        assert essence(found.best) == essence(straight.best)
        assert found.status is Status.OPTIMAL
        assert found.proof.open == 0
        stopped = solve(problem, limits=Limits(evaluations=20, memory=memory))
        assert stopped.proof.bound <= straight.proof.bound
