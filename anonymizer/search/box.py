"""Box: a node of the search, all schemes between a lowest and a highest one."""

from __future__ import annotations

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
