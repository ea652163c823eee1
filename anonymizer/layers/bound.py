"""Bound: what every release in layers loses at least.

The argument, for the arithmetic loss. A record's class in a release in layers is part of its class at
that scheme in the whole table, and all of its records lose the same, the cost of the class. Where the
models limit the risk of single people, more records of a class never raise it: so a record is released
only by classes that pass in the whole table, and loses at least the cost of the cheapest.

Where every class needs k records, more can be said. Give every record a price such that no k records of
a class have prices that sum up to more than k times the cost of the class. A released class then has
prices that sum up to no more than what its records lose (the mean of all is no more than the mean of the
k highest). So the sum of all prices is a bound; a suppressed record's price is at most what it loses.
This is the dual of the linear relaxation of facility location in which an open class serves at least k.
Prices rise together, each record by its share of what its classes leave over, until each is in a class
that leaves nothing over.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import partition
from anonymizer.engine.microdata import Microdata
from anonymizer.evaluation.suppression import greatest_kept
from anonymizer.kernels.layers import prices_allowed
from anonymizer.lattice import Lattice
from anonymizer.layers.construction import least_size
from anonymizer.layers.costs import MOST_LISTED, Candidates, Costs
from anonymizer.risk import RiskModel, Scope
from anonymizer.utility import Aggregate, Loss

ROUNDING = 1e-13
"""Sums of prices are lowered by this share, so that no rounding makes a bound too high."""
MOST_STEPS = 200_000_000
"""The tuples that one pass may look at, summed over the schemes; a pass that would take more is left."""
PASSES = 3
"""So many times prices rise below one limit; after that the rest is small."""
STILL = 1e-5
"""A price that may rise by less no longer does."""
MOST_SCHEMES = 5_000
"""So many schemes are looked at for models that ask for more than a size."""


@dataclass(eq=False)
class Prices:
    """What each record loses at least; they rise, below a limit that rises too."""

    microdata: Microdata
    costs: Costs
    lattice: Lattice
    least: int
    limit: float = 0.0
    of_tuple: NDArray[np.float64] = field(init=False)
    active: NDArray[np.bool_] = field(init=False)
    """Which prices may still rise."""

    def __post_init__(self) -> None:
        self.of_tuple = np.zeros(self.microdata.distinct)
        self.active = np.zeros(self.microdata.distinct, np.bool_)

    @property
    def bound(self) -> float:
        """The mean price of a record."""
        total = float(self.of_tuple @ self.microdata.counts) / self.microdata.records
        return total * (1 - ROUNDING)

    def raise_below(self, limit: float, stop: Callable[[], bool]) -> bool:
        """Raise prices while classes that cost less than a limit allow it; False if that is too much.

        Classes above the limit demand nothing of prices that stay below it. Prices that were held back
        by a class at a lower limit are held back by it still.
        """
        self.active |= self.of_tuple >= self.limit
        if self.limit == 0.0:
            found = self.visit(limit, np.zeros_like(self.active))
            if found is None:
                return False
            self.of_tuple = found[1]
        self.limit = limit
        for _ in range(PASSES):
            if stop() or not self.active.any():
                break
            found = self.visit(limit, self.active)
            if found is None:
                return False
            raises = np.where(self.active, np.maximum(found[0], 0.0), 0.0)
            self.of_tuple = np.minimum(limit, self.of_tuple + raises * (1 - ROUNDING))
            self.active &= raises > STILL
        return True

    def visit(
        self, limit: float, active: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return how far each price may rise and the cheapest class of each tuple, up to a limit."""
        microdata, prices = self.microdata, self.of_tuple
        raises, cheapest = limit - prices, np.full(prices.size, limit)
        visited = prices_allowed(
            microdata.words,
            microdata.counts,
            microdata.codes,
            self.costs.offsets,
            self.costs.table,
            np.array(self.lattice.low),
            np.array(self.lattice.high),
            microdata.domain.paths.masks,
            self.least,
            limit,
            np.argsort(-prices, kind="stable").astype(np.int32),
            prices,
            active,
            raises,
            cheapest,
            MOST_STEPS,
        )
        return None if visited < 0 else (raises, cheapest)


