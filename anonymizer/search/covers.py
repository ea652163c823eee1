"""What values cover, for the kernel of subtree bounds: no finer than levels differ in it.

At many a level, most often the finest, all values cover as much; then a count of records is enough. So
tuples are told apart only by their value at the finest level where values differ in what they cover:
there are few of these where leaves may be thousands, and their table stays in the cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.table.domain import Domain, QuasiIdentifier, side_by_side

Codes = NDArray[np.unsignedinteger]


class Covers(NamedTuple):
    """What the values of all attributes cover, side by side."""

    offsets: NDArray[np.int64]
    """Where each attribute begins; the last is the number of places."""
    covered: NDArray[np.int64]
    """`covered[level, offset + value]`"""

    @staticmethod
    def of(domain: Domain) -> Covers:
        """Return what the values of a domain cover at each level."""
        tables = [cover_of_values(column) for column in domain.columns]
        return Covers(np.cumsum([0, *(table.shape[1] for table in tables)]), side_by_side(tables))


def finest_uneven(column: QuasiIdentifier) -> int:
    """Return the finest level whose values do not all cover as much; the top where there is none."""
    uneven = np.flatnonzero(column.covered.min(axis=1) < column.covered.max(axis=1))
    return int(uneven[0]) if uneven.size else len(column.groups) - 1


def cover_of_values(column: QuasiIdentifier) -> NDArray[np.int64]:
    """Return, for each level, what it makes of the values at the finest uneven one covers."""
    finest = finest_uneven(column)
    table = np.empty((len(column.groups), column.group_counts[finest]), np.int64)
    table[:, column.groups[finest]] = column.covered
    return table


def values_of(columns: tuple[QuasiIdentifier, ...], codes: Codes) -> NDArray[np.uint16]:
    """Return the value of each tuple in each attribute, at the finest uneven level."""
    values = np.empty(codes.T.shape, np.uint16)
    for a, column in enumerate(columns):
        values[:, a] = column.groups[finest_uneven(column)].astype(np.uint16)[codes[a]]
    return values
