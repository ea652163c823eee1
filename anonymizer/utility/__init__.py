"""Measures of what a release is still worth."""

from dataclasses import fields
from typing import Any

from anonymizer.utility.ambiguity import Ambiguity
from anonymizer.utility.class_sizes import AverageClassSize, Discernibility
from anonymizer.utility.entropy import Entropy
from anonymizer.utility.height import Height
from anonymizer.utility.loss import Aggregate, Loss
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
    )
}
"""The measures a policy can ask for, by name."""


def parameters_of(name: str) -> set[str]:
    """Name the parameters of a measure: its aggregate, the attributes' weights, or none.

    >>> parameters_of("entropy")
    {'weights'}
    """
    measure: Any = MEASURES[name]
    return {field.name for field in fields(measure)}


def make_measure(name: str, **parameters: object) -> Measure:
    """Make a measure of the parameters it has; the others are left aside."""
    measure: Any = MEASURES[name]
    made: Measure = measure(**{key: parameters[key] for key in parameters_of(name)})
    return made


__all__ = [
    "MEASURES",
    "Aggregate",
    "Ambiguity",
    "Appraisal",
    "AverageClassSize",
    "Discernibility",
    "Entropy",
    "Height",
    "Loss",
    "Measure",
    "Precision",
    "Released",
    "make_measure",
    "parameters_of",
]
