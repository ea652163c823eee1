"""The overall risk of what remains while classes are suppressed one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.overall import add_totals_of_prefixes
from anonymizer.knowledge.overall_risk import (
    SLACK,
    Attack,
    Floats,
    Subset,
    UniqueGivenUnique,
    assess,
    check_exact,
    code_labels,
    combine,
    estimate_needed,
    known_subsets,
    merge,
    one_part,
    passes,
    quantile_of,
    statistic_of,
    sum_measures,
)

SCAN_LIMIT = 2048  # prefixes
CACHE_LIMIT = 20_000_000  # labels; with their weights, 240 MB


def risk_after(
    attack: Attack,
    label_of_tuple: NDArray[np.integer],
    suppressed: Sequence[int] | NDArray[np.integer],
    statistic: str | float,
    unique_given_unique: UniqueGivenUnique | None = None,
) -> float:
    """Return the statistic of the overall risk of what remains when some classes are suppressed."""
    kept = ~np.isin(label_of_tuple, np.asarray(suppressed, np.int64))
    remaining = attack.with_counts(attack.counts * kept)
    estimate = estimate_needed(attack.scenario, unique_given_unique)
    return assess(remaining, estimate).statistic(statistic)


@dataclass(frozen=True, slots=True, eq=False)
class Suppression:
    """An order in which classes are suppressed; the rows of `attack` are in that order.

    The rows from `starts[p]` on remain after a prefix of length p, with `records[p]` records.
    """

    attack: Attack
    subsets: Iterable[Subset]
    starts: NDArray[np.intp]
    records: NDArray[np.int64]

    @staticmethod
    def of(
        attack: Attack, label_of_tuple: NDArray[np.integer], order: NDArray[np.integer]
    ) -> Suppression:
        """Merge what is one row in every table that can remain, and sort the rows by their turn."""
        present = np.flatnonzero(attack.counts)
        turn = turns(label_of_tuple[present], order)
        left = attack.take(present, attack.counts[present])
        rows, row_of_tuple = merge(left, one_part(present.size).refine(code_labels(turn)))
        turn_of_row = np.empty(rows.counts.size, np.intp)
        turn_of_row[row_of_tuple.of_row] = turn
        sequence = np.argsort(turn_of_row, kind="stable")
        rows = rows.take(sequence, rows.counts[sequence])
        starts = np.searchsorted(turn_of_row[sequence], np.arange(order.size + 1))
        remaining = np.append(np.cumsum(rows.counts[::-1])[::-1], 0)
        return Suppression(rows, Subsets.of(rows), starts, remaining[starts])

    def risks_after(
        self, prefix: int, estimate: UniqueGivenUnique
    ) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Return the counts of the rows that remain, their overall risk, and it with every u_S 0."""
        start = int(self.starts[prefix])
        prosecutor, journalist, marketer = sum_measures(self.attack, self.subsets, start, estimate)
        risks = combine(self.attack.scenario, prosecutor, journalist, marketer)
        lowest = combine(self.attack.scenario, prosecutor, 0.0, marketer)
        return self.attack.counts[start:], risks, lowest

    def mean_bounds(self) -> tuple[Floats, Floats]:
        """Return the mean overall risk after each prefix if every u_S were 0, and if it were 1."""
        totals = np.zeros((2, self.records.size))
        counts = self.attack.counts
        for parts, weights in self.subsets:
            add_totals_of_prefixes(parts.of_row, parts.number, counts, weights, self.starts, totals)
        prosecutor, marketer = totals / np.maximum(self.records, 1)
        low: Floats = combine(self.attack.scenario, prosecutor, 0.0, marketer)
        high: Floats = combine(self.attack.scenario, prosecutor, prosecutor, marketer)
        return low, high


class Subsets:
    """The subsets of groups, to be gone through many times: kept where they fit, else made anew."""

    def __init__(self, attack: Attack) -> None:
        self.attack = attack

    def __iter__(self) -> Iterator[Subset]:
        return known_subsets(self.attack)

    @staticmethod
    def of(attack: Attack) -> Iterable[Subset]:
        """Keep the subsets if they fit."""
        fits = attack.counts.size << len(attack.values) <= CACHE_LIMIT
        return tuple(known_subsets(attack)) if fits else Subsets(attack)


