"""The writer gives up in good time, proves the gap of a stopped search, and catches a wrong one."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anonymizer import anonymize, frontier
from anonymizer.lattice import Lattice
from anonymizer.proof.case import case_of
from anonymizer.proof.checker import check
from anonymizer.proof.format import ProofError
from anonymizer.proof.table import Unsupported
from anonymizer.proof.writer import write_proof
from anonymizer.search import Status, search
from anonymizer.solution import solution as solving
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem
from tests.proof.cases import K_AND_VALUES, MODELS, SMALL, asked
from tests.strategies import problems


def test_it_gives_up_when_the_time_is_over() -> None:
    put = asked(SMALL, K_AND_VALUES)
    best = search_exhaustively(put.evaluator, put.lattice).best
    assert best is not None
    clock = count().__next__
    assert write_proof(case_of(put), best.scheme, seconds=2, clock=clock) is None
    assert write_proof(case_of(put), best.scheme, seconds=10**9, clock=clock) is not None


@settings(max_examples=60)
@given(problem=problems(max_attributes=3), data=st.data())
def test_a_stopped_search_proves_its_bound_and_none_above_the_optimum(
    problem: Problem, data
) -> None:
    assume(problem.k <= len(problem.rows))
    put = asked(problem, [{"model": "k-anonymity", "k": problem.k}])
    schemes = list(put.lattice)
    found = [put.evaluate(scheme) for scheme in schemes]
    feasible = [evaluation for evaluation in found if evaluation.feasible]
    assume(feasible)
    some = data.draw(st.sampled_from(feasible))
    least = min(evaluation.loss for evaluation in feasible)
    bound = least * data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    case = case_of(put)
    proof = write_proof(case, some.scheme, bound)
    assert proof is not None
    assert not proof.claim.optimal
    check(proof, case)
    too_high = replace(proof, claim=replace(proof.claim, bound=least + 1e-6))
    if some.loss > least + 2e-6:
        with pytest.raises(ProofError):
            check(too_high, case)
        with pytest.raises(ProofError, match="at fault"):
            write_proof(case, some.scheme, least + 1e-6)


def test_every_point_of_a_frontier_has_a_proof() -> None:
    put = asked(SMALL, [{"model": "k-anonymity", "k": 3}])
    found = frontier(put, values=[2, 4, 8])
    for k in (2, 4, 8):
        picked = found.pick(k)
        proof = picked.proof_file()
        assert proof is not None
        check(proof, case_of(picked.problem))
        assert proof.claim.loss == pytest.approx(picked.loss, abs=1e-12)


def test_a_search_that_forgets_a_box_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine with an error: it never looks at the finest level of the first attribute but one."""
    put = asked(SMALL, [{"model": "k-anonymity", "k": 3}])
    right = anonymize(put)

    def forgetful(evaluator, lattice: Lattice, *more, **others):
        at = next(a for a, level in enumerate(right.scheme.values()) if level < lattice.high[a])
        low = list(lattice.low)
        low[at] = list(right.scheme.values())[at] + 1
        return search(evaluator, Lattice(tuple(low), lattice.high), *more, **others)

    monkeypatch.setattr(solving, "search", forgetful)
    wrong = anonymize(put)
    assert wrong.status is Status.OPTIMAL
    assert wrong.loss > right.loss
    with pytest.raises(ProofError, match="the search is at fault"):
        wrong.proof_file()
    forged = right.proof_file()
    assert forged is not None
    scheme = tuple(wrong.scheme.values())
    claim = replace(
        forged.claim, scheme=scheme, loss=wrong.loss, bound=wrong.loss, suppressed=wrong.suppressed
    )
    with pytest.raises(ProofError):
        check(replace(forged, claim=claim), case_of(put))


def test_what_has_no_rule_is_said_in_a_sentence() -> None:
    put = asked(SMALL, [{"model": "p-uniqueness", "threshold": 0.1, "population": 1000}])
    with pytest.raises(Unsupported, match="no rule for p-uniqueness with a threshold"):
        case_of(put)
    sizes = asked(SMALL, MODELS["k-anonymity"], {"measure": "discernibility"})
    with pytest.raises(Unsupported, match="no rule for the measure 'discernibility'"):
        case_of(sizes)


def test_a_scheme_that_was_given_has_nothing_to_prove() -> None:
    from anonymizer import apply

    put = asked(SMALL, MODELS["k-anonymity"])
    given_scheme = apply(put, None, put.named(put.lattice.high))
    with pytest.raises(ProofError, match="given, not searched for"):
        given_scheme.proof_file()
