"""Height: how many levels up the hierarchies a release is, of all levels there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.partition import sum_chosen
from anonymizer.risk.remaining import Binding
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.utility.measure import Appraisal, Measure, Released, sum_left_to_right


@dataclass(frozen=True, slots=True)
class Height(Measure):
    """The sum of the levels, over that of the highest levels; a suppressed record is at the top.

    An attribute of one level has its top one above it, which no kept value reaches.

    Samarati (2001) counts the levels alone, as ARX does: then suppressing everything costs nothing. The
    bound: a finer scheme suppresses at least as many records as must go.
    """

    name: ClassVar[str] = "height"

    def appraise(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        suppressed: NDArray[np.bool_],
        binding: Binding,
    ) -> Appraisal:
        """Weigh the levels of the kept records, and those of the records that must go."""
        scheme, tops = classes.scheme, np.maximum(microdata.lattice.high, 1)
        gone = sum_chosen(classes.records, suppressed)
        must_go = max(0, sum_chosen(classes.records, binding.classes) - binding.exempt)
        levels = np.minimum(np.arange(tops.max() + 1), tops[:, np.newaxis])
        own = lost_height(np.array(scheme), tops, microdata.records, gone)
        bounds = lost_height(levels, tops[:, np.newaxis], microdata.records, must_go)
        return Appraisal(sum_left_to_right(own), bounds)

    def of_release(self, released: Released) -> tuple[float, tuple[float, ...]]:
        """Count the levels of the released records."""
        tops = np.maximum(released.heights - 1, 1)
        lost = lost_height(released.levels, tops, released.records, released.suppressed)
        return sum_left_to_right(lost), ()


def lost_height(
    levels: NDArray[np.int64], tops: NDArray[np.int64], records: int, suppressed: int
) -> NDArray[np.float64]:
    """Return what each attribute adds to the loss at its level: sums of whole numbers, so exact.

    >>> lost_height(np.array([1, 0]), np.array([3, 1]), records=10, suppressed=0).tolist()
    [0.25, 0.0]
    """
    total = records * int(tops.sum())
    lost: NDArray[np.float64] = ((records - suppressed) * levels + suppressed * tops) / total
    return lost
