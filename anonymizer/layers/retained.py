"""What is left of each column: the share of its information that a release keeps, and what collapsed.

The loss counts the leaves of a hierarchy, which are what a value could have been. This counts records: it
says what a reader still learns, however the hierarchy was written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.partition import label_keys
from anonymizer.table.microdata import Microdata

COLLAPSED = 0.95
"""A column has collapsed where one value has a larger share of the released records."""


class ReleasedTuples(Protocol):
    """Distinct tuples, and what each is released as: layers, or a release."""

    @property
    def microdata(self) -> Microdata:
        """The tuples."""

    @property
    def suppressed(self) -> NDArray[np.bool_]:
        """Whether each tuple is suppressed."""

    def values(self, attribute: int) -> tuple[NDArray[Any], Any]:
        """Return the number of each tuple's released value first."""


@dataclass(frozen=True, slots=True)
class ColumnLeft:
    """What is left of one quasi-identifier."""

    retained: float
    """From 0, nothing is left, to 1, nothing is lost: `retained_share`."""
    largest: float
    """The share of the most frequent value among the released records; 0 where there are none."""
    largest_before: float
    """The same in the original."""

    @property
    def collapsed(self) -> bool:
        """Whether one value covers nearly all released records, and none did in the original."""
        return self.largest > COLLAPSED >= self.largest_before


def columns_left(release: ReleasedTuples) -> dict[str, ColumnLeft]:
    """Say what is left of each quasi-identifier, from the distinct tuples and their counts alone."""
    names = release.microdata.attributes
    return {name: column_left(*before_and_after(release, at)) for at, name in enumerate(names)}


def losses_over_existing(release: ReleasedTuples) -> dict[str, float]:
    """Return the loss over the codes that occur, where a hierarchy counts all codes of a form instead."""
    columns = enumerate(release.microdata.columns)
    forms = {at: column.hierarchy.name for at, column in columns if column.hierarchy.universe}
    return {name: loss_over_existing(*before_and_after(release, at)) for at, name in forms.items()}


def before_and_after(
    release: ReleasedTuples, attribute: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the value of each tuple before and after, its records, and whether it is kept."""
    microdata = release.microdata
    released = release.values(attribute)[0].astype(np.int64)
    counts = microdata.counts.astype(np.int64)
    return microdata.codes[attribute].astype(np.int64), released, counts, ~release.suppressed


def column_left(
    original: NDArray[np.int64],
    released: NDArray[np.int64],
    counts: NDArray[np.int64],
    kept: NDArray[np.bool_],
) -> ColumnLeft:
    """Say what is left of a column, given its value before and after in tuples of so many records."""
    before = sizes_of(original, counts)
    after = sizes_of(released[kept], counts[kept])
    records = int(counts.sum())
    return ColumnLeft(
        retained_share(original, released, counts, kept),
        float(after.max(initial=0)) / max(1, int(after.sum())),
        float(before.max(initial=0)) / max(1, records),
    )


def loss_over_existing(
    original: NDArray[np.int64],
    released: NDArray[np.int64],
    counts: NDArray[np.int64],
    kept: NDArray[np.bool_],
) -> float:
    """Return the loss if the D values that occur were all leaves; 0 where there is only one.

    A released value covers the originals that it stands for.

    >>> ones, everybody = np.ones(4, np.int64), np.ones(4, np.bool_)
    >>> loss_over_existing(np.arange(4), np.array([0, 0, 1, 1]), ones, everybody)
    0.3333333333333333
    """
    values, records = np.unique(original).size, int(counts.sum())
    if values < 2:
        return 0.0
    spread = int(released.max(initial=0)) + 1
    pairs = np.unique(original[kept] * spread + released[kept]) % spread
    covers = np.bincount(pairs, minlength=spread)
    covered = int(covers[released[kept]] @ counts[kept]) + values * int(counts[~kept].sum())
    return max(0.0, (covered - records) / (records * (values - 1)))


def retained_share(
    original: NDArray[np.int64],
    released: NDArray[np.int64],
    counts: NDArray[np.int64],
    kept: NDArray[np.bool_],
) -> float:
    """Return the share of a column's information that is left, from 0 to 1.

    With N records of which n are kept, X a record's original value and Y its released one:

        retained = (n / N) * I(X; Y | kept) / H(X)

    I is the mutual information over the records kept, H the entropy of the original column over all
    records. A suppressed record has lost everything. Nothing is lost of a column with one value.

    >>> age, decade = np.array([31, 38, 44, 47]), np.array([30, 30, 40, 40])
    >>> ones, everybody = np.ones(4, np.int64), np.ones(4, np.bool_)
    >>> retained_share(age, decade, ones, everybody), retained_share(age, age, ones, everybody)
    (0.5, 1.0)
    """
    whole = bits(original, counts)
    if whole <= 0:
        return 1.0
    x, y, times = original[kept], released[kept], counts[kept]
    pairs = label_keys(x * (int(y.max(initial=0)) + 1) + y)[0].astype(np.int64)
    shared = bits(x, times) + bits(y, times) - bits(pairs, times)
    return min(1.0, max(0.0, shared / whole))


def bits(values: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """Return the entropy of values in so many records each, times the number of records."""
    sizes = sizes_of(values, counts)
    return float(sizes @ np.log2(sizes.sum() / sizes))


def sizes_of(values: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Count the records of each value that occurs."""
    sizes = np.bincount(values, counts).astype(np.float64)
    return sizes[sizes > 0]
