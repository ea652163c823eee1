"""When a search stops: its limits, and what it has used of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

Clock = Callable[[], float]


class StopReason(StrEnum):
    """Why the search stopped."""

    COMPLETE = "complete"
    TIME = "time"
    EVALUATIONS = "evaluations"
    INTERRUPTED = "interrupted"
    CLUSTER = "cluster"
    """The workers of a cluster went away."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop early; None is no limit. Every search makes at least one evaluation."""

    seconds: float | None = None
    evaluations: int | None = None
    """Schemes evaluated, and partitions made for bounds."""
    memory: int = 1 << 30
    """Bytes for the open boxes; beyond, the search goes depth first."""


class LimitReached(Exception):  # noqa: N818 - not an error
    """A limit of the search is used up."""

    def __init__(self, reason: StopReason) -> None:
        self.reason = reason


class Usage:
    """What one search has used of its limits; what earlier ones did does not count."""

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self.limits, self.clock = limits, clock
        self.started = clock()
        self.evaluations = 0
        self.partitions = 0

    @property
    def effort(self) -> int:
        """Evaluations and partitions together."""
        return self.evaluations + self.partitions

    @property
    def seconds(self) -> float:
        """The time since the search began."""
        return self.clock() - self.started

    @property
    def evaluations_left(self) -> int | None:
        """How many more evaluations or partitions are allowed; None without a limit."""
        limit = self.limits.evaluations
        return None if limit is None else limit - self.effort

    @property
    def seconds_left(self) -> float | None:
        """How much time is left; None without a limit."""
        limit = self.limits.seconds
        return None if limit is None else limit - self.seconds

    @property
    def time_share(self) -> float:
        """The share of the time that is used up."""
        limit = self.limits.seconds
        if limit is None:
            return 0.0
        return self.seconds / limit if limit > 0 else 1.0

    @property
    def evaluation_share(self) -> float:
        """The share of the evaluations that is used up."""
        limit = self.limits.evaluations
        if limit is None:
            return 0.0
        return self.effort / limit if limit else 1.0

    def check_time(self) -> None:
        """Raise LimitReached if the time is used up, but not before anything was done.

        So a search that is resumed again and again gets further each time, however tight its limits.
        """
        if self.limits.seconds is not None and self.effort and self.time_share >= 1:
            raise LimitReached(StopReason.TIME)

    def check_evaluations(self) -> None:
        """Raise LimitReached if the evaluations are used up, but not before anything was done."""
        if self.effort and self.evaluation_share >= 1:
            raise LimitReached(StopReason.EVALUATIONS)
