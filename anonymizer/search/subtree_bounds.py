"""SubtreeBounds: bounding boxes of a lattice in compiled code, for a least class and Iyengar's loss.

The table is prepared once; then a partition takes one pass over the tuples.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.domain import Column
from anonymizer.engine.microdata import Microdata
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.kernels.subtree_bounds import (
    CACHED_CELLS,
    MAX_BOXES,
    MAX_DEPTH,
    Outcome,
    Task,
    Workspace,
    bound_subtree,
)
from anonymizer.lattice import Lattice
from anonymizer.search.params import SearchParams
from anonymizer.utility.loss import Aggregate, Loss

__all__ = ["Outcome", "SubtreeBounds"]

SLACK = 1e-12
"""The kernel aims so much above the target that rounding cannot leave it below."""
MAX_VALUES = 1 << 16
"""Values of an attribute, and k, are 16-bit integers in the kernel."""


class Steps(NamedTuple):
    """How attributes split classes on the way from each level, or from above the top, to a lower one."""

    column: NDArray[np.int64]
    """`column[a, above, level]`: the row in `parts`."""
    fanout: NDArray[np.int64]
    parts: NDArray[np.unsignedinteger]


class Workspaces(threading.local):
    """The arrays that a kernel works in, for each thread its own."""

    workspace: Workspace | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SubtreeBounds:
    """A table prepared for bounding boxes."""

    task: Task
    cells: int
    budget: int
    """The partitions that a box may take before it is handed back."""
    workspaces: Workspaces

    @staticmethod
    def prepare(
        evaluator: Evaluator, params: SearchParams, check: Callable[[], None] = lambda: None
    ) -> SubtreeBounds | None:
        """Prepare a table, if its risk models only ask for a least class, and memory is enough.

        `check` is called now and then; what it raises ends the preparation.
        """
        microdata, measure, models = evaluator.microdata, evaluator.measure, evaluator.models
        if microdata.people is not None:  # the kernel counts records
            return None
        least_classes = [m.least_class(microdata.records) for m in models if m.only_least_class]
        if not models or len(least_classes) < len(models) or not isinstance(measure, Loss):
            return None
        least_class = max(least_classes)
        if not fits(microdata, least_class, params):
            return None
        cells = count_cells(microdata, least_class, check)
        if cells > params.max_subtree_cells:
            return None
        task = make_task(evaluator, measure, least_class, check)
        budget = params.subtree_work // microdata.distinct
        budget = max(params.min_subtree_budget, min(params.max_subtree_budget, budget))
        return SubtreeBounds(task, cells, budget, Workspaces())

    @property
    def workspace(self) -> Workspace:
        """Arrays to work in."""
        if self.workspaces.workspace is None:
            tuples = self.task.counts.size
            self.workspaces.workspace = Workspace(
                labels=np.empty((MAX_DEPTH, tuples), np.uint32),
                keys=np.empty(tuples, np.uint32),
                # counts stop at the least class, so that few bytes are enough and many fit the cache
                cells=np.empty(self.cells, np.uint16),
                names=np.empty(self.cells, np.uint32),
                dropped=np.empty(tuples + 1, np.uint32),
                by_code=np.empty(self.task.offsets[-1], np.int64),
            )
        return self.workspaces.workspace

    def bound(
        self, box: Lattice, target: float, steps: NDArray[np.float64], budget: int
    ) -> Outcome:
        """Try to show that no scheme of a box has a sum of terms below a target."""
        low, high = np.array(box.low), np.array(box.high)
        aim = target + SLACK
        outcome: Outcome = bound_subtree(self.task, self.workspace, steps, low, high, aim, budget)
        return outcome._replace(bounds=np.minimum(outcome.bounds, target))


def fits(microdata: Microdata, least_class: int, params: SearchParams) -> bool:
    """Whether the table would not take too much memory or time to prepare, and 16 bits are enough."""
    widest = max(max(column.group_counts) for column in microdata.columns)
    # a node is closed in at most one box for each attribute, and there must be room for many nodes
    if max(widest, least_class + 1) > MAX_VALUES or 4 * len(microdata.columns) > MAX_BOXES:
        return False
    pairs = count_pairs(microdata)
    bytes_of_tuple = 2 * pairs + 4 * MAX_DEPTH
    return (
        pairs <= params.max_level_pairs
        and microdata.distinct * bytes_of_tuple <= params.max_subtree_bytes
    )


def count_pairs(microdata: Microdata) -> int:
    """Count the pairs that `pairs_of_levels` lists for all attributes."""
    heights = [len(column.groups) for column in microdata.columns]
    return sum(height * (height + 1) // 2 for height in heights)


def count_cells(microdata: Microdata, least_class: int, check: Callable[[], None]) -> int:
    """Count the cells to split all classes into by one attribute, one level down."""
    classes = min(microdata.distinct, microdata.records // least_class) + 2
    widest = 1
    for column in microdata.columns:
        check()
        for level in range(len(column.groups)):
            widest = max(widest, number_parts(column, level + 1, level)[1])
    return max(CACHED_CELLS, classes * widest)


def make_task(
    evaluator: Evaluator, measure: Loss, least_class: int, check: Callable[[], None]
) -> Task:
    """Put the table into the integers that the kernel reads."""
    microdata = evaluator.microdata
    domain = microdata.domain
    steps = number_steps(microdata, check)
    return Task(
        values=np.ascontiguousarray(microdata.codes.T, np.uint16),
        counts=microdata.counts,
        single=bool((microdata.counts == 1).all()),
        records=microdata.records,
        offsets=domain.offsets,
        covered=domain.covered,
        max_covered=np.maximum.reduceat(domain.covered, domain.offsets[:-1], axis=1).T.copy(),
        total_covered=microdata.total_covered,
        leaves=domain.sizes,
        least=domain.least,
        heights=np.array([len(column.groups) for column in domain.columns]),
        parts=steps.parts,
        column=steps.column,
        fanout=steps.fanout,
        weights=np.array(measure.weights, np.float64),
        geometric=measure.aggregate is Aggregate.GEOMETRIC,
        least_class=least_class,
        suppression_limit=evaluator.suppression_limit,
        max_terms=measure.most,
    )


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
    count = column.group_counts[level]
    group, value = np.divmod(np.unique(groups * count + values), count)
    rank = np.arange(value.size) - np.searchsorted(group, group)
    rank_of_value = np.empty(count, np.int64)
    rank_of_value[value] = rank
    return rank_of_value[values], int(rank.max()) + 1


def number_steps(microdata: Microdata, check: Callable[[], None]) -> Steps:
    """Number the parts of all groups of all attributes, tuple by tuple."""
    columns, codes = microdata.columns, microdata.codes
    height = max(len(column.groups) for column in columns)
    shape = len(columns), height + 1, height
    widest = max(max(column.group_counts) for column in columns)
    dtype = np.uint8 if widest <= 256 else np.uint16
    parts = np.empty((count_pairs(microdata), codes.shape[1]), dtype)
    steps = Steps(np.zeros(shape, np.int64), np.ones(shape, np.int64), parts)
    row = 0
    for a, column in enumerate(columns):
        for above, level in pairs_of_levels(column):
            check()
            part_of_code, steps.fanout[a, above, level] = number_parts(column, above, level)
            steps.column[a, above, level] = row
            steps.parts[row] = part_of_code[codes[a]]
            row += 1
    return steps
