"""k-anonymity: every record is one of at least k that look the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every class has at least k records (Samarati and Sweeney 1998).

    >>> KAnonymity(3).breaking(np.array([2, 3, 7])).tolist()
    [True, False, False]
    """

    name: ClassVar[str] = "k-anonymity"

    k: int

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int):
            raise ValueError(f"k must be a whole number, got {self.k!r}")
        if self.k < 1:
            raise ValueError(f"k must be at least 1, got {self.k}")

    def __str__(self) -> str:
        return f"{self.name} with k = {self.k}"

    def breaking(self, class_sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark the classes with fewer than k records."""
        return class_sizes < self.k

    def check(self, records: int) -> str | None:
        """A table with fewer than k records has no class of k."""
        if self.k <= records:
            return None
        return f"k = {self.k} is larger than the table, which has {records} records; lower k."
