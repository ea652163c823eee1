"""frontier: the best release at every threshold of a risk model, and those that no other dominates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anonymizer.errors import InfeasibleError, PolicyError
from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.evaluation.suppression import suppress
from anonymizer.frontiers.sweep import AtThreshold, Sweep, SweepEvaluator
from anonymizer.lattice import Scheme
from anonymizer.policy import PolicyLike
from anonymizer.problem import Problem, Source, as_problem, describe_risk
from anonymizer.risk import Parameter, Remaining, RiskProfile
from anonymizer.search import Progress, Proof, SearchResult, Status, StopReason, search
from anonymizer.solution.solution import Solution, make_solution

if TYPE_CHECKING:
    import pandas as pd


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
            "status": self.status.value,
            "bound": self.proof.bound,
            "gap": self.gap,
            "dominated": self.dominated,
            "risks": asdict(self.profile),
        }


@dataclass(frozen=True, eq=False)
class Frontier:
    """The optimum at every threshold of a sweep, from one pass over the schemes."""

    model: str
    parameter: Parameter
    """What is varied of it."""
    points: tuple[Point, ...]
    infeasible: tuple[tuple[float, dict[str, Any]], ...]
    """The thresholds that no scheme meets within the suppression limit."""
    unknown: tuple[tuple[float, dict[str, Any]], ...]
    """The thresholds for which nothing was found before a limit, or Ctrl-C, stopped the search."""
    records: int
    schemes: int
    evaluated: int
    """The schemes that were partitioned, each once for all thresholds."""
    problem: Problem = field(repr=False)

    @property
    def non_dominated(self) -> tuple[Point, ...]:
        """The points that no other dominates in both risk and quality."""
        return tuple(point for point in self.points if not point.dominated)

    def pick(self, value: float, **changes: Any) -> Solution:
        """Make the release of one point ready.

        Raises a PolicyError if the frontier has no point at that threshold.
        """
        found = [
            point
            for point in self.points
            if point.value == value and changes.items() <= point.changes.items()
        ]
        if len(found) == 1:
            return self.solution_at(found[0])
        if found:
            raise PolicyError(
                f"frontier: there are several points at {value:g}; name one population."
            )
        there = ", ".join(f"{point.value:g}" for point in self.points)
        raise PolicyError(f"frontier: there is no point at {value:g}; there is one at {there}.")

    def solution_at(self, point: Point) -> Solution:
        """Return a point as a solution, under the policy with its threshold."""
        problem = problem_at(self.problem, point)
        found = SearchResult(point.status, point.stopped, point.evaluation, point.proof)
        return make_solution(problem, problem.outcome(point.evaluation.scheme), found, {})

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        return {
            "model": self.model,
            "parameter": self.parameter.name,
            "records": self.records,
            "schemes": self.schemes,
            "evaluated": self.evaluated,
            "points": [point.describe() for point in self.points],
            "infeasible": [{"threshold": value, **more} for value, more in self.infeasible],
            "unknown": [{"threshold": value, **more} for value, more in self.unknown],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each point, as the CSV file has them."""
        import pandas as pd

        return pd.DataFrame([row_of(point) for point in self.points])


def frontier(
    data: Source | Problem,
    policy: PolicyLike | None = None,
    values: Iterable[float] | None = None,
    populations: Sequence[int] = (),
    on_stage: OnStage | None = None,
) -> Frontier:
    """Find the best release at every threshold of the policy's first risk model that declares one.

    `values` are the thresholds (k, or the largest risk accepted); left out, they are the model's usual
    ones, as far as they fit the table. With several `populations`, a model that estimates from a
    population's size is swept for each. A scheme is partitioned once for all thresholds of a sweep; the
    policy's limits hold for the search at each. `data` may be a Problem, which has its policy already.
    """
    problem = as_problem(data, policy)
    models, evaluator = problem.models, problem.evaluator
    points: list[Point] = []
    infeasible: list[tuple[float, dict[str, Any]]] = []
    unknown: list[tuple[float, dict[str, Any]]] = []
    evaluated: set[Scheme] = set()
    for changes in [{"population": size} for size in populations] or [{}]:
        sweep = Sweep.of(models, values, **changes)
        if values is None and (fitting := fitting_values(sweep, evaluator)):
            sweep = Sweep.of(models, fitting, **changes)
        check_models(sweep, evaluator)
        tracker = Tracker(problem, sweep, changes, on_stage)
        tracker.run()
        points += tracker.points
        infeasible += [(value, changes) for value in tracker.infeasible]
        unknown += [(value, changes) for value in tracker.unknown]
        evaluated |= tracker.shared.partitioned
    if not points and unknown:
        raise InfeasibleError(
            "no release was found at any threshold before the search stopped; there may be one: raise "
            "the limit."
        )
    if not points:
        raise InfeasibleError(
            "no threshold of the frontier can be met within the suppression limit of "
            f"{problem.policy.search.suppression_limit:.1%}; raise suppression_limit or max_level."
        )
    name = models[sweep.varied].name
    return Frontier(
        name, sweep.parameter, tuple(mark_dominated(points)), tuple(infeasible), tuple(unknown),
        problem.microdata.records, problem.lattice.size, len(evaluated), problem,
    )  # fmt: skip


