"""What attackers can know from a published table, by enumerating who may be where.

People are told apart, and every assignment of people to cells (an answer and an arm) that agrees with
what is published is equally likely. Everything follows from counting assignments: slow and obvious.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product

from anonymizer.published import Arms, Characteristic

Cell = tuple[str, str]
"""What somebody answers, and their arm."""
Assignment = tuple[Cell, ...]
"""The cell of each person."""
Shares = dict[str, Fraction]


def cells_of(rows: Sequence[Characteristic], arms: Arms, measured_only: bool) -> list[Cell]:
    """List the cell of each person, in any order."""
    cells: list[Cell] = []
    for index, (arm, size) in enumerate(zip(arms.names, arms.sizes, strict=True)):
        total = size if rows[0].totals is None else rows[0].totals[index]
        rest = total
        for row in rows:
            answer = "has it" if len(rows) == 1 else row.name
            cells += [(answer, arm)] * row.counts[index]
            rest -= row.counts[index]
        cells += [("does not have it" if len(rows) == 1 else "none of these", arm)] * rest
        cells += [("not measured", arm)] * (0 if measured_only else size - total)
    return cells


def as_published(cells: Sequence[Cell]) -> set[Assignment]:
    """All assignments with the published number of people in each cell."""
    return distinct_orders(tuple(sorted(cells)))


@lru_cache
def as_allocated(arms: tuple[str, ...], answers: tuple[str, ...]) -> list[Assignment]:
    """All assignments with the published number of people in each arm, whatever they answer."""
    return [
        tuple(zip(given, order, strict=True))
        for order in distinct_orders(tuple(sorted(arms)))
        for given in product(answers, repeat=len(arms))
    ]


@lru_cache
def distinct_orders(items: tuple) -> set[tuple]:
    return set(permutations(items))


def chances(
    assignments: Iterable[Assignment],
    of: Callable[[Cell], str],
    given: Callable[[Cell], bool] = lambda _: True,
) -> Shares:
    """The share of the assignments, of those where it is so of the first person, with each outcome."""
    seen = [of(assignment[0]) for assignment in assignments if given(assignment[0])]
    return {outcome: Fraction(seen.count(outcome), len(seen)) for outcome in set(seen)}


def entropy(shares: Shares) -> float:
    return -sum(float(share) * math.log2(share) for share in shares.values()) if shares else 0.0


def largest_rise(shares: Shares, baseline: Shares) -> Fraction:
    return max(shares.get(outcome, Fraction(0)) - baseline[outcome] for outcome in baseline)


def arm_of(cell: Cell) -> str:
    return cell[1]


def answer_of(cell: Cell) -> str:
    return cell[0]
