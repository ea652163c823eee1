"""The result of a search: the best scheme, the reason to stop, and the proof."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.risk import RiskModel
from anonymizer.search.checkpoint import Checkpoint
from anonymizer.search.limits import StopReason
from anonymizer.search.proof import Proof

TIE = 1e-12
"""Losses this close are equal; fewer suppressed records, then lower levels decide."""


class Status(StrEnum):
    """What was found."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"
    APPLIED = "applied"
    """The scheme was given, not searched for."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is; sent to whoever wants to show it."""

    proof: Proof
    best: Evaluation | None
    seconds: float = 0.0
    """Since the search began."""
    effort: int = 0
    """The schemes evaluated since then, and the partitions made for bounds."""

    @property
    def rate(self) -> float:
        """Evaluations and partitions in a second."""
        return self.effort / self.seconds if self.seconds > 0 else 0.0

    @property
    def gap(self) -> float | None:
        """How much lower than the best loss the optimum could still be."""
        return None if self.best is None else max(0.0, self.best.loss - self.proof.bound)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best scheme found; only `Status.OPTIMAL` says that there is none better."""

    status: Status
    stopped: StopReason
    best: Evaluation | None
    proof: Proof
    checkpoint: Checkpoint | None = None
    """What another search needs to resume this one; None when it is complete."""

    @property
    def gap(self) -> float | None:
        """How much lower than the best loss the optimum could still be; 0 when optimal.

        Where a model may miss the least cut, it is 0 too, and the status says that nothing is proven.
        """
        return Progress(self.proof, self.best).gap


def result_of(
    models: Iterable[RiskModel],
    stopped: StopReason,
    best: Evaluation | None,
    proof: Proof,
    checkpoint: Checkpoint | None = None,
) -> SearchResult:
    """Say what was found and whether it is proven."""
    if best is None:
        # a bound says that a scheme may be feasible, though no way was found
        complete = stopped is StopReason.COMPLETE and proof.bound == float("inf")
        status = Status.INFEASIBLE if complete else Status.UNKNOWN
    else:  # what is left open when a search is stopped may be able to tie, but not to be better
        status = best_status(models) if proof.bound >= best.loss else Status.FEASIBLE
    return SearchResult(status, stopped, best, proof, checkpoint)


def best_status(models: Iterable[RiskModel]) -> Status:
    """Return the status of a best scheme if no other has a lower loss as evaluated.

    A model that may miss the least cut may suppress more of another scheme than it must.
    """
    return Status.OPTIMAL if all(model.exact for model in models) else Status.FEASIBLE


def choose(evaluations: Iterable[Evaluation]) -> Evaluation | None:
    """Return the best feasible evaluation, ties broken by `tie_key`, whatever the order given."""
    feasible = [evaluation for evaluation in evaluations if evaluation.feasible]
    if not feasible:
        return None
    least = min(evaluation.loss for evaluation in feasible)
    tied = (evaluation for evaluation in feasible if evaluation.loss <= least + TIE)
    return min(tied, key=lambda evaluation: evaluation.tie_key)
