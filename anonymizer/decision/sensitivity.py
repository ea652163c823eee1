"""Sensitivity: how far a stated figure may be wrong before a release no longer meets its policy.

The release stays as it is: its scheme and the records it suppresses. One figure at a time is changed, all
others are as stated. The turning point is found by bisection, and what is reported is the last value at
which the policy was seen to be met, never one between that and the first at which it was not.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from anonymizer.errors import AnonymizerError, AnonymizerWarning
from anonymizer.evaluation.measurement import meets
from anonymizer.risk import RiskModel
from anonymizer.risk.assumption import Assumption, Unit
from anonymizer.solution.solution import Solution

STEPS = 12
"""Of a bisection: a probability is then known to 1 in 4,096."""
EVERYBODY = 8_000_000_000
"""A population is not larger than this."""


@dataclass(frozen=True, slots=True)
class Turning:
    """How far one stated figure may be wrong."""

    model: str
    figure: str
    unit: Unit
    stated: float
    holds: bool
    """Whether the policy is met with the figure as it is stated."""
    lowest: float | None
    """The lowest value at which the policy is met; None where it is met however low it is."""
    highest: float | None
    """The highest value at which it is met; None where it is met however high it is."""

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {**asdict(self), "unit": self.unit.value}


def find_turnings(solution: Solution) -> tuple[Turning, ...]:
    """Find for every stated figure of every model how far it may be wrong.

    Nothing is found of a release in layers: models that rest on stated figures look at one scheme.
    """
    return () if solution.layers else tuple(turnings_of(solution))


def turnings_of(solution: Solution) -> Iterator[Turning]:
    """Go through the models and what each of them rests on."""
    models = solution.problem.models
    for number, model in enumerate(models):
        for assumption in model.assumptions():

            def holds(value: float, at: int = number, stated: Assumption = assumption) -> bool:
                return meets_with(solution, at, stated.changed(value))

            yield turning_of(str(model), assumption, holds, solution.before.people)


def meets_with(solution: Solution, number: int, model: RiskModel) -> bool:
    """Whether a release meets its policy with another model in the place of one."""
    problem, outcome = solution.problem, solution.outcome
    models = (*problem.models[:number], model, *problem.models[number + 1 :])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AnonymizerWarning)  # said when the table was read
            model.prepare(problem.microdata)
            return meets(problem.microdata, outcome.classes, outcome.suppressed, models)
    except (AnonymizerError, ValueError):  # a figure that the model refuses: when in doubt, not met
        return False


def turning_of(
    model: str, assumption: Assumption, holds: Callable[[float], bool], people: int
) -> Turning:
    """Look for the turning points on both sides of a stated figure."""
    stated, unit = assumption.value, assumption.unit
    if not holds(stated):
        return Turning(model, assumption.name, unit, stated, False, None, None)
    if unit is Unit.PROBABILITY:  # no model passes more easily with a higher one
        return Turning(model, assumption.name, unit, stated, True, None, last(holds, stated, 1.0))
    lowest = last(holds, stated, min(stated, people), by_ratio)
    highest = last(holds, stated, max(stated, EVERYBODY), by_ratio)
    return Turning(model, assumption.name, unit, stated, True, lowest, highest)


def by_ratio(one: float, other: float) -> float:
    """Return the middle of two sizes, as a ratio and whole."""
    return float(round(math.sqrt(one * other)))


def by_difference(one: float, other: float) -> float:
    """Return the middle of two probabilities."""
    return (one + other) / 2


def last(
    holds: Callable[[float], bool],
    met: float,
    end: float,
    middle: Callable[[float, float], float] = by_difference,
) -> float | None:
    """Return the last value on the way to an end at which it holds; None where it holds at the end.

    >>> last(lambda value: value <= 0.3, 0.1, 1.0) == 0.3  # from below, to 1 in 4,096
    False
    >>> round(last(lambda value: value <= 0.3, 0.1, 1.0), 3)
    0.3
    """
    if met == end or holds(end):
        return None
    unmet = end
    for _ in range(STEPS):
        between = middle(met, unmet)
        if between in (met, unmet):
            break
        if holds(between):
            met = between
        else:
            unmet = between
    return met
