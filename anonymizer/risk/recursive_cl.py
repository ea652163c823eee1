"""Recursive (c, l)-diversity: the most frequent value of a class is not too frequent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.histograms import tail_ratios
from anonymizer.kernels.most_kept import most_even
from anonymizer.risk.parameters import Direction, Parameter, check_whole
from anonymizer.risk.sensitive import (
    SLACK,
    Floats,
    SensitiveModel,
    check_positive,
    check_values_enough,
)
from anonymizer.table.microdata import Microdata
from anonymizer.table.sensitive import ClassHistograms


@dataclass(frozen=True)
class RecursiveCL(SensitiveModel):
    """The most frequent value of every class is less than c times all but the l - 1 most frequent.

    In symbols r_1 < c (r_l + ... + r_m), r being the counts in descending order (Machanavajjhala et al.
    2007); a class of fewer than l values violates it.

    >>> print(RecursiveCL("diagnosis", c=3, l=2))
    recursive-cl of 'diagnosis' with c = 3 and l = 2
    """

    name: ClassVar[str] = "recursive-cl"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("l", Direction.UP, (2, 3, 4, 5, 6), whole=True, meaning="values, at least"),
        Parameter("c", Direction.DOWN, (10, 5, 4, 3, 2, 1), meaning="most frequent over the rest"),
    )

    c: float
    l: int  # noqa: E741 - as it is called in the field

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("c", self.c)
        check_whole("l", self.l)

    def __str__(self) -> str:
        return f"{self.name} of '{self.attribute}' with c = {self.c:g} and l = {self.l}"

    def prepare(self, microdata: Microdata) -> None:
        """Check that there are so many values."""
        super().prepare(microdata)
        check_values_enough(self, self.l, microdata)

    def ratios(self, histograms: ClassHistograms) -> Floats:
        """Return the most frequent over the sum of all but the l - 1 most frequent."""
        found: Floats = tail_ratios(histograms.starts, histograms.counts, self.l)
        return found

    def exposure(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:  # noqa: ARG002
        """Return the share of the most frequent among it and that sum."""
        return 1 - 1 / (1 + self.ratios(histograms))

    def exceeds(self, histograms: ClassHistograms, microdata: Microdata) -> NDArray[np.bool_]:  # noqa: ARG002
        """Mark the classes in which the most frequent value has at least c times that sum."""
        return self.ratios(histograms) >= self.c * (1 - SLACK)

    def most_passing(
        self,
        histograms: ClassHistograms,
        microdata: Microdata,  # noqa: ARG002
        chosen: NDArray[np.bool_],
    ) -> Floats:
        """Cut the most frequent values to one number until the class passes.

        r_1 - c (r_l + ... + r_m) is convex and homogeneous: what passes, joined, passes.
        """
        found: Floats = most_even(
            histograms.starts, histograms.counts, chosen, False, self.l, self.c
        )
        return found
