"""Measures that look at the sizes of the classes alone: discernibility and average class size.

Neither is a sum over the attributes. What a scheme between a finer u and a coarser v loses is bounded
from both sides: its classes are unions of u's, and what is binding at v is lost at it too.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.risk.remaining import Binding
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.utility.measure import Appraisal, Measure, Released

Sizes = NDArray[np.int64]


class ClassSizeMeasure(Measure):
    """A base for measures of class sizes; a measure gives `lost`, `floor` and `forfeit`.

    For schemes u <= w <= v, what w loses is at least floor(u) + forfeit(v).
    """

    __slots__ = ()
    floors: ClassVar[bool] = True

    @abstractmethod
    def lost(self, kept: Sizes, records: int) -> float:
        """Return what is lost of so many records when classes of these sizes are kept."""

    @abstractmethod
    def floor(self, sizes: Sizes, least_class: int, records: int) -> float:
        """Return what is lost, at least, by every partition into unions of classes of these sizes."""

    @abstractmethod
    def forfeit(self, binding: Sizes, exempt: int, least_class: int, records: int) -> float:
        """Return what is lost on top, if all but `exempt` records of some classes are suppressed."""

    def appraise(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        suppressed: NDArray[np.bool_],
        binding: Binding,
    ) -> Appraisal:
        """Weigh the kept and the suppressed classes, and bound what lies above and below."""
        sizes, records, least_class = classes.records, microdata.records, binding.least_class
        forfeit = self.forfeit(sizes[binding.classes], binding.exempt, least_class, records)
        attributes, levels = len(classes.scheme), max(microdata.lattice.high) + 1
        return Appraisal(
            self.lost(sizes[~suppressed], records),
            np.full((attributes, levels), forfeit / attributes),
            self.floor(sizes, least_class, records),
        )

    def of_release(self, released: Released) -> tuple[float, tuple[float, ...]]:
        """Weigh the released classes."""
        return self.lost(released.class_sizes, released.records), ()


@dataclass(frozen=True, slots=True)
class Discernibility(ClassSizeMeasure):
    """Discernibility: from what share of the other records a record can no longer be told, on average.

    Bayardo and Agrawal (ICDE 2005) sum the size of its class over the kept records, and N over the
    suppressed ones. That sum goes from N to N * N; here it is (sum - N) / (N * N - N), so that 0 is
    everybody standing alone and 1 nothing left.

    >>> Discernibility().lost(np.array([2, 3]), records=5)  # 2 * 1 + 3 * 2 pairs of 5 * 4
    0.4
    """

    name: ClassVar[str] = "discernibility"

    def lost(self, kept: Sizes, records: int) -> float:
        """Count the ordered pairs of records that cannot be told apart, among all."""
        suppressed = records - int(kept.sum())
        return (int((kept * kept).sum()) + suppressed * records - records) / pairs(records)

    def floor(self, sizes: Sizes, least_class: int, records: int) -> float:  # noqa: ARG002
        """Count the pairs that look the same: in a coarser scheme they do too."""
        return (int((sizes * sizes).sum()) - records) / pairs(records)

    def forfeit(self, binding: Sizes, exempt: int, least_class: int, records: int) -> float:  # noqa: ARG002
        """Count the pairs of a suppressed record that a finer scheme would tell apart.

        Its class is no larger there, so there are no fewer. The exempt records are those that would
        cost most: in the smallest classes.
        """
        suppressed = binding
        if exempt:
            binding = np.sort(binding)
            suppressed = np.minimum(np.maximum(np.cumsum(binding) - exempt, 0), binding)
        return int((suppressed * (records - binding)).sum()) / pairs(records)


@dataclass(frozen=True, slots=True)
class AverageClassSize(ClassSizeMeasure):
    """Average class size, N / classes, put between 0 and 1 in the same order.

    All suppressed records are one class, as in ARX: the mean over the kept ones alone would praise a
    scheme that suppresses everything but one small class. LeFevre et al. (ICDE 2006) divide the average
    by k, which changes no optimum. Here it is (N - classes) / (N - 1): 0 is everybody in a class of
    one's own, 1 is one class or nothing left.

    The bound: let no kept class have fewer than k records, and let a class of s records be worth
    min(s, k) / k. Every kept class of w is a union of classes of u worth at least 1 together, so w has
    no more kept classes than those of u are worth. Those of u that must be suppressed do not count; cut
    in pieces, a class is worth no less than whole, so they are worth at least what v's are; and exempt
    records at most one k-th each. All that w suppresses is one class more, and was worth a k-th.

    >>> AverageClassSize().lost(np.array([2, 3]), records=5)
    0.75
    """

    name: ClassVar[str] = "class-size"

    def lost(self, kept: Sizes, records: int) -> float:
        """Count by how many there are fewer classes than records, of all that can be lost."""
        classes = kept.size + (int(kept.sum()) < records)
        return (records - classes) / max(1, records - 1)

    def floor(self, sizes: Sizes, least_class: int, records: int) -> float:
        """Count the classes that a coarser scheme has at most."""
        worth = int(np.minimum(sizes, least_class).sum()) + least_class - 1
        return (least_class * records - worth) / (least_class * max(1, records - 1))

    def forfeit(self, binding: Sizes, exempt: int, least_class: int, records: int) -> float:
        """Count the classes that are suppressed at every finer scheme."""
        worth = int(np.minimum(binding, least_class).sum())
        return max(0, worth - exempt - 1) / (least_class * max(1, records - 1))


def pairs(records: int) -> int:
    """Count the ordered pairs of records; a record alone counts as one, so that it can be divided by."""
    return max(1, records * records - records)
