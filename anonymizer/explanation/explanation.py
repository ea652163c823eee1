"""Explanation: what a steward can do next with a solution; every figure is measured, none is guessed.

Each answer comes from evaluating other schemes, other thresholds and other cuts of the same table with
the engine that found the solution.

What is safe to show. An explanation is written for the steward, not for publication, and still holds no
raw value of a single record. It has counts, shares, attribute names and levels. Values appear in one
place: examples of blocking classes. These are released classes, shown with the values the release has,
and only where a class has as many records as each of the policy's models asks for (`least_shown`); where
none shows any, there are no examples. Suppressed records are counted, never shown, and what another
scheme would make of them is described by its figures alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.display import Displayed
from anonymizer.engine.classes import EquivalenceClasses, suppression_order
from anonymizer.estimators.intervals import Interval
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.measurement import Measurement, measure, measure_classes
from anonymizer.explanation.layered import LayeredExplanation, explain_layers
from anonymizer.explanation.next_threshold import Blocking, find_blocking
from anonymizer.lattice import Lattice, Scheme, with_level
from anonymizer.risk import Remaining, RiskModel
from anonymizer.risk.sensitive_profile import SensitiveProfile
from anonymizer.search import Limits, Status, search
from anonymizer.search.result import TIE
from anonymizer.solution.solution import Solution

if TYPE_CHECKING:
    from anonymizer.search.branch_and_bound import OnProgress

PERCENT = 0.01
POINTS = (-PERCENT, 0.0, PERCENT, 2 * PERCENT, 5 * PERCENT)
"""Where the order of suppression is looked at: so much of the records less or more."""
PAIR_WORK = 10_000_000
"""Pairs of steps are tried while schemes times distinct tuples stay below: about a second."""
SEARCH_WORK = 20_000_000
"""The search with a raised limit may evaluate so many schemes times distinct tuples: about a second."""
FEWEST_EVALUATIONS = 20
"""With fewer evaluations than these, the search is not started."""


@dataclass(frozen=True, slots=True)
class Step:
    """One or two attributes at other levels than the solution's, and what that would make of it."""

    levels: dict[str, int]
    """The new level of each attribute that changes."""
    allowed: bool
    """Whether the policy's level ranges allow these levels."""
    before: Measurement
    after: Measurement

    @property
    def possible(self) -> bool:
        """Whether the policy, as it is, would let this be released."""
        return self.allowed and self.after.within_limit

    @property
    def quality_change(self) -> float:
        """How much higher the quality would be."""
        return self.after.quality - self.before.quality

    @property
    def suppressed_change(self) -> int:
        """How many more records would be suppressed."""
        return self.after.suppressed - self.before.suppressed

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "levels": self.levels,
            "allowed": self.allowed,
            "quality_change": self.quality_change,
            "suppressed_change": self.suppressed_change,
            **self.after.describe(),
        }


@dataclass(frozen=True, slots=True)
class Driver:
    """How far an attribute drives the risk: what one level coarser, finer, or its top would change."""

    attribute: str
    level: int
    top: int
    share: float
    """The part of the models' risk, with nothing suppressed, that would be gone without the attribute;
    the mean over the models."""
    coarser: Step | None
    """None where there is no such level."""
    finer: Step | None
    out: Step | None

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        steps = {"coarser": self.coarser, "finer": self.finer, "out": self.out}
        return {
            "attribute": self.attribute,
            "level": self.level,
            "top": self.top,
            "share": self.share,
            **{name: None if step is None else step.describe() for name, step in steps.items()},
        }


@dataclass(frozen=True, slots=True)
class Cheapest:
    """The coarsening, of one or two steps, that lowers a figure most for the quality it costs."""

    figure: str
    """Suppressed records, the prosecutor's average or highest risk, or the risk of a model."""
    fall: float
    """How much lower the figure would be."""
    cost: float
    """How much quality that takes; not above 0 where it takes none."""
    step: Step

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        figures = {"figure": self.figure, "fall": self.fall, "cost": self.cost}
        return {**figures, "step": self.step.describe()}


@dataclass(frozen=True, slots=True)
class Point:
    """The solution's scheme with more or fewer classes suppressed, in the order of suppression."""

    asked: float
    """At most this share of the records more (at least this much less, if negative)."""
    after: Measurement

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"asked": self.asked, **self.after.describe()}


