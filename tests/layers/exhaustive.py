"""Every release in layers of a tiny table, one by one; nothing here comes from the engine."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

from tests.oracle import Levels, Problem, generalize

Placed = tuple[Levels | None, ...]
"""The levels of each row; None for a suppressed row."""


def placements(problem: Problem, passes: Callable[[list[int]], bool]) -> Iterator[Placed]:
    """Yield every way to give rows a scheme each, or none, such that each class passes."""
    schemes = list(problem.schemes())

    def place(left: tuple[int, ...], placed: dict[int, Levels]) -> Iterator[dict[int, Levels]]:
        if not left:
            yield placed
            return
        first, others = left[0], left[1:]
        yield from place(others, placed)
        for size in range(len(others) + 1):
            for more in itertools.combinations(others, size):
                group = [first, *more]
                if not passes(group):
                    continue
                rest = tuple(row for row in others if row not in more)
                for levels in schemes:
                    looks = {generalize(problem.rows[row], problem.trees, levels) for row in group}
                    if len(looks) == 1:
                        yield from place(rest, placed | dict.fromkeys(group, levels))

    everyone = tuple(range(len(problem.rows)))
    for placed in place(everyone, {}):
        yield tuple(placed.get(row) for row in everyone)


def loss(problem: Problem, placed: Sequence[Levels | None]) -> float:
    """Iyengar's loss of rows with a scheme each."""
    weighted = []
    for at, (tree, weight) in enumerate(zip(problem.trees, problem.relative_weights, strict=True)):
        leaves = len(tree)
        shares = [
            leaves if levels is None else leaves_under(tree, row[at], levels[at])
            for row, levels in zip(problem.rows, placed, strict=True)
        ]
        records = len(problem.rows)
        lost = 0.0 if leaves == 1 else (sum(shares) - records) / (records * (leaves - 1))
        weighted.append(weight * max(0.0, lost))
    if problem.aggregate == "arithmetic":
        return sum(weighted) / len(weighted)
    return math.prod(1 + lost for lost in weighted) ** (1 / len(weighted)) - 1


def leaves_under(tree: dict[str, tuple[str, ...]], value: str, level: int) -> int:
    """Count the leaves that look like a value at a level."""
    return sum(labels[level] == tree[value][level] for labels in tree.values())


def optimum(problem: Problem) -> float:
    """Return the least loss of all releases in layers, any number of rows suppressed."""
    every = placements(problem, lambda group: len(group) >= problem.k)
    return min(loss(problem, placed) for placed in every)
