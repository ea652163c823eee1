"""frontier: the best release at every threshold of a risk model, and those that no other dominates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from anonymizer.display import Plotted, shown
from anonymizer.errors import InfeasibleError, PolicyError, percent
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import suppress
from anonymizer.frontiers.layered import LayeredTracker, points_by_number
from anonymizer.frontiers.points import (
    MAX_LAYERS,
    OnStage,
    Point,
    Tracked,
    mark_dominated,
    row_of,
)
from anonymizer.frontiers.sweep import AtThreshold, Sweep, SweepEvaluator
from anonymizer.lattice import Scheme
from anonymizer.layers.retained import ColumnLeft, columns_left
from anonymizer.policy import PolicyLike
from anonymizer.problem import Problem, Source, as_problem, describe_risk, load_policy
from anonymizer.risk import Parameter, Remaining
from anonymizer.search import (
    Progress,
    SearchResult,
    Status,
    StopReason,
    pays_together,
    search,
    search_thresholds,
)
from anonymizer.solution.layered import in_layers, with_max_layers
from anonymizer.solution.solution import Solution, layered_solution, make_solution

if TYPE_CHECKING:
    import pandas as pd

BROKEN_OFF = (StopReason.INTERRUPTED, StopReason.CLUSTER)
"""After these, no further threshold is searched at."""


@dataclass(frozen=True, eq=False, repr=False)
class Frontier(Plotted):
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
    """The schemes that were evaluated to the end at a threshold, each counted once."""
    problem: Problem
    by_layers: tuple[Point, ...] = ()
    """For layers: the release at the policy's own threshold with one layer, two and so on."""
    figures: Mapping[str, str] = field(default_factory=dict)
    """The analyses that the points have figures of, by name, and what these are."""

    def pick(self, value: float, **changes: Any) -> Solution:
        """Make the release of one point ready.

        Raises a PolicyError if the frontier has no point at that threshold.
        """
        found = [
            point
            for point in (*self.points, *self.by_layers)
            if point.value == value and changes.items() <= point.changes.items()
        ]
        exact = [point for point in found if point.changes == changes]
        if len(found) == 1 or exact:
            return self.solution_at((exact or found)[0])
        if found:
            which = " or ".join(dict.fromkeys(name for point in found for name in point.changes))
            raise PolicyError(f"frontier: there are several points at {value:g}; name one {which}.")
        there = ", ".join(f"{point.value:g}" for point in self.points)
        more = "".join(f" with {name} {number}" for name, number in changes.items())
        raise PolicyError(
            f"frontier: there is no point at {value:g}{more}; there is one at {there}{self.numbers}."
        )

    @property
    def own_value(self) -> float | None:
        """The threshold that the policy has itself; None where that is not one number."""
        value = getattr(self.problem.models[0], self.parameter.name, None)
        return float(value) if isinstance(value, int | float) else None

    @property
    def numbers(self) -> str:
        """Say for which numbers of layers there are points, if any are."""
        numbers = ", ".join(str(point.changes[MAX_LAYERS]) for point in self.by_layers)
        return f", and with max_layers {numbers} at {self.by_layers[0].value:g}" if numbers else ""

    def solution_at(self, point: Point) -> Solution:
        """Return a point as a solution, under the policy with its threshold."""
        problem = problem_at(self.problem, point)
        if point.layers is not None:
            return layered_solution(problem, point.layers, {})
        found = SearchResult(point.status, point.stopped, point.evaluation, point.proof)
        return make_solution(problem, problem.outcome(point.evaluation.scheme), found, {})

    def columns_left(self, point: Point) -> dict[str, ColumnLeft]:
        """Say what is left of each quasi-identifier at a point."""
        return columns_left(self.solution_at(point).release)

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        return {
            "model": self.model,
            "parameter": self.parameter.name,
            "records": self.records,
            "schemes": self.schemes,
            "evaluated": self.evaluated,
            **({"figures": dict(self.figures)} if self.figures else {}),
            "points": [point.describe() for point in self.points],
            **({"by_layers": [p.describe() for p in self.by_layers]} if self.by_layers else {}),
            "infeasible": [{"threshold": value, **more} for value, more in self.infeasible],
            "unknown": [{"threshold": value, **more} for value, more in self.unknown],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each point, as the CSV file has them."""
        import pandas as pd

        return pd.DataFrame([row_of(point) for point in (*self.points, *self.by_layers)])


def frontier(
    data: Source | Problem,
    policy: PolicyLike | None = None,
    values: Iterable[float] | None = None,
    populations: Sequence[int] = (),
    on_stage: OnStage | None = None,
    *,
    workers: int | None = None,
    memory: str | None = None,
    evaluations: int | None = None,
) -> Frontier:
    """Find the best release at every threshold of the policy's first risk model.

    `values` are the thresholds (k, or the largest risk accepted); left out, they are the model's usual
    ones, as far as they fit the table. With several `populations`, a model that estimates from a
    population's size is swept for each. A scheme is partitioned once for all thresholds of a sweep; the
    policy's limits hold for the search at each. `data` may be a Problem, which has its policy already.

    `workers`, `memory` and `evaluations` are those of `anonymize`; the last are for each threshold.
    """
    machine = {"workers": workers, "memory": memory, "evaluations": evaluations}
    policy = None if policy is None else load_policy(policy).on(**machine)
    problem = as_problem(data, policy).on(**machine)
    with shown(on_stage) as told:
        return sweep_problem(problem, values, populations, told)


def sweep_problem(
    problem: Problem,
    values: Iterable[float] | None,
    populations: Sequence[int],
    on_stage: OnStage | None,
) -> Frontier:
    """Find the best release of a problem at every threshold."""
    every = [{"population": size} for size in populations] or [{}]
    trackers = [track(problem, values, changes, on_stage) for changes in every]
    points = [point for tracker in trackers for point in tracker.points]
    unknown = [(value, each.changes) for each in trackers for value in each.unknown]
    if not points:
        raise nothing_found(problem, bool(unknown))
    sweep = trackers[0].sweep
    evaluated = set[Scheme]().union(*(tracker.evaluated for tracker in trackers))
    return Frontier(
        model=problem.models[0].name,
        parameter=sweep.parameter,
        points=tuple(mark_dominated(points)),
        infeasible=tuple((value, each.changes) for each in trackers for value in each.infeasible),
        unknown=tuple(unknown),
        records=problem.microdata.records,
        schemes=problem.lattice.size,
        evaluated=len(evaluated) or max(point.proof.evaluated for point in points),
        problem=problem,
        by_layers=tuple(points_by_number(problem, sweep, on_stage)) if in_layers(problem) else (),
    )


def track(
    problem: Problem,
    values: Iterable[float] | None,
    changes: dict[str, Any],
    on_stage: OnStage | None,
) -> Tracker | LayeredTracker:
    """Search at every threshold, in layers where the policy asks for them."""
    models, evaluator = problem.models, problem.evaluator
    sweep = Sweep.of(models, values, **changes)
    if values is None and (fitting := fitting_values(sweep, evaluator)):
        sweep = Sweep.of(models, fitting, **changes)
    check_models(sweep, evaluator)
    kind = LayeredTracker if in_layers(problem) else Tracker
    tracker = kind(problem, sweep, changes, on_stage)
    tracker.run()
    return tracker


def nothing_found(problem: Problem, may_be: bool) -> InfeasibleError:
    """Say that there is no point at all, and what would help."""
    if may_be:
        return InfeasibleError(
            "no release was found at any threshold before the search stopped; there may be one: raise "
            "the limit."
        )
    kept = " and with the groups of [[keep]] kept" if problem.groups else ""
    return InfeasibleError(
        "no threshold of the frontier can be met within the suppression limit of "
        f"{percent(problem.policy.release.suppression_limit)}{kept}; raise "
        "suppression_limit or max_level."
    )


def fitting_values(sweep: Sweep, evaluator: Evaluator) -> list[float]:
    """Return the thresholds at which the varied model fits the table."""
    microdata = evaluator.microdata
    return [
        value
        for value, models in zip(sweep.thresholds, sweep.models, strict=True)
        if not models[0].check(microdata.number_of_people, microdata.attributes)
    ]


def check_models(sweep: Sweep, evaluator: Evaluator) -> None:
    """Raise a PolicyError unless the models fit the table at every threshold."""
    microdata = evaluator.microdata
    for value, models in zip(sweep.thresholds, sweep.models, strict=True):
        for fault in models[0].check(microdata.number_of_people, microdata.attributes):
            raise PolicyError(f"frontier: {sweep.parameter.name} = {value:g}: {fault}")


class Tracker(Tracked):
    """Goes from the loosest threshold to the tightest, with all that was evaluated on the way."""

    @cached_property
    def shared(self) -> SweepEvaluator:
        """What the searches have in common."""
        return SweepEvaluator(self.problem.evaluator, self.sweep)

    @property
    def evaluated(self) -> set[Scheme]:
        """The schemes that were evaluated to the end, at any threshold."""
        return set().union(*self.shared.known)

    def run(self) -> None:
        """Search at every threshold, until Ctrl-C; what was not looked at then is not known."""
        together = self.search_together()
        if together is not None:
            for place, result in enumerate(together):
                self.add(place, result)
            return
        previous: SearchResult | None = None
        interrupted = False
        if self.shared.least_sizes is not None:  # what the tightest takes serves all others
            interrupted = self.search_at(len(self.sweep) - 1).stopped in BROKEN_OFF
        for place, value in enumerate(self.sweep.thresholds):
            if interrupted:
                self.unknown.append(value)
                continue
            if self.infeasible and self.shared.nested:  # what is tighter suppresses no less
                self.shared.probe(place)
                self.infeasible.append(value)
                continue
            previous = self.unchanged(previous, place) or self.search_at(place)
            interrupted = previous.stopped in BROKEN_OFF
            self.add(place, previous)

    def add(self, place: int, result: SearchResult) -> None:
        """Note what was found at a threshold."""
        value = self.sweep.thresholds[place]
        if result.best is not None:
            self.points.append(self.point(value, place, result))
        elif result.status is Status.INFEASIBLE:
            self.infeasible.append(value)
        else:
            self.unknown.append(value)

    def search_together(self) -> list[SearchResult] | None:
        """Search at all thresholds at once; None where they ask for more than a least class.

        The limits on time and evaluations hold for each threshold by itself.
        """
        limits = self.problem.limits
        limited = limits.seconds is not None or limits.evaluations is not None
        if self.shared.least_sizes is None or limited or len(self.sweep) == 1:
            return None
        if not pays_together(self.problem.evaluator, self.problem.lattice):
            return None
        return search_thresholds(
            [AtThreshold.of(self.shared, place) for place in range(len(self.sweep))],
            self.problem.lattice,
            self.problem.policy.machine.workers,
            None if self.on_stage is None else self.tell_of,
        )

    def tell_of(self, place: int, progress: Progress) -> None:
        """Pass on the progress at a threshold."""
        tell = self.tell(place)
        if tell is not None:
            tell(progress)

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
        return search(
            AtThreshold.of(self.shared, place),
            self.problem.lattice,
            self.problem.limits,
            self.problem.policy.machine.workers,
            self.tell(place),
            known=self.shared.known[place].values(),
        )

    def point(self, value: float, place: int, result: SearchResult) -> Point:
        """Describe the best release at one threshold."""
        evaluator, best = self.shared.evaluators[place], result.best
        assert best is not None
        found = suppress(evaluator.microdata, self.shared.classes(best.scheme), evaluator.models)
        classes, suppressed = found.classes, found.suppressed
        profile = describe_risk(evaluator.microdata, evaluator.models, classes, ~suppressed)
        varied = evaluator.models[0]
        risk = varied.residual_risk(Remaining(evaluator.microdata, classes, suppressed))
        scheme = dict(zip(evaluator.microdata.attributes, best.scheme, strict=True))
        return Point(
            value, self.changes, risk, best, scheme, profile, result.status, result.stopped,
            result.proof,
        )  # fmt: skip


def problem_at(problem: Problem, point: Point) -> Problem:
    """Return the problem with the threshold of a point, and with its number of layers if it has one."""
    changes = {name: value for name, value in point.changes.items() if name != MAX_LAYERS}
    sweep = Sweep.of(problem.models, [point.value], **changes)
    at = problem.with_models(*sweep.models[0])
    return with_max_layers(at, point.changes[MAX_LAYERS]) if MAX_LAYERS in point.changes else at
