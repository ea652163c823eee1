"""Precision: how far up its hierarchy each value was generalized.

Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, 2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.partition import sum_chosen
from anonymizer.lattice import Lattice
from anonymizer.risk.remaining import Binding
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.utility.aggregate import Aggregate
from anonymizer.utility.measure import AttributeMeasure, Released, relative_weights


@dataclass(frozen=True, slots=True)
class Precision(AttributeMeasure):
    """One minus Sweeney's precision: the mean over attributes and records of level / highest level.

    A suppressed record counts as 1 in every attribute. The bound: a finer scheme suppresses at least
    as many records as must go, and no kept value loses more than a suppressed one.
    """

    name: ClassVar[str] = "precision"

    weights: tuple[float, ...]
    aggregate: Aggregate = Aggregate.ARITHMETIC

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", relative_weights(self.weights))

    def losses(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        gone: Binding,
        box: Lattice,  # noqa: ARG002 - what lies outside costs nothing here
    ) -> NDArray[np.float64]:
        """Return the loss of each attribute at every level, with some records gone."""
        heights = np.array([column.hierarchy.height for column in microdata.columns])
        records = max(0, sum_chosen(classes.records, gone.classes) - gone.exempt)
        levels = np.arange(heights.max())
        return attribute_precision(levels, heights[:, np.newaxis], microdata.records, records)

    def of_release(self, released: Released) -> tuple[float, tuple[float, ...]]:
        """Count the levels of the released records."""
        losses = attribute_precision(
            released.levels, released.heights, released.records, released.suppressed
        )
        return self.combine(losses)


def attribute_precision(
    levels: NDArray[np.int64], heights: NDArray[np.int64], records: int, suppressed: int
) -> NDArray[np.float64]:
    """Return the precision that attributes lose at their levels: sums of whole numbers, so exact.

    >>> attribute_precision(np.array([1]), np.array([5]), records=10, suppressed=2).tolist()
    [0.4]
    """
    top = np.maximum(heights - 1, 1)  # where there is but one level, a kept value loses nothing
    lost: NDArray[np.float64] = ((records - suppressed) * levels + suppressed * top) / (
        records * top
    )
    return lost
