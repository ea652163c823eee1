"""How many records are unique on each subset of the attributes, in a table and in an external one.

Attribute after attribute is kept or dropped. To drop one only joins tuples, so that the work is on fewer
and fewer of them, and stops where nobody is unique. To keep one settles, for all subsets that follow, who
is told apart from everyone else by the attributes kept so far.
"""

from __future__ import annotations

import heapq
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.packed_tuples import Layout, PackedTuples, read_tuples
from anonymizer.data.opening import TableLike, check_present, open_table
from anonymizer.data.table import Table
from anonymizer.errors import DataError, quote_some
from anonymizer.table.domain import read_only

MOST_ATTRIBUTES = 20
KINDS = 3  # of counts: unique, found, found once
AT_ONCE = 1 << 24
"""Tuples times subsets that one call of a kernel may look at: a tenth of a second."""

Integers = NDArray[np.int64]
OnSubsets = Callable[[int, int], object]
"""Called now and then with the number of subsets that are done, and of all."""


@dataclass(frozen=True, slots=True, eq=False)
class Uniqueness:
    """What is unique on each subset; bit i of a subset's number stands for attribute i."""

    attributes: tuple[str, ...]
    records: int
    distinct: int
    """Distinct tuples of all attributes, those of the external table included."""
    unique: Integers
    """Records of the table whose values on the subset no other record has."""
    found: Integers | None = None
    """Of these, how many occur in the external table; None without one."""
    found_once: Integers | None = None
    """Of these, how many occur there exactly once."""

    @property
    def d_uniqueness(self) -> NDArray[np.float64]:
        """The probability that a random record is unique in the table on each subset."""
        return self.unique / self.records

    @property
    def e_uniqueness(self) -> NDArray[np.float64] | None:
        """The probability that a unique record, if it is in the external table, is unique there.

        It is 1 where no unique record occurs there: what is not known must not look safe.
        """
        if self.found is None or self.found_once is None:
            return None
        return np.where(self.found > 0, self.found_once / np.maximum(self.found, 1), 1.0)

    def names(self, subset: int) -> tuple[str, ...]:
        """Return the attributes of a subset."""
        return tuple(name for i, name in enumerate(self.attributes) if subset >> i & 1)

    def number(self, names: Sequence[str]) -> int:
        """Return the number of the subset with these attributes."""
        return sum(1 << self.attributes.index(name) for name in set(names))


def count_unique(
    data: TableLike,
    attributes: Sequence[str],
    external: TableLike | None = None,
    *,
    delimiter: str | None = None,
    workers: int | None = None,
    on_subsets: OnSubsets | None = None,
) -> Uniqueness:
    """Count the unique records of a table on every subset of some attributes.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [30, 30, 41], "sex": ["f", "m", "f"]})
    >>> count_unique(people, ["age", "sex"]).unique.tolist()  # {}, {age}, {sex}, both
    [0, 1, 1, 3]
    """
    tables = [open_table(data, delimiter)]
    if external is not None:
        tables.append(open_table(external, delimiter))
    check_attributes(tables, attributes)
    records, layout, table = read_tuples(tables, attributes)
    walk = Walk(layout, len(attributes))
    tallies = walk.run(table, workers or os.cpu_count() or 1, on_subsets)
    counts = [
        read_only(column.copy()) for column in tallies.T[: KINDS if external is not None else 1]
    ]
    return Uniqueness(tuple(attributes), records, table.size, *counts)


def check_attributes(tables: Sequence[Table], attributes: Sequence[str]) -> None:
    """Raise a DataError unless there are attributes, not too many, and all tables have them."""
    if not attributes:
        raise DataError("no attribute is named; name those that may be disclosed.")
    if repeated := sorted({name for name in attributes if list(attributes).count(name) > 1}):
        raise DataError(f"attribute {quote_some(repeated)} is named twice; name each once.")
    for table in tables:
        check_present(table, attributes)
    if len(attributes) > MOST_ATTRIBUTES:
        raise DataError(too_many(len(attributes)))


def too_many(attributes: int) -> str:
    """Say what so many attributes would take, and how to have fewer.

    >>> too_many(24)[:98]
    '24 attributes have 16,777,216 subsets, 16 times as many as the 20 that are supported: counting the'
    """
    subsets, times = 1 << attributes, 1 << (attributes - MOST_ATTRIBUTES)
    gibibytes = subsets * 2 * KINDS * 8 / 2**30  # each count is copied once
    return (
        f"{attributes} attributes have {subsets:,} subsets, {times:,} times as many as the "
        f"{MOST_ATTRIBUTES} that are supported: counting them would take {times:,} times as long "
        f"and {gibibytes:,.1f} GiB for the counts alone. Leave out attributes with the lowest "
        "disclosure rates, or join attributes that are always disclosed together into one column."
    )


