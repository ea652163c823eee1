"""The schemes around a solution's: which attribute drives the risk, and the cheapest next coarsening."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.measurement import Measurement, measure
from anonymizer.lattice import Lattice, Scheme, with_level
from anonymizer.risk import RiskModel
from anonymizer.search.result import TIE

PAIR_WORK = 10_000_000
"""Pairs of steps are tried while schemes times distinct tuples stay below: about a second."""


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
class CheapestChange:
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


def find_cheapest(around: Neighbourhood, pairs: bool) -> tuple[CheapestChange, ...]:
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
        ways = [
            CheapestChange(name, fall_of(figure, step), -step.quality_change, step)
            for step in steps
        ]
        ways = [way for way in ways if way.fall > TIE]
        if ways:
            found.append(max(ways, key=preference))
    return tuple(found)


def fall_of(figure: Callable[[Measurement], float], step: Step) -> float:
    """Return how much a step lowers a figure."""
    return figure(step.before) - figure(step.after)


def preference(way: CheapestChange) -> tuple[bool, float, int]:
    """Return what decides between coarsenings: what is free first, then fall by cost, then one step."""
    free = way.cost <= TIE
    return free, way.fall if free else way.fall / way.cost, -len(way.step.levels)


def short_names(models: Sequence[RiskModel]) -> tuple[str, ...]:
    """Name the models, each in words where one name would stand for two."""
    names = [model.name for model in models]
    return tuple(
        name if names.count(name) == 1 else str(model)
        for name, model in zip(names, models, strict=True)
    )
