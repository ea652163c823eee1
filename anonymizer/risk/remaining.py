"""What a risk model is asked about: the classes that remain, and what binds every finer scheme."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.estimators.uniques import bisect, histogram
from anonymizer.lattice import Scheme
from anonymizer.table.classes import EquivalenceClasses, suppression_order
from anonymizer.table.microdata import Microdata


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many classes there are of each size: `counts[i]` classes of `sizes[i]` people, ascending.

    A person with several rows may be in several classes; `people` counts everybody once.

    >>> table = Histogram.of(np.array([5, 1, 1, 2]))
    >>> table.people, table.classes, table.uniques
    (9, 4, 2)
    >>> table.after(3).sizes.tolist()
    [5]
    """

    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]
    people_once: int | None = None
    """How many different people there are; None where nobody is in two classes."""
    count_uniques: Callable[[], int] | None = None
    """Counts the different people who are alone in a class; None where nobody is in two."""

    @staticmethod
    def of(class_sizes: NDArray[np.signedinteger]) -> Histogram:
        """Count the classes of each size."""
        return Histogram(*histogram(class_sizes))

    @cached_property
    def memberships(self) -> int:
        """The sum of all class sizes: everybody counts once for each class they are in."""
        return int(self.sizes @ self.counts)

    @property
    def people(self) -> int:
        """The number of different people in all classes."""
        return self.memberships if self.people_once is None else self.people_once

    @cached_property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.counts.sum())

    @property
    def uniques(self) -> int:
        """The number of different people who are alone in a class."""
        return self.unique_classes if self.count_uniques is None else self.count_uniques()

    @property
    def unique_classes(self) -> int:
        """The number of classes of one person."""
        return int(self.counts[0]) if self.sizes.size and self.sizes[0] == 1 else 0

    def after(self, cut: int) -> Histogram:
        """Return what is left when the smallest classes, `cut` of them, are suppressed.

        For classes of different people only; `Remaining.left` serves both.
        """
        if cut == 0:
            return self
        left = np.maximum(np.cumsum(self.counts) - cut, 0)
        counts = np.minimum(left, self.counts)
        there = counts > 0
        return Histogram(self.sizes[there], counts[there])

    def cut_to(self, average: float) -> int:
        """Return how many classes must go, smallest first, to leave so many or fewer for each person.

        For classes of different people only.

        >>> Histogram.of(np.array([1, 1, 4])).cut_to(0.4)
        1
        """
        if not self.classes or self.classes / self.people <= average:
            return 0
        gone = np.concatenate([[0], np.cumsum(self.counts)])
        lost = np.concatenate([[0], np.cumsum(self.counts * self.sizes)])

        def passes(cut: int) -> bool:
            if cut == self.classes:
                return True
            at = int(np.searchsorted(gone, cut, side="right")) - 1
            people = self.people - lost[at] - (cut - gone[at]) * self.sizes[at]
            return bool((self.classes - cut) / people <= average)

        return bisect(passes, 0, self.classes)


