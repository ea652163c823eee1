"""beta-likeness: no value becomes much more likely for somebody whose class is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.histograms import highest_ratios, outside_shares
from anonymizer.kernels.most_kept import most_under_caps
from anonymizer.risk.criterion import Criterion
from anonymizer.risk.parameters import Direction, Parameter
from anonymizer.risk.sensitive import SLACK, ComparingModel, Floats, check_positive
from anonymizer.table.microdata import Microdata
from anonymizer.table.sensitive import ClassHistograms


@dataclass(frozen=True)
class BetaLikeness(ComparingModel):
    """For every value of every class, (p - q) / q is at most beta (Cao and Karras 2012).

    p is the share of the class's people who have the value, q that of all people. Enhanced, it is at most
    the lesser of beta and -ln q. Of `values`, where they are named, alone.

    >>> print(BetaLikeness("diagnosis", 2, enhanced=True))
    enhanced beta-likeness of 'diagnosis' with beta = 2
    """

    name: ClassVar[str] = "beta-likeness"
    judges_all: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("beta", Direction.DOWN, (4, 3, 2, 1, 0.5), meaning="relative gain, at most"),
    )

    beta: float
    enhanced: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("beta", self.beta)
        if not isinstance(self.enhanced, bool):
            raise ValueError(f"enhanced must be true or false, got {self.enhanced!r}")

    def __str__(self) -> str:
        kind = "enhanced " if self.enhanced else ""
        return f"{kind}{self.name} of '{self.attribute}' with beta = {self.beta:g}{self.suffix}"

    def caps(self, microdata: Microdata) -> Floats:
        """Return the largest share that each value may have in a class, found once."""
        return microdata.once(self, lambda: self.find_caps(microdata))

    def find_caps(self, microdata: Microdata) -> Floats:
        """Find the largest share that each value may have in a class."""
        column = self.column(microdata)
        q = np.maximum(column.shares_of_people - column.below, 0.0)
        limit = np.full(q.size, float(self.beta))
        if self.enhanced:
            limit = np.minimum(limit, -np.log(np.maximum(q, np.finfo(float).tiny)))
        return np.where(self.chosen(microdata), (1 + limit) * q, np.inf)

    def exposure(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return gain / (1 + gain) for the value that gains most: 1 - q / p."""
        return 1 - 1 / np.maximum(self.ratios(histograms, microdata), 1.0)

    def distances_of(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return the largest gain (p - q) / q of each class."""
        return self.ratios(histograms, microdata) - 1

    def ratios(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return the largest p / q of each class."""
        q = self.column(microdata).shares_of_people
        weights = np.where(self.chosen(microdata), q, np.inf)
        ratios: Floats = highest_ratios(
            histograms.starts, histograms.values, histograms.counts, histograms.sizes, weights
        )
        return ratios

    def exceeds(self, histograms: ClassHistograms, microdata: Microdata) -> NDArray[np.bool_]:
        """Mark the classes in which a value is too frequent."""
        least, most = self.limits(microdata)
        parts = histograms.starts, histograms.values, histograms.counts, histograms.sizes
        found: NDArray[np.bool_] = outside_shares(*parts, least, most, 0)
        return found

    def limits(self, microdata: Microdata) -> tuple[Floats, Floats]:
        """Return the shares between which that of each value must lie."""
        caps = self.caps(microdata)
        return np.zeros(caps.size), caps * (1 + SLACK)

    def criterion(self, microdata: Microdata) -> Criterion:
        """Return the limits on shares."""
        return Criterion.shares(*self.limits(microdata))

    def most_passing(
        self, histograms: ClassHistograms, microdata: Microdata, chosen: NDArray[np.bool_]
    ) -> Floats:
        """Of m records, each value has at most its cap."""
        found: Floats = most_under_caps(
            histograms.starts,
            histograms.values,
            histograms.counts,
            chosen,
            self.caps(microdata) * (1 + 1e-9),
            1.0,
        )
        return found
