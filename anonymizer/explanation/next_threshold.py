"""The next tighter threshold: which released classes violate it, and what makes them small.

A release already meets some thresholds tighter than the policy's: a k up to the size of its smallest
class, any threshold down to the risk it has. The next tighter one is the first that it does not meet.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.measurement import meets
from anonymizer.evaluation.suppression import suppress
from anonymizer.lattice import with_level
from anonymizer.risk import Direction, Parameter, Remaining, RiskModel
from anonymizer.risk.model import asked_by
from anonymizer.table.classes import EquivalenceClasses, partition, suppression_order
from anonymizer.table.microdata import Microdata

EXAMPLES = 3
"""So many blocking classes are shown by their values."""
RUNGS = 30
"""So many round numbers are tried, ten powers of ten, where a release meets every tighter value."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the blocking records would no longer block if an attribute were taken out."""

    attribute: str
    freed: int


@dataclass(frozen=True, slots=True)
class ExampleClass:
    """A released class: its generalized values, as the release has them, and its records."""

    generalized: dict[str, str]
    records: int


@dataclass(frozen=True, slots=True)
class Blocking:
    """The released classes that must go, at the same scheme, for the next tighter threshold."""

    model: str
    """The policy's model, in words."""
    parameter: str
    """What is tightened."""
    limits_risk: bool
    """Whether that is the largest risk accepted, so that `reached` is the risk of the release."""
    reached: float
    """The tightest value of it that the release already meets."""
    tighter: float
    """The next one, which it does not meet."""
    classes: int
    records: int
    smallest: int
    """Records in the smallest of these classes."""
    largest: int
    attributes: tuple[Share, ...]
    """What makes these classes small: the attribute that would free most of the records first."""
    examples: tuple[ExampleClass, ...]
    """The first of them to be suppressed, where a class of that size may be shown."""

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Tightening:
    """A parameter of one of the models, the value a release reaches, and the next tighter model."""

    parameter: Parameter
    reached: float
    tighter: float
    model: RiskModel


def find_blocking(
    evaluator: Evaluator, classes: EquivalenceClasses, suppressed: NDArray[np.bool_]
) -> tuple[Blocking, ...]:
    """Find, for each parameter of each model, what stands in the way of its next tighter value."""
    found = []
    remaining = Remaining(evaluator.microdata, classes, suppressed)
    for number, model in enumerate(evaluator.models):
        for tightening in tightenings(remaining, model):
            models = [*evaluator.models]
            models[number] = tightening.model
            found.append(block(evaluator, classes, suppressed, str(model), tightening, models))
    return tuple(found)


def block(
    evaluator: Evaluator,
    classes: EquivalenceClasses,
    suppressed: NDArray[np.bool_],
    name: str,
    tightening: Tightening,
    models: Sequence[RiskModel],
) -> Blocking:
    """Find the classes that must go in addition when one model is tightened."""
    microdata = evaluator.microdata
    more = suppress(microdata, classes, models).tuples & ~suppressed[classes.label_of_tuple]
    blocking = np.zeros_like(suppressed)
    blocking[classes.label_of_tuple[more]] = True
    sizes = classes.records[blocking]  # not people: what is freed is counted in records too
    return Blocking(
        model=name,
        parameter=tightening.parameter.name,
        limits_risk=tightening.parameter.limits_risk,
        reached=tightening.reached,
        tighter=tightening.tighter,
        classes=sizes.size,
        records=int(sizes.sum()),
        smallest=int(sizes.min()) if sizes.size else 0,
        largest=int(sizes.max()) if sizes.size else 0,
        attributes=share_out(microdata, classes, blocking, models),
        examples=show_some(microdata, classes, blocking, evaluator.models),
    )


def share_out(
    microdata: Microdata,
    classes: EquivalenceClasses,
    blocking: NDArray[np.bool_],
    models: Sequence[RiskModel],
) -> tuple[Share, ...]:
    """Take each attribute out in turn: how many blocking records does the tighter model then keep?"""
    records = microdata.counts * blocking[classes.label_of_tuple]
    shares = []
    for at, (level, top) in enumerate(zip(classes.scheme, microdata.lattice.high, strict=True)):
        freed = 0  # an attribute that is out already makes no class small
        if level < top:
            without = partition(microdata, with_level(classes.scheme, at, top))
            gone = suppress(microdata, without, models).tuples
            freed = int(records[~gone].sum())
        shares.append(Share(microdata.attributes[at], freed))
    return tuple(sorted(shares, key=lambda share: -share.freed))


def least_shown(models: Sequence[RiskModel], records: int) -> int | None:
    """Return how many records a class must have for its values to be shown; None shows none."""
    asked = asked_by(models, records)
    least = max(asked.least_class, asked.matching)
    return least if least > 1 else None


