"""SubtreeBounds: bounding boxes of a lattice in compiled code, for a least class and Iyengar's loss.

The table is prepared once for all searches; then a partition takes one pass over the tuples.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.evaluate import SchemeEvaluator
from anonymizer.kernels.class_splitting import (
    CACHED_CELLS,
    Members,
    SplittingBuffers,
    SplittingTask,
    look_up,
    rank_in_groups,
)
from anonymizer.kernels.subtree_bounds import MAX_BOXES, PartsLeft, bound_subtree
from anonymizer.kernels.subtree_nodes import MAX_DEPTH
from anonymizer.lattice import Lattice
from anonymizer.risk.model import asked_by
from anonymizer.risk.sizes import Sizes
from anonymizer.search.params import SearchParams
from anonymizer.table.domain import Domain, QuasiIdentifier, read_only, side_by_side
from anonymizer.table.microdata import Microdata
from anonymizer.utility.loss import Aggregate
from anonymizer.utility.measure import AttributeMeasure

__all__ = ["PartsLeft", "SubtreeBounds"]

SLACK = 1e-12
"""The kernel aims so much above the target that rounding cannot leave it below."""
FINER_WEIGHT = 0.7
"""How much the expected rise of the finer half weighs where a box is split, against the coarser's; in a
large lattice both weigh the same."""
WORK = 100_000_000
"""How many tuples the partitions of a box may pass over before it is put back."""
LEAST_BUDGET = 50
"""The partitions for each box if its tuples are so many that the work allows fewer."""
KEPT_BYTES = 1 << 27
"""Up to so much memory, a prepared table is kept for other searches of it."""
MAX_LEVEL_PAIRS = 10_000
"""With more pairs of levels, preparing a table would take too long."""
MAX_COUNTED = 1 << 10
"""Sums over classes of each size, for a limit on the average risk, go up to so many records."""
MAX_VALUES = 1 << 16
"""Values of an attribute, and k, are 16-bit integers in the kernel."""
MAX_CELLS = 1 << 32
"""Cells are numbered by 32-bit integers."""


def no_check() -> None:
    """Check nothing."""


class Steps(NamedTuple):
    """How attributes split classes on the way from each level, or from above the top, to a lower one."""

    column: NDArray[np.int64]
    """`column[a, above, level]`: the row in `parts`."""
    fanout: NDArray[np.int64]
    parts: NDArray[np.unsignedinteger]


class KernelTuples(NamedTuple):
    """What the kernel reads of a table, whatever is asked of its release."""

    values: NDArray[np.uint16]
    """`values[i, a]`, as in `values_of`."""
    steps: Steps
    counts: NDArray[np.int32]

    @staticmethod
    def of(microdata: Microdata, check: Callable[[], None] = no_check) -> KernelTuples:
        """Return the tuples of a table; unless they take much memory, they stay for other searches."""

        def prepare() -> KernelTuples:
            values = values_of(microdata.columns, microdata.codes)
            return KernelTuples(values, number_steps(microdata, check), read_only(microdata.counts))

        if bytes_of_tuples(microdata) > KEPT_BYTES:
            return prepare()
        return microdata.once(KernelTuples, prepare)


class Workspaces(threading.local):
    """The arrays that a kernel works in, for each thread its own."""

    workspace: SplittingBuffers | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SubtreeBounds:
    """A table prepared for bounding boxes."""

    task: SplittingTask
    hashed: bool
    """Whether some attributes have too many values to number the cells without a hash table."""
    budget: int
    """The partitions that a box may take before it is handed back."""
    workspaces: Workspaces
    exact: bool
    """Whether a single scheme's bound is its loss: the models ask for nothing but a least class."""

    @staticmethod
    def prepare(
        evaluators: Sequence[SchemeEvaluator],
        params: SearchParams,
        check: Callable[[], None] = no_check,
    ) -> SubtreeBounds | None:
        """Prepare a table, if its risk models limit the sizes of classes, and memory is enough.

        Several evaluators of one table are those of the thresholds of one model, the loosest first. What
        else models ask for can only raise the loss of a scheme: what the sizes of classes say must go is
        suppressed at every finer scheme, whichever models are there too. So the bounds hold, and are
        `exact` where the models ask for nothing but a least class. `check` is called now and then; what
        it raises ends the preparation.
        """
        microdata, cover = evaluators[0].microdata, evaluators[0].measure.cover
        several = len(evaluators) > 1
        # the kernel sums up what is covered, and at several thresholds it counts records
        if cover is None or microdata is None or (several and microdata.people is not None):
            return None
        if not all(evaluator.models and not evaluator.groups for evaluator in evaluators):
            return None  # the kernel knows no groups that must be kept
        limits = [limits_of(evaluator) for evaluator in evaluators]
        exact = all(each.only for each in limits)
        if not (exact or any(each.limited for each in limits)):
            return None
        if not fits(microdata, limits, params):
            return None
        cells = count_cells(microdata, limits[0].least_class)
        room, hashed = min(cells, params.max_subtree_cells), cells > params.max_subtree_cells
        tuples = KernelTuples.of(microdata, check)
        large = microdata.lattice.size > params.large_lattice
        weight = 1.0 if large else FINER_WEIGHT
        limit = evaluators[0].suppression_limit
        task = make_task(microdata, cover, limit, limits, tuples, room, weight)
        passed = tuples.counts.size + task.members.tuple_of_entry.size
        budget = min(params.subtree_budget, max(LEAST_BUDGET, WORK // passed))
        return SubtreeBounds(task, hashed, budget, Workspaces(), exact)

    @property
    def workspace(self) -> SplittingBuffers:
        """Arrays to work in."""
        if self.workspaces.workspace is None:
            task, tuples = self.task, self.task.counts.size
            cells = max(CACHED_CELLS, task.room, tuples + 2)
            self.workspaces.workspace = SplittingBuffers(
                labels=np.empty((MAX_DEPTH, tuples), np.uint32),
                keys=np.empty(tuples, np.uint32),
                cells=np.empty(cells, np.uint32),
                last=np.empty(cells if task.members.of_tuple.size else 0, np.int32),
                names=np.empty(cells, np.uint32),
                dropped=np.empty(tuples + 1, np.uint32),
                by_value=np.empty(task.offsets[-1], np.int64),
                slots=np.empty(2 << tuples.bit_length() if self.hashed else 1, np.uint64),
                histogram=np.zeros(task.counted + 1, np.int64),
                lost=np.zeros(task.least_classes.size, np.int64),
            )
        return self.workspaces.workspace

    def bound(
        self, box: Lattice, target: float, steps: NDArray[np.float64], budget: int
    ) -> PartsLeft:
        """Try to show that no scheme of a box has a sum of terms below a target."""
        return self.bound_all(box, (0, 0), np.array([target]), steps, budget)

    def bound_all(
        self,
        box: Lattice,
        thresholds: tuple[int, int],
        targets: NDArray[np.float64],
        steps: NDArray[np.float64],
        budget: int,
    ) -> PartsLeft:
        """Try to show it at all thresholds from a first to a last one, each with its target."""
        low, high = np.array(box.low), np.array(box.high)
        outcome: PartsLeft = bound_subtree(
            self.task, self.workspace, steps, low, high, *thresholds, targets + SLACK, budget
        )
        return outcome._replace(bounds=np.minimum(outcome.bounds, targets))


def limits_of(evaluator: SchemeEvaluator) -> Sizes:
    """Return what all models of an evaluator say about the sizes of classes.

    Where people are counted, that is what they say of single classes: others limit classes for each
    person, and it is records that are lost.
    """
    microdata = evaluator.microdata
    assert microdata is not None  # see `prepare`
    asked = asked_by(evaluator.models, microdata.number_of_people)
    return asked if microdata.people is None else Sizes(asked.least_class, only=asked.only)


def members_of(microdata: Microdata) -> Members:
    """Return whom the tuples belong to, where people are counted.

    All arrays are read-only, whether or not: for another type, the kernel would be compiled again.
    """
    people = microdata.people
    if people is None:
        nobody = read_only(np.zeros(0, np.int64))
        return Members(nobody, nobody, nobody, nobody)
    return Members(people.of_tuple, people.of_history, people.starts, people.tuple_of_entry)


def fits(microdata: Microdata, limits: Sequence[Sizes], params: SearchParams) -> bool:
    """Whether the table would not take too much memory or time to prepare, and integers are enough."""
    widest = max(max(column.group_counts) for column in microdata.columns)
    # a node is closed in at most one box for each attribute, and there must be room for many nodes
    if max(widest, count_up_to(limits) + 1) > MAX_VALUES or 4 * len(microdata.columns) > MAX_BOXES:
        return False
    if count_cells(microdata, limits[0].least_class) >= MAX_CELLS:
        return False
    labels = 4 * MAX_DEPTH * microdata.distinct
    return (
        count_pairs(microdata) <= MAX_LEVEL_PAIRS
        and bytes_of_tuples(microdata) + labels <= params.max_subtree_bytes
    )


def count_up_to(limits: Sequence[Sizes]) -> int:
    """Return up to how many records the kernel must count the classes.

    Larger classes are never suppressed for their size; were they, less would be counted as lost, which
    leaves the bounds true.
    """
    averages = [min(MAX_COUNTED, int(1 / max(each.average, 1e-9)) + 2) for each in limits]
    return max(2, *averages, *(each.least_class for each in limits))


def bytes_of_tuples(microdata: Microdata) -> int:
    """Return what the prepared tuples of a table take at most."""
    return 2 * microdata.distinct * (count_pairs(microdata) + len(microdata.columns))


def count_pairs(microdata: Microdata) -> int:
    """Count the pairs that `pairs_of_levels` lists for all attributes."""
    heights = [len(column.groups) for column in microdata.columns]
    return sum(height * (height + 1) // 2 for height in heights)


def count_cells(microdata: Microdata, least_class: int) -> int:
    """Count the cells to split all classes into by one attribute, one level down."""
    classes = min(microdata.distinct, microdata.records // least_class) + 2
    widest = max(
        number_parts(column, level + 1, level)[1]
        for column in microdata.columns
        for level in range(len(column.groups))
    )
    return classes * widest


def make_task(
    microdata: Microdata,
    cover: AttributeMeasure,
    suppression_limit: int,
    limits: Sequence[Sizes],
    tuples: KernelTuples,
    room: int,
    finer_weight: float,
) -> SplittingTask:
    """Put the table into the integers that the kernel reads."""
    domain, steps, covers = microdata.domain, tuples.steps, Covers.of(microdata.domain)
    return SplittingTask(
        values=tuples.values,
        counts=tuples.counts,
        repeated=np.flatnonzero(tuples.counts > 1),
        members=members_of(microdata),
        records=microdata.records,
        offsets=covers.offsets,
        covered=covers.covered,
        max_covered=np.maximum.reduceat(domain.covered, domain.offsets[:-1], axis=1).T.copy(),
        min_covered=np.minimum.reduceat(domain.covered, domain.offsets[:-1], axis=1).T.copy(),
        total_covered=microdata.total_covered,
        leaves=domain.sizes,
        least=domain.least,
        heights=np.array([len(column.groups) for column in domain.columns]),
        parts=steps.parts,
        column=steps.column,
        fanout=steps.fanout,
        weights=np.array(cover.weights, np.float64),
        geometric=cover.aggregate is Aggregate.GEOMETRIC,
        least_classes=np.array([each.least_class for each in limits], np.int64),
        averages=np.array([each.average for each in limits], np.float64),
        uniques=np.array([each.uniques for each in limits], np.int64),
        classes=np.array([each.classes for each in limits], np.int64),
        counted=count_up_to(limits),
        by_size=len(limits) == 1 and limits[0].of_single_classes,
        room=room,
        suppression_limit=suppression_limit,
        max_terms=cover.aggregate.most,
        finer_weight=finer_weight,
    )


def pairs_of_levels(column: QuasiIdentifier) -> Iterator[tuple[int, int]]:
    """List all ways down: from each level, or from above the top, to each lower one."""
    height = len(column.groups)
    return ((above, level) for above in range(1, height + 1) for level in range(above))


def number_parts(column: QuasiIdentifier, above: int, level: int) -> tuple[NDArray[np.int64], int]:
    """Number each value of a level among those in its group above; say how many at most.

    Above the top, everything is in one group.
    """
    values, counts = column.groups[level], column.group_counts
    top = above == len(column.groups)
    groups = np.zeros_like(values) if top else column.groups[above]
    ranks, most = rank_in_groups(values, groups, counts[level], 1 if top else counts[above])
    return ranks, int(most)


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
            part_of_value, steps.fanout[a, above, level] = number_parts(column, above, level)
            steps.column[a, above, level] = row
            look_up(part_of_value, column.groups[level], codes[a], steps.parts[row])
            row += 1
    return steps


class Covers(NamedTuple):
    """What the values of all attributes cover, at the finest level where values differ in it.

    At many a level, most often the finest, all values cover as much; then a count of records is enough.
    So tuples are told apart by few values where leaves may be thousands, and the table stays small.
    """

    offsets: NDArray[np.int64]
    """Where each attribute begins; the last is the number of places."""
    covered: NDArray[np.int64]
    """`covered[level, offset + value]`"""

    @staticmethod
    def of(domain: Domain) -> Covers:
        """Return what the values of a domain cover at each level."""
        tables = [cover_of_values(column) for column in domain.columns]
        return Covers(np.cumsum([0, *(table.shape[1] for table in tables)]), side_by_side(tables))


def finest_uneven(column: QuasiIdentifier) -> int:
    """Return the finest level whose values do not all cover as much; the top where there is none."""
    uneven = np.flatnonzero(column.covered.min(axis=1) < column.covered.max(axis=1))
    return int(uneven[0]) if uneven.size else len(column.groups) - 1


def cover_of_values(column: QuasiIdentifier) -> NDArray[np.int64]:
    """Return, for each level, what it makes of the values at the finest uneven one covers."""
    finest = finest_uneven(column)
    table = np.empty((len(column.groups), column.group_counts[finest]), np.int64)
    table[:, column.groups[finest]] = column.covered
    return table


def values_of(
    columns: tuple[QuasiIdentifier, ...], codes: NDArray[np.unsignedinteger]
) -> NDArray[np.uint16]:
    """Return the value of each tuple in each attribute, at the finest uneven level."""
    values = np.empty(codes.T.shape, np.uint16)
    for a, column in enumerate(columns):
        values[:, a] = column.groups[finest_uneven(column)].astype(np.uint16)[codes[a]]
    return values
