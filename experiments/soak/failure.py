"""Failures: what a case showed, and how to see it again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

OnCase = Callable[[int, int], None]
"""Called with the number of cases done and of failures so far."""


@dataclass(frozen=True)
class Failure:
    """What went wrong in one case."""

    part: str
    """inputs, kills or tables."""
    case: int
    seed: int
    what: str

    @property
    def reproduce(self) -> str:
        """The command that runs this case alone."""
        return (
            f"python -m experiments.soak --seed {self.seed} --only {self.part} --case {self.case} "
            "--work case"
        )


def randomness(seed: int, part: str, case: int) -> random.Random:
    """Return the randomness of one case, whichever others are run."""
    return random.Random(f"{seed} {part} {case}")
