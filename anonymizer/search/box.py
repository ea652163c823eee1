"""Box: a node of the search, all schemes between a lowest and a highest one; and those still open."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.lattice import Lattice, Scheme


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A part of the lattice that is still open, and all that is known about it."""

    schemes: Lattice
    bound: float
    """No scheme in the box has a sum of terms below this."""
    bounding: Evaluation | None
    """The evaluated scheme, coarser than all in the box, that gives the best bound."""
    evaluated: tuple[Scheme, ...] = ()
    """The schemes of the box that are evaluated already, or dropped by a bound half way."""
    infeasible: int = 0
    """How many of its schemes, at least, are known to suppress too much."""

    @property
    def unevaluated(self) -> int:
        """The number of schemes not evaluated yet."""
        return self.schemes.size - len(self.evaluated)

    def part(self, schemes: Lattice) -> Box:
        """Return the part of the box that holds these schemes."""
        inside = tuple([scheme for scheme in self.evaluated if scheme in schemes])
        return Box(schemes, self.bound, self.bounding, inside)

    def split(self, attribute: int, level: int) -> tuple[Box, Box]:
        """Split into the schemes up to a level of one attribute and those above it."""
        below, above = self.schemes.split(attribute, level)
        lower = tuple([scheme for scheme in self.evaluated if scheme[attribute] <= level])
        upper = tuple([scheme for scheme in self.evaluated if scheme[attribute] > level])
        return (
            Box(below, self.bound, self.bounding, lower),
            Box(above, self.bound, self.bounding, upper),
        )

    def without_low(self) -> Iterator[Box]:
        """Split what is left without the lowest scheme."""
        return (self.part(schemes) for schemes in self.schemes.without_low())


class OpenBoxes:
    """Best first: the box with the least bound is next. Depth first once memory is full.

    Depth first finishes one box before it begins the next, so that few more are added.
    """

    def __init__(self, capacity: int) -> None:
        """`capacity` is the number of boxes up to which the order is best first."""
        self.capacity = capacity
        self.heap: list[tuple[float, Scheme, Scheme, Box]] = []
        self.stack: list[Box] = []

    def __len__(self) -> int:
        return len(self.heap) + len(self.stack)

    def push(self, box: Box) -> None:
        """Add a box."""
        if len(self.heap) < self.capacity:
            low, high = box.schemes.low, box.schemes.high  # no two boxes share both
            heapq.heappush(self.heap, (box.bound, low, high, box))
        else:
            self.stack.append(box)

    def pop(self) -> Box:
        """Take the next box."""
        return self.stack.pop() if self.stack else heapq.heappop(self.heap)[-1]

    def comes_later(self, box: Box) -> bool:
        """Whether a box just taken, now that its bound has risen, is no longer the next one."""
        return not self.stack and bool(self.heap) and box.bound > self.heap[0][0]

    @property
    def least_bound(self) -> float:
        """The least bound of all; infinite if there is none."""
        least = min((box.bound for box in self.stack), default=float("inf"))
        return min(least, self.heap[0][0]) if self.heap else least

    @property
    def boxes(self) -> list[Box]:
        """All of them, in no order."""
        return [*(box for *_, box in self.heap), *self.stack]
