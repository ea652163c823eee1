from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings

from anonymizer.evaluation.evaluate import BestOutcome, Evaluation, Evaluator
from anonymizer.evaluation.suppression import suppress
from anonymizer.lattice import Scheme
from anonymizer.risk import KAnonymity
from anonymizer.table.classes import partition
from tests import oracle
from tests.oracle import Problem
from tests.strategies import evaluator_of, problems

pytestmark = pytest.mark.quick

ONE_LEAF = {"x": ("x", "x")}
SIZES = {"S": ("S", "small", "*"), "M": ("M", "large", "*"), "L": ("L", "large", "*")}


def bound_from(evaluation: Evaluation, finer: Scheme, evaluator: Evaluator) -> float:
    """The bound on the loss of a finer scheme, as the search adds it up."""
    total = 0.0
    for attribute, level in enumerate(finer):
        total += float(evaluation.terms[attribute, level])
    return evaluator.measure.aggregate.of_terms(total)


def schemes_up_to(scheme: Scheme) -> list[Scheme]:
    return list(itertools.product(*(range(level + 1) for level in scheme)))


@settings(max_examples=150)
@given(problems(max_attributes=3, limits=True))
@example(Problem((("x",),), (ONE_LEAF,), k=2))
def test_every_scheme_is_evaluated_as_the_oracle_does(problem: Problem) -> None:
    evaluator = evaluator_of(problem)
    for scheme in problem.schemes():
        found, expected = evaluator.evaluate(scheme), oracle.evaluate(problem, scheme)
        assert found.scheme == scheme
        assert found.suppressed_records == len(expected.suppressed)
        assert found.feasible == expected.feasible
        assert found.loss == pytest.approx(expected.loss, abs=1e-13)
        assert found.quality == 1 - found.loss
        losses = oracle.attribute_losses(problem, scheme, expected.suppressed)
        classes = partition(evaluator.microdata, scheme)
        suppressed = suppress(evaluator.microdata, classes, evaluator.models).suppressed
        of_engine = evaluator.attribute_losses(classes, suppressed)
        assert of_engine == pytest.approx(losses, abs=1e-15)


@settings(max_examples=150)
@given(problems(max_attributes=3, max_rows=15, ranges=False))
def test_a_bound_from_a_coarser_scheme_lies_between_the_plain_bound_and_the_loss(
    problem: Problem,
) -> None:
    evaluator = evaluator_of(problem)
    evaluations = {scheme: evaluator.evaluate(scheme) for scheme in problem.schemes()}
    for coarser, evaluation in evaluations.items():
        suppressed = oracle.evaluate(problem, coarser).suppressed
        for finer in schemes_up_to(coarser):
            bound = bound_from(evaluation, finer, evaluator)
            plain = oracle.loss(problem, finer, frozenset())
            assert plain - 1e-13 <= bound <= evaluations[finer].loss
            # the design's formula: finer, with the coarser scheme's suppressed records gone
            assert bound == pytest.approx(oracle.loss(problem, finer, suppressed), abs=1e-13)


@settings(max_examples=200)
@given(problems(max_attributes=3, max_rows=15, ranges=False, limits=True))
def test_what_a_scheme_says_of_finer_ones_is_so_for_every_model(problem: Problem) -> None:
    evaluator = evaluator_of(problem)
    evaluations = {scheme: evaluator.evaluate(scheme) for scheme in problem.schemes()}
    for coarser, evaluation in evaluations.items():
        for finer in schemes_up_to(coarser):
            assert bound_from(evaluation, finer, evaluator) <= evaluations[finer].loss + 1e-14
            assert evaluation.binding_records <= evaluations[finer].suppressed_records
            assert not (evaluation.finer_infeasible and evaluations[finer].feasible)


@given(problems(max_attributes=3, max_rows=15, ranges=False))
def test_bounds_only_grow_when_a_scheme_gets_coarser(problem: Problem) -> None:
    evaluator = evaluator_of(problem)
    lattice = evaluator.microdata.lattice
    top = evaluator.evaluate(lattice.high)
    for scheme in lattice:
        for finer in lattice.finer(scheme):
            plain, plain_finer = (
                oracle.loss(problem, levels, frozenset()) for levels in (scheme, finer)
            )
            assert plain_finer <= plain + 1e-15
            assert bound_from(top, finer, evaluator) <= bound_from(top, scheme, evaluator)


@given(problems())
def test_a_scheme_bounds_itself_by_its_own_loss(problem: Problem) -> None:
    evaluator = evaluator_of(problem)
    for scheme in (problem.low, problem.high):
        evaluation = evaluator.evaluate(scheme)
        assert bound_from(evaluation, scheme, evaluator) == evaluation.loss


def test_a_limit_counts_suppressed_records_and_is_itself_allowed() -> None:
    problem = Problem((("S",), ("M",), ("L",), ("L",)), (SIZES,), k=2)
    evaluated = [
        evaluator_of(Problem(problem.rows, problem.trees, 2, suppression_limit=limit)).evaluate(
            (0,)
        )
        for limit in (1, 2)
    ]
    assert [evaluation.suppressed_records for evaluation in evaluated] == [2, 2]
    assert [evaluation.feasible for evaluation in evaluated] == [False, True]


@pytest.mark.parametrize("ks", [(2, 3), (3, 2)])
def test_several_models_are_met_together(ks: tuple[int, int]) -> None:
    evaluator = evaluator_of(Problem((("S",), ("M",), ("M",), *[("L",)] * 3), (SIZES,), k=1))
    models = [KAnonymity(k) for k in ks]
    both = Evaluator(evaluator.microdata, models, evaluator.measure, 6)
    assert both.evaluate((0,)).suppressed_records == 3


def test_everything_suppressed_loses_everything() -> None:
    evaluation = evaluator_of(Problem((("S",), ("M",)), (SIZES,), k=3)).evaluate((0,))
    assert evaluation.suppressed_records == 2
    assert evaluation.loss == 1
    assert evaluation.quality == 0


def test_nothing_generalized_and_nothing_suppressed_loses_nothing() -> None:
    evaluation = evaluator_of(Problem((("S",), ("M",)), (SIZES,), k=1)).evaluate((0,))
    assert evaluation.loss == 0


def test_ties_are_decided_by_suppressed_records_then_by_levels() -> None:
    def key(scheme: Scheme, suppressed: int) -> tuple[int, int, Scheme]:
        return Evaluation(scheme, suppressed, 0.5, True, 0, False, np.zeros((2, 2))).tie_key

    ranked = [key((9, 9), 0), key((0, 0), 1), key((0, 2), 1), key((1, 1), 1), key((0, 3), 1)]
    assert sorted(ranked) == ranked


def test_the_whole_lattice_has_every_level_of_every_hierarchy() -> None:
    evaluator = evaluator_of(Problem((("S", "x"),), (SIZES, ONE_LEAF), k=1))
    lattice = evaluator.microdata.lattice
    assert (lattice.low, lattice.high) == ((0, 0), (2, 1))


def test_the_best_feasible_outcome_is_kept_whatever_comes_after() -> None:
    evaluator = evaluator_of(Problem((("S",), ("M",), ("L",), ("L",)), (SIZES,), k=1))
    judged = [evaluator.judge(partition(evaluator.microdata, (level,))) for level in (1, 0, 2)]
    best = BestOutcome()
    for outcome, kept in zip(judged, (judged[0], judged[1], judged[1]), strict=True):
        best.offer(outcome)
        assert best.recall(kept.evaluation.scheme) is kept
    assert best.recall((2,)) is None
