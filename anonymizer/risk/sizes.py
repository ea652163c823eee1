"""Sizes: what a model asks of the sizes of the classes that are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

NO_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class Sizes:
    """Limits on the classes of every release that meets a model; who keeps them need not meet it.

    >>> both = Sizes.all_of([Sizes(least_class=2, only=True), Sizes(average=0.1)])
    >>> both.least_class, both.average, both.only
    (2, 0.1, False)
    """

    least_class: int = 1
    """How many people every class has at least."""
    average: float = 1.0
    """How many classes there are for each record at most."""
    uniques: int = NO_LIMIT
    """How many records are alone in their class at most."""
    classes: int = NO_LIMIT
    """How many classes there are at most, if one of them has a single record."""
    matching: int = 1
    """How many people of the population match every class at least, counted or estimated."""
    only: bool = False
    """Whether a least class is all that is asked: a release that has no smaller one meets the model."""

    @staticmethod
    def all_of(asked: Iterable[Sizes]) -> Sizes:
        """Return what is asked where several models ask."""
        every = list(asked)
        if len(every) == 1:  # asked at every scheme
            return every[0]
        return Sizes(
            max((each.least_class for each in every), default=1),
            min((each.average for each in every), default=1.0),
            min((each.uniques for each in every), default=NO_LIMIT),
            min((each.classes for each in every), default=NO_LIMIT),
            max((each.matching for each in every), default=1),
            all(each.only for each in every),
        )

    @property
    def of_single_classes(self) -> bool:
        """Whether there is no limit but on the size of single classes."""
        return (self.average, self.uniques, self.classes) == (1.0, NO_LIMIT, NO_LIMIT)

    @property
    def limited(self) -> bool:
        """Whether there is any limit on sizes."""
        return self.least_class > 1 or not self.of_single_classes
