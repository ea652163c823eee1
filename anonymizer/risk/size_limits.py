"""SizeLimits: what the sizes of classes must be in every release that meets a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

NO_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """Limits on the classes that are kept. A release may meet them all and still not meet the model.

    >>> SizeLimits.all_of([SizeLimits(least_class=2), SizeLimits(average=0.1)])
    SizeLimits(least_class=2, average=0.1, uniques=4611686018427387904, classes=4611686018427387904)
    """

    least_class: int = 1
    """How many records every class has at least."""
    average: float = 1.0
    """How many classes there are for each record at most."""
    uniques: int = NO_LIMIT
    """How many records are alone in their class at most."""
    classes: int = NO_LIMIT
    """How many classes there are at most, if one of them has a single record."""

    @staticmethod
    def all_of(limits: Iterable[SizeLimits]) -> SizeLimits:
        """Return the limits that hold where all of some do."""
        every = list(limits)
        return SizeLimits(
            max((each.least_class for each in every), default=1),
            min((each.average for each in every), default=1.0),
            min((each.uniques for each in every), default=NO_LIMIT),
            min((each.classes for each in every), default=NO_LIMIT),
        )

    @property
    def only_least_class(self) -> bool:
        """Whether there is no limit but on the size of single classes."""
        return replace(self, least_class=1) == SizeLimits()

    @property
    def say_something(self) -> bool:
        """Whether there is any limit."""
        return self != SizeLimits()
