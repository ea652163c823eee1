"""The risk of a source: with what probability one external source re-identifies each person of a table.

Estimated from the overlap where the source is not at hand, counted where it is (Simon et al. 2020, 3.3
and 3.6).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from anonymizer.assessment.keys import KeySet
from anonymizer.assessment.people import KeyCells
from anonymizer.attackers.overlap import Overlap
from anonymizer.attackers.sources import SourceAttack
from anonymizer.attackers.statement import ExternalSource
from anonymizer.attackers.statistics import SLACK
from anonymizer.lattice import Scheme
from anonymizer.table.classes import EquivalenceClasses

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SourceRisk:
    """A key set, what is stated about the source it is for, and what probability is acceptable."""

    key_set: KeySet
    source: ExternalSource
    threshold: float

    def left_out(self, scheme: Scheme | None = None) -> list[str]:
        """Return the keys that a scheme, or the table as it is, leaves out."""
        levels = self.key_set.base if scheme is None else scheme
        named = zip(self.key_set.keys, levels, self.key_set.tops, strict=True)
        return [key for key, level, top in named if level == top]

    def overlap(self) -> Overlap:
        """Return p and q of the table as it is, where they are highest."""
        return self.source.largest_overlap(self.left_out())

    @cached_property
    def attack(self) -> SourceAttack:
        """The source against the table of its keys alone."""
        key_set = self.key_set
        return SourceAttack(self.source, key_set.microdata, self.threshold, key_set.linked)

    def certainty(self, classes: EquivalenceClasses) -> Floats:
        """Return the probability in each cell if one person were in it; of unlike people, the largest."""
        largest = np.zeros(classes.sizes.size)
        np.maximum.at(largest, classes.label_of_tuple, self.attack.certainty(classes.scheme))
        return largest

    def cells(self, scheme: Scheme | None = None) -> tuple[KeyCells, Floats]:
        """Return the cells of a scheme and the probability in each."""
        classes = self.key_set.classes(scheme)
        cells = self.key_set.people.cells(classes)
        return cells, self.certainty(classes) / cells.sizes

    def above(self, probabilities: Floats) -> NDArray[np.bool_]:
        """Say which probabilities are not acceptable."""
        return probabilities > self.threshold + SLACK

    def drop(self, cells: KeyCells, risk_of_cell: Floats) -> NDArray[np.bool_]:
        """Find the histories to drop until nobody left is above the threshold.

        Where a person has several rows, dropping them makes other cells smaller, so it is looked again.
        """
        certainty = risk_of_cell * cells.sizes
        kept = np.ones(cells.people_of_history.size, np.bool_)
        while True:
            left = cells.keep(kept)
            over = kept & self.above(left.highest(certainty / np.maximum(left.sizes, 1)))
            if not over.any():
                return ~kept
            kept &= ~over

    def needed_size(self) -> int | None:
        """Return how many people a cell needs to be acceptable; None for a source that is linked."""
        if self.source.table is not None:
            return None
        return max(1, ceil(self.overlap().probability(1) / self.threshold - 1e-9))
