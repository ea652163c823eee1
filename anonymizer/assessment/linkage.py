"""Linkage with an external table that is at hand (Simon et al. 2020, section 3.3).

A record in a group of k that matches m external ones is re-identified with probability 1 / (k * m): 1 if
both are alone, 1/m if it is alone here, 1/k if its match is alone there, and 0 if nothing matches it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.assessment.keys import KeySet
from anonymizer.assessment.people import Integers, KeyCells
from anonymizer.attackers.linkage_checks import unmatched_warnings
from anonymizer.lattice import Scheme


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


def link_probabilities(k: Integers, m: Integers) -> NDArray[np.float64]:
    """Return the probability of re-identification in cells of k that match m external records.

    >>> link_probabilities(np.array([1, 1, 2, 2, 3]), np.array([1, 4, 1, 4, 0])).tolist()
    [1.0, 0.25, 0.5, 0.125, 0.0]
    """
    return np.where(m > 0, 1 / np.maximum(k * np.maximum(m, 1), 1), 0.0)


def external_sizes(key_set: KeySet, scheme: Scheme | None = None) -> Integers:
    """Count the external people who match each cell."""
    sizes = key_set.matching(key_set.classes(scheme))
    assert sizes is not None, "the key set was made without an external table"
    return sizes


def link(key_set: KeySet) -> Linkage:
    """Link everyone by the key values; a person with several rows counts where the risk is highest."""
    cells, m = key_set.cells(), external_sizes(key_set)
    best = best_cells(cells, link_probabilities(cells.sizes, m))
    k_of, m_of, people = cells.sizes[best], m[best], cells.people_of_history
    classes, external = key_set.classes(), key_set.linked
    assert external is not None

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


def best_cells(cells: KeyCells, risk_of_cell: NDArray[np.float64]) -> Integers:
    """Return, for each history, the cell in which its risk is highest."""
    risk = risk_of_cell[cells.cell_of_member]
    order = np.lexsort((-risk, cells.history_of_member))
    return cells.cell_of_member[order[cells.starts]]
