"""Checkpoint: what a search that was stopped leaves to the one that goes on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.box import Box
from anonymizer.search.result import Pruning


@dataclass(frozen=True, slots=True)
class OpenBox:
    """A box that was still open, with its bound as a sum of terms."""

    low: Scheme
    high: Scheme
    bound: float


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The open boxes, the best schemes so far, and the count of all others; levels, no values."""

    open: tuple[OpenBox, ...]
    best: tuple[Scheme, ...]
    """The schemes that tie for the best."""
    evaluated: int
    """Schemes evaluated outside the open boxes; those inside are evaluated again when needed."""
    pruned: dict[Pruning, int]

    @staticmethod
    def of(
        boxes: list[Box], best: list[Scheme], evaluated: int, pruned: dict[Pruning, int]
    ) -> Checkpoint:
        """Write down what is open."""
        inside = sum(len(box.evaluated) for box in boxes)
        return Checkpoint(
            tuple(OpenBox(box.schemes.low, box.schemes.high, box.bound) for box in boxes),
            tuple(best),
            evaluated - inside,
            dict(pruned),
        )

    def boxes(self, coarsest: Evaluation, evaluated: tuple[Scheme, ...]) -> list[Box]:
        """Return the open boxes, bounded by the coarsest scheme, each with its evaluated schemes."""
        boxes = [
            Box(Lattice(box.low, box.high), box.bound, coarsest, evaluated) for box in self.open
        ]
        return [box.part(box.schemes) for box in boxes]

    def describe(self) -> dict[str, Any]:
        """Return the checkpoint as JSON."""
        return asdict(self)

    @staticmethod
    def read(described: object) -> Checkpoint:
        """Read what `describe` wrote; raises a ValueError if it is anything else."""
        return TypeAdapter(Checkpoint).validate_python(described)
