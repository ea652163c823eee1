"""Points of a frontier: the best release found at each threshold, and which of them others dominate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.frontiers.sweep import Sweep
from anonymizer.layers.optimize import Layers
from anonymizer.problem import Problem
from anonymizer.risk import RiskProfile
from anonymizer.search import Progress, Proof, Status, StopReason

MAX_LAYERS = "max_layers"
"""The change of a point that has a number of layers."""


@dataclass(frozen=True, slots=True)
class Stage:
    """How far a frontier is: the threshold in work, and its search."""

    value: float
    place: int
    of: int
    search: Progress


OnStage = Callable[[Stage], None]


@dataclass(frozen=True, eq=False)
class Point:
    """The best release at one threshold."""

    value: float
    """The threshold: the value of the parameter that is varied."""
    changes: dict[str, Any]
    """What else was changed of the model, such as its population."""
    risk: float
    """The risk of the release by the model that is varied; for a model that judges each class by itself,
    one over the smallest."""
    evaluation: Evaluation
    scheme: dict[str, int]
    profile: RiskProfile
    status: Status
    stopped: StopReason
    proof: Proof
    dominated: bool = False
    """Whether another point has no more risk and no less quality, and is better in one of them."""
    layers: Layers | None = field(default=None, repr=False)
    """The layers of a release in layers; its scheme has the highest level of any."""
    figures: Mapping[str, float | None] = field(default_factory=dict)
    """What analyses give for the release, by name; None where it does not allow one."""

    @property
    def quality(self) -> float:
        """One minus the loss."""
        return self.evaluation.quality

    @property
    def gap(self) -> float:
        """How much lower than this loss the optimum could still be."""
        return max(0.0, self.evaluation.loss - self.proof.bound)

    @property
    def verdict(self) -> str:
        """What is proven of the point, in a word or two; without a gap it need not be the optimum."""
        if self.status is Status.OPTIMAL:
            return "optimal"
        return f"gap {self.gap:.4f}" if self.gap > 0 else "not proven"

    def utility(self, analysis: str | None) -> float | None:
        """Return the figure of an analysis, or the quality without one."""
        return self.quality if analysis is None else self.figures[analysis]

    @property
    def number_of_layers(self) -> int:
        """How many schemes the release has."""
        return 1 if self.layers is None else len(self.layers.layering.schemes)

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        return {
            "threshold": self.value,
            **self.changes,
            "risk": self.risk,
            "quality": self.quality,
            "loss": self.evaluation.loss,
            "suppressed": self.evaluation.suppressed_records,
            "scheme": self.scheme,
            **({} if self.layers is None else {"number_of_layers": self.number_of_layers}),
            "status": self.status.value,
            **({} if self.stopped is StopReason.COMPLETE else {"stopped": self.stopped.value}),
            "bound": self.proof.bound,
            "gap": self.gap,
            "dominated": self.dominated,
            **({"figures": dict(self.figures)} if self.figures else {}),
            "risks": asdict(self.profile),
        }


@dataclass(eq=False)
class Tracked:
    """What was found at each threshold of a sweep, the loosest first."""

    problem: Problem
    sweep: Sweep
    changes: dict[str, Any]
    on_stage: OnStage | None
    points: list[Point] = field(default_factory=list)
    infeasible: list[float] = field(default_factory=list)
    unknown: list[float] = field(default_factory=list)

    def tell(self, place: int) -> Callable[[Progress], None] | None:
        """Return what passes on the progress of a search, if anybody wants it."""
        on_stage = self.on_stage
        if on_stage is None:
            return None
        value, of = self.sweep.thresholds[place], len(self.sweep)
        return lambda progress: on_stage(Stage(value, place, of, progress))


def mark_dominated(points: Sequence[Point]) -> list[Point]:
    """Mark the points that another dominates in risk or quality and equals in the other.

    Points of different populations are not compared: their risks are not of one kind.
    """
    return [replace(p, dominated=any(dominates(other, p) for other in points)) for p in points]


def dominates(one: Point, other: Point) -> bool:
    """Whether a point has no more risk and no less quality than another, and one of them better."""
    if one.changes != other.changes:
        return False
    mine, theirs = (one.risk, -one.quality), (other.risk, -other.quality)
    return mine != theirs and all(np.less_equal(mine, theirs))


def row_of(point: Point) -> dict[str, Any]:
    """Write a point as a row of a table."""
    profile = point.profile
    return {
        "threshold": point.value,
        **point.changes,
        "risk": point.risk,
        "quality": point.quality,
        "suppressed": point.evaluation.suppressed_records,
        "dominated": point.dominated,
        "status": point.status.value,
        **({} if point.layers is None else {"layers": point.number_of_layers}),
        "gap": point.gap,
        "smallest class": profile.smallest_class,
        "prosecutor highest": profile.prosecutor.highest,
        "prosecutor average": profile.prosecutor.average,
        "sample uniques": profile.sample_uniques,
        **{f"analysis {name}": value for name, value in point.figures.items()},
        **{f"level {name}": level for name, level in point.scheme.items()},
    }
