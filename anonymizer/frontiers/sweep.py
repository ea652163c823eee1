"""Sweep: one risk model of a policy at many thresholds, and a scheme evaluated once for all of them."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import PolicyError, quote
from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.lattice import Scheme
from anonymizer.risk import Parameter, RiskModel
from anonymizer.risk.assumption import Unit
from anonymizer.risk.model import asked_by, judges_by_size
from anonymizer.search.result import TIE
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.utility.loss import appraise_steps

PROBES = 32
"""So many schemes are looked at before a tighter threshold is taken to be no better than a looser one."""
KEPT_BYTES = 1 << 29
"""For classes that are kept from threshold to threshold."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The risk models of a policy with one of them at many thresholds, loosest first.

    >>> from anonymizer.risk import KAnonymity
    >>> Sweep.of([KAnonymity(5)], [3, 2]).thresholds
    (2, 3)
    """

    parameter: Parameter
    thresholds: tuple[float, ...]
    models: tuple[tuple[RiskModel, ...], ...]
    """For each value, all models of the policy; the first is the one that is varied."""

    @staticmethod
    def of(
        models: Sequence[RiskModel],
        values: Iterable[float] | None = None,
        population: int | None = None,
    ) -> Sweep:
        """Vary the first parameter of the first model, for a population if given."""
        base, parameter = models[0], find_parameter(models[0])
        if population is not None:
            base = with_population(base, population)
        ordered = order_values(parameter, parameter.usual if values is None else values)
        versions = [make_version(base, parameter, value) for value in ordered]
        return Sweep(
            parameter, tuple(ordered), tuple((version, *models[1:]) for version in versions)
        )

    def __len__(self) -> int:
        return len(self.thresholds)

    @property
    def nested(self) -> bool:
        """Whether a tighter value suppresses, at every scheme, all that a looser one does.

        A model alone declares it. Of several models, what violates one may be what another would have had
        to suppress, unless all that violates any of them comes first in the order of suppression.
        """
        alone = len(self.models[0]) == 1
        return all(
            model.exact and (alone or judges_by_size(model))
            for models in self.models
            for model in models
        )


def find_parameter(model: RiskModel) -> Parameter:
    """Return the parameter of a model that is varied, or say what it would have to declare."""
    if model.parameters:
        return model.parameters[0]
    raise PolicyError(
        f"frontier: the first risk model of the policy, {quote(model.name)}, declares no parameter to "
        "vary; put another model first, or declare its name, direction and usual values in the model's "
        "class, such as `parameters = (Parameter('l', Direction.UP, usual=(2, 3, 5)),)`."
    )


def order_values(parameter: Parameter, values: Iterable[float]) -> list[float]:
    """Order values, the loosest first."""
    ordered = parameter.loosest_first(values)
    if not all(math.isfinite(value) for value in ordered):
        raise PolicyError(
            f"frontier: {parameter.name} must be a finite number; leave out nan and inf."
        )
    if not ordered:
        raise PolicyError("frontier: no threshold is given; name at least one.")
    return ordered


def make_version(model: RiskModel, parameter: Parameter, value: float) -> RiskModel:
    """Return the model at another value, or say what is wrong with it."""
    try:
        version: RiskModel = parameter.at(model, value)
    except (ValueError, TypeError) as error:
        where = f"{model.name} with {parameter.name} = {value}"
        raise PolicyError(f"frontier: {where}: {error}.") from None
    return version


def with_population(model: RiskModel, size: int) -> RiskModel:
    """Return the model for another population, or say what is wrong with that."""
    where = f"{model.name} with a population of {size}"
    stated = next((each for each in model.assumptions() if each.unit is Unit.PEOPLE), None)
    if stated is None:
        raise PolicyError(f"frontier: {where}: it does not rest on the size of a population.")
    try:
        changed: RiskModel = stated.changed(size)
    except ValueError as error:
        raise PolicyError(f"frontier: {where}: {error}.") from None
    return changed


class SweepEvaluator:
    """Partitions a scheme once for every threshold of a sweep.

    Where the models ask for a least class size only, all thresholds are evaluated together. Else each is
    when it is asked for, from the classes that are kept in memory as long as there is room.
    """

    def __init__(self, evaluator: Evaluator, sweep: Sweep) -> None:
        self.sweep, self.nested = sweep, sweep.nested
        self.evaluators = [replace(evaluator, models=models) for models in sweep.models]
        self.least_sizes = least_sizes(sweep, evaluator)
        self.known: list[dict[Scheme, Evaluation]] = [{} for _ in sweep.thresholds]
        self.kept: OrderedDict[Scheme, EquivalenceClasses] = OrderedDict()

    def evaluate(self, scheme: Scheme, place: int, cutoff: float = math.inf) -> Evaluation:
        """Evaluate a scheme at one threshold, or remember it; one given up is not kept."""
        known = self.known[place]
        if scheme not in known:
            classes = self.classes(scheme)
            if self.least_sizes is not None:
                check_least_class(self.evaluators[place], classes)
                found = judge_by_size(self.evaluators[place], classes, self.least_sizes)
                for at, evaluation in zip(self.known, found, strict=True):
                    at[scheme] = evaluation
            else:
                evaluation = self.evaluators[place].evaluate_classes(classes, cutoff)
                if not evaluation.complete:
                    return evaluation
                known[scheme] = evaluation
                if self.nested:
                    check_nesting(self.sweep, [at.get(scheme) for at in self.known])
        return known[scheme]

    def probe(self, place: int) -> None:
        """Evaluate some schemes of the threshold before, so that a wrong direction shows in time.

        What shows it is a scheme that suppresses something at the looser threshold. A limit on the risk
        itself has no direction to be wrong about.
        """
        if self.sweep.parameter.limits_risk:
            return
        looser = [e for e in self.known[place - 1].values() if e.suppressed_records]
        looser.sort(key=lambda evaluation: (evaluation.suppressed_records, evaluation.scheme))
        for evaluation in looser[:: 1 + len(looser) // PROBES]:
            self.evaluate(evaluation.scheme, place)

    def classes(self, scheme: Scheme) -> EquivalenceClasses:
        """Return the classes of a scheme, kept from an earlier threshold if they still are."""
        found = self.kept.get(scheme)
        if found is None:
            found = partition(self.evaluators[0].microdata, scheme)
            self.keep(found)
        return found

    def keep(self, classes: EquivalenceClasses) -> None:
        """Keep classes for the next thresholds, and let go of the oldest where they take too much."""
        self.kept[classes.scheme] = classes
        if len(self.kept) * classes.label_of_tuple.nbytes > KEPT_BYTES:
            self.kept.popitem(last=False)


def check_nesting(sweep: Sweep, evaluations: Sequence[Evaluation | None]) -> None:
    """Raise a PolicyError if a scheme loses less, or fewer records, at a tighter threshold."""
    found = [
        (value, evaluation)
        for value, evaluation in zip(sweep.thresholds, evaluations, strict=True)
        if evaluation is not None
    ]
    for (loose, looser), (tight, tighter) in pairwise(found):
        fewer = tighter.suppressed_records < looser.suppressed_records
        if fewer or tighter.loss < looser.loss - TIE:
            name, parameter = sweep.models[0][0].name, sweep.parameter
            raise PolicyError(
                f"frontier: {name} declares that {parameter.name} tightens {parameter.tightens}, but the "
                f"same scheme suppresses {looser.suppressed_records} records with {loose:g} and "
                f"{tighter.suppressed_records} with {tight:g}; correct its `parameters`."
            )


@dataclass(frozen=True, eq=False)
class AtThreshold(Evaluator):
    """The evaluator of one threshold of a sweep, which remembers what was evaluated for another."""

    shared: SweepEvaluator = field(kw_only=True)
    place: int = field(kw_only=True)

    @staticmethod
    def of(shared: SweepEvaluator, place: int) -> AtThreshold:
        """Return that of a threshold."""
        own = shared.evaluators[place]
        given = own.microdata, own.models, own.measure, own.suppression_limit, own.groups
        return AtThreshold(*given, shared=shared, place=place)

    def evaluate(self, scheme: Scheme, cutoff: float = math.inf) -> Evaluation:
        """Evaluate a scheme, or remember it from another threshold."""
        return self.shared.evaluate(scheme, self.place, cutoff)


def least_sizes(sweep: Sweep, evaluator: Evaluator) -> NDArray[np.int64] | None:
    """Return the size each class must have at each threshold, where that is all the models ask for."""
    if evaluator.measure.cover is None or evaluator.groups:
        return None
    people = evaluator.microdata.number_of_people
    asked = [asked_by(models, people) for models in sweep.models]
    if not all(each.only for each in asked):
        return None
    sizes = [each.least_class for each in asked]
    # where a tighter value asks for less, the thresholds are looked at one by one, and that shows
    return np.array(sizes, np.int64) if sizes == sorted(sizes) else None


def check_least_class(evaluator: Evaluator, classes: EquivalenceClasses) -> None:
    """Raise a PolicyError if a model is not as simple as it declares."""
    for model in evaluator.models:
        small = classes.sizes < model.asks(classes.input_people).least_class
        if (model.violating(classes) != small).any():
            raise PolicyError(
                f"frontier: {model.name} asks for nothing but a least class, but larger classes violate "
                "it, or smaller ones do not; correct `asks` or `violating`."
            )


def judge_by_size(
    evaluator: Evaluator, classes: EquivalenceClasses, least: NDArray[np.int64]
) -> list[Evaluation]:
    """Suppress and score the classes of a scheme for all least sizes, in ascending order, at once.

    A class too small for one size is too small for all larger ones.
    """
    step_of_class = np.searchsorted(least, classes.sizes, side="right")
    cover = evaluator.measure.cover
    assert cover is not None  # see `least_sizes`
    found = appraise_steps(cover, evaluator.microdata, classes, step_of_class, least.size)
    records = np.bincount(step_of_class, classes.records, least.size + 1)[: least.size]
    limit = evaluator.suppression_limit
    return [
        Evaluation(
            classes.scheme, count, each.loss, count <= limit, count, count > limit, each.terms,
            each.floor,
        )
        for count, each in zip(np.cumsum(records.astype(np.int64)).tolist(), found, strict=True)
    ]  # fmt: skip
