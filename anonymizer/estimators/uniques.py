"""How many of a population's people are unique in it, estimated from the class sizes of a sample.

Everything works on histograms of class sizes: the distinct sizes, ascending, and how many classes have
each. An estimate is 0 without sample uniques, and NaN where it cannot be had although there are some. It
is never above the population, whatever a formula says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import suggest_name
from anonymizer.estimators.pitman import check_population, fit_pitman
from anonymizer.kernels import uniques as kernels

Integers = NDArray[np.int64]
Estimator = Callable[[Integers, Integers, float], float]
Kernel = Callable[[Integers, Integers, int, float], float]
"""An estimate once so many of the sample uniques are removed."""


def histogram(class_sizes: NDArray[np.signedinteger]) -> tuple[Integers, Integers]:
    """Count the classes of each size.

    >>> sizes, counts = histogram(np.array([3, 1, 3, 1, 1]))
    >>> sizes.tolist(), counts.tolist()
    ([1, 3], [3, 2])
    """
    if class_sizes.size and class_sizes.min() < 1:
        raise ValueError(f"a class has at least 1 record, got {class_sizes.min()}")
    if class_sizes.max(initial=0) > 4 * class_sizes.size + 4096:
        # one count for each possible size would take more room than the classes themselves
        sizes, counts = np.unique(class_sizes, return_counts=True)
        return sizes.astype(np.int64), counts.astype(np.int64)
    by_size = np.bincount(class_sizes)
    sizes = np.flatnonzero(by_size)
    return sizes, by_size[sizes]


def at_most(estimate: float, people: float) -> float:
    """Return an estimate of a number of people, of whom there are no more than so many; NaN stays.

    >>> at_most(112_476_251, 1_000_000), at_most(20.5, 1_000_000)
    (1000000, 20.5)
    """
    return people if estimate > people else estimate


def pitman(sizes: Integers, counts: Integers, population: float) -> float:
    """Estimate the population uniques by Pitman's model (Hoshino 2001); NaN where all records are unique.

    >>> round(pitman(np.array([1, 3]), np.array([20, 5]), 1e6), 2)
    2779.22
    """
    return _estimate(kernels.pitman, sizes, counts, population)


def zayatz(sizes: Integers, counts: Integers, population: float) -> float:
    """Estimate the population uniques by the share of sample uniques that are (Zayatz 1991).

    >>> round(zayatz(np.array([1, 2]), np.array([1, 1]), 6), 4)
    0.9091
    """
    return _estimate(kernels.zayatz, sizes, counts, population)


def snb(sizes: Integers, counts: Integers, population: float) -> float:
    """Estimate the population uniques by the slide negative binomial model.

    Chen and Keller-McNulty (1998), with Shlosser's estimate of the number of classes. NaN where its two
    equations have no solution, which is always so without classes of size 2.

    >>> round(snb(np.array([1, 2, 3, 4, 10]), np.array([100, 30, 10, 5, 2]), 2300), 2)
    346.39
    """
    return _estimate(kernels.snb, sizes, counts, population)


def dankar(sizes: Integers, counts: Integers, population: float) -> float:
    """Estimate the population uniques by the rule of Dankar et al. (2012).

    From a sample of at most a tenth of the population by Pitman's model, by Zayatz where that has no
    solution; from a larger one by Zayatz or SNB, whichever is less.
    """
    return _estimate(_dankar, sizes, counts, population)


def unique_given_unique(class_sizes: NDArray[np.signedinteger], population: int) -> float | None:
    """Estimate by Pitman's model the probability that a sample unique is a population unique.

    None where the model cannot be fitted, as where all records are unique.

    >>> round(unique_given_unique(np.array([1] * 20 + [3] * 5), 1_000_000), 6)
    0.005027
    """
    check_population(int(class_sizes.sum()), population)
    model = fit_pitman(*histogram(class_sizes))
    return None if model is None else model.unique_given_unique(int(class_sizes.sum()), population)


ESTIMATORS: dict[str, Estimator] = {
    "pitman": pitman,
    "zayatz": zayatz,
    "snb": snb,
    "dankar": dankar,
}
"""The estimators of population uniques, by name."""

SCANNED = 10_000
"""So many cuts are tried one after another, at some microseconds each."""


def first_cut(
    sizes: Integers, counts: Integers, population: float, limit: float, estimator: str = "pitman"
) -> int:
    """Find how many sample uniques must be removed, at least, until the estimate is within a limit.

    The same as trying 0, 1, 2, ... in turn; `Cuts` says how that is done faster, and within which limits.

    >>> first_cut(np.array([1, 2, 3]), np.array([900, 35, 10]), 1_000_000, 10_000)
    512
    """
    if estimator not in ESTIMATORS:
        raise ValueError(f"no estimator {estimator!r}; {suggest_name(estimator, ESTIMATORS)}")
    if not limit >= 0:
        raise ValueError(f"the limit must be at least 0, got {limit}")
    _check_histogram(sizes, counts, population)
    cuts = Cuts(sizes, counts, float(population), limit)
    searches = {
        "pitman": cuts.first_by_pitman,
        "zayatz": cuts.first_by_zayatz,
        "snb": cuts.first_by_snb,
        "dankar": cuts.first_by_dankar,
    }
    return searches[estimator]()


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """A histogram whose classes of size 1 are removed until an estimate is within a limit."""

    sizes: Integers
    counts: Integers
    population: float
    limit: float

    @property
    def last(self) -> int:
        """The cut that removes all classes of size 1, at which every estimate is 0."""
        return int(self.counts[0]) if self.sizes.size and self.sizes[0] == 1 else 0

    def first_by_pitman(self, start: int = 0) -> int:
        """Find the first cut from `start` on at which Pitman's estimate passes.

        Once alpha is 0 the estimate falls, for sum_{i<n} i/(theta+i) = n - u stays while n falls. As
        long as alpha > 0 it may rise, but only from a large share of the population: in the limit of
        many records from no less than 0.18. So bisection finds the first cut that passes a lower limit.
        For a higher one the cuts before are tried as well: all of them up to `SCANNED`, and of more so
        many at even distances, between which only a shorter stretch that passes can be missed.
        """
        passes = self._passing(kernels.pitman)
        if passes(start):
            return start
        cut = bisect(passes, start, self.last)
        if self.limit < self.population / 10:
            return cut
        stride = 1 + (cut - start) // SCANNED
        tried = range(start + stride, cut, stride)
        earlier = next((step for step in tried if passes(step)), None)
        return cut if earlier is None else bisect(passes, earlier - stride, earlier)

    def first_by_zayatz(self) -> int:
        """Find the first cut at which Zayatz' estimate passes, by bisection: it falls at every cut.

        It is N s1/n s1/(s1 + c), where a cut lowers s1, lowers n by as much, and raises c.
        """
        passes = self._passing(kernels.zayatz)
        return 0 if passes(0) else bisect(passes, 0, self.last)

    def first_by_snb(self, stop: int | None = None) -> int:
        """Find the first cut at which SNB passes, or `stop`, one after another: nothing else is known."""
        stop = self.last if stop is None else stop
        passes = self._passing(kernels.snb)
        pairs = self.sizes.size > 1 and self.sizes[1] == 2
        tried = stop if pairs else min(stop, 1)  # without pairs only a sample of everybody has one
        return next((cut for cut in range(tried) if passes(cut)), stop)

    def first_by_dankar(self) -> int:
        """Find the first cut that passes Dankar's rule; from the cut `tenth` on that is Pitman's."""
        records = _records(self.sizes, self.counts)
        tenth = min(self.last, max(0, records - math.floor(self.population / 10)))
        by_zayatz = self.first_by_zayatz()
        cut = self.first_by_snb(min(tenth, by_zayatz))
        if cut < tenth:
            return cut
        if self.last == records:  # Pitman's model cannot be fitted
            return max(tenth, by_zayatz)
        return self.first_by_pitman(tenth)

    def _passing(self, kernel: Kernel) -> Callable[[int], bool]:
        return lambda cut: (
            _after(kernel, self.sizes, self.counts, cut, self.population) <= self.limit
        )


def bisect(passes: Callable[[int], bool], failed: int, passed: int) -> int:
    """Find a number that passes right after one that does not.

    >>> bisect(lambda number: number * number >= 50, 0, 100)
    8
    """
    while passed - failed > 1:
        middle = (failed + passed) // 2
        if passes(middle):
            passed = middle
        else:
            failed = middle
    return passed


def _estimate(kernel: Kernel, sizes: Integers, counts: Integers, population: float) -> float:
    _check_histogram(sizes, counts, population)
    return _after(kernel, sizes, counts, 0, float(population))


def _after(
    kernel: Kernel, sizes: Integers, counts: Integers, removed: int, population: float
) -> float:
    """Estimate when some sample uniques are removed: the one place where a kernel is asked."""
    return at_most(kernel(sizes, counts, removed, population), population)


def _dankar(sizes: Integers, counts: Integers, removed: int, population: float) -> float:
    by_zayatz: float = kernels.zayatz(sizes, counts, removed, population)
    if 10 * (_records(sizes, counts) - removed) > population:
        by_snb: float = kernels.snb(sizes, counts, removed, population)
        return by_snb if by_snb < by_zayatz else by_zayatz
    by_pitman: float = kernels.pitman(sizes, counts, removed, population)
    return by_zayatz if math.isnan(by_pitman) else by_pitman


def _records(sizes: Integers, counts: Integers) -> int:
    return int(sizes @ counts)


def _check_histogram(sizes: Integers, counts: Integers, population: float) -> None:
    if sizes.shape != counts.shape or sizes.ndim != 1:
        raise ValueError(f"sizes and counts must be of one length: {sizes.shape}, {counts.shape}")
    if sizes.size:
        check_population(_records(sizes, counts), population)
