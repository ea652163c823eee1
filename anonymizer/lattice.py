"""Schemes and the lattice they form: arithmetic on level vectors only."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass

Scheme = tuple[int, ...]
"""One generalization level for each quasi-identifier; 0 leaves the values as they are."""


def with_level(scheme: Scheme, attribute: int, level: int) -> Scheme:
    """Return the scheme with one level changed.

    >>> with_level((0, 2, 1), 1, 3)
    (0, 3, 1)
    """
    return (*scheme[:attribute], level, *scheme[attribute + 1 :])


@dataclass(frozen=True, slots=True)
class Lattice:
    """All schemes between a lowest and a highest one, bounds included; any such box is a lattice.

    >>> box = Lattice((0, 0), (1, 2))
    >>> box.size, box.finer((1, 1))
    (6, [(0, 1), (1, 0)])
    """

    low: Scheme
    high: Scheme

    def __post_init__(self) -> None:
        if len(self.low) != len(self.high):
            raise ValueError(f"{self.low} and {self.high} have different lengths")
        if not all(map(operator.le, self.low, self.high)):
            raise ValueError(f"the lowest scheme {self.low} is not below the highest {self.high}")

    @property
    def size(self) -> int:
        """The number of schemes."""
        return math.prod([high - low + 1 for low, high in zip(self.low, self.high, strict=True)])

    def __iter__(self) -> Iterator[Scheme]:
        """Every scheme, in lexicographic order."""
        levels = (range(low, high + 1) for low, high in zip(self.low, self.high, strict=True))
        return itertools.product(*levels)

    def __contains__(self, scheme: Scheme) -> bool:
        above_low = all(map(operator.le, self.low, scheme))
        return above_low and all(map(operator.le, scheme, self.high))

    def finer(self, scheme: Scheme) -> list[Scheme]:
        """List the schemes one step below."""
        return [
            with_level(scheme, a, level - 1)
            for a, level in enumerate(scheme)
            if level > self.low[a]
        ]

    def coarser(self, scheme: Scheme) -> list[Scheme]:
        """List the schemes one step above."""
        return [
            with_level(scheme, a, level + 1)
            for a, level in enumerate(scheme)
            if level < self.high[a]
        ]

    def without_low(self) -> Iterator[Lattice]:
        """Split what is left without the lowest scheme into boxes, at most one for each attribute.

        >>> [(box.low, box.high) for box in Lattice((0, 0), (1, 2)).without_low()]
        [((1, 0), (1, 2)), ((0, 1), (0, 2))]
        """
        high = self.high
        for a, level in enumerate(self.low):
            if level < high[a]:
                yield Lattice(with_level(self.low, a, level + 1), high)
            high = with_level(high, a, level)

    def split(self, attribute: int, level: int) -> tuple[Lattice, Lattice]:
        """Split into the schemes up to a level of one attribute and those above it.

        >>> Lattice((0, 0), (1, 2)).split(1, 0)
        (Lattice(low=(0, 0), high=(1, 0)), Lattice(low=(0, 1), high=(1, 2)))
        """
        below = Lattice(self.low, with_level(self.high, attribute, level))
        above = Lattice(with_level(self.low, attribute, level + 1), self.high)
        return below, above
