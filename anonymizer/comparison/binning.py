"""Binning: a column of a table and of its release in the same few bins, row by row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import count_people
from anonymizer.data.column import Column
from anonymizer.hierarchy import MISSING
from anonymizer.policy import Role
from anonymizer.solution.release import Release
from anonymizer.table.domain import QuasiIdentifier

Numbers = NDArray[np.integer]
MOST_BINS = 20
"""So many bins a column has at most, beside the one for all other values."""
FEWEST_PEOPLE = 5
"""A value of fewer people has no bin of its own, so that no bin is about one person."""
OTHER = "other values"


@dataclass(frozen=True, slots=True, eq=False)
class Binned:
    """A column before and after: the bin of each original cell, and what is known of it afterwards.

    A released cell is in a bin, or is coarser than the bins and counts as spread evenly over the leaves
    that it covers: whoever analyses the release knows no more. The last cell stands for what is not
    released; it has no share in any bin.
    """

    name: str
    role: Role
    labels: tuple[str, ...]
    before: Numbers
    """The bin of each row of the original."""
    after: Numbers
    """The cell of each row of the original in the release."""
    shares: NDArray[np.float64]
    """How each cell is spread over the bins: rows sum up to 1, the last one to 0."""
    distance: float
    """The total variation distance of the distributions of single values, 0 to 1, before and after."""
    values_before: int
    """How many different values the original has."""
    values_after: int
    weights: NDArray[np.float64] | None = None
    """The sampling weight of each row, with a mean of 1; None where all count alike."""

    def weigh_before(self) -> NDArray[np.float64]:
        """Return the original records in each bin, by their weights."""
        return np.bincount(self.before, self.weights, len(self.labels)).astype(np.float64)

    def weigh_after(self) -> NDArray[np.float64]:
        """Return the released records in each bin by their weights, spread where they are coarser."""
        weighed: NDArray[np.float64] = (
            np.bincount(self.after, self.weights, len(self.shares)) @ self.shares
        )
        return weighed

    def count(self, rows: NDArray[np.bool_] | slice = slice(None)) -> NDArray[np.int64]:
        """Count the original records in each bin, all or some of them."""
        return np.bincount(self.before[rows], minlength=len(self.labels))

    def counts_after(self) -> NDArray[np.float64]:
        """Return the released records in each bin, spread where they are coarser."""
        spread: NDArray[np.float64] = (
            np.bincount(self.after, minlength=len(self.shares)) @ self.shares
        )
        return spread


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The bins of a hierarchy's leaves: values of one level, the last one for all others."""

    of_leaf: NDArray[np.int64]
    level: int
    number: int


def bin_quasi_identifier(
    release: Release, at: int, weights: NDArray[np.float64] | None = None
) -> Binned:
    """Bin a quasi-identifier by a level of its hierarchy."""
    microdata, layering = release.microdata, release.layering
    column, codes, kept = microdata.columns[at], microdata.codes[at], ~release.suppressed
    leaf = column.leaves[codes]
    level = bin_level(column)
    groups = column.groups[level][codes].astype(np.int32)
    records = np.bincount(groups, microdata.counts, column.group_counts[level]).astype(np.int64)
    chosen = choose(records, microdata.count_people(groups, records))
    names = column.labels(level)
    present = np.unique(column.hierarchy.codes[level][column.leaves])
    bin_of_label = np.full(len(column.hierarchy.labels[level]), chosen.size)
    bin_of_label[present[chosen]] = np.arange(chosen.size)
    bin_of_leaf = bin_of_label[column.hierarchy.codes[level]]
    bins = Bins(bin_of_leaf, level, chosen.size + 1)
    cells, shares = spread(column, leaf, layering.levels(at), kept, bins)
    values, of_row = layering.values(at)[0], microdata.tuple_of_row
    counts: NDArray[Any] = microdata.counts
    if weights is not None:
        counts = np.bincount(of_row, weights, microdata.distinct)
    return Binned(
        column.hierarchy.name,
        Role.QUASI,
        (*(names[group] or "(missing)" for group in chosen.tolist()), OTHER),
        small(bin_of_leaf[leaf])[of_row],
        small(cells)[of_row],
        shares,
        distance_of_leaves(column, leaf, layering.levels(at), kept, counts),
        np.unique(codes).size,
        np.unique(values[kept]).size,
        weights,
    )


def bin_level(column: QuasiIdentifier) -> int:
    """Return the finest level with few enough values; not the top, which says nothing."""
    few = (level for level, n in enumerate(column.group_counts) if n <= MOST_BINS)
    level = next(few, column.hierarchy.height - 1)
    return level - 1 if level and column.group_counts[level] == 1 else level


