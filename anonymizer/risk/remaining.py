"""What a risk model is asked about: the classes that remain, and what binds every finer scheme."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses, suppression_order
from anonymizer.engine.microdata import Microdata
from anonymizer.estimators.uniques import histogram


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many classes there are of each size: `counts[i]` classes of `sizes[i]` records, ascending.

    >>> table = Histogram.of(np.array([5, 1, 1, 2]))
    >>> table.records, table.classes, table.uniques
    (9, 4, 2)
    >>> table.after(3).sizes.tolist()
    [5]
    """

    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]

    @staticmethod
    def of(class_sizes: NDArray[np.signedinteger]) -> Histogram:
        """Count the classes of each size."""
        return Histogram(*histogram(class_sizes))

    @cached_property
    def records(self) -> int:
        """The number of records in all classes."""
        return int(self.sizes @ self.counts)

    @cached_property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.counts.sum())

    @property
    def uniques(self) -> int:
        """The number of classes of one record."""
        return int(self.counts[0]) if self.sizes.size and self.sizes[0] == 1 else 0

    def after(self, cut: int) -> Histogram:
        """Return what is left when the smallest classes, `cut` of them, are suppressed."""
        if cut == 0:
            return self
        left = np.maximum(np.cumsum(self.counts) - cut, 0)
        counts = np.minimum(left, self.counts)
        there = counts > 0
        return Histogram(self.sizes[there], counts[there])


@dataclass(frozen=True, eq=False)
class Remaining:
    """The classes of a scheme that remain when some of them are suppressed."""

    microdata: Microdata
    classes: EquivalenceClasses
    suppressed: NDArray[np.bool_]

    @cached_property
    def histogram(self) -> Histogram:
        """The sizes of the classes that remain."""
        return Histogram.of(self.classes.sizes[~self.suppressed])

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The classes that remain, in the order in which more of them are suppressed."""
        order = suppression_order(self.microdata, self.classes)
        return order[~self.suppressed[order]]

    def after(self, cut: int) -> NDArray[np.int64]:
        """Return the classes that remain when `cut` more are suppressed."""
        return self.order[cut:] if cut else np.flatnonzero(~self.suppressed)


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """What must be suppressed at every finer scheme too: all but `exempt` records of these classes."""

    classes: NDArray[np.bool_]
    exempt: int = 0
    least_class: int = 1
    """So many records, at least, are in every class that is kept, whatever the scheme."""
