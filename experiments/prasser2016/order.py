"""The order of suppression to the letter: the class with the least information first, whatever its size.

In the strict averages of Tables 2 and 3 the limit on single classes does all the work at the optimum, so
that no order plays a part. Limits on the average alone are added, under which it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.risk import StrictAverage
from anonymizer.risk.remaining import Order
from anonymizer.solution.solution import anonymize
from anonymizer.table.classes import EquivalenceClasses, information_content
from anonymizer.table.microdata import Microdata
from experiments.prasser2016 import paper
from experiments.prasser2016.releases import Dataset
from experiments.prasser2016.tables import OnStep

AVERAGES = (0.2, 0.1, 0.05)


@dataclass(frozen=True)
class ByInformation(StrictAverage):
    """A strict average for which the class with the least information content goes first.

    That is n times the mean of 1 - share; ours goes by size, and only among equals by information.
    """

    name: ClassVar[str] = "strict-average-by-information"

    @property
    def order(self) -> Order:
        """The least information content first."""
        return least_informative


def least_informative(microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.float64]:
    """Return a number for each class that is highest where the least information is lost with it."""
    every = np.arange(classes.sizes.size)
    return -classes.records * information_content(microdata, classes, every)


def order_table(datasets: Sequence[Dataset], on_step: OnStep) -> pd.DataFrame:
    """Return the optima by both orders for the strict averages of Tables 2 and 3, and averages alone."""
    strict = [row.risk for row in paper.ROWS if row.risk["model"] == StrictAverage.name]
    limits = [(risk["k"], risk["threshold"]) for risk in strict]
    limits += [(1, threshold) for threshold in AVERAGES]
    found = []
    for dataset in datasets:
        for k, threshold in limits:
            on_step(f"{dataset.name.upper()}: order of suppression, {threshold:g} with k' = {k}")
            found.append(compare(dataset, k, threshold))
    return pd.DataFrame(found)


def compare(dataset: Dataset, k: int, threshold: float) -> dict[str, Any]:
    """Search with both orders."""
    ours, literal = (
        anonymize(dataset.problem.with_models(model(k=k, threshold=threshold)))
        for model in (StrictAverage, ByInformation)
    )
    return {
        "data": dataset.name,
        "k": k,
        "average": threshold,
        "quality": 100 * ours.quality,
        "suppressed": ours.suppressed,
        "quality to the letter": 100 * literal.quality,
        "suppressed to the letter": literal.suppressed,
        "same": (ours.scheme, ours.suppressed, round(ours.loss, 12))
        == (literal.scheme, literal.suppressed, round(literal.loss, 12)),
        "proven": ours.status == literal.status == "optimal",
    }
