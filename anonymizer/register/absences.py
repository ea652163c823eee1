"""Who else is left out of a release, so that whoever left is one of k who are absent.

One history at a time. Its people who are kept are in groups, one for each class of the release, each of
at least k. Some more of them must be absent, fewer than k: `needed`. A group may go as a whole, or give
as many as it has beyond k. A group has more people than are needed, so that either one goes and nothing
else does, or none does and all is given by what groups have beyond k. The cheapest of the first kind is
one group; of the second, the cheapest people first. The cheaper of the two is the least of all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


def cheapest_absences(
    history: Integers, sizes: Integers, costs: NDArray[np.float64], needed: Integers, k: int
) -> Integers:
    """Return how many of each group go, so that as many as are needed of each history do at least cost.

    `history`, `sizes` and `costs`, those of one person, are of groups. Of equal costs the fewest people
    go, then those of the first group.

    >>> groups = np.array([1, 1]), np.array([4, 3]), np.array([0.5, 0.1])
    >>> cheapest_absences(*groups, needed=np.array([0, 1]), k=3).tolist()
    [0, 3]
    """
    order = np.lexsort((costs, history))
    history, sizes, costs = history[order], sizes[order], costs[order]
    first = np.flatnonzero(np.diff(history, prepend=-1))
    part = np.repeat(np.arange(first.size), np.diff(np.append(first, history.size)))
    spare = sizes - k
    before = np.cumsum(spare) - spare
    before -= before[first][part]
    given = np.clip(needed[history] - before, 0, spare)
    enough = np.add.reduceat(spare, first) >= needed[history[first]]
    by_cost = np.lexsort((sizes, sizes * costs, history))
    whole = by_cost[first]  # the cheapest group of each history: as many come before it
    cheaper = enough & (np.add.reduceat(given * costs, first) <= (sizes * costs)[whole])
    given[~cheaper[part]] = 0
    given[whole[~cheaper]] = sizes[whole[~cheaper]]
    taken = np.empty_like(given)
    taken[order] = given
    return taken


def pick(group: NDArray[np.int32], taken: Integers, rank: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark as many people of each group as are taken of it, the lowest ranks first."""
    chosen: NDArray[np.bool_] = np.zeros(group.size, np.bool_)
    some = np.flatnonzero(taken[group] > 0)
    some = some[np.lexsort((rank[some], group[some]))]
    of_group = group[some]
    first = np.flatnonzero(np.diff(of_group, prepend=-1))
    counts = np.diff(np.append(first, some.size))
    place = np.arange(some.size) - np.repeat(first, counts)
    chosen[some[place < taken[of_group]]] = True
    return chosen
