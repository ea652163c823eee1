"""Single events dropped: against all releases of small studies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizer.errors import PolicyError
from anonymizer.lattice import Lattice
from anonymizer.search import Limits, Status, search
from anonymizer.study.evaluator import MET, StudyEvaluator, sum_at
from tests.study.drawing import cases, evaluator_of, event_cases
from tests.study.oracle import Case, Child, Event, Generalized

Release = tuple[frozenset[int], frozenset[Event]]


def release_of(case: Case, evaluator: StudyEvaluator, scheme: tuple[int, ...]) -> Release:
    """What the engine keeps, as the oracle writes it."""
    people, *children = (np.flatnonzero(~rows).tolist() for rows in evaluator.kept(scheme))
    kept = frozenset(range(len(case.people))) - {*people}
    dropped = frozenset((table, row) for table, rows in enumerate(children) for row in rows)
    return kept, frozenset(event for event in dropped if case.person(event) in kept)


def allowed(case: Case, generalized: Generalized, release: Release) -> bool:
    """Whether no more rows are gone than may be."""
    return all(
        generalized.gone(table, *release) <= case.event_limit + 1e-12
        for table in range(len(case.children))
    )


def optimum(case: Case, scheme: tuple[int, ...]) -> float:
    """The least loss of all releases of a scheme within the limits; infinite where there is none."""
    generalized = Generalized(case, scheme)
    return min(
        (
            generalized.loss(*release)
            for release in generalized.releases()
            if allowed(case, generalized, release)
        ),
        default=math.inf,
    )


@given(st.data(), event_cases())
def test_what_is_kept_meets_the_promise_and_its_loss_and_bound_hold(
    data: st.DataObject, case: Case
) -> None:
    assume(case.all_trees)
    scheme = data.draw(st.sampled_from(list(case.schemes())))
    evaluator, generalized = evaluator_of(case), Generalized(case, scheme)
    found, release = evaluator.evaluate(scheme), release_of(case, evaluator, scheme)
    assert generalized.meets(*release)
    assert found.suppressed_records == len(case.people) - len(release[0])
    assert found.feasible == allowed(case, generalized, release) or found.finer_infeasible
    if found.feasible:
        assert found.loss == pytest.approx(generalized.loss(*release), abs=1e-12)
    least = optimum(case, scheme)
    assert not found.finer_infeasible or least == math.inf
    if found.bound is None:
        assert (found.loss if found.feasible else math.inf) == pytest.approx(least, abs=MET)
    else:
        assert found.bound <= least + MET
        assert not found.feasible or least <= found.loss + 1e-12


@given(st.data(), st.integers(0, 1).flatmap(event_cases))
def test_for_power_0_and_1_the_release_is_the_best_of_all(data: st.DataObject, case: Case) -> None:
    assume(case.all_trees)
    scheme = data.draw(st.sampled_from(list(case.schemes())))
    evaluator = evaluator_of(case)
    found = evaluator.evaluate(scheme)
    assert found.bound is None
    loss = found.loss if found.feasible else math.inf
    assert loss == pytest.approx(optimum(case, scheme), abs=1e-12)
    people, events = release_of(case, evaluator, scheme)
    for others, dropped in Generalized(case, scheme).releases():
        assert others <= people
        assert {e for p in others for e in case.known(p)} - dropped <= {
            e for p in people for e in case.known(p)
        } - events


@given(event_cases())
def test_a_scheme_bounds_all_finer_ones(case: Case) -> None:
    assume(case.all_trees)
    evaluator = evaluator_of(case)
    found = {scheme: evaluator.evaluate(scheme) for scheme in evaluator.study.lattice}
    aggregate = evaluator.measure.aggregate
    for scheme, evaluation in found.items():
        for finer in Lattice((0,) * len(scheme), scheme):
            bound = aggregate.of_terms(sum_at(evaluation.terms, finer))
            assert bound <= found[finer].loss + 1e-12
            assert not evaluation.finer_infeasible or found[finer].finer_infeasible
            for own, coarser in zip(
                evaluator.greatest(finer), evaluator.greatest(scheme), strict=True
            ):
                assert (own <= coarser).all()


@given(event_cases())
def test_the_search_proves_no_more_than_is_so(case: Case) -> None:
    assume(case.all_trees and math.prod(top + 1 for top in case.high) <= 12)
    evaluator = evaluator_of(case)
    least = min(optimum(case, scheme) for scheme in case.schemes())
    found = search(evaluator, evaluator.study.lattice)
    stopped = search(evaluator, evaluator.study.lattice, Limits(evaluations=1))
    while stopped.checkpoint is not None:
        assert stopped.proof.bound <= least + MET
        resume = stopped.checkpoint
        stopped = search(evaluator, evaluator.study.lattice, Limits(evaluations=2), resume=resume)
    for each in (found, stopped):
        assert each.proof.bound <= least + MET
        if each.best is None:
            assert (each.status is Status.INFEASIBLE) == (each.proof.bound == math.inf)
            assert each.status is not Status.INFEASIBLE or least == math.inf
            continue
        assert each.best.loss >= least - 1e-12
        if each.status is Status.OPTIMAL:
            assert each.best.loss == pytest.approx(least, abs=MET)
        else:
            assert each.status is Status.FEASIBLE
            assert each.gap is not None
            assert each.gap > 0


@given(cases())
def test_single_events_are_refused_where_events_belong_to_events(case: Case) -> None:
    assume(case.power != "profile" and case.counts == "unknown")
    assume(any(child.parent is not None for child in case.children))
    with pytest.raises(PolicyError, match="only where all belong to people"):
        evaluator_of(
            Case(
                case.people, case.trees, case.children, case.k, case.power,
                weights=case.weights, suppress="events",
            )
        )  # fmt: skip


def test_what_fewer_than_k_have_goes_and_nobody_with_it() -> None:
    terms = {term: (term,) for term in "abc"}
    made = ((0, "a"), (1, "a"), (1, "b"), (2, "b"), (2, "c"), (0, "c"))
    visits = Child("visit", None, tuple((person, (term,)) for person, term in made), (terms,))
    for power, left in ((1, 6), (2, 2)):
        case = Case(((), (), ()), (), (visits,), 2, power, weights=(1,), suppress="events")
        people, dropped = release_of(case, evaluator_of(case), (0,))
        assert people == {0, 1, 2}
        assert len(made) - len(dropped) == left
        assert Generalized(case, (0,)).meets(people, dropped)
    case = Case(((), (), ()), (), (visits,), 3, 1, weights=(1,), suppress="events")
    assert len(release_of(case, evaluator_of(case), (0,))[1]) == len(made)
