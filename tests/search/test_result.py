from __future__ import annotations

import itertools

import numpy as np
import pytest

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.lattice import Scheme
from anonymizer.search import Proof, SearchResult, Status, StopReason
from anonymizer.search.result import choose

pytestmark = pytest.mark.quick


def evaluation(
    loss: float, suppressed: int = 0, scheme: Scheme = (0,), feasible: bool = True
) -> Evaluation:
    return Evaluation(
        scheme, suppressed, loss, feasible, 0, not feasible, np.zeros((len(scheme), 9))
    )


def test_the_least_loss_wins() -> None:
    assert choose([evaluation(0.2), evaluation(0.1, suppressed=9)]).loss == 0.1


def test_an_infeasible_scheme_never_wins() -> None:
    worse = evaluation(0.2)
    assert choose([evaluation(0.1, feasible=False), worse]) is worse
    assert choose([evaluation(0.1, feasible=False)]) is None
    assert choose([]) is None


def test_ties_go_to_fewer_suppressed_then_lower_levels_then_the_first_in_order() -> None:
    ranked = [
        evaluation(0.5 + 4e-13, 1, (3, 3)),
        evaluation(0.5 + 3e-13, 2, (1, 1)),
        evaluation(0.5 + 2e-13, 2, (0, 3)),
        evaluation(0.5 + 1e-13, 2, (1, 2)),
        evaluation(0.5, 2, (3, 0)),
    ]
    for first in range(len(ranked)):
        for order in itertools.permutations(ranked[first:]):
            assert choose(order) is ranked[first]


def test_a_tie_is_measured_from_the_least_loss_not_from_neighbour_to_neighbour() -> None:
    chain = [
        evaluation(0.5, 3, (0,)),
        evaluation(0.5 + 6e-13, 2, (1,)),
        evaluation(0.5 + 12e-13, 1, (2,)),
    ]
    for order in itertools.permutations(chain):
        assert choose(order) is chain[1]


def test_the_gap_is_never_negative_and_none_without_a_solution() -> None:
    def gap(best: Evaluation | None, bound: float) -> float | None:
        proof = Proof(bound, schemes=2, evaluated=1)
        return SearchResult(Status.FEASIBLE, StopReason.TIME, best, proof).gap

    assert gap(evaluation(0.5), bound=0.125) == 0.375
    assert gap(evaluation(0.5), bound=0.5 + 1e-15) == 0
    assert gap(None, bound=0.1) is None
