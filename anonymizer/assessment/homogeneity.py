"""Homogeneity: what the members of a small cell have in common, and so what linking them to it reveals.

Simon et al. 2020, section 3.8. The concern is asymmetric: that everyone in a cell has a stigmatized
diagnosis does harm, that nobody has it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.assessment.keys import Integers
from anonymizer.attackers.statement import SMALL_CELL
from anonymizer.attackers.statistics import SLACK
from anonymizer.kernels.partition import label_keys
from anonymizer.table.sensitive import SensitiveColumn

SIZES = (3, SMALL_CELL)
"""The smallest and the largest cell that the paper looks at."""


def column_of_cells(
    cell_of_row: Integers, value_of_row: Integers, person_of_row: Integers | None
) -> SensitiveColumn:
    """Return the people of each cell by value, counted as in the classes of a release."""
    names = tuple(map(str, range(int(value_of_row.max()) + 1)))
    once = np.ones(cell_of_row.size, np.int64)
    return SensitiveColumn.of_rows(names, cell_of_row, value_of_row, once, person_of_row)


@dataclass(frozen=True, slots=True)
class Homogeneity:
    """What the small cells give away about one sensitive attribute."""

    attribute: str
    prevalence: float
    """The share of all people who have a value that the steward marks."""
    cells: int
    """Cells of 3 to 5."""
    homogeneous: int
    """Those of them in which everyone has such a value."""
    people: int
    """The people in these."""
    one_value: int
    """Cells of 3 to 5 in which everyone has the same value, marked or not."""
    least_distinct: int
    """The smallest distinct l-diversity of a cell of at least 3; 0 without such a cell."""
    least_entropy: float
    small_cells: int
    """Cells of 1 to 5."""
    telling: int
    """Those of them in which at least the stated share of the people has a marked value."""
    given_away: int
    """The people in these of whom the source tells so with more than the accepted probability."""

    @property
    def share(self) -> float:
        """The share of the cells of 3 to 5 that are homogeneous in a marked value."""
        return self.homogeneous / self.cells if self.cells else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Tolerance:
    """When a small cell gives a marked value away, and whether that is acceptable.

    Whoever links a person to the cell need not know which of its members they are: the probability is
    that of linking to the cell, times the share of its members who have the value.
    """

    most: float
    """The share of a cell's members with the value from which on it is given away, 0 to 1."""
    certainty: NDArray[np.float64]
    """For each cell, the probability that the source leads to it: p q, or 1 / m."""
    threshold: float

    def telling(self, sizes: Integers, having: Integers) -> NDArray[np.bool_]:
        """Mark the small cells in which so many have a marked value."""
        return (sizes <= SIZES[1]) & (having > 0) & (having >= self.most * sizes - SLACK)

    def above(self, sizes: Integers, having: Integers) -> NDArray[np.bool_]:
        """Mark those of them that tell it with more than the accepted probability."""
        probability = self.certainty * having / sizes
        return self.telling(sizes, having) & (probability > self.threshold + SLACK)


def measure_homogeneity(
    attribute: str,
    sizes: Integers,
    cell_of_row: Integers,
    value_of_row: Integers,
    marked: Sequence[int],
    person_of_row: Integers | None = None,
    tolerance: Tolerance | None = None,
) -> Homogeneity:
    """Find the small cells in which everyone, or so many as is stated, has a marked value.

    `sizes` are the people in each cell; values and people are numbered from 0.
    """
    tolerance = tolerance or Tolerance(1.0, np.ones(sizes.size), 0.0)
    column = column_of_cells(cell_of_row, value_of_row, person_of_row)
    cells, chosen = np.arange(sizes.size, dtype=np.int32), column.choose(list(map(str, marked)))
    holders = column.histograms(cells, sizes, np.ones(sizes.size, np.bool_))
    having = column.people_with(cells, sizes.size, chosen)
    small = (sizes >= SIZES[0]) & (sizes <= SIZES[1])
    homogeneous = small & column.all_have(cells, sizes, chosen)
    distinct, entropy = holders.distinct, np.exp(holders.entropies)
    looked_at = np.flatnonzero(sizes >= SIZES[0])
    return Homogeneity(
        attribute,
        share_having(np.isin(value_of_row, marked), person_of_row),
        int(small.sum()),
        int(homogeneous.sum()),
        int(sizes[homogeneous].sum()),
        int((small & holders.of_one_value).sum()),
        int(distinct[looked_at].min()) if looked_at.size else 0,
        float(entropy[looked_at].min()) if looked_at.size else 0.0,
        int((sizes <= SIZES[1]).sum()),
        int(tolerance.telling(sizes, having).sum()),
        people_in(tolerance.above(sizes, having), cell_of_row, person_of_row),
    )


def people_in(
    cells: NDArray[np.bool_], cell_of_row: Integers, person_of_row: Integers | None
) -> int:
    """Count the different people with a row in some cells."""
    chosen = cells[cell_of_row]
    return int(chosen.sum()) if person_of_row is None else np.unique(person_of_row[chosen]).size


def count_people(cell_of_row: Integers, person_of_row: Integers | None, cells: int) -> Integers:
    """Count the different people in each cell."""
    if person_of_row is None:
        return np.bincount(cell_of_row, minlength=cells)
    once = first_of_each(person_of_row * cells + cell_of_row)
    return np.bincount(cell_of_row[once], minlength=cells)


def share_having(sensitive: NDArray[np.bool_], person_of_row: Integers | None) -> float:
    """Return the share of all people who have a marked value in one of their rows."""
    if person_of_row is None:
        return float(sensitive.mean())
    having = np.zeros(int(person_of_row.max()) + 1, np.bool_)
    having[person_of_row[sensitive]] = True
    return float(having.mean())


def first_of_each(keys: Integers) -> NDArray[np.int32]:
    """Return where each key appears first."""
    return label_keys(keys)[1]
