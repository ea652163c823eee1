"""Average risk: how likely a random person is re-identified by the size of a class alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.estimators.uniques import bisect
from anonymizer.knowledge.cuts import least_suppressed
from anonymizer.risk.k_anonymity import LeastClass
from anonymizer.risk.model import Monotone, TableModel
from anonymizer.risk.parameters import THRESHOLD, K, Parameter, check_share, check_whole
from anonymizer.risk.remaining import Binding, Histogram, Remaining
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
    monotone: ClassVar[Monotone] = Monotone.TABLE  # no class is smaller after merging
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
        """Return the threshold: at a coarser scheme, what is kept has no more classes.

        Of classes of different people, that is; nobody asks where a person may be in several.
        """
        return Sizes(average=self.threshold)

    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Find the least cut that passes by bisection, on sums over the classes of each size."""
        if not remaining.smallest_first:
            return self.first_of_all_cuts(remaining, start)
        return start + self.first_cut_of(remaining.histogram.after(start))

    def first_cut_of(self, table: Histogram) -> int:
        """Find the least cut of classes of different people, smallest first, that passes."""
        if not table.classes or self.risk_of(table) <= self.threshold:
            return 0
        gone = np.concatenate([[0], np.cumsum(table.counts)])
        lost = np.concatenate([[0], np.cumsum(table.counts * table.sizes)])

        def passes(cut: int) -> bool:
            if cut == table.classes:
                return True
            at = int(np.searchsorted(gone, cut, side="right")) - 1
            people = table.people - lost[at] - (cut - gone[at]) * table.sizes[at]
            return bool((table.classes - cut) / people <= self.threshold)

        return bisect(passes, 0, table.classes)

    def first_of_all_cuts(self, remaining: Remaining, start: int) -> int:
        """Try every cut: unless the smallest class goes, or people are in several, the risk may rise."""
        if self.passes(remaining, start):
            return start
        people = remaining.people_left
        below = self.threshold * people - remaining.risks_left
        rounding = 1e-9 * (1 + people[0])  # of sums; the risk itself is not rounded
        cuts = (start + np.flatnonzero(below[start:] >= -rounding)).tolist()
        return next(cut for cut in cuts if below[cut] > rounding or self.passes(remaining, cut))

    def binding(self, remaining: Remaining) -> Binding | None:
        """Return how many records, whichever they are, must go at every finer scheme.

        Suppress the same records here as there: what is left has no more classes here. Where that takes
        only a part of a class, put the part back: as many classes, more records. So here fewer records
        are enough; and smallest first takes the fewest of all.
        """
        if remaining.microdata.people is not None:
            return self.binding_of_people(remaining)
        members = Histogram.of(remaining.classes.sizes[~remaining.suppressed])
        left = members.after(self.first_cut_of(members))
        exempt = int(remaining.classes.records.sum()) - (members.memberships - left.memberships)
        return Binding(np.ones(remaining.suppressed.size, np.bool_), exempt)

    def binding_of_people(self, remaining: Remaining) -> Binding:
        """Return the same where people may be in several classes.

        Nobody all of whose records are kept at a finer scheme has a lower risk there than here with
        nothing suppressed. Everybody else has lost a record; at best they count with no risk at all.
        """
        sizes, people = remaining.smallest_classes
        gone = least_suppressed(1 / sizes, people, "mean", self.threshold, whole=False)
        some = np.full(remaining.suppressed.size, gone > 0)
        return Binding(some, remaining.microdata.records - gone if gone else 0)


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
    # the classes below k violate it record by record; the rest of the cut is no bound for others
    monotone: ClassVar[Monotone] = Monotone.RECORD

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

    def binding(self, remaining: Remaining) -> Binding | None:
        """Return the classes with fewer than k records."""
        return Binding(self.violating(remaining.classes))
