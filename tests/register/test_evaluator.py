"""What a scheme costs beside earlier releases, against every subset of the people."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anonymizer.lattice import Lattice
from anonymizer.register.absences import cheapest_absences, pick
from anonymizer.register.promise import ABSENT
from anonymizer.search import Status, StopReason, search
from anonymizer.study.evaluator import sum_at
from tests import oracle
from tests.register.drawing import Case, cases, row_of_tuple

TREE = {"a": ("a", "*"), "b": ("b", "*")}
LEFT = Case(
    oracle.Problem((("a",), ("a",), ("b",), ("b",)), (TREE,), k=2),
    np.array([[0], [0], [0], [0], [0]]),
)
"""One of five left, who were all in one class."""


@given(st.data(), cases())
def test_no_subset_of_the_people_is_better_than_what_is_found_or_its_bound(
    data: st.DataObject, case: Case
) -> None:
    scheme = data.draw(st.sampled_from(list(case.problem.schemes())))
    found, best = case.evaluator().evaluate(scheme), case.best(scheme)
    assert found.feasible == (best is not None)
    if best is None:
        return
    least = found.loss if found.bound is None else found.bound
    assert least - 1e-9 <= best[0] <= found.loss + 1e-12
    if case.problem.aggregate == "arithmetic" and best[1] < case.problem.suppression_limit:
        assert found.loss == pytest.approx(best[0], abs=1e-9)


@given(st.data(), cases())
def test_what_is_kept_keeps_the_promise_to_everybody(data: st.DataObject, case: Case) -> None:
    scheme = data.draw(st.sampled_from(list(case.problem.schemes())))
    evaluator = case.evaluator()
    found = evaluator.outcome(scheme)
    gone = found.suppressed[found.classes.label_of_tuple]
    kept = frozenset(row_of_tuple(evaluator.plain)[~gone].tolist())
    assert case.feasible(scheme, kept)
    rows = len(case.problem.rows)
    assert found.evaluation.suppressed_records == rows - len(kept)
    lost = oracle.loss(case.problem, scheme, frozenset(range(rows)) - kept)
    assert found.evaluation.loss == pytest.approx(lost, abs=1e-12)


@given(cases())
def test_a_scheme_bounds_all_finer_ones(case: Case) -> None:
    evaluator = case.evaluator()
    found = {scheme: evaluator.evaluate(scheme) for scheme in case.problem.schemes()}
    aggregate = evaluator.measure.aggregate
    for scheme, evaluation in found.items():
        for finer in Lattice((0,) * len(scheme), scheme):
            bound = aggregate.of_terms(sum_at(evaluation.terms, finer))
            assert bound <= found[finer].loss + 1e-12
            assert evaluation.binding_records <= found[finer].suppressed_records
            assert not evaluation.finer_infeasible or not found[finer].feasible


@given(cases(max_rows=6))
@example(LEFT)
def test_the_search_finds_the_best_of_all_schemes_and_subsets(case: Case) -> None:
    evaluator = case.evaluator()
    found = search(evaluator, Lattice(case.problem.low, case.problem.high))
    bests = [best for scheme in case.problem.schemes() if (best := case.best(scheme)) is not None]
    assert found.stopped is StopReason.COMPLETE
    assert (found.best is None) == (not bests)
    if found.best is None:
        return
    least = min(loss for loss, _ in bests)
    assert found.proof.bound - 1e-9 <= least <= found.best.loss + 1e-12
    if found.status is Status.OPTIMAL:
        assert found.best.loss == pytest.approx(least, abs=2e-9)


@given(st.data(), cases())
def test_what_is_given_up_at_a_cutoff_costs_more(data: st.DataObject, case: Case) -> None:
    scheme = data.draw(st.sampled_from(list(case.problem.schemes())))
    evaluator = case.evaluator()
    whole = evaluator.evaluate(scheme)
    found = evaluator.evaluate(scheme, data.draw(st.floats(0, 1)) * sum_at(whole.terms, scheme))
    assert found.loss <= whole.loss
    assert found.suppressed_records <= whole.suppressed_records


@pytest.mark.quick
def test_one_more_is_dropped_so_that_whoever_left_is_one_of_two() -> None:
    found = LEFT.evaluator().evaluate((0,))
    assert found.suppressed_records == 2  # no class has anybody beyond k, so one goes whole
    assert LEFT.evaluator().evaluate((1,)).suppressed_records == 1


def test_without_a_past_it_is_k_anonymity() -> None:
    rows = LEFT.problem.rows
    case = Case(LEFT.problem, np.empty((len(rows), 0), np.int64))
    for scheme in case.problem.schemes():
        plain = case.evaluator().plain.evaluate(scheme)
        assert case.evaluator().evaluate(scheme).loss == plain.loss


def test_new_people_need_k_of_their_own() -> None:
    classes = np.array([[0], [0], [0], [ABSENT]])
    problem = oracle.Problem((("a",),) * 4, (TREE,), k=2)
    assert Case(problem, classes).evaluator().evaluate((0,)).suppressed_records == 1


groups = st.lists(
    st.tuples(st.integers(1, 2), st.integers(0, 3), st.sampled_from([0.0, 0.25, 0.5, 1.0])),
    min_size=1,
    max_size=5,
)


@given(groups, st.integers(2, 4), st.tuples(st.integers(1, 3), st.integers(1, 3)))
def test_no_other_absences_cost_less(
    drawn: list[tuple[int, int, float]], k: int, needed: tuple[int, int]
) -> None:
    history, spare, costs = (np.array(each) for each in zip(*drawn, strict=True))
    sizes, need = spare + k, np.array([0, *(min(each, k - 1) for each in needed)])
    taken = cheapest_absences(history, sizes, costs, need, k)
    for number in np.unique(history):
        mine = np.flatnonzero(history == number)
        ways = itertools.product(*([*range(sizes[g] - k + 1), sizes[g]] for g in mine))
        enough = [way for way in ways if sum(way) >= need[number]]
        best = min((float(np.dot(way, costs[mine])), sum(way)) for way in enough)
        assert (float(taken[mine] @ costs[mine]), int(taken[mine].sum())) == pytest.approx(best)
        assert tuple(taken[mine].tolist()) in enough


def test_the_first_ranks_of_each_group_go() -> None:
    group = np.array([0, 1, 0, 0, 1], np.int32)
    chosen = pick(group, np.array([2, 1]), np.array([4, 3, 2, 1, 0]))
    assert chosen.tolist() == [False, False, True, True, True]
