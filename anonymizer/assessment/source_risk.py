"""The risk of a source: with what probability one external source re-identifies each person of a table.

Estimated from the overlap where the source is not at hand, counted where it is (Simon et al. 2020, 3.3
and 3.6): somebody in a cell of k whom m people of the source match is found with probability 1 / (k m),
and 0 if nobody matches them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.assessment.keys import KeyCells, KeySet
from anonymizer.attackers.linkage_checks import unmatched_warnings
from anonymizer.attackers.overlap import Overlap
from anonymizer.attackers.sources import SourceAttack, least_people
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
        if self.source.path is not None:
            return None
        alone = np.array([self.overlap().probability(1)])
        return int(least_people(alone, self.threshold + SLACK)[0])


@dataclass(frozen=True, slots=True)
class Linkage:
    """How the people of a table match an external one."""

    one_to_one: int
    """People alone in their cell, with one external match: re-identified with certainty."""
    one_to_many: int
    many_to_one: int
    many_to_many: int
    unmatched: int
    external_people: int
    external_matched: int
    """External people who match at least one person."""
    warnings: tuple[str, ...] = ()
    """Why the linkage may not be right."""

    @property
    def people(self) -> int:
        """The number of people."""
        matched = self.one_to_one + self.one_to_many + self.many_to_one + self.many_to_many
        return matched + self.unmatched


def link(source_risk: SourceRisk) -> Linkage:
    """Link everyone by the key values; a person with several rows counts where the risk is highest."""
    key_set = source_risk.key_set
    cells, risk_of_cell = source_risk.cells()
    classes, external = key_set.classes(), key_set.linked
    assert external is not None, "the key set was made without an external table"
    m = external.matching(classes.scheme, classes.first_tuple)
    best = cells.best(risk_of_cell)
    k_of, m_of, people = cells.sizes[best], m[best], cells.people_of_history

    def count(chosen: NDArray[np.bool_]) -> int:
        return int(people[chosen].sum())

    unmatched = count(m_of == 0)
    return Linkage(
        count((k_of == 1) & (m_of == 1)),
        count((k_of == 1) & (m_of > 1)),
        count((k_of > 1) & (m_of == 1)),
        count((k_of > 1) & (m_of > 1)),
        unmatched,
        external.people.number,
        external.matched(classes.scheme, classes.first_tuple),
        tuple(unmatched_warnings(external, classes.scheme, unmatched, cells.people)),
    )
