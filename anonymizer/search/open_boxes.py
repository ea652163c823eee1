"""The open boxes of a search, within a memory limit."""

from __future__ import annotations

import heapq

from anonymizer.lattice import Scheme
from anonymizer.search.box import Box


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
