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
from anonymizer.knowledge.overlap import Overlap, Proportion
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

    def left_out(self, scheme: Scheme | None = None) -> list[str]:
        """Return the keys that a scheme, or the table as it is, leaves out."""
        levels = self.key_set.base if scheme is None else scheme
        named = zip(self.key_set.keys, levels, self.key_set.tops, strict=True)
        return [key for key, level, top in named if level == top]

    def overlap(self) -> Overlap:
        """Return p and q of the table as it is, where they are highest."""
        return self.source.largest_overlap(self.left_out())

    def certainty(self, classes: EquivalenceClasses) -> Floats:
        """Return the probability in each cell if one person were in it: p * q, or 1 / m."""
        matching = self.key_set.matching(classes)
        if matching is not None:
            return link_probabilities(np.ones_like(classes.sizes), matching)
        p, q = self.source.overlap(self.left_out(classes.scheme))
        return self.largest(p, q, classes)

    def largest(
        self, p: Sequence[Proportion], q: Sequence[Proportion], classes: EquivalenceClasses
    ) -> Floats:
        """Return p q of each cell; of unlike people in one cell, the largest."""
        of_tuple = self.of_tuples(p) * self.of_tuples(q)
        largest = np.zeros(classes.sizes.size)
        np.maximum.at(largest, classes.label_of_tuple, of_tuple)
        return largest

    def of_tuples(self, shares: Sequence[Proportion]) -> Floats:
        """Return the largest of some shares for each tuple, by its own value where that decides."""
        microdata = self.key_set.microdata
        largest = np.zeros(microdata.distinct)
        for share in shares:
            if share.by is None:
                largest = np.maximum(largest, share.default)
                continue
            number = self.key_set.keys.index(share.by)
            column = microdata.columns[number]
            of_code = share.read_as(column.hierarchy.read_texts).of(column.labels(0))
            largest = np.maximum(largest, of_code[microdata.codes[number]])
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
