"""The overall risk of what remains while classes are suppressed one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.overall import add_totals_of_prefixes
from anonymizer.knowledge.attack import Attack, Floats, Knowledge
from anonymizer.knowledge.exposure import check_exact, combine, sum_risks
from anonymizer.knowledge.statistics import (
    SLACK,
    passes,
    quantile_of,
    records_above,
    statistic_of,
)
from anonymizer.knowledge.uniqueness import UniqueGivenUnique, estimate_needed

SCAN_LIMIT = 2048  # prefixes
CACHE_LIMIT = 20_000_000  # labels; 80 MB


@dataclass(frozen=True, slots=True, eq=False)
class SuppressionOrder:
    """An order in which classes are suppressed; the rows of `attack` are in that order.

    The rows from `starts[p]` on remain after a prefix of length p, with `records[p]` records.
    """

    attack: Attack
    subsets: Iterable[Knowledge]
    starts: NDArray[np.intp]
    records: NDArray[np.int64]

    @staticmethod
    def of(
        attack: Attack, label_of_tuple: NDArray[np.integer], order: NDArray[np.integer]
    ) -> SuppressionOrder:
        """Sort the rows of an attack, which must tell the classes apart, by their turn."""
        turn = turns(attack, label_of_tuple, order)
        sequence = np.argsort(turn, kind="stable")
        rows = attack.take(sequence)
        starts = np.searchsorted(turn[sequence], np.arange(order.size + 1))
        remaining = np.append(np.cumsum(rows.counts[::-1])[::-1], 0)
        return SuppressionOrder(rows, Subsets.of(rows), starts, remaining[starts])

    def risks_after(
        self, prefix: int, estimate: UniqueGivenUnique
    ) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Return the counts of the rows that remain, their overall risk, and it with every u_S 0."""
        left = slice(int(self.starts[prefix]), None)
        rows = self.attack.take(left)
        sets = (knowledge.take(left) for knowledge in self.subsets)
        prosecutor, journalist, marketer = sum_risks(rows, sets, estimate)
        risks = combine(self.attack.scenario, prosecutor, journalist, marketer)
        lowest = combine(self.attack.scenario, prosecutor, 0.0, marketer)
        return rows.counts, risks, lowest

    def mean_bounds(self) -> tuple[Floats, Floats]:
        """Return the mean overall risk after each prefix if every u_S were 0, and if it were 1."""
        totals = np.zeros((2, self.records.size))
        rows = self.attack
        for known, (equal, _) in self.subsets:
            weights = rows.probability(known)
            add_totals_of_prefixes(*equal, rows.counts, rows.kind, weights, self.starts, totals)
        prosecutor, marketer = totals / np.maximum(self.records, 1)
        low: Floats = combine(rows.scenario, prosecutor, 0.0, marketer)
        high: Floats = combine(rows.scenario, prosecutor, prosecutor, marketer)
        return low, high


class Subsets:
    """The sets that may be known, to be gone through many times: kept where they fit, else made anew."""

    def __init__(self, attack: Attack) -> None:
        self.attack = attack

    def __iter__(self) -> Iterator[Knowledge]:
        return self.attack.walk()

    @staticmethod
    def of(attack: Attack) -> Iterable[Knowledge]:
        """Keep the sets if they fit."""
        fits = attack.counts.size << len(attack.group_labels) <= CACHE_LIMIT
        return tuple(attack.walk()) if fits else Subsets(attack)


def turns(
    attack: Attack, label_of_tuple: NDArray[np.integer], order: NDArray[np.integer]
) -> NDArray[np.intp]:
    """Return when each row's class is suppressed."""
    present = attack.row_of_tuple >= 0
    labels, row = label_of_tuple[present], attack.row_of_tuple[present]
    turn_of_class = np.full(max(labels.max(initial=-1), order.max(initial=-1)) + 1, -1, np.intp)
    turn_of_class[order] = np.arange(order.size)
    turn = turn_of_class[labels]
    if (turn < 0).any() or np.unique(order).size != order.size:
        raise ValueError("the order of suppression must have each class with records once")
    turn_of_row = np.empty(attack.counts.size, np.intp)
    turn_of_row[row] = turn
    if (turn_of_row[row] != turn).any():
        raise ValueError("the rows of the attack must not be of several classes")
    return turn_of_row


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

    `label_of_tuple` numbers the classes of the scheme, which the attack must tell apart, and `order`
    lists them, first to go first. The
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
    suppression = SuppressionOrder.of(attack, label_of_tuple, np.asarray(order, np.int64))
    if quantile is None:
        return cut_mean(suppression, threshold, estimate, scan_limit)
    return cut_percentile(suppression, quantile, threshold, estimate, scan_limit)


def cut_mean(
    suppression: SuppressionOrder, threshold: float, estimate: UniqueGivenUnique, scan_limit: int
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
    suppression: SuppressionOrder,
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


def bisect_cut(candidates: Sequence[int], passes_after: Callable[[int], bool]) -> int:
    """Find a candidate that passes while the one before does not; the last one passes."""
    low, high = -1, len(candidates) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes_after(candidates[middle]) else (middle, high)
    return candidates[high]
