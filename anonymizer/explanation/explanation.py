"""Explanation: what a steward can do next with a solution; every figure is measured, none is guessed.

Each answer comes from evaluating other schemes, other thresholds and other cuts of the same table with
the engine that found the solution.

What is safe to show. An explanation is written for the steward, not for publication, and still holds no
raw value of a single record. It has counts, shares, attribute names and levels. Values appear in one
place: examples of blocking classes. These are released classes, shown with the values the release has.
A class is shown only if it has as many records as each of the policy's models asks for (`least_shown`);
where none has, there are no examples. Suppressed records are counted, never shown. What another scheme
would make of them is described by its figures alone.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.display import Displayed
from anonymizer.estimators.intervals import Interval
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.measurement import Measurement, measure_classes
from anonymizer.explanation.layered import LayeredExplanation, explain_layers
from anonymizer.explanation.neighbourhood import (
    CheapestChange,
    Driver,
    Neighbourhood,
    Step,
    find_cheapest,
    rank_drivers,
    short_names,
)
from anonymizer.explanation.next_threshold import Blocking, find_blocking
from anonymizer.risk import Remaining
from anonymizer.risk.reference import ReferenceDistances
from anonymizer.risk.sensitive_profile import SensitiveProfile
from anonymizer.search import Limits, Status, search
from anonymizer.search.result import TIE
from anonymizer.solution.groups import KeptGroup, describe_groups
from anonymizer.solution.solution import Solution
from anonymizer.table.classes import EquivalenceClasses, suppression_order

if TYPE_CHECKING:
    from anonymizer.search.state import OnProgress

PERCENT = 0.01
POINTS = (-PERCENT, 0.0, PERCENT, 2 * PERCENT, 5 * PERCENT)
"""Where the order of suppression is looked at: so much of the records less or more."""
SEARCH_WORK = 20_000_000
"""The search with a raised limit may evaluate so many schemes times distinct tuples: about a second."""
FEWEST_EVALUATIONS = 20
"""With fewer evaluations than these, the search is not started."""


@dataclass(frozen=True, slots=True)
class CutPoint:
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
    cheapest: tuple[CheapestChange, ...]
    """One for each figure that a coarsening can lower: suppressed records first, then the risks."""
    pairs_tried: bool
    """Whether two steps at once were tried, or one only: with a large table, pairs take long."""
    blocking: tuple[Blocking, ...]
    points: tuple[CutPoint, ...]
    """Along the order of suppression, from fewer to more records."""
    raised: RaisedLimit | None
    """None where the limit is 1 already."""
    classes: int
    """How many classes are released."""
    sensitive: dict[str, SensitiveProfile]
    """What they give away about each sensitive attribute."""
    references: tuple[ReferenceDistances, ...]
    """How far they are from input and release, by each model that compares with one."""
    groups: tuple[KeptGroup, ...] = ()
    """What is kept of the groups that the policy wants kept."""

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
            **describe_groups(self.groups),
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
    limit = problem.policy.release.suppression_limit
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
        references=solution.references,
        groups=solution.groups,
    )


def find_points(
    evaluator: Evaluator, classes: EquivalenceClasses, suppressed: NDArray[np.bool_]
) -> tuple[CutPoint, ...]:
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
        points.append(CutPoint(asked, measure_classes(evaluator, classes, marked)))
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
