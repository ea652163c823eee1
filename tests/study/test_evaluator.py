"""What a scheme of a study costs and proves, and the search on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizer.errors import PolicyError, ReleaseError
from anonymizer.lattice import Lattice
from anonymizer.risk.study import StudyAnonymity
from anonymizer.search import Limits, Status, StopReason, search
from anonymizer.search.result import choose
from anonymizer.study.evaluator import StudyEvaluator, sum_at
from anonymizer.utility import Aggregate, GeneralLoss, Loss, Precision
from tests.exhaustive import search_exhaustively
from tests.study.drawing import cases, evaluator_of
from tests.study.oracle import Case, Generalized


@given(st.data(), cases())
def test_the_loss_is_that_of_each_column_over_its_own_table(
    data: st.DataObject, case: Case
) -> None:
    assume(case.all_trees)
    scheme = data.draw(st.sampled_from(list(case.schemes())))
    evaluator, generalized = evaluator_of(case), Generalized(case, scheme)
    found, kept = evaluator.evaluate(scheme), generalized.greatest()
    assert found.loss == pytest.approx(generalized.loss(kept), abs=1e-12)
    assert found.suppressed_records == len(case.people) - len(kept)
    own = evaluator.attribute_losses(scheme, evaluator.kept(scheme))
    assert evaluator.cover.combine(np.array(own))[0] == pytest.approx(found.loss, abs=1e-12)


@given(cases())
def test_a_scheme_bounds_all_finer_ones(case: Case) -> None:
    assume(case.all_trees)
    evaluator = evaluator_of(case)
    found = {scheme: evaluator.evaluate(scheme) for scheme in evaluator.study.lattice}
    aggregate = evaluator.measure.aggregate
    for scheme, evaluation in found.items():
        for finer in Lattice((0,) * len(scheme), scheme):
            bound = aggregate.of_terms(sum_at(evaluation.terms, finer))
            assert bound <= found[finer].loss + 1e-12
            assert evaluation.binding_records <= found[finer].suppressed_records


@given(st.data(), cases())
def test_what_is_given_up_at_a_cutoff_costs_more_and_its_bound_holds(
    data: st.DataObject, case: Case
) -> None:
    assume(case.all_trees)
    scheme = data.draw(st.sampled_from(list(case.schemes())))
    evaluator = evaluator_of(case)
    whole = evaluator.evaluate(scheme)
    cutoff = data.draw(st.floats(0, 1)) * sum_at(whole.terms, scheme)
    found = evaluator.evaluate(scheme, cutoff)
    assert whole.complete
    assert found.loss <= whole.loss
    assert (found.terms <= whole.terms + 1e-12).all()
    assert found.suppressed_records <= whole.suppressed_records
    if not found.complete:
        assert sum_at(whole.terms, scheme) > cutoff


@given(st.data(), cases())
def test_the_search_finds_what_an_exhaustive_one_finds(data: st.DataObject, case: Case) -> None:
    assume(case.all_trees)
    limit = data.draw(st.one_of(st.just(len(case.people)), st.integers(0, len(case.people))))
    evaluator = evaluator_of(case, limit)
    lattice = evaluator.study.lattice
    expected = search_exhaustively(evaluator, lattice).best
    for workers in (1, 2):
        found = search(evaluator, lattice, workers=workers)
        assert found.stopped is StopReason.COMPLETE
        assert found.proof.open == 0
        if expected is None:
            assert found.status is Status.INFEASIBLE
            continue
        assert found.status is Status.OPTIMAL
        assert found.best is not None
        assert (found.best.scheme, found.best.loss) == (expected.scheme, expected.loss)
        assert found.best.suppressed_records == expected.suppressed_records


@given(cases(), st.integers(1, 5))
def test_a_search_that_was_stopped_is_resumed_to_the_same_result(case: Case, steps: int) -> None:
    assume(case.all_trees)
    evaluator = evaluator_of(case)
    lattice = evaluator.study.lattice
    expected = choose([evaluator.evaluate(scheme) for scheme in lattice])
    found = search(evaluator, lattice, Limits(evaluations=steps))
    while found.checkpoint is not None:
        found = search(evaluator, lattice, Limits(evaluations=steps), resume=found.checkpoint)
    assert expected is not None
    assert found.best is not None
    assert found.best.scheme == expected.scheme


@given(cases())
def test_a_checkpoint_of_another_study_is_refused(case: Case) -> None:
    assume(case.all_trees and case.power in (0, 1))
    evaluator = evaluator_of(case)
    lattice = evaluator.study.lattice
    stopped = search(evaluator, lattice, Limits(evaluations=1)).checkpoint
    assume(stopped is not None)
    other = StudyEvaluator(
        evaluator.study,
        StudyAnonymity(case.k + 1, case.power),  # type: ignore[arg-type]
        evaluator.measure,
        evaluator.suppression_limit,
    )
    with pytest.raises(ReleaseError, match="has changed"):
        search(other, lattice, resume=stopped)


@given(cases(power=1))
def test_measures_that_are_no_sum_of_what_rows_cover_are_refused(case: Case) -> None:
    assume(case.all_trees)
    evaluator = evaluator_of(case)
    for measure in (
        Precision(case.weights),
        GeneralLoss(Aggregate.MAXIMUM, case.weights),
    ):
        with pytest.raises(PolicyError, match="not one for linked tables"):
            StudyEvaluator(evaluator.study, evaluator.model, measure, 1)
    with pytest.raises(ValueError, match="one weight"):
        StudyEvaluator(
            evaluator.study,
            evaluator.model,
            Loss(Aggregate.ARITHMETIC, (*case.weights, 1.0)),
            1,
        )