@dataclass(frozen=True, slots=True)
class RaisedLimit:
    """What the search finds with one percent more of the records to suppress."""

    limit: float
    tried: bool
    """Whether the table is small enough to search again."""
    proven: bool
    """Whether the search ended, so that nothing better than what it found is there."""
    better: Step | None
    """The scheme it found, if its quality is higher than the solution's."""

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        better = None if self.better is None else self.better.describe()
        return {"limit": self.limit, "tried": self.tried, "proven": self.proven, "better": better}


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Displayed):
    """What drives the risk of a solution, and what could be done about it."""

    models: tuple[str, ...]
    """The policy's models in words, in the order of all risks."""
    names: tuple[str, ...]
    """What they are called for short; in words again where two have one name."""
    records: int
    limit: float
    """The suppression limit, as a share."""
    now: Measurement
    intervals: tuple[Interval | None, ...]
    """Of each model's risk now, at 95 % confidence; None where it is counted, not estimated."""
    drivers: tuple[Driver, ...]
    """The attribute that accounts for most of the risk first."""
    cheapest: tuple[Cheapest, ...]
    """One for each figure that a coarsening can lower: suppressed records first, then the risks."""
    pairs_tried: bool
    """Whether two steps at once were tried, or one only: with a large table, pairs take long."""
    blocking: tuple[Blocking, ...]
    points: tuple[Point, ...]
    """Along the order of suppression, from fewer to more records."""
    raised: RaisedLimit | None
    """None where the limit is 1 already."""
    classes: int
    """How many classes are released."""
    sensitive: dict[str, SensitiveProfile]
    """What they give away about each sensitive attribute."""

    def describe(self) -> dict[str, Any]:
        """Return all of it as JSON."""
        return {
            "models": list(self.models),
            "names": list(self.names),
            "records": self.records,
            "suppression_limit": self.limit,
            "now": self.now.describe(),
            "intervals": [None if each is None else asdict(each) for each in self.intervals],
            "drivers": [driver.describe() for driver in self.drivers],
            "cheapest": [cheapest.describe() for cheapest in self.cheapest],
            "pairs_tried": self.pairs_tried,
            "blocking": [blocking.describe() for blocking in self.blocking],
            "points": [point.describe() for point in self.points],
            "raised_limit": None if self.raised is None else self.raised.describe(),
            "classes": self.classes,
            "sensitive": {name: asdict(found) for name, found in self.sensitive.items()},
        }


def explain(
    solution: Solution, on_progress: OnProgress | None = None
) -> Explanation | LayeredExplanation:
    """Explain a solution; `on_progress` is called during the search with a raised limit.

    A release in layers has no scheme with others around it: what is said of it is of another kind.
    """
    return explain_layers(solution) if solution.layers else explain_scheme(solution, on_progress)


def explain_scheme(solution: Solution, on_progress: OnProgress | None = None) -> Explanation:
    """Explain a solution with one scheme for all records."""
    problem, evaluator = solution.problem, solution.problem.evaluator
    classes, suppressed = solution.outcome.classes, solution.outcome.suppressed
    now = measure_classes(evaluator, classes, suppressed)
    left = Remaining(evaluator.microdata, classes, suppressed)
    around = Neighbourhood(evaluator, problem.lattice, classes.scheme, now)
    pairs = around.pairs_are_cheap
    limit = problem.policy.search.suppression_limit
    return Explanation(
        models=tuple(str(model) for model in evaluator.models),
        names=short_names(evaluator.models),
        records=solution.records,
        limit=limit,
        now=around.now,
        intervals=tuple(model.risk_interval(left) for model in evaluator.models),
        drivers=rank_drivers(around),
        cheapest=find_cheapest(around, pairs),
        pairs_tried=pairs,
        blocking=find_blocking(evaluator, classes, suppressed),
        points=find_points(evaluator, classes, suppressed),
        raised=None if limit >= 1 else raise_limit(around, limit, on_progress),
        classes=solution.after.classes,
        sensitive=solution.after.sensitive,
    )


