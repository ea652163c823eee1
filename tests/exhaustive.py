"""Exhaustive search: evaluate every scheme and take the best; the oracle of the others."""

from __future__ import annotations

from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.lattice import Lattice
from anonymizer.search.limits import StopReason
from anonymizer.search.proof import Proof
from anonymizer.search.result import SearchResult, Status, best_status, choose


def search_exhaustively(evaluator: Evaluator, lattice: Lattice) -> SearchResult:
    """Evaluate every scheme of the lattice."""
    best = choose([evaluator.evaluate(scheme) for scheme in lattice])
    status = Status.INFEASIBLE if best is None else best_status(evaluator.models)
    bound = float("inf") if best is None else best.loss
    return SearchResult(
        status, StopReason.COMPLETE, best, Proof(bound, lattice.size, evaluated=lattice.size)
    )
