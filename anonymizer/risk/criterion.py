"""Criterion: what some models ask of a class, as numbers that a kernel can judge many classes by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.finishing import DISTANCE, ENTROPY, SHARES

Floats = NDArray[np.float64]


def no_floats() -> Floats:
    """Return an empty array."""
    return np.zeros(0)


def no_groups() -> NDArray[np.int64]:
    """Return groups at no level."""
    return np.zeros((0, 0), np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Criterion:
    """What a class must meet, by the counts of the values of one attribute; see kernels/finishing.py."""

    kind: int
    least: Floats = field(default_factory=no_floats)
    most: Floats = field(default_factory=no_floats)
    groups: NDArray[np.int64] = field(default_factory=no_groups)
    limit: float = 0.0
    needed: int = 0

    @staticmethod
    def shares(least: Floats, most: Floats, needed: int = 0) -> Criterion:
        """Every share that a class has is between limits; see `outside_shares`."""
        return Criterion(SHARES, least, most, needed=needed)

    @staticmethod
    def distance(groups: NDArray[np.int64], shares: Floats, limit: float) -> Criterion:
        """The distance over a tree is no more than a limit; see `grouped_distances`."""
        return Criterion(DISTANCE, most=shares, groups=groups, limit=limit)

    @staticmethod
    def entropy(least: int, limit: float) -> Criterion:
        """There are so many values, and so much entropy; see `below_entropy`."""
        return Criterion(ENTROPY, limit=limit, needed=least)

    @property
    def numbers(self) -> tuple[Any, ...]:
        """What kernels take."""
        return self.kind, self.least, self.most, self.groups, self.limit, self.needed
