"""Average risk: how likely a random record is re-identified by its class alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonymizer.estimators.uniques import bisect
from anonymizer.risk.k_anonymity import LeastClass
from anonymizer.risk.model import Monotone, TableModel
from anonymizer.risk.parameters import THRESHOLD, K, Parameter, check_share, check_whole
from anonymizer.risk.remaining import Binding, Histogram, Remaining
from anonymizer.risk.size_limits import SizeLimits


@dataclass(frozen=True)
class Average(TableModel):
    """Classes / records, the mean of one over the class size, is at most the threshold.

    >>> Average(0.5).risk_of(Histogram.of(np.array([1, 3])))
    0.5
    """

    name: ClassVar[str] = "average"
    monotone: ClassVar[Monotone] = Monotone.TABLE  # merging makes fewer classes of as many records
    decreases: ClassVar[bool] = True  # the smallest class is never above the mean size

    threshold: float

    def __post_init__(self) -> None:
        check_share("threshold", self.threshold)

    def __str__(self) -> str:
        return f"{self.name} risk of at most {self.threshold:g}"

    def risk_of(self, histogram: Histogram) -> float:
        """Return classes / people."""
        return histogram.classes / histogram.people

    def size_limits(self, records: int) -> SizeLimits:
        """Return the threshold: at a coarser scheme, what is kept has no more classes."""
        return SizeLimits(self.least_class(records), average=self.threshold)

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
        people = remaining.people_left[start:]
        classes = np.arange(people.size)[::-1]
        passing = classes <= self.threshold * people * (1 + 1e-15)
        passing[classes == 0] = True
        found = start + int(np.argmax(passing))
        while not self.passes(remaining, found):  # as `risk_of` divides, to the last bit
            found += 1
        return found

    def binding(self, remaining: Remaining) -> Binding | None:
        """Return how many records, whichever they are, must go at every finer scheme.

        Suppress the same records here as there: what is left has no more classes here. Where that takes
        only a part of a class, put the part back: as many classes, more records. So here fewer records
        are enough; and smallest first takes the fewest of all. Where people are in several classes,
        there are no more of them than memberships: what memberships must go is a bound for records.
        """
        members = Histogram.of(remaining.classes.sizes[~remaining.suppressed])
        left = members.after(self.first_cut_of(members))
        exempt = int(remaining.classes.records.sum()) - (members.memberships - left.memberships)
        return Binding(np.ones(remaining.suppressed.size, np.bool_), exempt)


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

    def binding(self, remaining: Remaining) -> Binding | None:
        """Return the classes with fewer than k records."""
        return Binding(self.violating(remaining.classes))
