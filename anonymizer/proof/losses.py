"""What a scheme loses, from whole numbers: the checker's own measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonymizer.proof.format import Scheme
from anonymizer.proof.table import Attribute, Gone, Integers, Table, whole_sums


@dataclass(frozen=True)
class Measure:
    """What a scheme loses: a loss for each attribute, put together by an aggregate and weights."""

    name: str = "loss"
    aggregate: str = "geometric"
    weights: tuple[float, ...] = ()
    factor: float = 0.5
    """ARX's gsFactor: below 0.5 suppression costs less, above it generalization does."""

    def losses(self, table: Table, gone: Gone) -> list[list[float]]:
        """Return the loss of each attribute at every level with some records gone, at least."""
        if self.name == "entropy":
            return [self.entropy_lost(table, at, gone) for at in range(len(table.attributes))]
        certain, others = gone.count(table)
        tuples = np.flatnonzero(gone.tuples)
        partly = np.flatnonzero(gone.partly & ~gone.tuples) if others else tuples
        counts, found = table.counts, list[list[float]]()
        for at, (attribute, codes) in enumerate(zip(table.attributes, table.codes, strict=True)):
            size = attribute.groups[0].size
            gone_of = whole_sums(codes[tuples], counts[tuples], size)
            partly_of = whole_sums(codes[partly], counts[partly], size) if others else gone_of
            found.append(self.cover_lost(table, at, gone_of, partly_of, certain, others))
        return found

    def cover_lost(
        self,
        table: Table,
        at: int,
        gone_of: Integers,
        partly_of: Integers,
        certain: int,
        others: int,
    ) -> list[float]:
        """Sum what records cover, level by level; how many are gone is given for each code.

        Of the records of `partly_of` so many `others` go: which of them is not known, so those that cost
        least.
        """
        covers, extent, least = self.cover(table.attributes[at])
        records = certain + others
        lost, totals = dots(covers, gone_of, table.totals[at])
        if others:
            more = [sum_of_largest(covered, partly_of, others) for covered in covers]
            lost = [one + another for one, another in zip(lost, more, strict=True)]
        return [
            self.share_lost(table.records, total, less, records, extent, least)
            for total, less in zip(totals, lost, strict=True)
        ]

    def cover(self, attribute: Attribute) -> tuple[Sequence[Integers] | Integers, int, int]:
        """Return what codes cover level by level, all there is, and what an untouched value covers.

        Precision is the same with the level for what is covered, of so many levels.
        """
        if self.name == "loss":
            return attribute.covered, attribute.extent, attribute.least
        levels, codes = len(attribute.groups), attribute.groups[0].size
        return [np.full(codes, level) for level in range(levels)], max(1, levels - 1), 0

    def share_lost(
        self, records: int, total: int, lost: int, gone: int, extent: int, least: int
    ) -> float:
        """Return (total - N/D) / (N - N/D), given what all records cover, and of it those gone.

        Whole numbers over one denominator: the division at the end is all that is rounded.
        """
        if extent <= least:
            return 0.0
        factor, unit = self.factor.as_integer_ratio()
        of_kept, of_gone = min(unit, 2 * unit - 2 * factor), min(unit, 2 * factor)
        covered = of_kept * (total - lost) + unit * lost + of_gone * (gone * extent - lost)
        untouched = of_kept * records * least
        return max(0, covered - untouched) / (unit * records * extent - untouched)

    def entropy_lost(self, table: Table, at: int, gone: Gone) -> list[float]:
        """Sum the bits that generalization takes, and those that tell apart what is gone."""
        attribute, counts = table.attributes[at], table.counts
        marked = gone.tuples | gone.partly
        left_out = int(counts[marked].sum()) - gone.records(table)
        found: list[float] = []
        whole = 0.0
        for groups in attribute.groups:
            of, size = groups[table.codes[at]], int(groups.max(initial=0)) + 1
            bits = entropy(whole_sums(of, counts, size))
            whole = whole if found else bits
            mine = np.sort(whole_sums(of[marked], counts[marked], size))
            least = mine - taken_in_order(mine, left_out)  # uneven is least: the rarest stay
            found.append(max(0.0, (whole - bits + entropy(least)) / whole) if whole > 0 else 0.0)
        return found

    def combine(self, losses: Sequence[float]) -> float:
        """Put the losses of the attributes together."""
        largest = max(self.weights, default=0.0) or 1.0
        weights = [weight / largest for weight in self.weights]
        weighted = [weight * loss for weight, loss in zip(weights, losses, strict=True)]
        if self.aggregate == "geometric":
            return math.expm1(math.fsum(map(math.log1p, weighted)) / len(weighted))
        if self.aggregate == "maximum":
            return max(weighted)
        total = sum(weights) if self.aggregate == "sum" else len(weighted)
        return math.fsum(weighted) / (total or 1.0)

    def at(self, losses: Sequence[Sequence[float]], scheme: Scheme) -> float:
        """Return the loss of a scheme, given those of the attributes at every level."""
        return self.combine([losses[at][level] for at, level in enumerate(scheme)])


def dots(covers: Sequence[Integers] | Integers, *counts: Integers) -> list[list[int]]:
    """Sum products of whole numbers, exactly, for each of some counts and each of some rows."""
    rows = np.asarray(covers)
    if max(int(each.sum()) for each in counts) * int(rows.max(initial=0)) < 2**62:
        return [(rows @ each).tolist() for each in counts]
    return [
        [sum(map(int.__mul__, row.tolist(), whole)) for row in rows]
        for whole in (each.tolist() for each in counts)
    ]


def sum_of_largest(covered: Integers, counts: Integers, records: int) -> int:
    """Sum what so many of the records cover: those that cover most, whose loss costs least."""
    order = np.argsort(-covered, kind="stable")
    return dots([covered[order]], taken_in_order(counts[order], records))[0][0]


def taken_in_order(counts: Integers, records: int) -> Integers:
    """Take so many records, from the first counts on."""
    return np.diff(np.minimum(np.cumsum(counts), records), prepend=0)


def entropy(counts: Integers) -> float:
    """Return sum_g r(g) log2(R / r(g)) over the groups that occur."""
    sizes = counts[counts > 0]
    # log1p keeps all digits where one group is nearly everything
    return math.fsum((sizes * np.log1p((sizes.sum() - sizes) / sizes)).tolist()) / math.log(2)
