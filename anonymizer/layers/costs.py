"""Costs: what one record loses at each scheme, and the schemes that a release in layers may use."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.lattice import Lattice, Scheme
from anonymizer.table.classes import partition
from anonymizer.table.microdata import Microdata

MOST_LISTED = 200_000
"""Lattices of more schemes are not listed whole: a climb picks those that a release may use."""


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """What one record loses, as a sum over attributes: `table[level, offset + code]`.

    Summed over the records and divided by their number, it is the arithmetic loss. A suppressed record
    loses `whole`.
    """

    table: NDArray[np.float64]
    offsets: NDArray[np.int64]
    whole: float

    @staticmethod
    def of(microdata: Microdata, weights: tuple[float, ...]) -> Costs:
        """Weigh every value of every level by the share of its domain that it leaves open."""
        domain, attributes = microdata.domain, len(weights)
        leaves = np.diff(domain.offsets)
        least = np.repeat(domain.least, leaves)
        others = np.maximum(np.repeat(domain.sizes, leaves) - least, 1)
        weight = np.repeat(np.array(weights), leaves) / attributes
        # above a column's top nothing is covered, and nothing is looked up
        table = np.maximum(domain.covered - least, 0) * weight / others
        whole = float(np.array(weights)[domain.sizes > domain.least].sum()) / attributes
        return Costs(table, domain.offsets, whole)

    def of_tuples(self, microdata: Microdata, levels: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return what a record of each tuple loses; `levels[a]` is a level, or one for each tuple."""
        total = np.zeros(microdata.distinct)
        for a, codes in enumerate(microdata.codes):
            total += self.table[levels[a], self.offsets[a] + codes.astype(np.int64)]
        return total

    def least(self, attribute: int, level: int) -> float:
        """Return the least that a value of a level of an attribute loses."""
        return float(self.values(attribute, level).min())

    def values(self, attribute: int, level: int) -> NDArray[np.float64]:
        """Return what each code of an attribute loses at a level."""
        return self.table[level, self.offsets[attribute] : self.offsets[attribute + 1]]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Schemes that layers may have, in the order of what they lose of all records."""

    schemes: NDArray[np.int64]
    masks: NDArray[np.uint64]
    """What each scheme leaves of the words of a tuple."""
    least_cost: NDArray[np.float64]
    """The least that a record can lose at each scheme."""

    @staticmethod
    def of(microdata: Microdata, costs: Costs, schemes: NDArray[np.int64]) -> Candidates:
        """Take these schemes, in this order."""
        paths, columns = microdata.domain.paths, range(schemes.shape[1])
        masks = np.zeros((len(schemes), paths.words), np.uint64)
        least = np.zeros(len(schemes))
        for a in columns:
            masks |= paths.masks[a, schemes[:, a]]
            heights = microdata.columns[a].hierarchy.height
            least += np.array([costs.least(a, level) for level in range(heights)])[schemes[:, a]]
        return Candidates(schemes, masks, least)

    def thinned(self, most: int | None) -> Candidates:
        """Keep at most so many, from the least costly to the most, at equal steps in their order."""
        if most is None or len(self.schemes) <= most:
            return self
        kept = np.linspace(0, len(self.schemes) - 1, most).astype(np.int64)
        return Candidates(self.schemes[kept], self.masks[kept], self.least_cost[kept])

    def scheme(self, number: int) -> Scheme:
        """Return one scheme."""
        return tuple(self.schemes[number].tolist())


def find_candidates(microdata: Microdata, costs: Costs, lattice: Lattice, least: int) -> Candidates:
    """List the schemes of a lattice, or of a large one those on a climb, the least costly first."""
    if lattice.size <= MOST_LISTED:
        return order_candidates(microdata, costs, list(lattice))
    return order_candidates(microdata, costs, climb(microdata, costs, lattice, least))


def order_candidates(microdata: Microdata, costs: Costs, schemes: Iterable[Scheme]) -> Candidates:
    """Put schemes in the order of what they lose, each class once.

    Of schemes that make the same classes, the lowest is enough: none of its values loses more.
    """
    listed = np.array(sorted(set(schemes)), np.int64)
    order = np.lexsort((*listed.T[::-1], np.round(mean_costs(microdata, costs, listed), 12)))
    candidates = Candidates.of(microdata, costs, listed[order])
    _, first = np.unique(candidates.masks, axis=0, return_index=True)
    return Candidates.of(microdata, costs, candidates.schemes[np.sort(first)])


def mean_costs(
    microdata: Microdata, costs: Costs, schemes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return what each scheme loses of a record in the mean, with nothing suppressed."""
    total = np.zeros(len(schemes))
    for a, codes in enumerate(microdata.codes):
        records = np.bincount(codes, microdata.counts, costs.offsets[a + 1] - costs.offsets[a])
        heights = microdata.columns[a].hierarchy.height
        means = [float(costs.values(a, level) @ records) for level in range(heights)]
        total += np.array(means)[schemes[:, a]] / microdata.records
    return total


def climb(
    microdata: Microdata, costs: Costs, lattice: Lattice, least: int, width: int = 3
) -> Iterator[Scheme]:
    """Yield the schemes on a few ways from the bottom of a lattice to its top, and those beside them.

    Of the schemes one step above those at hand, the `width` that bring most records into classes of
    the least size, for what they lose more, come next.
    """
    yield lattice.low
    yield lattice.high
    beam = [lattice.low]
    while beam:
        above = sorted({scheme for each in beam for scheme in lattice.coarser(each)})
        yield from above
        lost = mean_costs(microdata, costs, np.array(above, np.int64)) if above else np.empty(0)
        worth = [
            (records_in_large(microdata, scheme, least) / max(float(loss), 1e-9), scheme)
            for scheme, loss in zip(above, lost, strict=True)
        ]
        beam = [scheme for _, scheme in heapq.nlargest(width, worth)]


def records_in_large(microdata: Microdata, scheme: Scheme, least: int) -> int:
    """Count the records in classes of at least so many people."""
    classes = partition(microdata, scheme)
    return int(classes.records[classes.sizes >= least].sum())
