"""The checker's own models of a distribution inside every class, and of presence.

Classes that pass, joined, pass. So what is kept of a class, over all its parts at a finer scheme, passes
together, and has no more of any value than the class has: that bounds how many records it can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.proof.models import SLACK, Model
from anonymizer.proof.table import Floats, Integers, Marks, Table, View


class ClassModel(Model):
    """A model of the values of a sensitive column in every class.

    Classes that pass, joined, pass; so what is kept of a class, over all its parts, passes together and
    has no more of any value than the class has: `largest` bounds how many records that can be.
    """

    scope: ClassVar[str] = "classes"
    attribute: str
    values: tuple[str, ...] | None
    judges_all: ClassVar[bool] = False
    """Whether a class is judged even if nobody in it has one of the harmful values."""

    def breaks(self, view: View) -> Marks:
        """Mark who breaks it."""
        return (self.breaking(view) & view.there)[view.labels] & view.kept

    def breaking(self, view: View) -> Marks:
        """Mark the classes that break it."""
        counts = view.histogram(self.attribute)
        found = self.judge(counts, view)
        if self.values is not None and not self.judges_all:
            found &= counts[:, self.harmful(view.table)].sum(axis=1) > 0
        return found

    def breaks_when_finer(self, view: View) -> Marks | None:  # noqa: ARG002
        """Mark who breaks it at every finer scheme too."""
        return None

    def most_kept(self, view: View) -> Integers | None:
        """Return how many records of each class can be kept at finer schemes."""
        if view.table.owners is not None or (self.values is not None and not self.judges_all):
            return None  # parts of a class share people, or need not be judged
        counts = view.histogram(self.attribute)
        kept = view.records.copy()
        breaking = np.flatnonzero(self.breaking(view) & view.there)
        largest = self.largest(counts[breaking], view.table)
        # what breaks it by rounding only may be kept whole
        at_most = np.minimum(np.floor(largest + 1e-6).astype(np.int64), kept[breaking] - 1)
        kept[breaking] = np.where(largest < kept[breaking], at_most, kept[breaking])
        return kept

    def harmful(self, table: Table) -> Marks:
        """Mark the values that do harm."""
        texts = table.values[self.attribute].texts
        return np.array([self.values is None or text in self.values for text in texts], np.bool_)

    def overall(self, table: Table) -> Integers:
        """Return the people of the whole table who have each value."""
        return table.values[self.attribute].overall

    def judge(self, counts: Integers, view: View) -> Marks:
        """Mark the histograms that are above the limit."""
        raise NotImplementedError

    def largest(self, counts: Integers, table: Table) -> Floats:
        """Return the records of the largest part of each histogram that passes, at least."""
        raise NotImplementedError


@dataclass(frozen=True)
class DistinctL(ClassModel):
    """Every class has at least l values."""

    attribute: str
    l: int  # noqa: E741 - as it is called in the field
    values: tuple[str, ...] | None = None

    @property
    def scope(self) -> str:  # type: ignore[override]
        """What it limits."""
        return "people" if self.values is None else "classes"

    def judge(self, counts: Integers, view: View) -> Marks:  # noqa: ARG002
        """Mark the histograms that break it."""
        few: Marks = (counts > 0).sum(axis=1) < self.l
        return few

    def breaks_when_finer(self, view: View) -> Marks | None:
        """A finer class has no more values; where some do harm, see `most_kept`."""
        return self.breaks(view) if self.values is None else None

    def most_kept(self, view: View) -> Integers | None:
        """Return how many records of each class can be kept at finer schemes."""
        if self.values is None or view.table.owners is not None:
            return None
        harmed = view.histogram(self.attribute)[:, self.harmful(view.table)].sum(axis=1)
        return np.where(self.breaking(view) & view.there, view.records - harmed, view.records)


@dataclass(frozen=True)
class EntropyL(ClassModel):
    """The entropy of every class is at least log l."""

    attribute: str
    l: float  # noqa: E741
    values: tuple[str, ...] | None = None

    def judge(self, counts: Integers, view: View) -> Marks:  # noqa: ARG002
        """Mark the histograms that break it."""
        few = (counts > 0).sum(axis=1) < math.ceil(self.l - SLACK)
        total, logs = counts.sum(axis=1), logarithms(int(counts.sum(axis=1).max(initial=1)))
        # without a tolerance, value by value: a class of exactly log l is as good as its last bit
        weighted = np.cumsum(counts * logs[counts], axis=1)[:, -1]
        breaking: Marks = few | (weighted > total * (logs[total] - math.log(self.l)))
        return breaking

    def largest(self, counts: Integers, table: Table) -> Floats:  # noqa: ARG002
        """Return the records of the largest part of each histogram that passes."""

        def passes(cut: Floats) -> Marks:
            total = cut.sum(axis=1)
            left = x_log_x(cut).sum(axis=1)
            even: Marks = left <= x_log_x(total) - total * (math.log(self.l) - 1e-9)
            return even

        return cut_evenly(counts, math.ceil(self.l - SLACK), passes)


@dataclass(frozen=True)
class RecursiveCL(ClassModel):
    """In every class r_1 < c (r_l + ... + r_m), r being the counts in descending order."""

    attribute: str
    c: float
    l: int  # noqa: E741
    values: tuple[str, ...] | None = None

    def judge(self, counts: Integers, view: View) -> Marks:  # noqa: ARG002
        """Mark the histograms that break it."""
        ordered = -np.sort(-counts, axis=1)
        few = (counts > 0).sum(axis=1) < self.l
        tail = ordered[:, self.l - 1 :].sum(axis=1)
        breaking: Marks = few | (ordered[:, 0] >= self.c * (1 - SLACK) * tail)
        return breaking

    def largest(self, counts: Integers, table: Table) -> Floats:  # noqa: ARG002
        """Return the records of the largest part of each histogram that passes."""

        def passes(cut: Floats) -> Marks:
            ordered = -np.sort(-cut, axis=1)
            tail = ordered[:, self.l - 1 :].sum(axis=1)
            even: Marks = ordered[:, 0] <= (self.c + 1e-9) * tail
            return even

        return cut_evenly(counts, self.l, passes)


def logarithms(most: int) -> Floats:
    """Return the natural logarithms of whole numbers up to a power of two above `most`; 0 for 0."""
    return table_of_logarithms(1 << most.bit_length())


@cache
def table_of_logarithms(size: int) -> Floats:
    """Return the natural logarithms of whole numbers below a size, as the C library rounds them."""
    return np.array([0.0, *map(math.log, range(1, size + 1))])


def x_log_x(counts: NDArray[Any]) -> Floats:
    """Return x ln x, 0 for 0."""
    return np.where(counts > 0, counts * np.log(np.where(counts > 0, counts, 1)), 0.0)


def cut_evenly(counts: Integers, least: int, passes: Callable[[Floats], Marks]) -> Floats:
    """Cut the most frequent values to one number until a histogram passes.

    Of all histograms of one sum within the class's, the one cut at a common cap is the most even; both
    limits ask for evenness, so the highest cap that passes keeps most. Bisection from above.
    """
    low, high = np.zeros(len(counts)), counts.max(axis=1, initial=0).astype(np.float64)
    for _ in range(40):
        middle = (low + high) / 2
        good = passes(np.minimum(counts, middle[:, np.newaxis]))
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    most = np.minimum(counts, high[:, np.newaxis]).sum(axis=1)
    lowest = np.where(counts > 0, counts, np.iinfo(np.int64).max).min(axis=1, initial=2**62)
    # at a cap below all counts they are alike, and as even as can be
    never = ~passes(np.minimum(counts, np.minimum(lowest, 1)[:, np.newaxis]).astype(np.float64))
    return np.where(never | ((counts > 0).sum(axis=1) < least), 0.0, most)


@dataclass(frozen=True)
class TCloseness(ClassModel):
    """The distance of every class from the overall distribution is at most t.

    `levels` are groupings of the values, the finest first, for the equal distance (one, each value by
    itself) and the hierarchical one: the mean over levels of half the sum of all differences. `ranks` are
    the places of the values, for the ordered distance: neighbours are equally far.
    """

    attribute: str
    t: float
    levels: tuple[tuple[int, ...], ...] = ()
    ranks: tuple[int, ...] = ()
    values: tuple[str, ...] | None = None

    def shares(self, table: Table) -> Floats:
        """Return the overall share of each value."""
        overall = self.overall(table)
        return overall / max(1, int(overall.sum()))

    def steps(self, shares: Floats) -> Floats:
        """Return the heights of a function of the values for each difference of shares: the dual.

        The distance is the sum of (p - q) f for the f that is steepest where mass has to be moved.
        """
        if self.ranks:
            order = np.argsort(self.ranks)
            moved = np.cumsum(shares[:, order], axis=1)[:, :-1]
            down = np.sign(moved) / max(1, shares.shape[1] - 1)
            heights = np.zeros(shares.shape)
            heights[:, order[:-1]] = np.cumsum(down[:, ::-1], axis=1)[:, ::-1]
            return heights
        heights = np.zeros(shares.shape)
        for level in self.levels:
            groups = np.zeros((shares.shape[1], max(level) + 1))
            groups[np.arange(shares.shape[1]), list(level)] = 1
            heights += ((shares @ groups) > 0)[:, list(level)] / len(self.levels)
        return heights

    def judge(self, counts: Integers, view: View) -> Marks:
        """Mark the histograms that break it."""
        difference = counts / np.maximum(counts.sum(axis=1), 1)[:, np.newaxis] - self.shares(
            view.table
        )
        far: Marks = (difference * self.steps(difference)).sum(axis=1) > self.t + SLACK
        return far

    def largest(self, counts: Integers, table: Table) -> Floats:
        """Whatever part passes has sum_s k_s (f_s - mean f - t) <= 0 with the f of the whole class."""
        shares, totals = self.shares(table), np.maximum(counts.sum(axis=1), 1)[:, np.newaxis]
        heights = self.steps(counts / totals - shares)
        most = fill(heights - (heights @ shares)[:, np.newaxis] - (self.t + 1e-9), counts)
        if len(self.levels) != 1:
            return most
        # each value by itself: of m records, sum_s min(n_s, m q_s) are where they may be
        low, high = np.zeros(len(counts)), counts.sum(axis=1).astype(np.float64)
        for _ in range(40):
            middle = ((low + high) / 2)[:, np.newaxis]
            placed = np.minimum(counts, middle * shares).sum(axis=1)
            good = placed >= (1 - self.t - 1e-9) * middle[:, 0]
            low, high = np.where(good, middle[:, 0], low), np.where(good, high, middle[:, 0])
        fewest: Floats = np.minimum(most, high)
        return fewest


def fill(weights: Floats, counts: Integers) -> Floats:
    """Return the most records of each row with a sum of weights of at most 0: the lightest first."""
    order = np.argsort(weights, axis=1)
    weights = np.take_along_axis(weights, order, axis=1)
    counts = np.take_along_axis(counts, order, axis=1)
    before = np.cumsum(weights * counts, axis=1) - weights * counts
    room = np.where(weights > 0, -before / np.where(weights > 0, weights, 1), counts)
    most: Floats = np.clip(room, 0, counts).sum(axis=1)
    return most


class ShareModel(ClassModel):
    """A base for models that limit the share of every value in a class from above."""

    judges_all: ClassVar[bool] = True

    def caps(self, table: Table) -> Floats:
        """Return the largest share that each value may have; infinite where any may be."""
        raise NotImplementedError

    def shares(self, table: Table) -> Floats:
        """Return the share of the people who have each value."""
        return self.overall(table) / table.people

    def largest(self, counts: Integers, table: Table) -> Floats:
        """Of m records no value has more than its cap of m, nor more than the class has."""
        caps = np.where(np.isfinite(self.caps(table)), self.caps(table), 2.0**60) * (1 + 1e-9)
        most = counts.sum(axis=1)
        for _ in range(1000):  # each step is a bound, and none is below the largest part
            fewer = np.minimum(counts, np.floor(most[:, np.newaxis] * caps + 1e-6)).sum(axis=1)
            if (fewer >= most).all():
                break
            most = np.minimum(most, fewer.astype(np.int64))
        return np.asarray(most, np.float64)


@dataclass(frozen=True)
class BetaLikeness(ShareModel):
    """For every value of every class, (p - q) / q is at most beta; enhanced, also at most -ln q."""

    attribute: str
    beta: float
    enhanced: bool = False
    values: tuple[str, ...] | None = None

    def caps(self, table: Table) -> Floats:
        """Return the largest share that each value may have."""
        q = self.shares(table)
        gain = np.full(q.size, self.beta)
        if self.enhanced:
            gain = np.minimum(gain, -np.log(np.maximum(q, np.finfo(float).tiny)))
        return np.where(self.harmful(table), (1 + gain) * q, np.inf)

    def judge(self, counts: Integers, view: View) -> Marks:
        """Mark the histograms that break it."""
        caps = np.where(np.isfinite(self.caps(view.table)), self.caps(view.table), 2.0**60)
        above = counts >= caps * (1 + SLACK) * view.sizes[:, np.newaxis]
        return np.asarray((above & (counts > 0)).any(axis=1))


@dataclass(frozen=True)
class DeltaDisclosure(ShareModel):
    """For every value of every class, |log2(p / q)| is below delta; absent ones fail, or are skipped."""

    attribute: str
    delta: float
    skip_absent: bool = False
    values: tuple[str, ...] | None = None

    def caps(self, table: Table) -> Floats:
        """Return the largest share that each value may have."""
        q = self.shares(table)
        return np.where(self.harmful(table) & (q > 0), q * 2.0**self.delta, np.inf)

    def limits(self, table: Table) -> tuple[Floats, Floats]:
        """Return the least and the largest share of each value."""
        q, factor = self.shares(table), 2.0 ** (self.delta - SLACK)
        counted = self.harmful(table) & (q > 0)
        return np.where(counted, q / factor, 0.0), np.where(counted, q * factor, 2.0**60)

    def too_frequent(self, counts: Integers, sizes: Integers, table: Table) -> Marks:
        """Mark the classes in which a value is too frequent."""
        most = self.limits(table)[1] * sizes[:, np.newaxis]
        return np.asarray(((counts > 0) & (counts >= most)).any(axis=1))

    def judge(self, counts: Integers, view: View) -> Marks:
        """Mark the histograms that break it."""
        least = self.limits(view.table)[0]
        rare = (counts <= least * view.sizes[:, np.newaxis]) & (least > 0)
        if self.skip_absent:
            rare &= counts > 0
        return self.too_frequent(counts, view.sizes, view.table) | rare.any(axis=1)

    def most_kept(self, view: View) -> Integers | None:
        """Where absent values are skipped, parts that lack a rare value pass: only the frequent bind."""
        most = super().most_kept(view)
        if most is None or not self.skip_absent:
            return most
        frequent = self.too_frequent(view.histogram(self.attribute), view.sizes, view.table)
        return np.where(frequent, most, view.records)

    def largest(self, counts: Integers, table: Table) -> Floats:
        """Return the records of the largest part of each histogram that passes."""
        most = super().largest(counts, table)
        if self.skip_absent:
            return most
        least = self.limits(table)[0]
        needed = least > 0
        if needed.any():  # of m records, at least so many have each value
            most = np.minimum(most, (counts[:, needed] / least[needed] * (1 + 1e-9)).min(axis=1))
        return most


@dataclass(frozen=True)
class DeltaPresence(Model):
    """In every class, the share of the matching population who are in the table is within limits."""

    scope: ClassVar[str] = "classes"
    minimum: float
    maximum: float

    def people(self, view: View) -> tuple[Integers, int]:
        """Count the people who match each class, and those who match nobody where all is known."""
        assert view.table.population is not None
        places = view.table.population[2]
        matching, unmatched = view.table.matching({at: view.scheme[at] for at in places})
        of_class = np.zeros(view.classes, np.int64)
        of_class[view.labels] = matching
        return of_class, unmatched if len(places) == len(view.scheme) else 0

    def breaking(self, view: View) -> Marks:
        """Mark the classes that break it."""
        matching, unmatched = self.people(view)
        if self.minimum > 0 and unmatched:
            return np.ones(view.classes, np.bool_)
        shares = view.sizes / np.maximum(np.maximum(matching, view.sizes), 1)
        return (shares > self.maximum + SLACK) | (shares < self.minimum - SLACK)

    def breaks(self, view: View) -> Marks:
        """Mark who breaks it."""
        return (self.breaking(view) & view.there)[view.labels] & view.kept

    def breaks_when_finer(self, view: View) -> Marks | None:  # noqa: ARG002
        """Mark who breaks it at every finer scheme too."""
        return None

    def most_kept(self, view: View) -> Integers | None:
        """Of those who match, at most the largest share is kept; below the least, less than all.

        Unless the population lacks an attribute: the same people then match several parts of a class.
        """
        assert view.table.population is not None
        if view.table.owners is not None or len(view.table.population[2]) < len(view.scheme):
            return None
        matching, unmatched = self.people(view)
        if self.minimum > 0 and unmatched:
            return np.zeros(view.classes, np.int64)
        people = np.maximum(matching, view.sizes)
        most = np.floor(people * self.maximum + 1e-6).astype(np.int64)
        return np.where(self.breaking(view), np.minimum(most, view.records - 1), view.records)
