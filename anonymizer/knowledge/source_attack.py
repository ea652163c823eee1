"""An external source against a table: with what probability it tells who somebody is.

Simon et al. 2020, sections 3.3 and 3.6: p q / k where the source is not at hand; 1 / (k m) where it is.
k is the number of people kept who share a person's generalized values of the source's keys, m that of the
people of the source who match them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.microdata import Microdata
from anonymizer.knowledge.cells import Partitions
from anonymizer.knowledge.overlap import Proportion
from anonymizer.knowledge.statement import ExternalSource
from anonymizer.lattice import Scheme

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SourceAttack:
    """A source whose keys are quasi-identifiers of a table."""

    source: ExternalSource
    microdata: Microdata
    threshold: float

    @property
    def places(self) -> list[int]:
        """Where the keys stand among the quasi-identifiers."""
        return [self.microdata.attributes.index(key) for key in self.source.keys]

    def levels(self, scheme: Scheme) -> tuple[int, ...]:
        """Return the level of each key: the table's, or the source's where that is coarser."""
        told: Mapping[str, int] = self.source.levels
        pairs = zip(self.source.keys, self.places, strict=True)
        return tuple(max(scheme[at], told.get(key, 0)) for key, at in pairs)

    def probabilities(
        self, scheme: Scheme, kept: NDArray[np.bool_], certainty: Floats | None = None
    ) -> Floats:
        """Return the probability that each tuple's people are found; 0 for what is not kept."""
        partitions = Partitions.of(self.microdata)
        cells = partitions.cells(
            partitions.known(zip(self.places, self.levels(scheme), strict=True))
        )
        labels = cells.label_of_tuple
        people = partitions.count_people(cells, labels, self.microdata.counts, kept)[labels]
        if certainty is None:
            certainty = self.certainty(scheme)
        return np.where(kept, certainty / np.maximum(people, 1), 0.0)

    def certainty(self, scheme: Scheme) -> Floats:
        """Return the probability of each tuple if its people were alone in their cell: p q."""
        tops = [len(self.microdata.columns[at].hierarchy.labels) - 1 for at in self.places]
        left_out = [
            key
            for key, at, top in zip(self.source.keys, self.places, tops, strict=True)
            if scheme[at] == top and self.microdata.columns[at].group_counts[top] == 1
        ]
        p, q = (self.by_tuple(share) for share in self.source.overlap(left_out))
        return p * q

    def least_certainty(self) -> Floats:
        """Return the least that p q can be for each tuple, whichever keys are left out."""
        choices = [self.source.overlap([key]) for key in self.source.without]
        products = [
            self.by_tuple(p) * self.by_tuple(q) for p, q in [self.source.overlap(), *choices]
        ]
        everything = self.source.overlap([*self.source.without])
        products.append(self.by_tuple(everything[0]) * self.by_tuple(everything[1]))
        least: Floats = np.minimum.reduce(products)
        return least

    def by_tuple(self, share: Proportion) -> Floats:
        """Return p or q of each tuple, by its own value where that decides."""
        if share.by is None:
            return np.full(self.microdata.distinct, share.default)
        at = self.microdata.attributes.index(share.by)
        column = self.microdata.columns[at]
        values = [column.hierarchy.leaves[leaf] for leaf in column.leaves]
        by_tuple: Floats = share.of(values)[self.microdata.codes[at]]
        return by_tuple
