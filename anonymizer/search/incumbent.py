"""The first incumbent: a good scheme early is what makes pruning work."""

from __future__ import annotations

from dataclasses import replace

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.lattice import with_level
from anonymizer.search.branch_and_bound import BranchAndBound
from anonymizer.search.neighbours import NeighbourRanking


def find_incumbent(search: BranchAndBound) -> None:
    """Refine greedily from the coarsest scheme; in a large lattice, improve that by local search."""
    root = search.open.pop()
    search.pending = [root]
    try:
        coarsest = current = search.evaluation_of(search.lattice.high)
        root = replace(root, bounding=coarsest)
        while finer := first_improvement(search, current):
            current = finer
        if search.large:
            improve(search, coarsest)
    finally:
        search.pending = []
        search.open.push(replace(root, evaluated=tuple(sorted(search.evaluated.known))))


def first_improvement(search: BranchAndBound, current: Evaluation) -> Evaluation | None:
    """Return the first scheme one step finer that is feasible and better, or None.

    The attribute whose own loss falls most is tried first.
    """
    scheme, low = current.scheme, search.lattice.low
    gains = [
        (current.terms[a, level - 1] - current.terms[a, level], a)
        for a, level in enumerate(scheme)
        if level > low[a]
    ]
    for _, attribute in sorted(gains):
        found = search.evaluation_of(with_level(scheme, attribute, scheme[attribute] - 1))
        if found.complete and found.feasible and found.loss < current.loss:
            return found
    return None


def improve(search: BranchAndBound, coarsest: Evaluation) -> None:
    """Move to a better neighbour of the incumbent as long as one is found.

    The nearest neighbours come first, a level up or down in one attribute or two.
    """
    farthest = max(search.lattice.high)
    while move(search, coarsest, 1) or move(search, coarsest, farthest):
        pass


def move(search: BranchAndBound, coarsest: Evaluation, reach: int) -> bool:
    """Evaluate the most promising neighbours until one is better; say whether one is."""
    best, params = search.evaluated.best, search.params
    if best is None or used_up(search):  # not even the coarsest scheme is feasible, or no time left
        return False
    near = NeighbourRanking(best, coarsest, search.lattice, search.forecast, search.max_terms)
    count = params.neighbours_tried + len(search.evaluated)
    ranked = near.rank(reach, count, params.max_moves)
    tried = [scheme for scheme in ranked if scheme not in search.evaluated]
    tried = tried[: params.neighbours_tried]
    for start in range(0, len(tried), params.batch_size):
        if used_up(search):
            return False
        search.evaluate(tried[start : start + params.batch_size])
        if best is not search.evaluated.best:
            return True
    return False


def used_up(search: BranchAndBound) -> bool:
    """Whether local search has had its share of the limits."""
    usage = search.usage
    return max(usage.time_share, usage.evaluation_share) > search.params.improvement_share
