"""Measurement: what a scheme with some classes suppressed makes of a table, as the engine finds it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import Suppression, greatest_kept, suppress
from anonymizer.lattice import Scheme
from anonymizer.risk import Binding, Remaining, RiskModel
from anonymizer.risk.profile import attacker, everyone_in
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.microdata import Microdata


@dataclass(frozen=True, slots=True)
class Measurement:
    """The figures of a scheme with some classes suppressed; risks are in the order of the models."""

    scheme: dict[str, int]
    suppressed: int
    """Records."""
    quality: float
    within_limit: bool
    """Whether the suppressed records are within the policy's suppression limit."""
    meets: bool
    """Whether what is left meets every risk model."""
    risks: tuple[float, ...]
    """Each model's own risk of the records that are left; infinite where it cannot be estimated."""
    unsuppressed_risks: tuple[float, ...]
    """The same with nothing suppressed: what suppression has to deal with."""
    highest: float
    """The prosecutor's highest risk of the records that are left."""
    average: float
    """The prosecutor's average risk of the records that are left."""
    unsuppressed_average: float
    """The same with nothing suppressed."""
    smallest_class: int
    """Records in the smallest class that is left; 0 where none is."""

    def describe(self) -> dict[str, Any]:
        """Return the figures as JSON; a risk that cannot be estimated is null, never 0."""
        return {
            "scheme": self.scheme,
            "suppressed": self.suppressed,
            "quality": self.quality,
            "within_limit": self.within_limit,
            "meets": self.meets,
            "risks": [finite(risk) for risk in self.risks],
            "unsuppressed_risks": [finite(risk) for risk in self.unsuppressed_risks],
            "highest": self.highest,
            "average": self.average,
            "unsuppressed_average": self.unsuppressed_average,
            "smallest_class": self.smallest_class,
        }


def finite(risk: float) -> float | None:
    """Return a risk as JSON can hold it.

    >>> finite(0.25), finite(math.inf)
    (0.25, None)
    """
    return risk if math.isfinite(risk) else None


def measure(evaluator: Evaluator, scheme: Scheme) -> Measurement:
    """Measure a scheme with what the policy's models suppress."""
    classes = partition(evaluator.microdata, scheme)
    suppression = suppress(evaluator.microdata, classes, evaluator.models)
    return measure_classes(evaluator, suppression.classes, suppression.suppressed)


def measure_classes(
    evaluator: Evaluator, classes: EquivalenceClasses, suppressed: NDArray[np.bool_]
) -> Measurement:
    """Measure the classes of a scheme with some of them suppressed, whether or not that is enough."""
    microdata, models = evaluator.microdata, evaluator.models
    score = evaluator.score(Suppression(classes, suppressed, Binding(suppressed)))
    sizes = classes.sizes[~suppressed]
    whole = risks_left(microdata, classes, np.zeros_like(suppressed), models)
    left = risks_left(microdata, classes, suppressed, models) if suppressed.any() else whole
    prosecutor = attacker(1 / sizes, everyone_in(microdata, classes, ~suppressed))
    all_classes = np.ones_like(suppressed)
    return Measurement(
        scheme=dict(zip(microdata.attributes, classes.scheme, strict=True)),
        suppressed=score.suppressed_records,
        quality=score.quality,
        within_limit=score.feasible,
        meets=meets(microdata, classes, suppressed, models),
        risks=left,
        unsuppressed_risks=whole,
        highest=prosecutor.highest,
        average=prosecutor.average,
        unsuppressed_average=attacker(
            1 / classes.sizes, everyone_in(microdata, classes, all_classes)
        ).average,
        smallest_class=int(sizes.min()) if sizes.size else 0,
    )


def risks_left(
    microdata: Microdata,
    classes: EquivalenceClasses,
    suppressed: NDArray[np.bool_],
    models: Sequence[RiskModel],
) -> tuple[float, ...]:
    """Return each model's risk of the classes that are not suppressed; NaN counts as infinite."""
    remaining = Remaining(microdata, classes, suppressed)
    risks = (float(model.risk(remaining)) for model in models)
    return tuple(math.inf if math.isnan(risk) else risk for risk in risks)


def meets(
    microdata: Microdata,
    classes: EquivalenceClasses,
    suppressed: NDArray[np.bool_],
    models: Sequence[RiskModel],
) -> bool:
    """Whether nobody who is left violates a model, and the table that is left passes them all."""
    gone = suppressed[classes.label_of_tuple]
    more = greatest_kept(microdata, classes, models, gone)
    remaining = Remaining(microdata, classes, suppressed)
    return bool((more == gone).all()) and all(model.passes(remaining) for model in models)
