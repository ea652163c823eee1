"""Average risk: how likely a random person is re-identified by the size of a class alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.risk.k_anonymity import LeastClass
from anonymizer.risk.model import TableModel
from anonymizer.risk.parameters import THRESHOLD, K, Parameter, check_share, check_whole
from anonymizer.risk.remaining import Histogram, Remaining
from anonymizer.risk.sizes import Sizes


@dataclass(frozen=True)
class Average(TableModel):
    """The mean over the people of one over the size of their class is at most the threshold.

    Where a person has one row, that is classes / people. Of several classes that a person is in, the
    smallest counts: it is where they are found most easily. So the mean is never above the highest risk,
    and never rises where classes merge.

    >>> Average(0.5).risk_of(Histogram.of(np.array([1, 3])))
    0.5
    """

    name: ClassVar[str] = "average"
    decreases: ClassVar[bool] = True  # the smallest class is never above the mean size

    threshold: float

    def __post_init__(self) -> None:
        check_share("threshold", self.threshold)

    def __str__(self) -> str:
        return f"{self.name} risk of at most {self.threshold:g}"

    def risk_of(self, histogram: Histogram) -> float:
        """Return classes / people, for classes of different people."""
        return histogram.classes / histogram.people

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the mean over the people who are left; a table without records has no risk."""
        if remaining.microdata.people is None:
            return super().risk(remaining, cut)
        smallest = remaining.smallest_among(remaining.after(cut)) if cut else None
        return mean_risk(*(smallest or remaining.smallest_classes))

    def asks(self, people: int) -> Sizes:  # noqa: ARG002
        """Return the threshold: no class is smaller after merging.

        Where a person may be in several classes, it is the mean over their smallest that is limited.
        """
        return Sizes(average=self.threshold)

    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Find the least cut that passes by bisection, on sums over the classes of each size."""
        if not remaining.smallest_first:
            return self.first_of_all_cuts(remaining, start)
        return start + remaining.histogram.after(start).cut_to(self.threshold)

    def first_of_all_cuts(self, remaining: Remaining, start: int) -> int:
        """Try every cut: unless the smallest class goes, or people are in several, the risk may rise."""
        if self.passes(remaining, start):
            return start
        people = remaining.people_left
        below = self.threshold * people - remaining.risks_left
        rounding = 1e-9 * (1 + people[0])  # of sums; the risk itself is not rounded
        cuts = (start + np.flatnonzero(below[start:] >= -rounding)).tolist()
        return next(cut for cut in cuts if below[cut] > rounding or self.passes(remaining, cut))


def mean_risk(sizes: NDArray[np.int64], people: NDArray[np.int64]) -> float:
    """Return the mean of one over the size for so many people of each; 0 of nobody.

    The sum is one of fractions, so that a mean is not above a threshold, or another mean, by rounding.

    >>> mean_risk(np.array([3, 5]), np.array([3, 5])), mean_risk(np.array([10]), np.array([7]))
    (0.25, 0.1)
    """
    denominator = math.lcm(*sizes.tolist())
    parts = zip(sizes.tolist(), people.tolist(), strict=True)
    total = sum(number * (denominator // size) for size, number in parts)
    return float(total / (denominator * max(1, int(people.sum()))))


@dataclass(frozen=True)
class StrictAverage(LeastClass, Average):
    """k-anonymity and a limit on the average risk (Prasser et al. 2016)."""

    name: ClassVar[str] = "strict-average"
    parameters: ClassVar[tuple[Parameter, ...]] = (THRESHOLD, K)

    k: int
    threshold: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("k", self.k)

    def __str__(self) -> str:
        return f"{self.name} risk of at most {self.threshold:g} with k = {self.k}"

    def asks(self, people: int) -> Sizes:  # noqa: ARG002
        """Return both limits."""
        return Sizes(self.k, average=self.threshold)
