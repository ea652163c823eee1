"""Explanation of a release in layers: what each layer does, who lost most, and what is given away.

What is safe to show is as in an explanation of one scheme. Values appear only as those of released
classes that have as many records as each model asks for (`least_shown`); suppressed records are counted.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.display import Displayed
from anonymizer.explanation.next_threshold import least_shown
from anonymizer.layers.costs import Costs
from anonymizer.layers.layering import Layering
from anonymizer.layers.narrowing import Narrowed
from anonymizer.risk.reference import ReferenceDistances
from anonymizer.risk.sensitive_profile import SensitiveProfile
from anonymizer.solution.layered import Layer
from anonymizer.solution.solution import Solution

MOST_SHOWN = 10
"""So many of the classes that lost most are shown by their values."""


@dataclass(frozen=True, slots=True)
class CoarseClass:
    """A released class: its values, as the release has them, its records, and what each of them lost."""

    generalized: dict[str, str]
    records: int
    loss: float
    """The weighted mean over the attributes of what one record lost, 0 to 1."""


@dataclass(frozen=True, slots=True, repr=False)
class LayeredExplanation(Displayed):
    """What a release in layers does to whom."""

    models: tuple[str, ...]
    """The policy's models in words."""
    records: int
    suppressed: int
    quality: float
    bound: float | None
    """No release in layers loses less; None where the layers were given."""
    highest: float
    """The prosecutor's highest risk of the records that are left."""
    average: float
    """The prosecutor's average risk of the records that are left."""
    layers: tuple[Layer, ...]
    """The layer with most records first."""
    levels: dict[str, tuple[int, ...]]
    """For each attribute, the records released at each of its levels, the finest first."""
    bear_half: int
    """The records, suppressed ones first and then those that lost most, that bear half of the loss."""
    lost_most: tuple[CoarseClass, ...]
    """The classes whose records lost most, where a class of that size may be shown."""
    narrowed: Narrowed | None
    """None where it is not known."""
    classes: int
    """How many classes are released."""
    sensitive: dict[str, SensitiveProfile]
    """What they give away about each sensitive attribute."""
    references: tuple[ReferenceDistances, ...]
    """How far they are from input and release, by each model that compares with one."""

    def describe(self) -> dict[str, Any]:
        """Return all of it as JSON."""
        return {
            "models": list(self.models),
            "records": self.records,
            "suppressed": self.suppressed,
            "quality": self.quality,
            "bound": self.bound,
            "highest": self.highest,
            "average": self.average,
            "layers": [layer.describe() for layer in self.layers],
            "levels": {name: list(records) for name, records in self.levels.items()},
            "bear_half": self.bear_half,
            "lost_most": [asdict(each) for each in self.lost_most],
            "classes": self.classes,
            "sensitive": {name: asdict(found) for name, found in self.sensitive.items()},
            "narrowed": None if self.narrowed is None else self.narrowed.describe(),
        }


def explain_layers(solution: Solution) -> LayeredExplanation:
    """Explain a solution in layers."""
    layering, prosecutor = solution.release.layering, solution.after.prosecutor
    lost = lost_by_tuple(solution, layering)
    return LayeredExplanation(
        models=tuple(str(model) for model in solution.problem.models),
        records=solution.records,
        suppressed=solution.suppressed,
        quality=solution.quality,
        bound=solution.bound,
        highest=prosecutor.highest,
        average=prosecutor.average,
        layers=tuple(sorted(solution.layers, key=lambda layer: -layer.records)),
        levels=records_by_level(layering),
        bear_half=bear_half(lost, layering.microdata.counts),
        lost_most=find_lost_most(solution, lost),
        narrowed=solution.narrowed,
        classes=solution.after.classes,
        sensitive=solution.after.sensitive,
        references=solution.references,
    )


def lost_by_tuple(solution: Solution, layering: Layering) -> NDArray[np.float64]:
    """Return what a record of each tuple loses, 0 to 1."""
    cover, microdata = solution.problem.measure.cover, layering.microdata
    assert cover is not None  # layers are weighed by no other
    costs = Costs.of(microdata, cover.weights)
    levels = np.array([layering.levels(a) for a in range(len(microdata.attributes))])
    return np.where(layering.suppressed, costs.whole, costs.of_tuples(microdata, levels))


def records_by_level(layering: Layering) -> dict[str, tuple[int, ...]]:
    """Count the records that are released at each level of each attribute."""
    microdata, kept = layering.microdata, ~layering.suppressed
    counts = {}
    for a, column in enumerate(microdata.columns):
        records = np.bincount(
            layering.levels(a)[kept], microdata.counts[kept], column.hierarchy.height
        )
        counts[column.hierarchy.name] = tuple(records.astype(np.int64).tolist())
    return counts


def bear_half(lost: NDArray[np.float64], counts: NDArray[np.int32]) -> int:
    """Return the fewest records whose losses sum up to half of the loss of all.

    >>> bear_half(np.array([0.5, 0.1]), np.array([2, 10], np.int32))
    2
    """
    order = np.argsort(-lost, kind="stable")
    sums = np.cumsum((lost * counts)[order])
    if sums[-1] == 0:
        return 0
    last = int(np.searchsorted(sums, sums[-1] / 2 * (1 - 1e-12)))
    each, before = lost[order[last]], float(sums[last - 1]) if last else 0.0
    records = int(counts[order[:last]].sum())
    return records + int(np.ceil((sums[-1] / 2 - before) / each - 1e-9))


def find_lost_most(solution: Solution, lost: NDArray[np.float64]) -> tuple[CoarseClass, ...]:
    """Return the released classes whose records lost most, of those that may be shown."""
    classes, suppressed = solution.outcome.classes, solution.outcome.suppressed
    least = least_shown(solution.problem.models, classes.input_people)
    if least is None:
        return ()
    shown = np.flatnonzero(~suppressed & (classes.sizes >= least) & (lost[classes.first_tuple] > 0))
    each = lost[classes.first_tuple[shown]]
    order = shown[np.lexsort((-classes.records[shown], -np.round(each, 12)))][:MOST_SHOWN]
    values = texts_of_tuples(solution.release.layering, classes.first_tuple[order])
    return tuple(
        CoarseClass(generalized, int(classes.records[label]), float(lost[classes.first_tuple[label]]))
        for label, generalized in zip(order.tolist(), values, strict=True)
    )  # fmt: skip


def texts_of_tuples(layering: Layering, tuples: NDArray[np.int32]) -> list[dict[str, str]]:
    """Return the values of some tuples as the release has them."""
    columns = []
    for a in range(len(layering.microdata.attributes)):
        numbers, texts = layering.values(a)
        columns.append([texts[number] for number in numbers[tuples].tolist()])
    names = layering.microdata.attributes
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
