"""The overall risk of what remains while classes are suppressed one by one.

u_S is estimated once for a scheme, so nobody's risk falls while others are suppressed. The risks after one
prefix of the order are therefore the least that they are after every longer one. What a statistic of
people cannot pass for that reason is passed over, and the shortest cut found is that of a scan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.microdata import Microdata
from anonymizer.kernels.people import add_highest_left
from anonymizer.knowledge.statistics import (
    SLACK,
    passes,
    quantile_of,
    records_above,
    statistic_of,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
RisksOf = Callable[[NDArray[np.bool_]], Floats]
"""From the tuples kept: the risk of each of them."""


@dataclass(frozen=True, eq=False)
class Turns:
    """An order in which a table's tuples are suppressed.

    `of_tuple` has each tuple's turn, 0, 1, ... below `number`; -1 for those that are suppressed before.
    """

    microdata: Microdata
    of_tuple: Integers
    number: int

    @staticmethod
    def of(
        microdata: Microdata, label_of_tuple: NDArray[np.integer], order: NDArray[np.integer]
    ) -> Turns:
        """Give all tuples of a class its turn; a class that is not in the order is suppressed before."""
        classes = int(label_of_tuple.max(initial=-1)) + 1
        turn_of_class = np.full(classes, -1, np.int64)
        turn_of_class[order] = np.arange(order.size)
        return Turns(microdata, turn_of_class[label_of_tuple], order.size)

    def kept(self, prefix: int) -> NDArray[np.bool_]:
        """Mark the tuples that are left after so many turns."""
        left: NDArray[np.bool_] = self.of_tuple >= prefix
        return left

    def sums(self, values: Floats) -> Floats:
        """Sum after 0, 1, 2, ... turns the highest value among each person's tuples left."""
        people = self.microdata.people
        there = self.of_tuple >= 0
        alone = (self.microdata.counts if people is None else people.of_tuple)[there]
        at_turn = np.bincount(self.of_tuple[there], alone * values[there], self.number)
        sums: Floats = np.append(np.cumsum(at_turn[::-1])[::-1], 0.0)
        if people is not None:
            changes = np.zeros(self.number + 1)
            entries = people.starts, people.tuple_of_entry, people.of_history
            add_highest_left(self.of_tuple, values, *entries, changes)
            sums += np.cumsum(changes)
        return sums

    @cached_property
    def people(self) -> Integers:
        """How many people are left after 0, 1, 2, ... turns."""
        return np.rint(self.sums(np.ones(self.of_tuple.size))).astype(np.int64)


def people_with(
    microdata: Microdata, risks: Floats, kept: NDArray[np.bool_]
) -> tuple[Floats, Integers]:
    """Return the highest risk among each person's tuples kept, with how many people have it."""
    if microdata.people is None:
        return risks[kept], microdata.counts[kept].astype(np.int64)
    highest, people = microdata.people.highest(np.where(kept, risks, -1.0))
    there = highest >= 0
    return highest[there], people[there]


def shortest_cut(
    risks_of: RisksOf, turns: Turns, statistic: str | float, threshold: float, start: int = 0
) -> int:
    """Return the least prefix, at least `start`, after which a statistic of people is within a threshold.

    `risks_of` must not lower the risk of a tuple when others are suppressed. The answer is that of a
    scan over all prefixes.
    """
    prefix = start
    while True:
        kept = turns.kept(prefix)
        risks = risks_of(kept)
        highest = people_with(turns.microdata, risks, kept)
        if passes(statistic_of(*highest, statistic), threshold):
            return prefix
        prefix = next_open(turns, risks, statistic, threshold, prefix)


def next_open(
    turns: Turns, risks: Floats, statistic: str | float, threshold: float, failed: int
) -> int:
    """Return the next prefix that may pass, if nobody's risk is below what it is after a shorter one."""
    quantile = quantile_of(statistic)
    if quantile is None:
        mean = turns.sums(risks) / np.maximum(turns.people, 1)
        may_pass = mean <= threshold + 2 * SLACK  # sums in another order differ in the last bits
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
    quantile, total = quantile_of(statistic), int(people.sum())
    order = np.argsort(-risks, kind="stable")
    risks, people = risks[order], people[order]
    if quantile is None:
        return suppressed_for_mean(risks, people, threshold + 2 * SLACK, whole=whole)
    above = int(people[risks > threshold + 2 * SLACK].sum())
    gone = np.arange(above + 1)
    left = total - gone if whole else np.full(above + 1, total)
    return int(np.argmax(above - gone <= records_above(quantile, left)))


def suppressed_for_mean(
    risks: Floats, people: Integers, threshold: float, *, whole: bool
) -> int:
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
