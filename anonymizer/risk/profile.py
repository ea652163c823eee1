"""The risk profile: what every table is described by, whichever model drove the search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RiskProfile:
    """Prosecutor risks and class sizes of a table; all zero for a table without records.

    The prosecutor knows that the target is in the table: a record's risk is one over the size of its
    class. `average_risk` is its mean over the records, which is classes / records.
    """

    records: int
    classes: int
    highest_risk: float
    average_risk: float
    records_at_highest_risk: int
    sample_uniques: int
    smallest_class: int
    median_class: float
    largest_class: int


def profile(class_sizes: NDArray[np.signedinteger]) -> RiskProfile:
    """Describe a table by the sizes of its classes; suppressed classes are left out by the caller.

    >>> profile(np.array([1, 3])).average_risk
    0.5
    """
    if class_sizes.size == 0:
        return RiskProfile(0, 0, 0.0, 0.0, 0, 0, 0, 0.0, 0)
    records = int(class_sizes.sum())
    smallest = int(class_sizes.min())
    return RiskProfile(
        records=records,
        classes=int(class_sizes.size),
        highest_risk=1 / smallest,
        average_risk=class_sizes.size / records,
        records_at_highest_risk=int((class_sizes == smallest).sum()) * smallest,
        sample_uniques=int((class_sizes == 1).sum()),
        smallest_class=smallest,
        median_class=float(np.median(class_sizes)),
        largest_class=int(class_sizes.max()),
    )