def show_some(
    microdata: Microdata,
    classes: EquivalenceClasses,
    blocking: NDArray[np.bool_],
    models: Sequence[RiskModel],
) -> tuple[ExampleClass, ...]:
    """Show the first blocking classes, in the order of suppression, that are large enough."""
    least = least_shown(models, microdata.number_of_people)
    if least is None or not blocking.any():
        return ()
    order = suppression_order(microdata, classes)
    shown = order[(blocking & (classes.sizes >= least))[order]][:EXAMPLES]
    return tuple(
        ExampleClass(
            generalized_values(microdata, classes, int(label)), int(classes.records[label])
        )
        for label in shown
    )


def generalized_values(
    microdata: Microdata, classes: EquivalenceClasses, label: int
) -> dict[str, str]:
    """Return the values of a class as the release has them."""
    first = classes.first_tuple[label]
    return {
        column.hierarchy.name: column.labels(level)[column.groups[level][codes[first]]]
        for column, level, codes in zip(
            microdata.columns, classes.scheme, microdata.codes, strict=True
        )
    }


def tightenings(remaining: Remaining, model: RiskModel) -> Iterator[Tightening]:
    """Yield the next tighter value of each parameter of a model that a release does not meet.

    Limits on single classes come first, then the limit on the risk of the table.
    """
    if remaining.suppressed.all():
        return  # a table without records meets everything
    for parameter in sorted(model.parameters, key=lambda parameter: parameter.limits_risk):
        reached, tighter = next_tighter(remaining, model, parameter)
        tightened = None if tighter is None else version_at(model, parameter, tighter)
        if tighter is not None and tightened is not None:
            yield Tightening(parameter, reached, tighter, tightened)


def next_tighter(
    remaining: Remaining, model: RiskModel, parameter: Parameter
) -> tuple[float, float | None]:
    """Return the tightest value found that a release meets, and the next, which it does not, if any."""
    if parameter.limits_risk:
        risk = float(model.risk(remaining))
        return risk, next_threshold(risk) if risk > 0 else None

    def holds(value: float) -> bool:
        tightened = version_at(model, parameter, value)
        return tightened is not None and meets(
            remaining.microdata, remaining.classes, remaining.suppressed, [tightened]
        )

    value = parameter.value_of(model)
    if parameter.whole:
        return next_whole(holds, int(value), parameter, most_people(remaining.microdata, model))
    steps = list(itertools.islice(round_numbers(value, parameter.tightens), RUNGS))
    for looser, tighter in itertools.pairwise([value, *steps]):
        if not holds(tighter):
            return looser, tighter
    return value, None


def next_whole(
    holds: Callable[[int], bool], value: int, parameter: Parameter, most: int
) -> tuple[int, int | None]:
    """Return the last whole number that holds, and the next; the largest that makes sense is given."""
    up = parameter.tightens is Direction.UP
    sign, steps = (1, most - value) if up else (-1, value)
    reached = largest(lambda step: holds(value + sign * step), 0, steps)
    return value + sign * reached, value + sign * (reached + 1) if reached < steps else None


def version_at(model: RiskModel, parameter: Parameter, value: float) -> RiskModel | None:
    """Return a model at another value, or None where it has no such one."""
    try:
        version: RiskModel = parameter.at(model, value)
    except ValueError:
        return None
    return version


def most_people(microdata: Microdata, model: RiskModel) -> int:
    """Return the largest count of people that a model can ask for: nobody is like more than there are."""
    population = model.inputs.population
    if population.table is not None:
        assert microdata.population is not None  # it was read with the table
        return int(microdata.population.counts.sum())
    return microdata.number_of_people if population.size is None else population.size


def largest(holds: Callable[[int], bool], least: int, most: int) -> int:
    """Return the largest number up to `most` that holds, where all from `least` to it do.

    >>> largest(lambda k: k <= 37, 5, 1000), largest(lambda k: True, 5, 1000)
    (37, 1000)
    """
    step, held = 1, least
    while held < most and holds(min(held + step, most)):
        held = min(held + step, most)
        step *= 2
    failing = min(held + step, most + 1)
    while failing - held > 1:
        middle = (held + failing) // 2
        held, failing = (middle, failing) if holds(middle) else (held, middle)
    return held


def next_threshold(risk: float) -> float:
    """Return the next round number (1, 2 or 5 times a power of ten) below a risk.

    >>> next_threshold(0.1), next_threshold(0.0995), next_threshold(0.2), next_threshold(3e-7)
    (0.05, 0.05, 0.1, 2e-07)
    """
    return next(round_numbers(risk, Direction.DOWN))


def round_numbers(value: float, direction: Direction) -> Iterator[float]:
    """Go through the round numbers on one side of a number; none lies beyond 0.

    >>> list(itertools.islice(round_numbers(0.3, Direction.UP), 3))
    [0.5, 1.0, 2.0]
    >>> list(round_numbers(0.0, Direction.DOWN))
    []
    """
    if value <= 0:
        return
    exponent = math.floor(math.log10(value))
    step = 1 if direction is Direction.UP else -1
    for power in itertools.count(exponent - step, step):
        for digit in (1, 2, 5)[::step]:
            number = float(f"{digit}e{power}")
            if step * (number - value) > 1e-9 * value:
                yield number
