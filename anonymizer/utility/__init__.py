"""Measures of what a release is still worth."""

from dataclasses import fields
from typing import Any

from anonymizer.utility.aggregate import Aggregate
from anonymizer.utility.ambiguity import Ambiguity
from anonymizer.utility.class_sizes import AverageClassSize, Discernibility
from anonymizer.utility.entropy import Entropy
from anonymizer.utility.general_loss import EVEN, GeneralLoss
from anonymizer.utility.height import Height
from anonymizer.utility.kl_divergence import KLDivergence
from anonymizer.utility.loss import Loss
from anonymizer.utility.measure import Appraisal, Measure, Released
from anonymizer.utility.precision import Precision

MEASURES: dict[str, type[Measure]] = {
    measure.name: measure
    for measure in (
        Loss,
        Entropy,
        Discernibility,
        AverageClassSize,
        Precision,
        Height,
        Ambiguity,
        KLDivergence,
    )
}
"""The measures a policy can ask for, by name."""


def parameters_of(name: str) -> set[str]:
    """Name the parameters of a measure: its aggregate, its factor, the attributes' weights, or none.

    >>> parameters_of("ambiguity"), sorted(parameters_of("entropy"))
    (set(), ['aggregate', 'weights'])
    """
    measure: Any = GeneralLoss if MEASURES[name] is Loss else MEASURES[name]
    return {field.name for field in fields(measure)}


def make_measure(name: str, **parameters: object) -> Measure:
    """Make a measure of the parameters it has; the others are left aside."""
    if MEASURES[name] is Loss:
        return make_loss(**parameters)  # type: ignore[arg-type]
    measure: Any = MEASURES[name]
    made: Measure = measure(**{key: parameters[key] for key in parameters_of(name)})
    return made


def make_loss(
    aggregate: Aggregate, weights: tuple[float, ...], factor: float = EVEN
) -> Loss | GeneralLoss:
    """Make Iyengar's loss: the one with faster bounds, where that is what is asked for."""
    if aggregate.is_mean and factor == EVEN:
        return Loss(aggregate, weights)
    return GeneralLoss(aggregate, weights, factor)


__all__ = [
    "EVEN",
    "MEASURES",
    "Aggregate",
    "Ambiguity",
    "Appraisal",
    "AverageClassSize",
    "Discernibility",
    "Entropy",
    "GeneralLoss",
    "Height",
    "KLDivergence",
    "Loss",
    "Measure",
    "Precision",
    "Released",
    "make_loss",
    "make_measure",
    "parameters_of",
]
