"""Bound: what every release in layers loses at least.

The argument, for the arithmetic loss. What a record loses is decided by its released values: the
weighted share that they leave open of each domain, its cost. So all records of a class lose the same. A
record's class in a release in layers is part of its class at that scheme in the whole table: its
records have the same values at that scheme. (A value that is called the same at two levels covers the
same leaves at both, so this also holds for a class that has records of two layers.) Where the models
limit the risk of single people, more records of a class never raise it. So a record is released only by
classes, at schemes that the policy allows, that pass in the whole table, and loses at least the cost of
the cheapest; a suppressed record loses the cost of a record without any value. Where a person has
several records, the same holds for each of them, whichever layers the others are in: a part of a class
has no more people than the class.

Where each record is a person and a class passes with k records, more can be said. Give every record a
price, no higher than what a suppressed record loses, such that no k records of a class of the whole
table have prices that sum up to more than k times the cost of the class. A released class is part of
such a class and has at least k records. The mean of their prices is no more than the mean of the k
highest, which is no more than the cost: the prices sum up to no more than what its records lose. So the
sum of all prices is a bound. This is the dual of the linear relaxation of facility location in which an
open class serves at least k. Prices rise together, each record by its share of what its classes leave
over, until each is in a class that leaves nothing over. They may be stopped at any time: the demands on
them hold throughout. A class whose records cannot have prices so high that it demands anything, even if
all of them rise as far as they may, is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.suppression import greatest_kept
from anonymizer.kernels.layers import prices_allowed
from anonymizer.lattice import Lattice, with_level
from anonymizer.layers.construction import least_size
from anonymizer.layers.costs import MOST_LISTED, Candidates, Costs
from anonymizer.risk import ModelKind, RiskModel
from anonymizer.table.classes import partition
from anonymizer.table.microdata import Microdata
from anonymizer.utility import Aggregate
from anonymizer.utility.measure import AttributeMeasure

ROUNDING = 1e-13
"""Sums of prices are lowered by this share, so that no rounding makes a bound too high."""
MOST_STEPS = 300_000_000
"""The tuples that one pass may look at, summed over the schemes; a pass that would take more is left."""
MOST_IN_ALL = 100_000_000
MOST_TIMES = 4_000
"""So many tuples may all passes look at, or each tuple so often; the last limit may end above it."""
GROWTH = 1.6
LEAST_GROWTH = 1.1
"""The limit below which prices rise grows by these factors."""
PASSES = 3
"""So many times prices rise below one limit; after that the rest is small."""
STILL = 1e-5
"""A price that may rise by less no longer does."""
WORTH = 1e-3
"""A limit that raises the bound by a smaller share of itself is the last one."""
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
    reach: NDArray[np.float64] = field(init=False)
    """How far each may rise at the most, as far as that is known."""
    growth: float = GROWTH
    next_limit: float = 0.0
    looked_at: int = 0
    """The tuples that all passes looked at."""

    def __post_init__(self) -> None:
        self.of_tuple = np.zeros(self.microdata.distinct)
        self.active = np.zeros(self.microdata.distinct, np.bool_)
        self.reach = np.full(self.microdata.distinct, np.inf)

    @property
    def bound(self) -> float:
        """The mean price of a record."""
        total = float(self.of_tuple @ self.microdata.counts) / self.microdata.records
        return total * (1 - ROUNDING)

    def run(self, loss: float, stop: Callable[[], bool], effort: float = 1.0) -> None:
        """Raise prices, limit after limit, until they no longer rise or the effort is made; or go on.

        The first limit is half the loss that was found, so that a bound comes soon. A limit that takes
        too long is lowered, and then rises in smaller steps. An effort of 1 is that of `MOST_IN_ALL`.
        """
        whole = self.costs.whole
        most = effort * max(MOST_IN_ALL, MOST_TIMES * self.microdata.distinct)
        self.next_limit = self.next_limit or min(whole, max(loss / 2, whole / 100))
        while self.looked_at <= most and self.growth > LEAST_GROWTH and not stop():
            before, limit = self.bound, self.next_limit
            if self.raise_below(limit, stop):
                if limit >= whole or self.bound - before < WORTH * before:
                    self.growth = LEAST_GROWTH
                self.next_limit = min(whole, limit * self.growth)
            else:
                self.next_limit = limit / math.sqrt(self.growth)
                self.growth = math.sqrt(self.growth) if self.next_limit > self.limit else 1.0

    def without(self, attribute: int, weights: Sequence[float]) -> Prices:
        """Return prices of what a record loses in all attributes but one: its top level costs nothing."""
        weights = (*weights[:attribute], 0.0, *weights[attribute + 1 :])
        low = with_level(self.lattice.low, attribute, self.lattice.high[attribute])
        lattice, costs = Lattice(low, self.lattice.high), Costs.of(self.microdata, weights)
        return Prices(self.microdata, costs, lattice, self.least)

    def raise_below(self, limit: float, stop: Callable[[], bool]) -> bool:
        """Raise prices while classes that cost less than a limit allow it; False if that is too much.

        Classes above the limit demand nothing of prices that stay below it. Prices that were held back
        by a class at a lower limit are held back by it still.
        """
        active = self.active | (self.of_tuple >= self.limit)
        if self.limit == 0.0:
            found = self.visit(limit, np.ones_like(active))
            if found is None:
                return False
            self.of_tuple = found[1]
        for _ in range(PASSES):
            if stop() or not active.any():
                break
            found = self.visit(limit, active)
            if found is None:
                return False
            self.active, self.limit = active, limit
            raises = np.where(active, np.maximum(found[0], 0.0), 0.0)
            self.of_tuple = np.minimum(limit, self.of_tuple + raises * (1 - ROUNDING))
            active = active & (raises > STILL)
        self.active, self.limit = active, limit
        return True

    def visit(
        self, limit: float, active: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return how far each price may rise and the cheapest class of each tuple, up to a limit."""
        microdata, prices = self.microdata, self.of_tuple
        raises, cheapest = self.reach.copy(), np.full(prices.size, limit)
        looked_at = prices_allowed(
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
        self.looked_at += looked_at
        if looked_at > MOST_STEPS:
            return None
        # what a class leaves over only falls, and no more than `least` records have a share of it
        self.reach = np.where(active, np.maximum(raises, 0.0) * self.least, self.reach)
        return np.minimum(raises, limit - prices), cheapest


@dataclass(eq=False)
class CheapestSchemes:
    """The cheapest scheme at which the models let each record through, among those looked at so far.

    Schemes are looked at by the least that they lose: a record whose cheapest is not yet known loses at
    least what the next scheme does. The candidates must be all of the lattice.
    """

    microdata: Microdata
    models: Sequence[RiskModel]
    costs: Costs
    candidates: Candidates
    of_tuple: NDArray[np.float64] = field(init=False)
    next_cost: float = 0.0

    def __post_init__(self) -> None:
        self.of_tuple = np.full(self.microdata.distinct, self.costs.whole)

    @property
    def bound(self) -> float:
        """The mean of what each record loses at least."""
        least = np.minimum(self.of_tuple, self.next_cost)
        return float(least @ self.microdata.counts) / self.microdata.records * (1 - ROUNDING)

    def run(self, loss: float, stop: Callable[[], bool], effort: float = 1.0) -> None:  # noqa: ARG002
        """Look at schemes until the next one loses more than every record does."""
        nothing = np.zeros(self.microdata.distinct, np.bool_)
        order = np.argsort(self.candidates.least_cost, kind="stable")
        for number in order[:MOST_SCHEMES].tolist():
            self.next_cost = float(self.candidates.least_cost[number])
            if self.of_tuple.max() <= self.next_cost or stop():
                return
            classes = partition(self.microdata, self.candidates.scheme(number))
            gone = greatest_kept(self.microdata, classes, self.models, nothing)
            lost = self.costs.of_tuples(self.microdata, self.candidates.schemes[number])
            self.of_tuple = np.where(gone, self.of_tuple, np.minimum(self.of_tuple, lost))
        unseen = order[MOST_SCHEMES:]
        least = self.candidates.least_cost[unseen[0]] if unseen.size else self.costs.whole
        self.next_cost = float(least)


@dataclass(frozen=True, slots=True)
class Nothing:
    """Nothing is known of what other layers lose."""

    bound: float = 0.0

    def run(self, loss: float, stop: Callable[[], bool], effort: float = 1.0) -> None:
        """Nothing to do."""


Bounding = Prices | CheapestSchemes | Nothing
"""What bounds the arithmetic loss of every release in layers; its bound holds whenever it is stopped."""


def bounding_of(
    microdata: Microdata,
    models: Sequence[RiskModel],
    costs: Costs,
    lattice: Lattice,
    candidates: Candidates,
) -> Bounding:
    """Choose how to bound what layers lose.

    Models of a distribution inside a class may let part of a class through that they refuse as a whole:
    nothing is known then. Nor is it where models ask for more than a size and the candidates are not all
    schemes.
    """
    if ModelKind.of(models) is not ModelKind.PEOPLE:
        return Nothing()
    least = least_size(microdata, models)
    if least is not None:
        return Prices(microdata, costs, lattice, least)
    if lattice.size > MOST_LISTED:
        return Nothing()
    return CheapestSchemes(microdata, models, costs, candidates)


def bound_of(
    measure: AttributeMeasure, arithmetic: float, of_others: Sequence[float] = ()
) -> float:
    """Turn a bound on the arithmetic loss into one on the measure's.

    For a given sum of weighted losses, the geometric loss is least where as few attributes as possible
    bear it: it is concave in them, and no argument is more uneven. With bounds `of_others` on the
    arithmetic loss without each attribute, no attribute bears more than the sum less what the others
    bear at least. While the sum is no more than 1, this grows with it; a larger one is bounded alone.

    >>> from anonymizer.utility import Loss
    >>> geometric = Loss(Aggregate.GEOMETRIC, (1.0, 1.0))
    >>> round(bound_of(geometric, 0.3), 4), round(bound_of(geometric, 0.3, (0.1, 0.1)), 4)
    (0.2649, 0.2961)
    """
    if measure.aggregate is Aggregate.ARITHMETIC:
        return arithmetic
    weights, attributes = measure.weights, len(measure.weights)
    total = arithmetic * attributes
    if of_others and attributes > 1:  # each attribute is among the others of all but one
        total = max(total, sum(of_others) * attributes / (attributes - 1))
    logarithms = borne_unevenly(weights, total)
    if of_others and total <= 1:
        caps = [
            min(weight, max(0.0, total - other * attributes))
            for weight, other in zip(weights, of_others, strict=True)
        ]
        more = min(borne_unevenly(caps, total), borne_unevenly(weights, 1.0))
        logarithms = max(logarithms, more)
    return math.expm1(logarithms / attributes) * (1 - ROUNDING)


def borne_unevenly(caps: Sequence[float], total: float) -> float:
    """Return the least sum of log(1 + loss) of losses below their caps that add up to a total."""
    logarithms = 0.0
    for cap in sorted(caps, reverse=True):
        borne = min(cap, total)
        logarithms += math.log1p(borne)
        total -= borne
    return logarithms