def fitting_values(sweep: Sweep, evaluator: Evaluator) -> list[float]:
    """Return the thresholds at which the varied model fits the table."""
    microdata = evaluator.microdata
    return [
        value
        for value, models in zip(sweep.thresholds, sweep.models, strict=True)
        if not models[sweep.varied].check(microdata.number_of_people, microdata.attributes)
    ]


def check_models(sweep: Sweep, evaluator: Evaluator) -> None:
    """Raise a PolicyError unless the models fit the table at every threshold."""
    microdata = evaluator.microdata
    for value, models in zip(sweep.thresholds, sweep.models, strict=True):
        for fault in models[sweep.varied].check(microdata.number_of_people, microdata.attributes):
            raise PolicyError(f"frontier: {sweep.parameter.name} = {value:g}: {fault}")


class Tracker:
    """Goes from the loosest threshold to the tightest, with all that was evaluated on the way."""

    def __init__(
        self,
        problem: Problem,
        sweep: Sweep,
        changes: dict[str, Any],
        on_stage: OnStage | None,
    ) -> None:
        self.problem, self.sweep = problem, sweep
        self.changes, self.on_stage = changes, on_stage
        self.shared = SweepEvaluator(problem.evaluator, sweep)
        self.points: list[Point] = []
        self.infeasible: list[float] = []
        self.unknown: list[float] = []

    def run(self) -> None:
        """Search at every threshold, until Ctrl-C; what was not looked at then is not known."""
        previous: SearchResult | None = None
        interrupted = False
        if self.shared.least_sizes is not None:  # what the tightest takes serves all others
            interrupted = self.search_at(len(self.sweep) - 1).stopped is StopReason.INTERRUPTED
        for place, value in enumerate(self.sweep.thresholds):
            if interrupted:
                self.unknown.append(value)
                continue
            if self.infeasible and self.shared.nested:  # what is tighter suppresses no less
                self.shared.probe(place)
                self.infeasible.append(value)
                continue
            previous = self.unchanged(previous, place) or self.search_at(place)
            interrupted = previous.stopped is StopReason.INTERRUPTED
            if previous.best is not None:
                self.points.append(self.point(value, place, previous))
            elif previous.status is Status.INFEASIBLE:
                self.infeasible.append(value)
            else:
                self.unknown.append(value)

    def unchanged(self, previous: SearchResult | None, place: int) -> SearchResult | None:
        """Return the result of the looser threshold if its best scheme loses nothing at this one.

        Tighter thresholds never cost less, at no scheme: nothing can have become better than it.
        """
        if previous is None or previous.best is None or not self.shared.nested:
            return None
        best, now = previous.best, self.shared.evaluate(previous.best.scheme, place)
        if (now.loss, now.suppressed_records) != (best.loss, best.suppressed_records):
            return None
        self.shared.probe(place)
        return replace(previous, best=now)

    def search_at(self, place: int) -> SearchResult:
        """Search at one threshold, with what was evaluated for others at hand."""
        at = AtThreshold(self.shared, place)
        return search(
            at,  # type: ignore[arg-type]
            self.problem.lattice,
            self.problem.limits,
            self.problem.policy.search.workers,
            self.tell(place),
            known=self.shared.known[place].values(),
        )

    def tell(self, place: int) -> Callable[[Progress], None] | None:
        """Return what passes on the progress of a search, if anybody wants it."""
        on_stage = self.on_stage
        if on_stage is None:
            return None
        value, of = self.sweep.thresholds[place], len(self.sweep)
        return lambda progress: on_stage(Stage(value, place, of, progress))

    def point(self, value: float, place: int, result: SearchResult) -> Point:
        """Describe the best release at one threshold."""
        evaluator, best = self.shared.evaluators[place], result.best
        assert best is not None
        found = suppress(evaluator.microdata, self.shared.classes(best.scheme), evaluator.models)
        classes, suppressed = found.classes, found.suppressed
        profile = describe_risk(evaluator.microdata, evaluator.models, classes, ~suppressed)
        varied = evaluator.models[self.sweep.varied]
        risk = varied.residual_risk(Remaining(evaluator.microdata, classes, suppressed))
        scheme = dict(zip(evaluator.microdata.attributes, best.scheme, strict=True))
        return Point(
            value, self.changes, risk, best, scheme, profile, result.status, result.stopped,
            result.proof,
        )  # fmt: skip


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


def problem_at(problem: Problem, point: Point) -> Problem:
    """Return the problem with the threshold of a point."""
    sweep = Sweep.of(problem.models, [point.value], **point.changes)
    return problem.with_models(*sweep.models[0])


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
        "gap": point.gap,
        "smallest class": profile.smallest_class,
        "prosecutor highest": profile.prosecutor.highest,
        "prosecutor average": profile.prosecutor.average,
        "sample uniques": profile.sample_uniques,
        **{f"level {name}": level for name, level in point.scheme.items()},
    }