def short_names(models: Sequence[RiskModel]) -> tuple[str, ...]:
    """Name the models, each in words where one name would stand for two."""
    names = [model.name for model in models]
    return tuple(
        name if names.count(name) == 1 else str(model)
        for name, model in zip(names, models, strict=True)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """The schemes around a solution's, as steps from it."""

    evaluator: Evaluator
    lattice: Lattice
    """The level ranges of the policy."""
    scheme: Scheme
    now: Measurement

    @property
    def pairs_are_cheap(self) -> bool:
        """Whether all pairs of steps can be evaluated in about a second."""
        attributes = len(self.scheme)
        pairs = attributes * (attributes + 1) // 2
        return pairs * self.evaluator.microdata.distinct <= PAIR_WORK

    def step(self, scheme: Scheme) -> Step:
        """Measure another scheme."""
        names = self.evaluator.microdata.attributes
        steps = zip(names, self.scheme, scheme, strict=True)
        levels = {name: level for name, old, level in steps if level != old}
        after = measure(self.evaluator, scheme)
        return Step(levels, scheme in self.lattice, self.now, after)

    def step_to(self, attribute: int, level: int) -> Step | None:
        """Measure another level of one attribute; None where there is none, or it is the same."""
        top = self.evaluator.microdata.lattice.high[attribute]
        if level == self.scheme[attribute] or not 0 <= level <= top:
            return None
        return self.step(with_level(self.scheme, attribute, level))

    def coarser(self, pairs: bool) -> Iterator[Step]:
        """Measure every coarsening by one step, or two, that the policy's level ranges allow."""
        single = self.lattice.coarser(self.scheme)
        double = {scheme for one in single for scheme in self.lattice.coarser(one)}
        for scheme in itertools.chain(single, sorted(double) if pairs else ()):
            yield self.step(scheme)


def rank_drivers(around: Neighbourhood) -> tuple[Driver, ...]:
    """Measure each attribute one level up, one down, and out; what drives most of the risk first.

    Ranked by the share of the models' own risk that goes with the attribute; where that is equal, by
    the average risk without it. Both are of the table with nothing suppressed: suppression hides what
    drives it.
    """
    drivers = []
    for at, name in enumerate(around.evaluator.microdata.attributes):
        level, top = around.scheme[at], around.evaluator.microdata.lattice.high[at]
        coarser, finer = around.step_to(at, level + 1), around.step_to(at, level - 1)
        out = coarser if top == level + 1 else around.step_to(at, top)
        share = 0.0 if out is None else share_of_risk(out)
        drivers.append(Driver(name, level, top, share, coarser, finer, out))
    return tuple(sorted(drivers, key=rank))


def rank(driver: Driver) -> tuple[float, float]:
    """Return what drivers are sorted by."""
    average = math.inf if driver.out is None else driver.out.after.unsuppressed_average
    return -driver.share, average


def share_of_risk(step: Step) -> float:
    """Return the part of the models' risk, nothing suppressed, that a step takes away: their mean."""
    pairs = zip(step.before.unsuppressed_risks, step.after.unsuppressed_risks, strict=True)
    parts = [part_gone(before, after) for before, after in pairs]
    return sum(parts) / len(parts)


def part_gone(before: float, after: float) -> float:
    """Return the part of a risk that is gone; a risk that cannot be estimated counts as infinite.

    >>> part_gone(0.5, 0.125), part_gone(0.0, 0.0), part_gone(math.inf, 0.1), part_gone(0.0, 0.1)
    (0.75, 0.0, 1.0, -1.0)
    """
    if before == after:
        return 0.0
    if math.isinf(before):
        return 1.0
    return -1.0 if before == 0 or math.isinf(after) else (before - after) / before


def find_cheapest(around: Neighbourhood, pairs: bool) -> tuple[Cheapest, ...]:
    """Find for each figure the coarsening the policy allows that lowers it most for its cost."""
    steps = [step for step in around.coarser(pairs) if step.possible]
    figures: dict[str, Callable[[Measurement], float]] = {
        "suppressed records": lambda measured: measured.suppressed,
        "average risk": lambda measured: measured.average,
        "highest risk": lambda measured: measured.highest,
    }
    for number, name in enumerate(short_names(around.evaluator.models)):
        figures[f"{name} risk"] = lambda measured, n=number: measured.risks[n]  # type: ignore[misc]
    found = []
    for name, figure in figures.items():
        ways = [Cheapest(name, fall_of(figure, step), -step.quality_change, step) for step in steps]
        ways = [way for way in ways if way.fall > TIE]
        if ways:
            found.append(max(ways, key=preference))
    return tuple(found)


def fall_of(figure: Callable[[Measurement], float], step: Step) -> float:
    """Return how much a step lowers a figure."""
    return figure(step.before) - figure(step.after)


def preference(way: Cheapest) -> tuple[bool, float, int]:
    """Return what decides between coarsenings: what is free first, then fall by cost, then one step."""
    free = way.cost <= TIE
    return free, way.fall if free else way.fall / way.cost, -len(way.step.levels)


def find_points(
    evaluator: Evaluator, classes: EquivalenceClasses, suppressed: NDArray[np.bool_]
) -> tuple[Point, ...]:
    """Measure the scheme with more and with fewer classes suppressed, in the order of suppression."""
    order = suppression_order(evaluator.microdata, classes)
    sequence = np.concatenate([order[suppressed[order]], order[~suppressed[order]]])
    records = np.cumsum(classes.records[sequence])
    now = int(classes.records[suppressed].sum())
    points = []
    for asked in POINTS:
        most = now + math.floor(asked * evaluator.microdata.records + 1e-9)
        marked = np.zeros_like(suppressed)
        marked[sequence[: np.searchsorted(records, most, side="right")]] = True
        points.append(Point(asked, measure_classes(evaluator, classes, marked)))
    return tuple(points)


def raise_limit(around: Neighbourhood, limit: float, on_progress: OnProgress | None) -> RaisedLimit:
    """Search again with one percent more to suppress, where that takes about a second."""
    raised = min(1.0, limit + PERCENT)
    microdata = around.evaluator.microdata
    evaluations = SEARCH_WORK // microdata.distinct
    if evaluations < FEWEST_EVALUATIONS:
        return RaisedLimit(raised, tried=False, proven=False, better=None)
    records = int(raised * microdata.records + 1e-9)
    evaluator = replace(around.evaluator, suppression_limit=records)
    limits = Limits(evaluations=evaluations)
    found = search(evaluator, around.lattice, limits, on_progress=on_progress)
    proven = found.status is Status.OPTIMAL
    better = None
    if found.best is not None and found.best.quality > around.now.quality + TIE:
        better = replace(around, evaluator=evaluator).step(found.best.scheme)
    return RaisedLimit(raised, True, proven, better)
