"""Checkpoint: what a search that was stopped leaves to the one that resumes it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from anonymizer.errors import ReleaseError
from anonymizer.evaluation.evaluate import Evaluation, SchemeEvaluator
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.box import Box
from anonymizer.search.proof import Pruning
from anonymizer.utility import Measure

FEW_BOXES = 64
"""So many boxes are compared each with each."""
PLAIN = (str, int, float)
"""What is written in full when a list of it is printed."""
SLACK = 1e-9
"""How far a loss may be off when it is computed again, perhaps with other versions of libraries."""


@dataclass(frozen=True, slots=True)
class OpenBox:
    """A box that was still open, with its bound as a sum of terms."""

    low: Scheme
    high: Scheme
    bound: float
    evaluated: tuple[Scheme, ...] = ()
    """The schemes of the box that are evaluated already, or dropped by a bound half way."""

    def __contains__(self, scheme: Scheme) -> bool:
        return scheme in Lattice(self.low, self.high)

    def box(self, bounding: Evaluation, again: Sequence[Scheme]) -> Box:
        """Return the box, bounded by a coarser scheme, with what is evaluated again in it."""
        inside = dict.fromkeys([*self.evaluated, *(scheme for scheme in again if scheme in self)])
        return Box(Lattice(self.low, self.high), self.bound, bounding, tuple(inside))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The open boxes, the best schemes so far, and the count of all others; levels, no values.

    A search that resumes from it believes that the schemes outside the boxes are pruned or evaluated, and
    the bounds of the boxes. It checks what it can: boxes and counts make up the lattice; the best
    schemes, evaluated again, have the stated loss, and no less than the bounds.
    """

    open: tuple[OpenBox, ...]
    best: tuple[Scheme, ...]
    """The schemes that tie for the best."""
    best_loss: float | None
    """The least loss so far; None while no scheme is feasible."""
    evaluated: int
    """All schemes evaluated, in the open boxes and outside."""
    pruned: dict[Pruning, int]
    partitions: int = 0
    least_bound: float | None = None
    """What an evaluated scheme may lose at least, where that is less than it was found to lose."""
    basis: str | None = field(default=None, compare=False, repr=False)
    """A digest of what was searched; never written, since cells could be guessed from it."""

    def describe(self) -> dict[str, Any]:
        """Return the checkpoint as JSON."""
        return {
            "open": [
                {"low": box.low, "high": box.high, "bound": box.bound, "evaluated": box.evaluated}
                for box in self.open
            ],
            "best": self.best,
            "best_loss": self.best_loss,
            "evaluated": self.evaluated,
            "pruned": {reason.value: count for reason, count in self.pruned.items()},
            "partitions": self.partitions,
            **({} if self.least_bound is None else {"least_bound": self.least_bound}),
        }

    @staticmethod
    def read(described: object) -> Checkpoint:
        """Read what `describe` wrote; raises a ValueError if it is anything else."""
        return TypeAdapter(Checkpoint).validate_python(described)

    def check(self, evaluator: SchemeEvaluator, lattice: Lattice) -> None:
        """Raise a ReleaseError unless this can be what a search of the lattice left."""
        if self.basis not in (None, digest_basis(evaluator, lattice)):
            raise refusal("the table, a model, the measure or the suppression limit has changed")
        for fault in self.faults(lattice):
            raise refusal(fault)

    def faults(self, lattice: Lattice) -> Iterator[str]:
        """Say what cannot be so in a checkpoint of a search of the lattice."""
        if not all(is_box(box.low, box.high, lattice) for box in self.open):
            yield "an open box is not in the lattice of the policy"
            return
        if not all(is_box(scheme, scheme, lattice) for scheme in self.best):
            yield "a best scheme is not in the lattice of the policy"
        if not all(0 <= box.bound < math.inf for box in self.open):
            yield "a bound is not a number of at least 0"
        if not all(scheme in box for box in self.open for scheme in box.evaluated):
            yield "an evaluated scheme is not in its box"
        if overlap(np.array([(box.low, box.high) for box in self.open], np.int64)):
            yield "open boxes overlap"
        yield from self.miscounts(lattice)

    def miscounts(self, lattice: Lattice) -> Iterator[str]:
        """Say if open boxes, evaluated and pruned schemes do not make up the lattice."""
        inside = {scheme for box in self.open for scheme in box.evaluated}
        closed = self.evaluated + sum(self.pruned.values())
        complete = {lattice.high, *self.best}
        few = self.evaluated < len(complete) or closed < len(complete | inside)
        if few or min(self.pruned.values(), default=0) < 0:
            yield "a count is too small"
        unevaluated = sum(Lattice(box.low, box.high).size for box in self.open) - len(inside)
        counted = closed + unevaluated
        if counted != lattice.size:
            yield f"it accounts for {counted} schemes where the lattice has {lattice.size}"

    def check_again(self, found: Sequence[Evaluation], measure: Measure) -> None:
        """Raise a ReleaseError unless schemes evaluated again agree with losses and bounds."""
        losses = {each.scheme: each.loss for each in found if each.feasible}
        least = math.inf if self.best_loss is None else self.best_loss
        if not all(abs(losses.get(scheme, math.inf) - least) <= SLACK for scheme in self.best):
            raise refusal("a best scheme does not lose what it says")
        if min(losses.values(), default=math.inf) < least - SLACK:
            raise refusal("a scheme is better than the best one")
        for box in self.open:
            sums = [
                measure.aggregate.to_terms(loss) for scheme, loss in losses.items() if scheme in box
            ]
            if min(sums, default=math.inf) < box.bound - SLACK:
                raise refusal("a scheme loses less than the bound of its box")


