"""The overall risk of what remains while classes are suppressed one by one.

u_S is estimated once for a scheme, so nobody's risk falls while others are suppressed: the risks after a
prefix of the order are the least that they are after every longer one. What cannot pass for that reason
is passed over, and the shortest cut found is that of a scan.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.overall import AttackedRows, ScenarioAttack
from anonymizer.attackers.statistics import (
    DATA_SET,
    SLACK,
    data_set_risk,
    mean_limit,
    passes,
    quantile_of,
    records_above,
    statistic_of,
)
from anonymizer.lattice import Scheme
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.people import sum_left

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Turns:
    """An order in which the classes of a scheme are suppressed.

    `of_row` has the turn of each row, 0, 1, ... below `number`; -1 for what is suppressed before.
    """

    attack: ScenarioAttack
    scheme: Scheme
    rows: AttackedRows
    of_row: Integers
    number: int
    unique: float | None = None
    """What every u_S is; None where each is estimated."""

    @staticmethod
    def of(
        attack: ScenarioAttack,
        classes: EquivalenceClasses,
        order: NDArray[np.integer],
        unique: float | None = None,
    ) -> Turns:
        """Give all rows of a class its turn; a class that is not in the order is suppressed before."""
        rows = attack.rows(classes)
        turn_of_class = np.full(classes.sizes.size, -1, np.int64)
        turn_of_class[order] = np.arange(order.size)
        turns = turn_of_class[rows.of_tuple(classes.label_of_tuple)]
        return Turns(attack, classes.scheme, rows, turns, order.size, unique)

    def sums(self, values: Floats) -> Floats:
        """Sum after 0, 1, 2, ... turns the highest value among each person's rows left."""
        people = self.attack.microdata.people
        if people is None:
            return sum_left(self.rows.counts * values, self.of_row, self.number)
        return people.sum_highest_left(values, self.of_row, self.number)

    @cached_property
    def people(self) -> Integers:
        """How many people are left after 0, 1, 2, ... turns."""
        return np.rint(self.sums(np.ones(self.of_row.size))).astype(np.int64)

    def all_means_known(self, statistic: str | float) -> bool:
        """Whether `means` has what is asked for, but for rounding."""
        return quantile_of(statistic) is None and self.attack.microdata.people is None

    @cached_property
    def means(self) -> Floats:
        """The mean risk after 0, 1, 2, ... turns, where each record is a person."""
        order = np.argsort(self.of_row)
        starts = np.searchsorted(self.of_row[order], np.arange(self.number + 1))
        totals = self.attack.totals_left(self.scheme, self.rows, order, starts, self.unique)
        means: Floats = totals / np.maximum(self.people, 1)
        return means


def people_with(
    attack: ScenarioAttack, rows: AttackedRows, risks: Floats, kept: NDArray[np.bool_]
) -> tuple[Floats, Integers]:
    """Return the highest risk among each person's rows kept, with how many people have it."""
    people = attack.microdata.people
    if people is None:
        return risks[kept], rows.counts[kept].astype(np.int64)
    highest, number = people.highest(np.where(kept, risks, -1.0))
    there = highest >= 0
    return highest[there], number[there]


def shortest_cut(turns: Turns, statistic: str | float, threshold: float, start: int = 0) -> int:
    """Return the least prefix, at least `start`, after which a statistic of people is within a threshold.

    The answer is that of a scan over all prefixes.
    """
    prefix = start
    if turns.all_means_known(statistic):
        prefix = next_open(turns, np.empty(0), statistic, threshold, start - 1)
    while True:
        kept = turns.of_row >= prefix
        risks = turns.attack.risks(turns.scheme, turns.rows, kept, turns.unique)
        people = people_with(turns.attack, turns.rows, risks, kept)
        if passes(statistic_of(*people, statistic), threshold):
            return prefix
        prefix = next_open(turns, risks, statistic, threshold, prefix)


def next_open(
    turns: Turns, risks: Floats, statistic: str | float, threshold: float, failed: int
) -> int:
    """Return the next prefix that may pass after one that failed.

    Where each record is a person, all means are known but for rounding. Else nobody's risk is below what
    it is after the prefix that failed.
    """
    quantile = quantile_of(statistic)
    if quantile is None:
        known = turns.all_means_known(statistic)
        means = turns.means if known else turns.sums(risks) / np.maximum(turns.people, 1)
        limit = mean_limit(statistic, threshold, turns.people)
        may_pass = means <= limit + 2 * SLACK  # sums in another order differ in the last bits
    else:
        above = np.rint(turns.sums((risks > threshold + SLACK).astype(np.float64)))
        may_pass = above <= records_above(quantile, turns.people)
    may_pass[-1] = True  # a table without records has no risk
    return failed + 1 + int(np.argmax(may_pass[failed + 1 :]))


def least_suppressed(
    risks: Floats, people: Integers, statistic: str | float, threshold: float, *, whole: bool
) -> int:
    """Return how many people, at least, must be suppressed, at least in part, for a statistic to pass.

    Whoever is not has at least the risk given. The highest go first: no other choice of as many leaves
    less. With `whole`, people are suppressed with all their records; else some may be kept by others of
    their records, with no risk at all for what is known here.
    """
    if passes(statistic_of(risks, people, statistic), threshold):
        return 0
    quantile, total = quantile_of(statistic), int(people.sum())
    if quantile is None:
        order = np.argsort(-risks)
        risks, people = risks[order], people[order]
        if statistic == DATA_SET and whole:
            return suppressed_for_data_set(risks, people, threshold + 2 * SLACK)
        limit = mean_limit(statistic, threshold, total)  # the more people, the lower
        return suppressed_for_mean(risks, people, limit + 2 * SLACK, whole=whole)
    above = int(people[risks > threshold + 2 * SLACK].sum())
    gone = np.arange(above + 1)
    left = total - gone if whole else np.full(above + 1, total)
    return int(np.argmax(above - gone <= records_above(quantile, left)))


def suppressed_for_mean(risks: Floats, people: Integers, threshold: float, *, whole: bool) -> int:
    """Return how many of the people, highest risk first, must go until the mean of the rest passes.

    With `whole` the mean is over the rest; else everybody counts, those gone with no risk.
    """
    # sum (risk - threshold) over the rest <= 0, or sum risk over the rest <= threshold * everybody
    excess = risks - threshold if whole else risks
    room = 0.0 if whole else threshold * float(people.sum())
    after = np.append(np.cumsum((excess * people)[::-1])[::-1], 0.0)  # when the first i have gone
    if after[0] <= room:
        return 0
    last = int(np.argmax(after <= room)) - 1  # the group in which the mean begins to pass
    needed = int(np.floor((after[last] - room) / excess[last]))
    return int(people[:last].sum()) + max(0, min(needed, int(people[last])))


def suppressed_for_data_set(risks: Floats, people: Integers, threshold: float) -> int:
    """Return how many of the people, highest risk first, must go until nobody is likely to be found.

    Whoever comes back has at least the mean risk of the others, and there is one more: the risk of the
    data set never falls. So bisection finds the most that may stay.
    """
    most = np.append(0, np.cumsum(people[::-1]))
    sums = np.append(0.0, np.cumsum((risks * people)[::-1]))

    def within(left: int) -> bool:
        if left == 0:
            return True
        at = int(np.searchsorted(most, left, side="right")) - 1
        rest = (left - int(most[at])) * float(risks[::-1][at]) if left > most[at] else 0.0
        return data_set_risk(min((float(sums[at]) + rest) / left, 1.0), left) <= threshold

    low, high = 0, int(most[-1]) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return int(most[-1]) - low
