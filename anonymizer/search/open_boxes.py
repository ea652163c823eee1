"""The boxes that are still open, within a limit of memory."""

from __future__ import annotations

import heapq

from anonymizer.lattice import Scheme
from anonymizer.search.box import Box

BOX_BYTES = 2048
"""About what a box takes with the evaluation that bounds it."""


class OpenBoxes:
    """Open boxes, the least bound first; depth first where there are more than memory allows.

    Depth first ends a box before the next one is begun, so that few more are added.
    """

    def __init__(self, memory: int) -> None:
        """`memory` is in bytes."""
        self.capacity = memory // BOX_BYTES
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
