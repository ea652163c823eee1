"""Open ends: what lies beyond a domain that lists its values is in the first or the last group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anonymizer.hierarchy.builders import Open
from anonymizer.hierarchy.hierarchy import Growth

LOW: tuple[Open, ...] = ("low", "both")
HIGH: tuple[Open, ...] = ("high", "both")


@dataclass(frozen=True)
class Beyond(Growth):
    """Values beyond an open end: above level 0, what the nearest listed value becomes."""

    open: Open
    place: Callable[[str], float | None]
    """The place of a value in the order of all; None where it is not one of the domain's kind."""
    first: tuple[str, ...]
    last: tuple[str, ...]
    """The rows of the lowest and the highest value that is listed."""

    def row_of(self, value: str) -> tuple[str, ...] | None:
        """Return what a value becomes; None unless it lies beyond an open end."""
        place = self.place(value)
        lowest, highest = self.place(self.first[0]), self.place(self.last[0])
        if place is None or lowest is None or highest is None:
            return None
        if place < lowest and self.open in LOW:
            return (value, *self.first[1:])
        if place > highest and self.open in HIGH:
            return (value, *self.last[1:])
        return None

    def position(self, value: str) -> float | None:
        """Return what values are sorted by."""
        return self.place(value)


def name_ends(
    names: Sequence[str], ends: Open | None, low: str, high: str, everything: str
) -> list[str]:
    """Name the groups of a level, the first and the last by their open ends.

    >>> name_ends(["0-17", "18-64", "65-90"], "high", "< 18", "65+", "any")
    ['0-17', '18-64', '65+']
    """
    renamed = list(names)
    if len(renamed) == 1 and ends == "both":
        return [everything]
    if ends in LOW:
        renamed[0] = low
    if ends in HIGH:
        renamed[-1] = high
    return renamed
