"""The attributes in the order in which screening sets their levels, in tables that its kernels read."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.lattice import Lattice
from anonymizer.table.microdata import Microdata

FINISHED_SCHEMES = 160
"""How many schemes that differ in the last attributes only are looked at without further bounds."""
MAX_CELLS = 1 << 15
"""The cells of the last attributes: few enough to look each up."""


@dataclass(frozen=True, eq=False)
class OrderedAttributes:
    """The attributes of a lattice, those of many values first; levels are counted from its lowest.

    What attributes of many values lose at a level is known best once that level is set. The last ones,
    from `first_finished` on, are gone through together; see kernels/finishing.py.
    """

    microdata: Microdata
    low: NDArray[np.int64]
    """The lowest levels, not in order."""
    order: list[int]
    levels: NDArray[np.int64]
    """How many levels there are, in order."""
    first_finished: int

    @staticmethod
    def of(microdata: Microdata, lattice: Lattice) -> OrderedAttributes:
        """Order the attributes, and choose which are the last."""
        low, high, columns = np.array(lattice.low), np.array(lattice.high), microdata.columns
        # most schemes have an attribute above its lowest level: what counts is what is left there
        next_level = np.minimum(low + 1, high)
        counts = [columns[a].group_counts for a in range(low.size)]
        order = sorted(
            range(low.size), key=lambda a: (-counts[a][next_level[a]], -counts[a][low[a]])
        )
        levels = (high - low + 1)[order]
        first = len(order)
        while first > 1 and (
            math.prod(columns[a].leaves.size for a in order[first - 1 :]) <= MAX_CELLS
            and (first == len(order) or levels[first - 1 :].prod() <= FINISHED_SCHEMES)
        ):
            first -= 1
        return OrderedAttributes(microdata, low, order, levels, first)

    def schemes(self, digits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the schemes whose attributes, in order, have so many levels above the lowest."""
        schemes = np.empty_like(digits)
        schemes[:, self.order] = digits
        return schemes + self.low

    @cached_property
    def masks(self) -> NDArray[np.uint64]:
        """`masks[d, level]`: the bits of a level of the d-th attribute, and all of the others."""
        masks = self.microdata.domain.paths.masks
        full = np.bitwise_or.reduce(masks[:, 0], axis=0)
        found = np.zeros((len(self.order), int(self.levels.max()), full.size), np.uint64)
        for d, a in enumerate(self.order):
            for level in range(self.levels[d]):
                found[d, level] = full & ~masks[a, 0] | masks[a, self.low[a] + level]
        return found

    def masks_of(self, digits: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the bits that the schemes of some digits leave."""
        found: NDArray[np.uint64] = np.bitwise_and.reduce(
            self.masks[np.arange(len(self.order)), digits], axis=1
        )
        return found

    @cached_property
    def covers(self) -> tuple[NDArray[Any], ...]:
        """The place of each value's cover, the covers, and the cover of all values of a level.

        The last is negative where the values of a level differ.
        """
        domain = self.microdata.domain
        places = np.ascontiguousarray(self.microdata.codes.T + domain.offsets[:-1], np.int32)
        alike = np.full((len(self.order), domain.covered.shape[0]), -1, np.int64)
        for a, (begin, end) in enumerate(itertools.pairwise(domain.offsets)):
            of_level = domain.covered[:, begin:end]
            same = (of_level == of_level[:, :1]).all(axis=1)
            alike[a, same] = of_level[same, 0]
        return places, domain.covered, alike

    @cached_property
    def by_cover(self) -> tuple[NDArray[Any], ...]:
        """The same, and the values of each level by what they cover."""
        places, covered, alike = self.covers
        return places, covered, self.microdata.domain.by_cover, self.microdata.domain.offsets, alike

    @property
    def last(self) -> list[int]:
        """The last attributes."""
        return self.order[self.first_finished :]

    @cached_property
    def finished(self) -> NDArray[np.int64]:
        """All levels of the last attributes together, the last one fastest."""
        levels = self.levels[self.first_finished :].tolist()
        return np.ascontiguousarray(np.indices(levels, np.int64).reshape(len(levels), -1).T)

    @property
    def leaves(self) -> tuple[int, ...]:
        """How many codes each of the last attributes has."""
        return tuple(self.microdata.columns[a].leaves.size for a in self.last)

    @cached_property
    def cell_of_tuple(self) -> NDArray[np.int32]:
        """Number the codes of the last attributes of each tuple together."""
        cells = np.zeros(self.microdata.distinct, np.int32)
        for a, leaves in zip(self.last, self.leaves, strict=True):
            cells = cells * np.int32(leaves) + self.microdata.codes[a].astype(np.int32)
        return cells

    @cached_property
    def lift(self) -> NDArray[np.int32]:
        """`lift[a, level, cell]`: the first cell that agrees with it once the a-th of them is raised."""
        codes = np.indices(self.leaves)
        most = int(self.levels[self.first_finished :].max(initial=1))
        lift = np.zeros((len(self.last), most, math.prod(self.leaves)), np.int32)
        for i, a in enumerate(self.last):
            for level in range(self.levels[self.first_finished + i]):
                _, first, group = np.unique(
                    self.microdata.columns[a].groups[self.low[a] + level],
                    return_index=True, return_inverse=True,
                )  # fmt: skip
                raised = codes.copy()
                raised[i] = first[group][codes[i]]
                lift[i, level] = np.ravel_multi_index(tuple(raised), self.leaves).ravel()
        return lift