# --- the walk through the subsets ---


@dataclass(frozen=True, slots=True, eq=False)
class WalkStep:
    """A choice to make: keep an attribute, or drop it, after those before it are decided on."""

    above: PackedTuples
    """The tuples of what is left, without those that are settled."""
    settled: Integers
    """The counts of the tuples that are settled."""
    subset: int
    """All attributes but those that are dropped already."""
    position: int
    keep: bool


class Walk:
    """Decides on one attribute after the other, both ways, until nobody's uniqueness is open.

    Of the steps that wait, one that is furthest is taken first. It is taken when no table further on
    waits, so that after each number of decisions at most one table waits for each worker: the tables
    together never take more than `memory_bound`.
    """

    def __init__(self, layout: Layout, attributes: int) -> None:
        self.layout, self.attributes = layout, attributes
        self.tallies = np.zeros((1 << attributes, KINDS), np.int64)
        self.undecided = undecided_subsets([field.attribute for field in layout.fields])
        self.done = 0
        self.open = 0  # steps that wait or are being taken
        self.stopped = False
        self.serial = count()
        self.waiting: list[tuple[int, int, WalkStep]] = []
        self.changed = threading.Condition()

    def run(self, table: PackedTuples, workers: int, on_subsets: OnSubsets | None) -> Integers:
        """Count on each subset; one row of counts for each."""
        subsets = 1 << self.attributes
        tell = on_subsets or (lambda *_: None)
        nothing = np.zeros(KINDS, np.int64)
        self.put(both_ways(table, nothing, subsets - 1, 0))
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(self.work) for _ in range(workers)]
            try:
                while wait(futures, timeout=0.2).not_done:
                    tell(self.done, subsets)
            except BaseException:  # Ctrl-C: let the workers go
                self.stop()
                raise
        for future in futures:
            future.result()
        if self.done != subsets:  # a subset left out would look safe
            raise RuntimeError(f"{self.done} of {subsets} subsets are counted; please report this")
        tell(self.done, subsets)
        return self.tallies

    def work(self) -> None:
        """Take steps until there are none left."""
        try:
            while (step := self.take()) is not None:
                self.put(self.decide(step), finished=1)
        except BaseException:
            self.stop()
            raise

    def decide(self, step: WalkStep) -> list[WalkStep]:
        """Keep or drop an attribute; return the steps that follow, or count at once what is little."""
        field = self.layout.fields[step.position]
        subset = step.subset if step.keep else step.subset & ~(1 << field.attribute)
        settled = step.settled.copy()
        table = step.above.decide(field, step.keep, settled)
        after = step.position + 1
        if table.size * self.undecided[after].size > AT_ONCE and after < self.attributes:
            return both_ways(table, settled, subset, after)
        counts = table.count_subsets(self.layout.fields[after:], settled)
        self.note(subset ^ self.undecided[after], counts)
        return []

    def note(self, subsets: Integers, counts: Integers) -> None:
        """Write down the counts of some subsets."""
        self.tallies[subsets] = counts
        with self.changed:
            self.done += subsets.size

    def take(self) -> WalkStep | None:
        """Return the next step, or None when all are done."""
        with self.changed:
            while not self.waiting and self.open and not self.stopped:
                self.changed.wait()
            return heapq.heappop(self.waiting)[-1] if self.waiting and not self.stopped else None

    def put(self, steps: Sequence[WalkStep], finished: int = 0) -> None:
        """Let steps wait."""
        with self.changed:
            for step in steps:
                heapq.heappush(self.waiting, (-step.position, next(self.serial), step))
            self.open += len(steps) - finished
            if steps or not self.open:
                self.changed.notify_all()

    def stop(self) -> None:
        """Let no more steps be taken."""
        with self.changed:
            self.stopped = True
            self.changed.notify_all()


def both_ways(table: PackedTuples, settled: Integers, subset: int, position: int) -> list[WalkStep]:
    """Return the steps that keep and that drop the next attribute."""
    return [WalkStep(table, settled, subset, position, keep) for keep in (False, True)]


def undecided_subsets(order: Sequence[int]) -> list[Integers]:
    """List, after each number of decisions in an order, every way to choose among the other attributes.

    >>> [ways.tolist() for ways in undecided_subsets([1, 0])]
    [[0, 1, 2, 3], [0, 1], [0]]
    """
    ways = [np.zeros(1, np.int64)]
    for attribute in reversed(order):
        ways.append(np.concatenate([ways[-1], ways[-1] | 1 << attribute]))
    return ways[::-1]


def memory_bound(distinct: int, attributes: int, words: int = 1, workers: int = 2) -> int:
    """Return the bytes that the tables of a walk can take at most.

    One table for each worker and number of decisions, from none to all, waits; two more for each worker
    are being written.
    """
    return workers * (attributes + 3) * distinct * (8 * words + 1)
