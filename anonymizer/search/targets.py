"""Targets: which gap subtree bounds aim at next, so that limits are used for as small a gap as can be."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

AFFORDED = 0.75
"""The part of what is left that a pass may be expected to take: what it takes is only forecast."""
MOST_GROWTH = 8.0
"""A pass is not expected to take more than so many times as much as the last one, to be forecast."""
LEAST_STEP = 0.002
"""A gap that is smaller by less is not worth a pass."""


@dataclass(slots=True)
class Targets:
    """The gaps reached so far, each with the partitions that it took, and the one aimed at now.

    From target to target, partitions grow by the same factor for the same step, about: boxes are gone
    through once more, and deeper. So two passes forecast the next one.
    """

    gaps: tuple[float, ...]
    """The gaps to aim at without limits, one after another, before the proof."""
    passes: list[tuple[float, int]] = field(default_factory=list)
    aim: float = math.inf
    begun: int = 0
    """How many partitions had been made when the present aim was chosen."""

    def choose(self, gap: float, partitions: int, left: float) -> float:
        """Choose the gap to aim at after the present one was reached; 0 is the proof.

        `partitions` were made so far, and `left` more are within the limits.
        """
        if self.aim < math.inf:
            self.passes.append((self.aim, partitions - self.begun))
        self.begun = partitions
        planned = next((each for each in self.gaps if each < gap), 0.0)
        self.aim = self.within(planned, gap, AFFORDED * left)
        return self.aim

    def within(self, planned: float, gap: float, partitions: float) -> float:
        """Return the least gap that so many partitions reach, if they are few; else the planned one."""
        if len(self.passes) < 2 or partitions == math.inf:
            return planned
        (before, earlier), (last, latest) = self.passes[-2:]
        if not 0 < earlier < latest or partitions > MOST_GROWTH * latest:
            return planned
        growth = math.log(latest / earlier) / (before - last)
        reached = last - math.log(max(partitions, 1) / latest) / growth
        return max(0.0, min(reached, gap - LEAST_STEP))