SmallestClasses = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Sizes of classes, and for how many people each is the smallest that they are in."""
Order = Callable[[Microdata, EquivalenceClasses], NDArray[np.float64]]
"""A number for each class: the highest are suppressed first, those with the same number by size."""


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The tuples that are kept so far, generalized by a scheme."""

    microdata: Microdata
    scheme: Scheme
    tuples: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Remaining:
    """The classes of a scheme that remain when some of them are suppressed."""

    microdata: Microdata
    classes: EquivalenceClasses
    suppressed: NDArray[np.bool_]
    ranked: Order | None = None
    """What comes before size in the order of suppression, where something does."""

    @property
    def smallest_first(self) -> bool:
        """Whether the smallest classes are suppressed first, each of different people."""
        return self.ranked is None and self.microdata.people is None

    @cached_property
    def histogram(self) -> Histogram:
        """The sizes of the classes that remain."""
        if self.microdata.people is not None:
            return self.left(0)
        return Histogram.of(self.classes.sizes[~self.suppressed])

    def left(self, cut: int) -> Histogram:
        """Return the sizes of the classes that remain when `cut` more are suppressed."""
        if self.microdata.people is None and (cut == 0 or self.smallest_first):
            return self.histogram.after(cut)
        sizes = histogram(self.classes.sizes[self.order[cut:]])
        if self.microdata.people is None:
            return Histogram(*sizes)
        return Histogram(*sizes, int(self.people_left[cut]), lambda: int(self.uniques_left[cut]))

    @cached_property
    def people_left(self) -> NDArray[np.int64]:
        """How many different people remain when 0, 1, 2, ... more classes are suppressed."""
        return self.count_left(np.ones(self.suppressed.size, np.bool_))

    @cached_property
    def uniques_left(self) -> NDArray[np.int64]:
        """How many of them are alone in a class."""
        return self.count_left(self.classes.sizes == 1)

    @cached_property
    def smallest_classes(self) -> SmallestClasses:
        """The size of the smallest class of each person: each size once, and how many people have it.

        For people who may be in several classes only.
        """
        return self.smallest_among(self.after(0))

    def smallest_among(self, left: NDArray[np.int64]) -> SmallestClasses:
        """Return the same where only these classes are left, and whoever is in one of them."""
        assert self.microdata.people is not None
        sizes = self.classes.sizes
        gone = (
            int(sizes.max(initial=0)) + 1
        )  # larger than any: the smallest of who has no class left
        size = np.full(sizes.size, float(gone))
        size[left] = sizes[left]
        found, number = self.microdata.people.highest(-size[self.classes.label_of_tuple])
        people = np.bincount(-found.astype(np.int64), number, gone)[:gone].astype(np.int64)
        there = people.nonzero()[0]
        return there, people[there]

    @cached_property
    def risks_left(self) -> NDArray[np.float64]:
        """The sum over the people of their highest risk, when 0, 1, 2, ... more classes are suppressed.

        A risk is one over the size of a class. Right but for the rounding of sums.
        """
        order, people = self.order, self.microdata.people
        if people is None:  # the risks in a class sum up to one
            return np.arange(order.size, -1, -1, dtype=np.float64)
        turn = np.full(self.suppressed.size, -1, np.int64)
        turn[order] = np.arange(order.size)
        labels = self.classes.label_of_tuple
        return people.sum_highest_left((1 / self.classes.sizes)[labels], turn[labels], order.size)

    def count_left(self, counted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the people in some classes, each once, when 0, 1, 2, ... more are suppressed."""
        order, sizes = self.order, self.classes.sizes
        if self.microdata.people is None:
            members = np.where(counted, sizes, 0)[order]
            return np.append(np.cumsum(members[::-1])[::-1], 0)
        turn = np.zeros(sizes.size, np.int64)  # what does not count is gone before the first
        turn[order] = np.where(counted[order], np.arange(1, order.size + 1), 0)
        return self.microdata.people.left_after(turn[self.classes.label_of_tuple], order.size + 1)[
            1:
        ]

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The classes that remain, in the order in which more of them are suppressed."""
        order = suppression_order(self.microdata, self.classes)
        if self.ranked is not None:
            rank = self.ranked(self.microdata, self.classes)
            order = order[np.argsort(-rank[order], kind="stable")]
        return order[~self.suppressed[order]]

    def after(self, cut: int) -> NDArray[np.int64]:
        """Return the classes that remain when `cut` more are suppressed."""
        return self.order[cut:] if cut else np.flatnonzero(~self.suppressed)

    def kept(self, cut: int = 0) -> Kept:
        """Return the tuples that remain when `cut` more classes are suppressed."""
        there = np.zeros(self.suppressed.size, np.bool_)
        there[self.after(cut)] = True
        return Kept(self.microdata, self.classes.scheme, there[self.classes.label_of_tuple])


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """What must be suppressed at every finer scheme too: all but `exempt` records of these classes."""

    classes: NDArray[np.bool_]
    exempt: int = 0
    least_class: int = 1
    """So many people, at least, are in every class that is kept, whatever the scheme."""
