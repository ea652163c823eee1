"""Jobs: what a search has done many times at once, here or in another process."""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.evaluate import Evaluation, Evaluator, SchemeEvaluator
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.subtree_bounds import PartsLeft, SubtreeBounds


@dataclass(frozen=True, eq=False)
class EvaluateScheme:
    """Evaluates a scheme, and gives it up where it costs more than the incumbent."""

    evaluator: SchemeEvaluator
    cutoff: float

    def __call__(self, scheme: Scheme) -> Evaluation:
        """Evaluate a scheme."""
        return self.evaluator.evaluate(scheme, self.cutoff)

    @property
    def portable(self) -> bool:
        """Whether another process would do the same; one that remembers evaluations would not."""
        return type(self.evaluator) is Evaluator

    @property
    def units(self) -> int:
        """What one call costs, in partitions."""
        return 1


@dataclass(frozen=True, eq=False)
class BoundBox:
    """Bounds a box up to a target, with no more partitions than its budget."""

    subtrees: SubtreeBounds
    target: float
    steps: NDArray[np.float64]
    budget: int

    def __call__(self, box: Lattice) -> PartsLeft:
        """Bound a box."""
        return self.subtrees.bound(box, self.target, self.steps, self.budget)

    @property
    def portable(self) -> bool:
        """Another process does the same."""
        return True

    @property
    def units(self) -> int:
        """What one call costs at most, in partitions."""
        return self.budget


Job = EvaluateScheme | BoundBox


class Writer(pickle.Pickler):
    """Writes a job without the table, which the other process has."""

    def persistent_id(self, value: Any) -> str | None:
        """Name what the other process has of its own."""
        if isinstance(value, Evaluator):
            return "evaluator"
        return "subtrees" if isinstance(value, SubtreeBounds) else None


class JobReader(pickle.Unpickler):
    """Reads a job, and puts in what this process has of the table."""

    def __init__(self, message: bytes, table: Any) -> None:
        super().__init__(io.BytesIO(message))
        self.table = table

    def persistent_load(self, name: str) -> Any:
        """Return what the name stands for."""
        return self.table.subtrees if name == "subtrees" else self.table.evaluator


def write_job(job: Job, items: Sequence[Any]) -> bytes:
    """Write a job and what it is to be done for, without the table."""
    message = io.BytesIO()
    Writer(message, pickle.HIGHEST_PROTOCOL).dump((job, items))
    return message.getvalue()


def read_job(message: bytes, table: Any) -> tuple[Job, Sequence[Any]]:
    """Read what `write_job` wrote; `table` has an `evaluator` and `subtrees`."""
    job, items = JobReader(message, table).load()
    return job, items