def turns(labels: NDArray[np.integer], order: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return when each tuple's class is suppressed."""
    turn_of_class = np.full(max(labels.max(initial=-1), order.max(initial=-1)) + 1, -1, np.intp)
    turn_of_class[order] = np.arange(order.size)
    turn: NDArray[np.intp] = turn_of_class[labels]
    if (turn < 0).any() or np.unique(order).size != order.size:
        raise ValueError("the order of suppression must have each class with records once")
    return turn


def shortest_cut(
    attack: Attack,
    label_of_tuple: NDArray[np.integer],
    order: Sequence[int] | NDArray[np.integer],
    statistic: str | float,
    threshold: float,
    unique_given_unique: UniqueGivenUnique | None = None,
    scan_limit: int = SCAN_LIMIT,
) -> int:
    """Return the length of the shortest prefix of the order after which statistic <= threshold.

    `label_of_tuple` numbers the classes of the scheme and `order` lists them, first to go first. The
    answer is that of a scan over all prefixes, but prefixes that bounds decide are passed over: for
    the mean, u_S = 0 and u_S = 1 bound it (and agree where p_cu is 0, so that nothing is left to
    compute); for a percentile, records above the threshold stay above it until they are suppressed.
    Where more than `scan_limit` prefixes would have to be computed, the rest is bisected: the cut
    then passes and the one before it does not, but a shorter one may pass too.
    """
    if not threshold >= 0:
        raise ValueError(f"a threshold is at least 0, got {threshold}")
    check_exact(attack.scenario)
    quantile = quantile_of(statistic)
    estimate = estimate_needed(attack.scenario, unique_given_unique)
    suppression = Suppression.of(attack, label_of_tuple, np.asarray(order, np.int64))
    if quantile is None:
        return cut_mean(suppression, threshold, estimate, scan_limit)
    return cut_percentile(suppression, quantile, threshold, estimate, scan_limit)


def cut_mean(
    suppression: Suppression, threshold: float, estimate: UniqueGivenUnique, scan_limit: int
) -> int:
    """Find the shortest cut for the mean: compute only what the bounds leave open."""
    low, high = suppression.mean_bounds()

    def passes_after(prefix: int) -> bool:
        if passes(high[prefix], threshold):
            return True
        counts, risks, _ = suppression.risks_after(prefix, estimate)
        return passes(statistic_of(risks, counts, "mean"), threshold)

    sure = int(np.argmax(high <= threshold + SLACK))  # the empty table, at the latest
    may_pass = np.flatnonzero(low[:sure] <= threshold + SLACK)
    candidates = [*may_pass.tolist(), sure]
    if len(candidates) > scan_limit:
        return bisect_cut(candidates, passes_after)
    return next(prefix for prefix in candidates if passes_after(prefix))


def cut_percentile(
    suppression: Suppression,
    quantile: Fraction,
    threshold: float,
    estimate: UniqueGivenUnique,
    scan_limit: int,
) -> int:
    """Find the shortest cut for a percentile: jump to where enough records above are suppressed."""
    allowed = records_above(quantile, suppression.records)

    def look(prefix: int) -> int:
        """Return the prefix if it passes, else the next one that may."""
        counts, risks, lowest = suppression.risks_after(prefix, estimate)
        if counts[risks > threshold + SLACK].sum() <= allowed[prefix]:
            return prefix
        # matching records only get fewer: whoever is above with u_S = 0 stays above to the end
        above = np.cumsum((counts * (lowest > threshold + SLACK))[::-1])[::-1]
        later = suppression.starts[prefix + 1 :] - suppression.starts[prefix]
        return prefix + 1 + int(np.argmax(np.append(above, 0)[later] <= allowed[prefix + 1 :]))

    prefix = 0
    for _ in range(scan_limit):
        at, prefix = prefix, look(prefix)
        if at == prefix:
            return prefix
    rest = range(prefix, suppression.records.size)
    return bisect_cut(rest, lambda prefix: look(prefix) == prefix)


def records_above(quantile: Fraction, records: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many of so many records may be above a percentile.

    >>> records_above(Fraction("0.95"), np.array([20, 19])).tolist()
    [1, 0]
    """
    rest = 1 - quantile
    above = [rest.numerator * count // rest.denominator for count in records.tolist()]
    return np.array(above, np.int64)


def bisect_cut(candidates: Sequence[int], passes_after: Callable[[int], bool]) -> int:
    """Find a candidate that passes while the one before does not; the last one passes."""
    low, high = -1, len(candidates) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes_after(candidates[middle]) else (middle, high)
    return candidates[high]
