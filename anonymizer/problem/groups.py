"""Rows that share a value of one column: how alike they are in others, beside groups drawn at random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import MISSING, Column

LOOKED_AT = 4_000
"""Rows of repeated values that are looked at: whole groups, spread over all."""
EXPECTED = 12
"""Chance must make so many pairs of rows differ (or agree) before it counts that they do not: where 12
are expected, one or none has a probability of 1 in 12,000."""
IN_ORDER = 0.35
"""A column whose value changes along the order of the groups less often than this share of what chance
makes is derived from them (an age group from the age)."""
SAME_ORDER = 0.9
"""So is one whose values are in the same order, by rank correlation, such as a logarithm."""


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """How many rows the values of a column have."""

    counts: NDArray[np.int64]
    """Of each value that occurs; missing cells are none."""

    @property
    def groups(self) -> int:
        """The number of values."""
        return self.counts.size

    @property
    def rows(self) -> int:
        """The number of rows that have a value."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """The rows of a value, on average."""
        return self.rows / max(1, self.groups)

    @property
    def repeated(self) -> int:
        """The number of values that are in several rows."""
        return int((self.counts > 1).sum())

    @property
    def skew(self) -> float:
        """How many times larger than a group, on average, the group of a row is."""
        return float(self.counts @ self.counts) / self.rows / self.mean

    @property
    def dispersion(self) -> float:
        """The variance beside that of chance: of a Poisson distribution without zeros."""
        rate = self.mean
        for _ in range(100):  # solves mean = rate / (1 - exp(-rate))
            rate = -self.mean * math.expm1(-rate)
        return float(self.counts.var()) / self.mean / max(1 + rate - self.mean, 1e-9)


@dataclass(frozen=True, slots=True)
class Groups:
    """The rows of some repeated values, sorted by value and shuffled inside each."""

    rows: NDArray[np.intp]
    group: NDArray[np.intp]
    """The number of each row's group, rising."""
    order: NDArray[np.intp]
    """The groups in the order of their values."""

    @property
    def follows(self) -> NDArray[np.bool_]:
        """Whether each row but the first one is of the same group as the one before it."""
        return np.equal(self.group[1:], self.group[:-1])

    @property
    def first(self) -> NDArray[np.bool_]:
        """Which rows are the first of their group."""
        return np.concatenate([[True], ~self.follows])


def sizes_of(column: Column) -> ValueCounts:
    """Count the rows of each value."""
    counts = count_there(column)
    return ValueCounts(counts[counts > 0])


def count_there(column: Column) -> NDArray[np.int64]:
    """Count the rows of each text; none counts as one of a missing cell."""
    counts = column.counts
    if MISSING in column.texts:
        counts[column.texts.index(MISSING)] = 0
    return counts


def blocks_of(column: Column) -> int:
    """Count the blocks of rows that stand together and share a value."""
    return 1 + int((column.codes[1:] != column.codes[:-1]).sum())


def groups_of(column: Column) -> Groups:
    """Take the rows of values that repeat; of some values, spread over all, where they are many."""
    counts = count_there(column)
    repeated = np.flatnonzero(counts > 1)
    taken = repeated[:: max(1, math.ceil(int(counts[repeated].sum()) / LOOKED_AT))]
    chosen = np.zeros(counts.size, np.bool_)
    chosen[taken] = True
    # in the order of the file, rows that stand side by side are alike whatever their groups are
    rows = np.random.default_rng(0).permutation(np.flatnonzero(chosen[column.codes]))
    rows = rows[np.argsort(column.codes[rows], kind="stable")]
    group = np.cumsum(chosen)[column.codes[rows]] - 1
    return Groups(rows, group, np.argsort(ranks_of([column.texts[code] for code in taken])))


def ranks_of(texts: Sequence[str]) -> NDArray[np.intp]:
    """Return the place of each text in their order: as numbers, where all are.

    >>> ranks_of(["10", "9", "9"]).tolist(), ranks_of(["10", "b", "9"]).tolist()
    ([1, 0, 0], [0, 2, 1])
    """
    try:
        values = np.array([float(text) for text in texts])
    except ValueError:
        values = np.array(texts, object)
    return np.unique(values, return_inverse=True)[1]


def likeness(groups: Groups, column: Column) -> float | None:
    """Say how much less often the rows of a group differ in a column than rows of any groups do.

    1 where they never differ, 0 where they do as chance has it, below where they avoid each other; None
    where chance makes too few differ. Each group counts the same; missing cells are passed over.
    """
    codes = column.codes[groups.rows]
    there = codes != column.texts.index(MISSING) if MISSING in column.texts else None
    pairs = groups.follows if there is None else groups.follows & there[1:] & there[:-1]
    counts = np.bincount(codes if there is None else codes[there]).astype(np.float64)
    rows = counts.sum()
    differ = 1 - float(counts @ (counts - 1)) / max(1.0, rows * (rows - 1))
    group, number = groups.group[1:][pairs], groups.order.size
    if group.size * differ < EXPECTED:
        return None
    compared = np.bincount(group, minlength=number)
    differing = np.bincount(group, (codes[1:] != codes[:-1])[pairs], number)
    found = compared > 0
    differences = float((differing[found] / compared[found]).mean())
    return float(1 - differences / differ)


def is_derived(groups: Groups, column: Column) -> bool:
    """Whether a column that is constant inside groups follows from the order of their values."""
    codes = column.codes[groups.rows][groups.first][groups.order]
    counts = np.bincount(codes).astype(np.float64)
    differ = 1 - float(counts @ (counts - 1)) / max(1, codes.size * (codes.size - 1))
    if (codes[1:] != codes[:-1]).sum() <= IN_ORDER * differ * (codes.size - 1):
        return True
    ranks = ranks_of([column.texts[code] for code in codes])
    return abs(float(np.corrcoef(ranks, np.arange(codes.size))[0, 1])) >= SAME_ORDER


def collisions(groups: Groups, column: Column) -> tuple[int, int]:
    """Count how often a value repeats inside groups, and how often it does where rows are drawn anew."""
    codes = column.codes[groups.rows].astype(np.int64)
    group = groups.group
    if MISSING in column.texts:
        there = codes != column.texts.index(MISSING)
        codes, group = codes[there], group[there]
    drawn = np.random.default_rng(1).permutation(codes)
    keys = (group * len(column.texts) + each for each in (codes, drawn))
    inside, by_chance = (codes.size - np.unique(key).size for key in keys)
    return inside, by_chance
