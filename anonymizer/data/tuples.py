"""Distinct tuples: what an aggregated table consists of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Tuples:
    """The distinct tuples of some columns in the order of their codes, and how often each occurs."""

    texts: tuple[tuple[str, ...], ...]
    """The texts of each column, by number; the empty one is a missing cell, and some may not occur."""
    codes: tuple[NDArray[np.integer], ...]
    """The number of each tuple's text, for each column."""
    counts: NDArray[np.int32]
    tuple_of_row: NDArray[np.int32]
    grouped: bool = False
    """Whether an engine counted the rows: `tuple_of_row` is then of each tuple that came from there."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum(dtype=np.int64))