def refusal(reason: str) -> ReleaseError:
    """Say why a search cannot be resumed."""
    return ReleaseError(
        f"the search cannot be resumed from this checkpoint: {reason}; search from the start."
    )


def is_box(low: Scheme, high: Scheme, lattice: Lattice) -> bool:
    """Whether two schemes are the ends of a box in the lattice."""
    if not len(low) == len(high) == len(lattice.low):
        return False
    return (
        all(a <= b for a, b in zip(low, high, strict=True)) and low in lattice and high in lattice
    )


def overlap(boxes: NDArray[np.int64]) -> bool:
    """Whether any two boxes share a scheme; `boxes[i]` is a lowest and a highest scheme.

    Boxes that no level of any attribute separates all have a scheme in common (Helly's theorem for
    boxes). So boxes are divided until few are left, which are compared each with each.
    """
    parts, levels = [boxes], int(boxes.max(initial=0)) + 1
    while parts:
        part = parts.pop()
        if len(part) <= FEW_BOXES:
            if meet(part):
                return True
            continue
        attribute, level = separating_level(part, levels)
        below = part[part[:, 0, attribute] <= level]
        above = part[part[:, 1, attribute] > level]
        if max(len(below), len(above)) == len(part):
            return True
        parts += [below, above]
    return False


def meet(boxes: NDArray[np.int64]) -> bool:
    """Whether any two of a few boxes share a scheme."""
    if len(boxes) < 2:
        return False
    low, high = boxes[:, 0], boxes[:, 1]
    pairs = ((low[:, np.newaxis] <= high) & (low <= high[:, np.newaxis])).all(axis=2)
    return bool(np.count_nonzero(pairs) > len(boxes))


def separating_level(boxes: NDArray[np.int64], levels: int) -> tuple[int, int]:
    """Find the attribute and level that leave the fewest boxes on the larger side, and on both sides.

    Where every level leaves all boxes on one side, any of them is returned.
    """
    count, _, attributes = boxes.shape
    places = boxes + levels * np.arange(attributes)
    up_to = [
        np.bincount(places[:, end].ravel(), minlength=attributes * levels)
        .reshape(attributes, levels)
        .cumsum(axis=1)
        for end in (0, 1)
    ]
    below, above = up_to[0], count - up_to[1]
    larger = np.maximum(below, above)
    cost = np.where(larger < count, larger + below + above, np.inf)
    attribute, level = divmod(int(cost.argmin()), levels)
    return attribute, level


def digest_basis(evaluator: SchemeEvaluator, lattice: Lattice) -> str:
    """Return a digest of all that decides what a search finds."""
    digest = hashlib.sha256()
    add_to(digest, [lattice, *evaluator.basis])
    return digest.hexdigest()


def add_to(digest: Any, value: Any) -> None:
    """Add a value to a digest: an array with all its numbers, a dataclass, list or dict by its parts."""
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif is_dataclass(value):
        digest.update(type(value).__name__.encode())
        for each in fields(value):
            add_to(digest, getattr(value, each.name))
    elif isinstance(value, Mapping):
        digest.update(f"{{{len(value)}".encode())
        for key, item in value.items():
            digest.update(repr(key).encode())
            add_to(digest, item)
    elif isinstance(value, list | tuple) and not all(isinstance(item, PLAIN) for item in value):
        digest.update(f"[{len(value)}".encode())
        for item in value:
            add_to(digest, item)
    else:
        digest.update(repr(value).encode())
