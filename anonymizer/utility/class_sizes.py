"""Measures that look at the sizes of the classes alone: discernibility and average class size.

Neither is a sum over the attributes. What a scheme between a finer u and a coarser v loses is bounded
from both sides: its classes are unions of u's, and what is binding at v is lost at it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.classes import EquivalenceClasses
from anonymizer.microdata import Microdata
from anonymizer.risk.model import Binding
from anonymizer.utility.measure import Appraisal, Released

Sizes = NDArray[np.int64]


class ClassSizeMeasure:
    """A base for measures of class sizes; a measure gives `plain` and `forfeit` as whole numbers.

    For u <= w <= v, what w loses is at least plain(u) + forfeit(v), and at u = w = v, where everything
    suppressed is binding, just that.
    """

    __slots__ = ()
    floors: ClassVar[bool] = True

    def plain(self, sizes: Sizes, records: int) -> int:
        """Return what is lost with nothing suppressed; a measure says how much that is."""
        raise NotImplementedError

    def forfeit(self, sizes: Sizes, spared: int, records: int) -> int:
        """Return what is lost on top, at least, if all but `spared` records of classes are suppressed."""
        raise NotImplementedError

    def scale(self, records: int) -> int:
        """Return what is lost when nothing is left."""
        raise NotImplementedError

    @property
    def most(self) -> float:
        """The sum of terms of a table of which nothing is left."""
        return 1.0

    def of_terms(self, total: float) -> float:
        """Return the loss for a sum of terms: itself."""
        return float(total)

    def to_terms(self, loss: float) -> float:
        """Return the sum of terms that has a loss: itself."""
        return loss

    def appraise(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        suppressed: NDArray[np.bool_],
        binding: Binding,
    ) -> Appraisal:
        """Weigh the kept and the suppressed classes, and bound what lies above and below."""
        sizes, records = classes.sizes, microdata.records
        scale = self.scale(records)
        floor = self.plain(sizes, records)
        lost = floor + self.forfeit(sizes[suppressed], 0, records)
        forfeit = self.forfeit(sizes[binding.classes], binding.spared, records)
        attributes, levels = len(classes.scheme), max(microdata.lattice.high) + 1
        terms = np.full((attributes, levels), forfeit / scale / attributes)
        return Appraisal(lost / scale, terms, floor / scale)

    def attribute_losses(
        self,
        microdata: Microdata,  # noqa: ARG002
        classes: EquivalenceClasses,  # noqa: ARG002
        suppressed: NDArray[np.bool_],  # noqa: ARG002
    ) -> tuple[float, ...]:
        """Return nothing: no attribute has a part of its own in it."""
        return ()

    def of_release(self, released: Released) -> tuple[float, tuple[float, ...]]:
        """Weigh the released classes, with the records that are not there as one class."""
        sizes, records = released.class_sizes, released.records
        rest = np.array([released.suppressed] if released.suppressed else [], np.int64)
        lost = self.plain(np.append(sizes, rest), records) + self.forfeit(rest, 0, records)
        return lost / self.scale(records), ()


@dataclass(frozen=True, slots=True)
class Discernibility(ClassSizeMeasure):
    """Discernibility: from what share of the other records a record can no longer be told, on average.

    Bayardo and Agrawal (ICDE 2005) sum the size of its class over the kept records, and N over the
    suppressed ones. That sum goes from N to N * N; here it is (sum - N) / (N * N - N), so that 0 is
    everybody standing alone and 1 nothing left.

    The bound: a record's class at w is no smaller than at u, which gives `plain`; and of the records
    that must be suppressed, each costs N in place of its class at w, no larger than the one at v, which
    gives `forfeit`. The spared ones are those that would cost most: in the smallest classes.

    >>> measure = Discernibility()
    >>> measure.plain(np.array([2, 3]), 5) / measure.scale(5)  # 2 * 1 + 3 * 2 pairs of 5 * 4
    0.4
    """

    name: ClassVar[str] = "discernibility"

    def plain(self, sizes: Sizes, records: int) -> int:
        """Count the ordered pairs of records that look the same."""
        return int((sizes * sizes).sum()) - records

    def forfeit(self, sizes: Sizes, spared: int, records: int) -> int:
        """Count the pairs that look different without suppression."""
        ordered = np.sort(sizes) if spared else sizes
        suppressed = ordered
        if spared:
            left = np.maximum(np.cumsum(ordered) - spared, 0)
            suppressed = np.minimum(left, ordered)
        return int((suppressed * (records - ordered)).sum())

    def scale(self, records: int) -> int:
        """Count all ordered pairs of records."""
        return max(1, records * records - records)


@dataclass(frozen=True, slots=True)
class AverageClassSize(ClassSizeMeasure):
    """Average class size, N / classes, put between 0 and 1 in the same order.

    All suppressed records are one class, as in ARX: the mean over the kept ones alone would praise a
    scheme that suppresses everything but one small class. LeFevre et al. (ICDE 2006) divide the average
    by k, which changes no optimum. Here it is (N - classes) / (N - 1): 0 is everybody in a class of
    one's own, 1 is one class or nothing left.

    The bound: w has no more classes than u, which gives `plain`; and the classes that must be
    suppressed, of which w has no fewer than v and each spared record saves one at most, become one,
    which gives `forfeit`.

    >>> measure = AverageClassSize()
    >>> measure.plain(np.array([2, 3]), 5) / measure.scale(5)
    0.75
    """

    name: ClassVar[str] = "class-size"

    def plain(self, sizes: Sizes, records: int) -> int:
        """Count by how many classes there are fewer than records."""
        return records - sizes.size

    def forfeit(self, sizes: Sizes, spared: int, records: int) -> int:  # noqa: ARG002
        """Count by how many classes there are fewer when the suppressed are one."""
        return max(0, sizes.size - spared - 1)

    def scale(self, records: int) -> int:
        """Count by how many classes there are fewer when there is one."""
        return max(1, records - 1)
