"""Failures: what a case showed, and how to see it again."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

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


@dataclass
class Found:
    """What some cases showed."""

    failures: list[Failure] = field(default_factory=list)
    depths: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many cases of each kind got how deep."""
    cases: int = 0
    """How many there were."""

    def note(self, *failures: Failure) -> None:
        """Keep failures, and print them at once."""
        for failure in failures:
            print(f"{failure.part} {failure.case}: {failure.what}", flush=True)
        self.failures += failures

    def add(self, other: Found) -> None:
        """Take in what other cases showed."""
        self.failures += other.failures
        self.depths += other.depths
        self.cases += other.cases
