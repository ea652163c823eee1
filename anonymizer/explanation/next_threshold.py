"""Blocking: which released classes stand in the way of a tighter threshold, and what makes them small.

A release already meets some thresholds tighter than the policy's: a k up to the size of its smallest
class, any threshold down to the risk it has. The next tighter one is the first that it does not meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses, partition, suppression_order
from anonymizer.engine.microdata import Microdata
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import suppress
from anonymizer.lattice import with_level
from anonymizer.risk import Remaining, RiskModel

EXAMPLES = 3
"""So many blocking classes are shown by their values."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the blocking records would no longer block if an attribute were taken out."""

    attribute: str
    freed: int


@dataclass(frozen=True, slots=True)
class Example:
    """A released class: its generalized values, as the release has them, and its size."""

    generalized: dict[str, str]
    records: int


@dataclass(frozen=True, slots=True)
class Blocking:
    """The released classes that must go, at the same scheme, for the next tighter threshold."""

    model: str
    """The policy's model, in words."""
    parameter: str
    """What is tightened: k or threshold."""
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
    examples: tuple[Example, ...]
    """The first of them to be suppressed, where a class of that size may be shown."""

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Tightening:
    """A parameter of one of the models, the value a release reaches, and the next tighter model."""

    parameter: str
    reached: float
    tighter: float
    model: RiskModel


def find_blocking(
    evaluator: Evaluator, classes: EquivalenceClasses, suppressed: NDArray[np.bool_]
) -> tuple[Blocking, ...]:
    """Find, for each parameter of each model, what stands in the way of its next tighter value."""
    found = []
    for number, model in enumerate(evaluator.models):
        for tightening in tightenings(evaluator.microdata, classes, suppressed, model):
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
    blocking = suppress(microdata, classes, models).suppressed & ~suppressed
    sizes = classes.sizes[blocking]
    return Blocking(
        model=name,
        parameter=tightening.parameter,
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
            gone = suppress(microdata, without, models).suppressed[without.label_of_tuple]
            freed = int(records[~gone].sum())
        shares.append(Share(microdata.attributes[at], freed))
    return tuple(sorted(shares, key=lambda share: -share.freed))


def least_shown(models: Sequence[RiskModel]) -> int | None:
    """Return how many records a class must have for its values to be shown; None shows none.

    That is the largest k of the models, whichever people it counts: a class that matches many people
    may still hold one record. Models of the whole table let single records through, and so does k = 1.
    """
    k = max((getattr(model, "k", 0) for model in models), default=0)
    return k if k > 1 else None


def show_some(
    microdata: Microdata,
    classes: EquivalenceClasses,
    blocking: NDArray[np.bool_],
    models: Sequence[RiskModel],
) -> tuple[Example, ...]:
    """Show the first blocking classes, in the order of suppression, that are large enough."""
    least = least_shown(models)
    if least is None or not blocking.any():
        return ()
    order = suppression_order(microdata, classes)
    shown = order[(blocking & (classes.sizes >= least))[order]][:EXAMPLES]
    return tuple(
        Example(generalized_values(microdata, classes, int(label)), int(classes.sizes[label]))
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


def tightenings(
    microdata: Microdata,
    classes: EquivalenceClasses,
    suppressed: NDArray[np.bool_],
    model: RiskModel,
) -> Iterator[Tightening]:
    """Yield the next tighter value of each parameter of a model that the release does not meet."""
    if suppressed.all() or not is_dataclass(model):
        return  # a table without records meets everything
    names = {field.name for field in fields(model)}
    if "k" in names:

        def holds(k: int) -> bool:
            return not changed(model, k=k).breaking(classes)[~suppressed].any()

        most = limit_of_k(microdata, model)
        reached = largest(holds, model.k, most)
        if reached < most:
            yield Tightening("k", reached, reached + 1, changed(model, k=reached + 1))
    if "threshold" in names:
        risk = float(model.risk(Remaining(microdata, classes, suppressed)))
        if risk > 0:
            value = next_threshold(risk)
            yield Tightening("threshold", risk, value, changed(model, threshold=value))


def changed(model: Any, **parameters: float) -> RiskModel:
    """Return a model with other parameters."""
    tightened: RiskModel = replace(model, **parameters)
    return tightened


def limit_of_k(microdata: Microdata, model: RiskModel) -> int:
    """Return the largest k that can be asked for: nobody has more people like him than there are."""
    population: int | None = getattr(model, "population", None)
    if population is None and getattr(model, "population_table", None) is not None:
        assert microdata.population is not None  # it was read with the table
        population = int(microdata.population.counts.sum())
    return microdata.records if population is None else population


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
    exponent = math.floor(math.log10(risk))
    numbers = [float(f"{digit}e{exponent + up}") for up in (-1, 0, 1) for digit in (1, 2, 5)]
    return max(number for number in numbers if number < risk * (1 - 1e-9))