def limits_up_to(loss: float, whole: float) -> list[float]:
    """List the limits below which prices rise, one after the other.

    >>> [round(limit, 2) for limit in limits_up_to(0.05, 1.0)]
    [0.1, 0.16, 0.26, 0.41, 0.66, 1.0]
    """
    limits = [max(2 * loss, 0.01 * whole)]
    while limits[-1] < whole:
        limits.append(min(whole, 1.6 * limits[-1]))
    return limits


def bound_by_prices(prices: Prices, loss: float, stop: Callable[[], bool]) -> float:
    """Raise prices, limit after limit, until they no longer rise or it is time to stop."""
    for limit in limits_up_to(loss, prices.costs.whole):
        before = prices.bound
        if stop() or not prices.raise_below(limit, stop):
            break
        if prices.bound - before < STILL:
            break
    return prices.bound


def bound_by_schemes(
    microdata: Microdata,
    models: Sequence[RiskModel],
    costs: Costs,
    candidates: Candidates,
    stop: Callable[[], bool],
) -> float:
    """Return the mean cost of the cheapest scheme at which the models let each record through.

    Schemes are looked at by the least that they lose. When no more are, a record whose cheapest is not
    yet known loses at least what the next scheme does. The candidates must be all of the lattice.
    """
    order = np.argsort(candidates.least_cost, kind="stable")
    nothing = np.zeros(microdata.distinct, np.bool_)
    cheapest = np.full(microdata.distinct, costs.whole)
    for looked_at, number in enumerate(order.tolist()):
        next_cost = float(candidates.least_cost[number])
        if looked_at >= MOST_SCHEMES or stop() or cheapest.max() <= next_cost:
            cheapest = np.minimum(cheapest, next_cost)
            break
        classes = partition(microdata, candidates.scheme(number))
        kept = ~greatest_kept(microdata, classes, models, nothing)
        lost = costs.of_tuples(microdata, candidates.schemes[number])
        cheapest = np.where(kept, np.minimum(cheapest, lost), cheapest)
    return float(cheapest @ microdata.counts) / microdata.records * (1 - ROUNDING)


def bound_arithmetic(
    microdata: Microdata,
    models: Sequence[RiskModel],
    costs: Costs,
    lattice: Lattice,
    candidates: Candidates,
    loss: float,
    deadline: float,
) -> float:
    """Bound the arithmetic loss of every release in layers; 0 where nothing is known.

    Models of a distribution inside a class may let part of a class through that they refuse as a whole.
    """

    def stop() -> bool:
        return time.perf_counter() > deadline

    if Scope.of(models) is not Scope.PEOPLE:
        return 0.0
    least = least_size(microdata, models)
    if least is not None:
        return bound_by_prices(Prices(microdata, costs, lattice, least), loss, stop)
    if lattice.size > MOST_LISTED:  # a scheme that is not a candidate may lose less
        return 0.0
    return bound_by_schemes(microdata, models, costs, candidates, stop)


def bound_of(measure: Loss, arithmetic: float) -> float:
    """Turn a bound on the arithmetic loss into one on the measure's.

    The geometric loss is least, for a given sum of weighted losses, where as few attributes as possible
    bear it: it is a concave function of them, and that is its most uneven argument.

    >>> round(bound_of(Loss(Aggregate.GEOMETRIC, (1.0, 1.0)), 0.3), 4)
    0.2649
    """
    if measure.aggregate is Aggregate.ARITHMETIC:
        return arithmetic
    left, logarithms = arithmetic * len(measure.weights), 0.0
    for weight in sorted(measure.weights, reverse=True):
        borne = min(weight, left)
        logarithms += math.log1p(borne)
        left -= borne
    return math.expm1(logarithms / len(measure.weights)) * (1 - ROUNDING)
