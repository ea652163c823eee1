"""Proof: what a search has shown about all schemes of a lattice."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Pruning(StrEnum):
    """Why a scheme needed no evaluation, or none to the end."""

    BOUND = "bound"
    """Its loss cannot be below the best one's."""
    SUPPRESSION = "suppression"
    """A coarser scheme already suppresses more than the limit."""
    TIE = "tie"
    """It can at most tie with the best one, and would lose the tie."""


@dataclass(frozen=True, slots=True)
class Proof:
    """No scheme of the lattice has a loss below `bound`.

    `evaluated` and the values of `pruned` add up to `schemes` when the search is complete. A scheme
    that a bound dropped half way is pruned, and counts as a partition.
    """

    bound: float
    schemes: int
    evaluated: int
    pruned: dict[Pruning, int] = field(default_factory=dict)
    partitions: int = 0
    """Partitions made for bounds, beside the evaluations: of schemes, some more than once."""

    @property
    def effort(self) -> int:
        """Evaluations and partitions together."""
        return self.evaluated + self.partitions

    @property
    def open(self) -> int:
        """The number of schemes neither evaluated nor pruned."""
        return self.schemes - self.evaluated - sum(self.pruned.values())
