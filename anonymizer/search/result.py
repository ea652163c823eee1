"""What a search found, why it stopped, and what that proves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.risk import RiskModel

if TYPE_CHECKING:
    from anonymizer.search.checkpoint import Checkpoint

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


class StopReason(StrEnum):
    """Why the search stopped."""

    COMPLETE = "complete"
    TIME = "time"
    EVALUATIONS = "evaluations"
    INTERRUPTED = "interrupted"


class Pruning(StrEnum):
    """Why a scheme needed no evaluation."""

    BOUND = "bound"
    """Its loss cannot be below the best one's."""
    SUPPRESSION = "suppression"
    """A coarser scheme already suppresses more than the limit."""
    TIE = "tie"
    """It can at most tie with the best one, and would lose the tie."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop early; None is no limit."""

    seconds: float | None = None
    evaluations: int | None = None
    """Schemes evaluated, and partitions made in descents."""
    memory: int = 1 << 30
    """Bytes for the open boxes; beyond, they are ended one by one, depth first."""


@dataclass(frozen=True, slots=True)
class Proof:
    """No scheme of the lattice has a loss below `bound`.

    `evaluated` and the values of `pruned` add up to `schemes` when the search is complete.
    """

    bound: float
    schemes: int
    evaluated: int
    pruned: dict[Pruning, int] = field(default_factory=dict)
    partitions: int = 0
    """Partitions made in descents, beside the evaluations: of schemes, some more than once."""

    @property
    def effort(self) -> int:
        """Evaluations and partitions together."""
        return self.evaluated + self.partitions

    @property
    def open(self) -> int:
        """The number of schemes neither evaluated nor pruned."""
        return self.schemes - self.evaluated - sum(self.pruned.values())


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is; sent to whoever wants to show it."""

    proof: Proof
    best: Evaluation | None
    seconds: float = 0.0
    """Since the search began."""
    here: int = 0
    """The schemes evaluated since then, and the partitions made in descents."""

    @property
    def rate(self) -> float:
        """Evaluations and partitions in a second."""
        return self.here / self.seconds if self.seconds > 0 else 0.0

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
    """What another search needs to go on; None when this one is complete."""

    @property
    def gap(self) -> float | None:
        """How much lower than the best loss the optimum could still be; 0 exactly when optimal."""
        return Progress(self.proof, self.best).gap


def best_status(models: Iterable[RiskModel]) -> Status:
    """Return what the best scheme is where no other has a lower loss, as the models suppress.

    A model that may miss the least cut may suppress more of another scheme than it must.
    """
    return Status.OPTIMAL if all(model.exact for model in models) else Status.FEASIBLE


def choose(evaluations: Iterable[Evaluation]) -> Evaluation | None:
    """Return the best feasible evaluation, ties decided as design says, whatever the order given."""
    feasible = [evaluation for evaluation in evaluations if evaluation.feasible]
    if not feasible:
        return None
    least = min(evaluation.loss for evaluation in feasible)
    tied = (evaluation for evaluation in feasible if evaluation.loss <= least + TIE)
    return min(tied, key=lambda evaluation: evaluation.tie_key)