def choose(records: NDArray[np.int64], people: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the groups that have bins of their own, in their order: frequent and of enough people.

    >>> choose(np.array([9, 2, 7]), np.array([9, 2, 7])).tolist()
    [0, 2]
    """
    enough = np.flatnonzero(people >= FEWEST_PEOPLE)
    most = np.argsort(-records[enough], kind="stable")[:MOST_BINS]
    return np.sort(enough[most])


def spread(
    column: QuasiIdentifier,
    leaf: NDArray[np.int64],
    levels: NDArray[np.int64],
    kept: NDArray[np.bool_],
    bins: Bins,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the cell of each tuple, and how each cell is spread over the bins."""
    cells = bins.of_leaf[leaf]
    shares, used = [np.eye(bins.number)], bins.number
    for level in np.unique(levels[kept]).tolist():
        if level <= bins.level:
            continue  # a value of such a level lies inside a bin
        labels, number = column.hierarchy.codes[level], len(column.hierarchy.labels[level])
        leaves = count_jointly(labels, bins.of_leaf, (number, bins.number))
        shares.append(leaves / leaves.sum(axis=1, keepdims=True))
        here = levels == level
        cells[here] = used + labels[leaf[here]]
        used += number
    cells[~kept] = used
    return cells, np.concatenate([*shares, np.zeros((1, bins.number))])


def count_jointly(
    one: Numbers,
    other: Numbers,
    shape: tuple[int, int],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[Any]:
    """Count what has a number of each of two kinds, by both, or add up its weights."""
    keys = one.astype(np.int32) * np.int32(shape[1]) + other
    return np.bincount(keys, weights, minlength=shape[0] * shape[1]).reshape(shape)


def distance_of_leaves(
    column: QuasiIdentifier,
    leaf: NDArray[np.int64],
    levels: NDArray[np.int64],
    kept: NDArray[np.bool_],
    counts: NDArray[np.int32] | NDArray[np.float64],
) -> float:
    """Return the distance of the distributions of leaves, released values spread evenly over theirs."""
    leaves = column.hierarchy.size
    after = np.zeros(leaves)
    for level in np.unique(levels[kept]).tolist():
        here, labels = kept & (levels == level), column.hierarchy.codes[level]
        records = np.bincount(labels[leaf[here]], counts[here], len(column.hierarchy.labels[level]))
        after += (records / np.bincount(labels))[labels]
    return distance(np.bincount(leaf, counts, leaves).astype(np.float64), after)


def distance(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return the total variation distance of two distributions; 1 where nothing is left.

    >>> distance(np.array([1, 1]), np.array([3, 1])), distance(np.array([1, 1]), np.zeros(2))
    (0.25, 1.0)
    """
    if after.sum() == 0:
        return 1.0
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def bin_kept_column(
    name: str,
    role: Role,
    column: Column,
    released: NDArray[np.bool_],
    person: Numbers | None,
    weights: NDArray[np.float64] | None = None,
) -> Binned:
    """Bin a column that is released as it is; `person` says whose each row is, if people have several."""
    group_of_text, names = group_texts(column)
    groups = group_of_text[column.codes]
    records = np.bincount(groups, minlength=len(names))
    people = records if person is None else count_people(groups, person, len(names))
    chosen = choose(records, people)
    bin_of_group = np.full(len(names), chosen.size)
    bin_of_group[chosen] = np.arange(chosen.size)
    before = small(bin_of_group)[groups]
    bins, counts = chosen.size + 1, column.counts
    left = np.bincount(column.codes[released], minlength=counts.size)
    before_and_after: list[NDArray[Any]] = [counts, left]
    if weights is not None:
        rows = np.ones_like(released), released
        before_and_after = [np.bincount(column.codes[r], weights[r], counts.size) for r in rows]
    return Binned(
        name,
        role,
        (*(names[group] or "(missing)" for group in chosen.tolist()), OTHER),
        before,
        np.where(released, before, bins).astype(np.min_scalar_type(bins)),
        np.concatenate([np.eye(bins), np.zeros((1, bins))]),
        distance(*(each.astype(np.float64) for each in before_and_after)),
        int((counts > 0).sum()),
        int((left > 0).sum()),
        weights,
    )


def group_texts(column: Column) -> tuple[NDArray[np.int64], list[str]]:
    """Return the group of each text and the groups' names: ranges of numbers, or the texts."""
    texts = column.texts
    numbers = parse_numbers(texts)
    if numbers is None or len(texts) <= MOST_BINS:
        order = np.argsort(texts if numbers is None else numbers, kind="stable")
        return np.argsort(order), [texts[number] for number in order.tolist()]
    edges = round_edges(numbers[column.codes])
    groups = np.searchsorted(edges, numbers, side="right")
    groups[np.isnan(numbers)] = edges.size + 1
    return groups, [*name_ranges(edges), MISSING]


def parse_numbers(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """Read texts as finite numbers, missing ones as NaN; None where one is not a number.

    >>> parse_numbers(["1", "", "2.5"]).tolist(), parse_numbers(["1", "x"]), parse_numbers([""])
    ([1.0, nan, 2.5], None, None)
    """
    try:
        numbers = np.array([math.nan if text == MISSING else float(text) for text in texts])
    except ValueError:
        return None
    given = numbers[[text != MISSING for text in texts]]
    return numbers if given.size and bool(np.isfinite(given).all()) else None


def round_edges(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where ranges of equal, round width begin, from the 1st to the 99th percentile.

    The first and the last range are open, so that no edge is the value of somebody far out.

    >>> round_edges(np.arange(101.0)).tolist()
    [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]
    """
    low, high = np.nanpercentile(numbers, [1, 99])
    rough = (high - low) / 12
    if not rough:
        return np.array([low])
    unit = 10.0 ** math.floor(math.log10(rough))
    width = next(step * unit for step in (1, 2, 5, 10) if step * unit >= rough)
    first, last = math.floor(low / width), math.ceil(high / width)
    return np.array([number * width for number in range(first, last + 1)])


def name_ranges(edges: NDArray[np.float64]) -> list[str]:
    """Name the ranges between edges.

    >>> name_ranges(np.array([0.0, 5.0]))
    ['under 0', '0 to under 5', '5 or more']
    """
    texts = [f"{edge:.10g}" for edge in edges.tolist()]
    between = [f"{low} to under {high}" for low, high in pairwise(texts)]
    return [f"under {texts[0]}", *between, f"{texts[-1]} or more"]


def small(numbers: NDArray[np.int64]) -> Numbers:
    """Return numbers in the smallest integers that hold them."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))
