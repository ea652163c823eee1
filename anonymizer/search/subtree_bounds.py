"""SubtreeBounds: bounding boxes of a lattice in compiled code, for a least class size and loss.

The table is prepared once; what a descent then needs for each partition is one pass over the tuples.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.domain import Column
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.kernels.subtree_bounds import DEPTH, FEW_CELLS, Outcome, Task, Workspace, descend
from anonymizer.lattice import Lattice
from anonymizer.utility.loss import Aggregate, Loss

__all__ = ["Outcome", "SubtreeBounds"]

SLACK = 1e-12
"""A descent shows so much more than the target, so that no rounding can make it show less."""
MOST_CELLS = 1 << 26
"""With more cells than these for one attribute, descents take too much memory."""
MOST_BYTES = 1 << 30
"""So much a table may take when it is prepared for descents."""
MOST_VALUES = 1 << 16
WORK = 100_000_000
"""Tuples that a descent may pass over before it hands back what is left."""


class Steps(NamedTuple):
    """What attributes do to classes on the way from each level, or from above the top, to a lower one."""

    column: NDArray[np.int64]
    """`column[a, above, level]`: the row in `parts`."""
    fanout: NDArray[np.int64]
    parts: NDArray[np.unsignedinteger]


@dataclass(frozen=True, eq=False)
class SubtreeBounds:
    """A table prepared for descents."""

    evaluator: Evaluator
    workspaces: threading.local

    @staticmethod
    def suit(evaluator: Evaluator) -> SubtreeBounds | None:
        """Prepare a table, if classes of too few records are all that its risk models forbid."""
        if not all(model.only_least_class for model in evaluator.models):
            return None
        if not evaluator.models or not isinstance(evaluator.measure, Loss):
            return None
        if evaluator.microdata.people is not None:  # the kernel counts records
            return None
        descents = SubtreeBounds(evaluator, threading.local())
        return descents if descents.fits else None

    @property
    def fits(self) -> bool:
        """Whether memory is enough, and 16 bits are for an attribute's values and the least class."""
        columns = self.evaluator.microdata.columns
        widest = max(max(column.group_counts) for column in columns)
        if max(widest, self.least_class + 1) > MOST_VALUES:
            return False
        pairs = sum(1 for column in columns for _ in pairs_of_levels(column))
        bytes_of_tuple = 2 * pairs + 4 * DEPTH
        enough = self.evaluator.microdata.distinct * bytes_of_tuple <= MOST_BYTES
        return enough and self.cells <= MOST_CELLS

    @property
    def least_class(self) -> int:
        """The records that every class must have."""
        records = self.evaluator.microdata.records
        return max(model.least_class(records) for model in self.evaluator.models)

    @property
    def cells(self) -> int:
        """Cells to split all classes in by one attribute, one level down."""
        microdata = self.evaluator.microdata
        classes = min(microdata.distinct, microdata.records // self.least_class) + 2
        widest = max(
            number_parts(column, level + 1, level)[1]
            for column in microdata.columns
            for level in range(len(column.groups))
        )
        return max(FEW_CELLS, classes * widest)

    @cached_property
    def task(self) -> Task:
        """The table in the integers that the kernel reads."""
        microdata, measure = self.evaluator.microdata, self.evaluator.measure
        assert isinstance(measure, Loss)
        domain = microdata.domain
        steps = number_steps(microdata.columns, microdata.codes)
        return Task(
            values=np.ascontiguousarray(microdata.codes.T, np.uint16),
            counts=microdata.counts,
            single=bool((microdata.counts == 1).all()),
            records=microdata.records,
            offsets=domain.offsets,
            covered=domain.covered,
            most_covered=np.maximum.reduceat(domain.covered, domain.offsets[:-1], axis=1).T.copy(),
            total_covered=microdata.total_covered,
            leaves=domain.sizes,
            heights=np.array([len(column.groups) for column in domain.columns]),
            parts=steps.parts,
            column=steps.column,
            fanout=steps.fanout,
            weights=np.array(measure.weights, np.float64),
            geometric=measure.aggregate is Aggregate.GEOMETRIC,
            least_class=self.least_class,
            most_suppressed=self.evaluator.suppression_limit,
            most=measure.most,
        )

    @property
    def work(self) -> Workspace:
        """Arrays to work in, for each thread its own."""
        work: Workspace | None = getattr(self.workspaces, "work", None)
        if work is None:
            tuples = self.evaluator.microdata.distinct
            work = self.workspaces.work = Workspace(
                labels=np.empty((DEPTH, tuples), np.uint32),
                keys=np.empty(tuples, np.uint32),
                # counts stop at the least class, so that few bytes are enough and many fit the cache
                cells=np.empty(self.cells, np.uint16),
                names=np.empty(self.cells, np.uint32),
                gone=np.empty(tuples + 1, np.uint32),
                by_code=np.empty(self.evaluator.microdata.domain.offsets[-1], np.int64),
            )
        return work

    @property
    def budget(self) -> int:
        """The partitions of one descent."""
        return max(50, min(1000, WORK // self.evaluator.microdata.distinct))

    def descend(
        self, box: Lattice, target: float, steps: NDArray[np.float64], budget: int
    ) -> Outcome:
        """Try to show that no scheme of a box has a sum of terms below a target."""
        low, high = np.array(box.low), np.array(box.high)
        outcome: Outcome = descend(self.task, self.work, steps, low, high, target + SLACK, budget)
        return outcome._replace(bounds=np.minimum(outcome.bounds, target))


def pairs_of_levels(column: Column) -> Iterator[tuple[int, int]]:
    """List all ways down: from each level, or from above the top, to each lower one."""
    height = len(column.groups)
    return ((above, level) for above in range(1, height + 1) for level in range(above))


def number_parts(column: Column, above: int, level: int) -> tuple[NDArray[np.int64], int]:
    """Number, for each code, its value at a level among those in its group above; say how many at most.

    Above the top, everything is in one group.
    """
    values = column.groups[level]
    top = above == len(column.groups)
    groups = np.zeros_like(values) if top else column.groups[above]
    # values of a lower level lie within one group above
    pairs = np.unique(np.stack([groups, values]), axis=1)
    rank = np.arange(pairs.shape[1]) - np.searchsorted(pairs[0], pairs[0])
    rank_of_value = np.empty(column.group_counts[level], np.int64)
    rank_of_value[pairs[1]] = rank
    return rank_of_value[values], int(rank.max()) + 1


def number_steps(columns: tuple[Column, ...], codes: NDArray[np.unsignedinteger]) -> Steps:
    """Number the parts of all groups of all attributes, tuple by tuple."""
    height = max(len(column.groups) for column in columns)
    shape = len(columns), height + 1, height
    pairs = sum(1 for column in columns for _ in pairs_of_levels(column))
    widest = max(max(column.group_counts) for column in columns)
    parts = np.empty((pairs, codes.shape[1]), np.uint8 if widest <= 256 else np.uint16)
    steps = Steps(np.zeros(shape, np.int64), np.ones(shape, np.int64), parts)
    at = 0
    for a, column in enumerate(columns):
        for above, level in pairs_of_levels(column):
            part_of_code, steps.fanout[a, above, level] = number_parts(column, above, level)
            steps.column[a, above, level] = at
            steps.parts[at] = part_of_code[codes[a]]
            at += 1
    return steps
