from __future__ import annotations

import pytest
from hypothesis import given

from anonymizer.search import Status, StopReason
from tests import oracle
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem
from tests.strategies import Recorder, evaluator_of, lattice_of, problems


@given(problems(max_attributes=3))
def test_every_scheme_is_evaluated_once_and_the_oracle_agrees(problem: Problem) -> None:
    recorder = Recorder(evaluator_of(problem))
    found = search_exhaustively(recorder, lattice_of(problem))  # type: ignore[arg-type]
    assert recorder.asked == list(problem.schemes())
    assert found.proof.evaluated == found.proof.schemes == len(recorder.asked)
    assert found.proof.open == 0
    assert found.stopped is StopReason.COMPLETE
    expected = oracle.best(problem)
    if expected is None:
        assert (found.status, found.best, found.gap) == (Status.INFEASIBLE, None, None)
        return
    assert found.status is Status.OPTIMAL
    assert found.best is not None
    assert found.best.scheme == expected.levels
    assert found.best.suppressed_records == len(expected.suppressed)
    assert found.best.loss == pytest.approx(expected.loss, abs=1e-12)
    assert found.gap == 0
