"""The risk of a source: with what probability one external source re-identifies each person of a table.

Estimated from the overlap where the source is not at hand, counted where it is (Simon et al. 2020, 3.3
and 3.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from anonymizer.assessment.procedure.keys import KeySet
from anonymizer.assessment.procedure.linkage import link_probabilities
from anonymizer.assessment.procedure.people import KeyCells
from anonymizer.engine.classes import EquivalenceClasses
from anonymizer.knowledge.overlap import Proportion
from anonymizer.knowledge.statement import ExternalSource
from anonymizer.knowledge.statistics import SLACK
from anonymizer.lattice import Scheme

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SourceRisk:
    """A key set, what is stated about the source it is for, and what probability is acceptable."""

    key_set: KeySet
    source: ExternalSource
    threshold: float

    def certainty(self, classes: EquivalenceClasses, left_out: Sequence[str] = ()) -> Floats:
        """Return the probability in each cell if one person were in it: p * q, or 1 / m."""
        matching = self.key_set.matching(classes)
        if matching is not None:
            return link_probabilities(np.ones_like(classes.sizes), matching)
        p, q = (self.largest(share, classes) for share in self.source.overlap(left_out))
        return p * q

    def largest(self, share: Proportion, classes: EquivalenceClasses) -> Floats:
        """Return p or q of each cell; of unlike people in one cell, the largest."""
        if share.by is None:
            return np.full(classes.sizes.size, share.default)
        number = self.key_set.keys.index(share.by)
        column = self.key_set.microdata.columns[number]
        share_of_code = share.of(column.labels(0))
        of_tuple = share_of_code[self.key_set.microdata.codes[number]]
        largest = np.zeros(classes.sizes.size)
        np.maximum.at(largest, classes.label_of_tuple, of_tuple)
        return largest

    def cells(
        self, scheme: Scheme | None = None, left_out: Sequence[str] = ()
    ) -> tuple[KeyCells, Floats]:
        """Return the cells of a scheme and the probability in each."""
        classes = self.key_set.classes(scheme)
        cells = self.key_set.people.cells(classes)
        return cells, self.certainty(classes, left_out) / cells.sizes

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
        return max(1, ceil(self.source.largest_overlap().probability(1) / self.threshold - 1e-9))
