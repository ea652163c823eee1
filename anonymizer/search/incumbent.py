"""The first incumbent: a good scheme early is what makes pruning work."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.lattice import Scheme, with_level
from anonymizer.search.neighbours import NeighbourRanking
from anonymizer.search.result import choose
from anonymizer.search.state import State

FIRST_NEIGHBOURS = 4
"""The neighbours of the incumbent that are evaluated in a smaller lattice before the proof begins.

They pay: without, k = 5 on the IHIS stand-in of the benchmark takes 1.7 times as long.
"""
KICK_NEIGHBOURS = 120
"""The neighbours looked at on the way down from a kick."""
IMPROVEMENT_SHARE = 0.25
"""The share of time or evaluations after which local search ends."""


def find_incumbent(search: State) -> None:
    """Refine greedily from the coarsest scheme, and improve that by local search.

    In a large lattice it looks far; in others at the most promising neighbours only, and only where
    evaluating them bounds finer schemes too.
    """
    [root] = search.take(1)
    bounded = root
    try:
        coarsest = search.evaluation_of(search.lattice.high)
        bounded = replace(root, bounding=coarsest)
        refine(search, coarsest)
        if search.large:
            improve(search, coarsest)
        elif search.bounds_finer:
            while move(search, coarsest, 1, FIRST_NEIGHBOURS):
                pass
    finally:
        found = tuple(sorted(search.evaluated.known))
        search.replace(root, [replace(bounded, evaluated=found)])


def refine(search: State, coarsest: Evaluation) -> None:
    """Move to a better scheme one step finer as long as there is one."""
    current: Evaluation | None = coarsest
    while current is not None:
        current = first_improvement(search, current)


def first_improvement(search: State, current: Evaluation) -> Evaluation | None:
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


def improve(search: State, coarsest: Evaluation) -> None:
    """Move to a better neighbour of the incumbent as long as one is found, then try further away.

    The nearest neighbours come first, a level up or down in one attribute or two.
    """
    farthest, count = max(search.lattice.high), search.params.neighbours_tried
    while move(search, coarsest, 1, count) or move(search, coarsest, farthest, count):
        pass
    if search.evaluated.best is not None:
        IteratedSearch(search, coarsest).run()


def move(search: State, coarsest: Evaluation, reach: int, count: int) -> bool:
    """Evaluate the most promising neighbours, up to a count, until one is better; say whether one is."""
    best, params = search.evaluated.best, search.params
    if best is None or used_up(search):  # not even the coarsest scheme is feasible, or no time left
        return False
    near = NeighbourRanking(
        best,
        coarsest,
        search.lattice,
        search.forecast,
        search.evaluator.measure.aggregate.most,
    )
    ranked = near.rank(reach, count + len(search.evaluated))
    tried = [scheme for scheme in ranked if scheme not in search.evaluated][:count]
    for start in range(0, len(tried), params.batch_size):
        if used_up(search):
            return False
        search.evaluate(tried[start : start + params.batch_size])
        if best is not search.evaluated.best:
            return True
    return False


def used_up(search: State) -> bool:
    """Whether local search has had its share of the limits, if it is long: in a large lattice."""
    usage = search.usage
    spent = max(usage.time_share, usage.evaluation_share)
    return search.large and spent > IMPROVEMENT_SHARE


class IteratedSearch:
    """Iterated local search (Lourenço, Martin and Stützle 2003): kick the incumbent, and descend again.

    It is seeded, so that the same evaluations are made whenever as many are allowed.
    """

    def __init__(self, search: State, coarsest: Evaluation) -> None:
        self.search, self.coarsest = search, coarsest
        self.random = random.Random(search.params.seed)
        self.seen = {each.scheme: each for each in search.evaluated.recent}

    def run(self) -> None:
        """Go on until some kicks in a row have led to nothing better, or the limits' share is used up."""
        search, stale = self.search, 0
        while stale < search.params.max_stale_kicks and not used_up(search):
            best = search.evaluated.best
            assert best is not None
            self.descend(self.kick(best.scheme))
            stale = stale + 1 if best is search.evaluated.best else 0

    def kick(self, scheme: Scheme) -> Scheme:
        """Move some attributes by a level, up or down."""
        low, high = self.search.lattice.low, self.search.lattice.high
        movable = [a for a in range(len(scheme)) if low[a] < high[a]]
        for a in self.random.sample(movable, min(len(movable), self.random.randint(3, 7))):
            level = scheme[a] + self.random.choice((-1, 1))
            scheme = with_level(scheme, a, min(max(level, low[a]), high[a]))
        return scheme

    def descend(self, scheme: Scheme) -> None:
        """Move from a scheme to its best neighbours as long as these are better."""
        current: Evaluation | None = self.look_at([scheme])[0]
        while current is not None and not used_up(self.search):
            current = self.better_neighbour(current)

    def better_neighbour(self, current: Evaluation) -> Evaluation | None:
        """Return a better neighbour among the most promising, or None."""
        search, params = self.search, self.search.params
        near = NeighbourRanking(
            current,
            self.coarsest,
            search.lattice,
            search.forecast,
            search.evaluator.measure.aggregate.most,
        )
        ranked = near.rank(1, KICK_NEIGHBOURS)
        for start in range(0, len(ranked), params.batch_size):
            found = self.look_at(ranked[start : start + params.batch_size])
            best = choose(found)
            if best is not None and (best.loss < current.loss or not current.feasible):
                return best
            if used_up(search):
                break
        return None

    def look_at(self, schemes: Sequence[Scheme]) -> list[Evaluation]:
        """Return the evaluations of schemes; those seen before are not made again."""
        made = self.search.evaluate([scheme for scheme in schemes if scheme not in self.seen])
        self.seen.update({each.scheme: each for each in made})
        return [self.seen[scheme] for scheme in schemes if scheme in self.seen]
