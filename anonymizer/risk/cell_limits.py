"""CellLimit: how many people every record that is kept must share the values of some attributes with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class CellLimit:
    """A limit that every release which meets a model keeps; it may be met and the model not.

    A cell is made of those who share their generalized values of some attributes. At a finer scheme, or
    with more records suppressed, a record's cell has no more people. So a record whose cell has too few
    at a scheme, although nothing but what every finer scheme suppresses too is suppressed, is suppressed
    at every finer scheme.
    """

    levels: Mapping[int, int]
    """The attributes, by their place among the quasi-identifiers, and the finest level that counts."""
    least: NDArray[np.int64]
    """For each distinct tuple: how many people its cell has at least."""
    of_population: bool = False
    """Whether people of the population table are counted; else those kept, the record's own included."""
