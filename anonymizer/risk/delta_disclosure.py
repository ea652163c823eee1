"""delta-disclosure privacy: no value becomes much more, or much less, likely in a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.histograms import highest_ratios, lowest_ratios, outside_shares
from anonymizer.kernels.most_kept import most_under_caps
from anonymizer.risk.criterion import Criterion
from anonymizer.risk.parameters import Direction, Parameter
from anonymizer.risk.sensitive import SLACK, ComparingModel, Floats, check_positive
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.table.sensitive import ClassHistograms

ABSENT = ("fail", "skip")


@dataclass(frozen=True)
class DeltaDisclosure(ComparingModel):
    """For every value and every class, |log2(p / q)| is below delta (Brickell and Shmatikov 2008).

    p is the share of the class's people who have the value, q that of all people. A class that lacks a
    value violates it, as log 0 is infinite. With `absent` = "skip", as in ARX, only the values that a
    class has count: a class of one frequent value may then pass. Of `values` alone, where they are named.

    >>> print(DeltaDisclosure("diagnosis", 1))
    delta-disclosure of 'diagnosis' with delta = 1
    """

    name: ClassVar[str] = "delta-disclosure"
    judges_all: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("delta", Direction.DOWN, (4, 3, 2, 1.5, 1, 0.5), meaning="bits, below"),
    )

    delta: float
    absent: str = "fail"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("delta", self.delta)
        if self.absent not in ABSENT:
            raise ValueError(f'absent must be "fail" or "skip", got {self.absent!r}')

    def __str__(self) -> str:
        skipped = " (absent values skipped)" if self.absent == "skip" else ""
        return (
            f"{self.name} of '{self.attribute}' with delta = {self.delta:g}{skipped}{self.suffix}"
        )

    def rises(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return the largest log2(p / q) of each class."""
        parts = histograms.starts, histograms.values, histograms.counts, histograms.sizes
        with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
            found: Floats = np.log2(highest_ratios(*parts, self.weights(microdata)[0]))
        return found

    def falls(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return the largest -log2(p / q) of each class."""
        weights = self.weights(microdata)[1]
        needed = int(np.isfinite(weights).sum()) if self.absent == "fail" else 0
        parts = histograms.starts, histograms.values, histograms.counts, histograms.sizes
        with np.errstate(divide="ignore"):
            found: Floats = -np.log2(lowest_ratios(*parts, weights, needed))
        return found

    def distances_of(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return the largest |log2(p / q)| of each class."""
        return np.maximum(self.rises(histograms, microdata), self.falls(histograms, microdata))

    def weights(self, microdata: Microdata) -> tuple[Floats, Floats]:
        """Return the share of each value that does harm, at least and at most, found once.

        It is infinite for the others, and for those that do not occur.
        """
        return microdata.once(self, lambda: self.find_weights(microdata))

    def find_weights(self, microdata: Microdata) -> tuple[Floats, Floats]:
        """Find the shares; they differ where they are rounded."""
        column = self.column(microdata)
        q = column.shares_of_people
        counts = self.chosen(microdata) & (q > 0)
        limits = (q - column.below, q + column.above)
        least, most = (np.where(counts, np.maximum(limit, 0.0), np.inf) for limit in limits)
        return least, most

    def exposure(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return 1 - 2 ** -bits, for the value that becomes more or less likely by most."""
        return 1 - np.exp2(-np.maximum(self.distances_of(histograms, microdata), 0.0))

    def exceeds(self, histograms: ClassHistograms, microdata: Microdata) -> NDArray[np.bool_]:
        """Mark the classes in which a value is too frequent, or too rare."""
        return self.outside(histograms, *self.limits(microdata), self.needed(microdata))

    def criterion(self, microdata: Microdata) -> Criterion:
        """Return the limits on shares."""
        return Criterion.shares(*self.limits(microdata), self.needed(microdata))

    def needed(self, microdata: Microdata) -> int:
        """Return how many values a class must have."""
        return int((self.limits(microdata)[0] > 0).sum()) if self.absent == "fail" else 0

    def too_frequent(self, histograms: ClassHistograms, microdata: Microdata) -> NDArray[np.bool_]:
        """Mark the classes in which a value is too frequent."""
        most = self.limits(microdata)[1]
        return self.outside(histograms, np.zeros(most.size), most, 0)

    @staticmethod
    def outside(
        histograms: ClassHistograms, least: Floats, most: Floats, needed: int
    ) -> NDArray[np.bool_]:
        """Mark the classes in which a share is outside of limits."""
        parts = histograms.starts, histograms.values, histograms.counts, histograms.sizes
        found: NDArray[np.bool_] = outside_shares(*parts, least, most, needed)
        return found

    def limits(self, microdata: Microdata) -> tuple[Floats, Floats]:
        """Return the shares between which that of each value must lie: |log2(p / q)| is below delta."""
        at_least, at_most = self.weights(microdata)
        factor = 2.0 ** (self.delta - SLACK)
        return np.where(np.isfinite(at_most), at_most / factor, 0.0), at_least * factor

    def most_of_classes(
        self, classes: EquivalenceClasses, violating: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Return how many records of each violating class can be kept at a finer scheme, at most.

        Where absent values are skipped, parts of a class in which a value is too rare may all pass: those
        that lack it. Then only what is too frequent binds.
        """
        if self.absent == "skip":
            histograms = classes.histograms(self.attribute, violating)
            violating = violating & self.too_frequent(histograms, classes.microdata)
        return super().most_of_classes(classes, violating)

    def most_passing(
        self, histograms: ClassHistograms, microdata: Microdata, chosen: NDArray[np.bool_]
    ) -> Floats:
        """Of m records, each value has at most q m 2 ** delta, and at least q m / 2 ** delta."""
        caps = self.weights(microdata)[0] * 2.0**self.delta * (1 + 1e-9)
        found: Floats = most_under_caps(
            histograms.starts, histograms.values, histograms.counts, chosen, caps, 1.0
        )
        if self.absent == "skip":
            return found
        factor = np.exp2(self.delta - self.falls(histograms, microdata)) * (1 + 1e-9)
        rarest: Floats = (histograms.sizes * factor).astype(np.float64)
        return np.minimum(found, rarest)
