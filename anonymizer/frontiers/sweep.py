"""Sweep: one risk model of a policy at many thresholds, and a scheme evaluated once for all of them."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from anonymizer.engine.classes import EquivalenceClasses, partition
from anonymizer.errors import PolicyError
from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.kernels.partition import select_by_label, sum_covered_by_step
from anonymizer.lattice import Scheme
from anonymizer.risk import KAnonymity, KMap, RiskModel
from anonymizer.utility import Loss
from anonymizer.utility.loss import attribute_loss
from anonymizer.utility.measure import sum_left_to_right

SWEEPS: dict[str, tuple[str, tuple[float, ...]]] = {
    "k-anonymity": ("k", tuple(range(2, 51))),
    "k-map": ("k", tuple(range(2, 51))),
    "average": ("threshold", tuple(round(0.01 * step, 2) for step in range(50, 0, -1))),
    "strict-average": ("threshold", tuple(round(0.01 * step, 2) for step in range(50, 0, -1))),
    "sample-uniqueness": ("threshold", tuple(10.0**-e for e in range(1, 6))),
    "p-uniqueness": ("threshold", tuple(10.0**-e for e in range(2, 9))),
    "overall": ("threshold", (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)),
}
"""What is varied of each model, and over which values if the user names none, loosest first."""


KEPT_BYTES = 1 << 29
"""For classes that are kept from threshold to threshold."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The risk models of a policy with one of them at many thresholds, loosest first.

    >>> Sweep.of([KAnonymity(5)], [3, 2]).thresholds
    (2, 3)
    """

    parameter: str
    thresholds: tuple[float, ...]
    varied: int
    """Which of the models is varied."""
    models: tuple[tuple[RiskModel, ...], ...]
    """For each value, all models of the policy."""

    @staticmethod
    def of(
        models: Sequence[RiskModel], values: Iterable[float] | None = None, **changes: Any
    ) -> Sweep:
        """Vary the first model that has a threshold to vary, with `changes` made to it first."""
        varied, parameter, usual = find_varied(models)
        base = change_model(models[varied], changes)
        ordered = sort_loosest_first(parameter, usual if values is None else values)
        versions = [make_version(base, parameter, value) for value in ordered]
        return Sweep(
            parameter,
            tuple(ordered),
            varied,
            tuple((*models[:varied], version, *models[varied + 1 :]) for version in versions),
        )

    def __len__(self) -> int:
        return len(self.thresholds)


def find_varied(models: Sequence[RiskModel]) -> tuple[int, str, tuple[float, ...]]:
    """Return which model is varied, by which parameter, and its usual values."""
    for place, model in enumerate(models):
        names = {field.name for field in fields(model)}  # type: ignore[arg-type]
        if model.name in SWEEPS:
            return place, *SWEEPS[model.name]
        if "threshold" in names:
            return place, "threshold", SWEEPS["average"][1]
    raise PolicyError(
        "policy: none of its risk models has a k or a threshold that could be varied; add one that has."
    )


def sort_loosest_first(parameter: str, values: Iterable[float]) -> list[float]:
    """Order values without repeats: small k and large thresholds are loose."""
    ordered = sorted(set(values), reverse=parameter != "k")
    if not all(math.isfinite(value) for value in ordered):
        raise PolicyError(f"frontier: {parameter} must be a finite number; leave out nan and inf.")
    if not ordered:
        raise PolicyError("frontier: no threshold is given; name at least one.")
    return ordered


def make_version(model: Any, parameter: str, value: float) -> RiskModel:
    """Return the model at another threshold, or say what is wrong with it."""
    if parameter == "k" and value == math.floor(value):
        value = int(value)
    return change_model(model, {parameter: value})


def change_model(model: Any, changes: dict[str, Any]) -> RiskModel:
    """Return the model with other parameters, or say what is wrong with them."""
    there = {field.name for field in fields(model)}
    for name, value in changes.items():
        if name not in there:
            raise PolicyError(f"frontier: {model.name} has no parameter '{name}'; leave it out.")
        try:
            model = replace(model, **{name: value})
        except (ValueError, TypeError) as error:
            raise PolicyError(f"frontier: {model.name} with {name} = {value}: {error}.") from None
    changed: RiskModel = model
    return changed


class SweepEvaluator:
    """Partitions a scheme once for every threshold of a sweep.

    Where the models ask for a least class size only, all thresholds are evaluated together; else each
    when it is asked for, from the classes that are kept in memory as long as there is room.
    """

    def __init__(self, evaluator: Evaluator, sweep: Sweep) -> None:
        self.evaluators = [replace(evaluator, models=models) for models in sweep.models]
        self.least_sizes = least_sizes(sweep, evaluator)
        self.known: list[dict[Scheme, Evaluation]] = [{} for _ in sweep.thresholds]
        self.partitioned: set[Scheme] = set()
        self.kept: OrderedDict[Scheme, EquivalenceClasses] = OrderedDict()

    def evaluate(self, scheme: Scheme, place: int) -> Evaluation:
        """Evaluate a scheme at one threshold, or remember it."""
        known = self.known[place]
        if scheme not in known:
            classes = self.classes(scheme)
            if self.least_sizes is None:
                known[scheme] = self.evaluators[place].judge(classes).evaluation
            else:
                found = judge_by_size(self.evaluators[0], classes, self.least_sizes)
                for at, evaluation in zip(self.known, found, strict=True):
                    at[scheme] = evaluation
        return known[scheme]

    def classes(self, scheme: Scheme) -> EquivalenceClasses:
        """Return the classes of a scheme, kept from an earlier threshold if they still are."""
        found = self.kept.get(scheme)
        if found is None:
            found = partition(self.evaluators[0].microdata, scheme)
            self.partitioned.add(scheme)
            self.keep(found)
        return found

    def keep(self, classes: EquivalenceClasses) -> None:
        """Keep classes for the next thresholds, and let go of the oldest where they take too much."""
        self.kept[classes.scheme] = classes
        if len(self.kept) * classes.label_of_tuple.nbytes > KEPT_BYTES:
            self.kept.popitem(last=False)


@dataclass(frozen=True, slots=True, eq=False)
class AtThreshold:
    """What a search asks for its evaluations: one threshold of a sweep."""

    shared: SweepEvaluator
    place: int

    @property
    def own(self) -> Evaluator:
        """The evaluator of this threshold alone."""
        return self.shared.evaluators[self.place]

    @property
    def microdata(self) -> Any:
        """The table."""
        return self.own.microdata

    @property
    def models(self) -> Sequence[RiskModel]:
        """The models at this threshold."""
        return self.own.models

    @property
    def measure(self) -> Any:
        """The utility measure."""
        return self.own.measure

    def evaluate(self, scheme: Scheme) -> Evaluation:
        """Evaluate a scheme, or remember it from another threshold."""
        return self.shared.evaluate(scheme, self.place)


def least_sizes(sweep: Sweep, evaluator: Evaluator) -> np.ndarray[Any, np.dtype[np.int64]] | None:
    """Return the size each class must have at each threshold, where that is all the models ask for."""
    if len(sweep.models[0]) > 1 or not isinstance(evaluator.measure, Loss):
        return None
    sizes = []
    for (model,) in sweep.models:
        if type(model) is KAnonymity:
            sizes.append(model.k)
        elif type(model) is KMap and model.population is not None:
            sizes.append(model.least_size(evaluator.microdata.records))
        else:
            return None
    return np.array(sizes, np.int64)


def judge_by_size(
    evaluator: Evaluator, classes: EquivalenceClasses, least: np.ndarray[Any, np.dtype[np.int64]]
) -> list[Evaluation]:
    """Suppress and score the classes of a scheme for all least sizes at once.

    A class too small for one size is too small for all larger ones: what the suppressed records cover
    is summed by the first size they are too small for, and then added up.
    """
    microdata, scheme, measure = evaluator.microdata, classes.scheme, evaluator.measure
    assert isinstance(measure, Loss)  # least_sizes
    step_of_class = np.searchsorted(least, classes.sizes, side="right")
    chosen = select_by_label(classes.label_of_tuple, step_of_class < least.size)
    steps = step_of_class[classes.label_of_tuple[chosen]]
    covered = sum_covered_by_step(
        chosen, steps, least.size, microdata.codes, microdata.counts, microdata.domain.covered,
        microdata.domain.offsets, np.array(scheme),
    )  # fmt: skip
    records = np.bincount(step_of_class, classes.sizes, least.size + 1)[: least.size]
    suppressed = np.cumsum(records.astype(np.int64))
    sizes = microdata.domain.sizes[:, np.newaxis]
    total = microdata.total_covered - np.cumsum(covered, axis=0)
    losses = attribute_loss(
        total + suppressed[:, np.newaxis, np.newaxis] * sizes, microdata.records, sizes
    )
    terms = np.moveaxis(measure.terms(np.moveaxis(losses, 1, 0)), 1, 0)
    own = terms[:, range(len(scheme)), scheme]
    limit = evaluator.suppression_limit
    return [
        Evaluation(
            scheme, count, measure.of_terms(sum_left_to_right(mine)), count <= limit, count,
            count > limit, bounds,
        )
        for count, mine, bounds in zip(suppressed.tolist(), own, terms, strict=True)
    ]  # fmt: skip
