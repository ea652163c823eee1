"""Subtree bounds: depth-first branch and bound inside one box of the lattice, up to a target.

A node is a part of the box. It is split in two, and the half of finer schemes first, until the bound of
every node reaches the target. The highest scheme of a child differs from its parent's in few attributes,
so its classes are the parent's, split by these. Records whose class is too small are suppressed at all
finer schemes; of the others, some more may have to go, whichever they are. Only the path from the root to
the current node is kept, so that the memory needed does not grow with the number of nodes.

With several thresholds, each has a target, and a node those from a first to a last one: at all others,
all its schemes reach their target. What is too small at the first threshold is dropped. At the others
more is lost, and it is known how much, but not which records.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from anonymizer.kernels.bounds import best_split
from anonymizer.kernels.cell_limits import begin_root, commit_limited, split_limited
from anonymizer.kernels.class_splitting import (
    Cells,
    relabel,
    split_classes,
    subtract_dropped,
)
from anonymizer.kernels.compilation import kernel
from anonymizer.kernels.least_lost import count_lost
from anonymizer.kernels.subtree_nodes import (
    MAX_DEPTH,
    Goal,
    fill_terms,
    least_sum,
    lower_levels,
    make_nodes,
    open_thresholds,
    sum_terms,
)

MAX_BOXES = 4096
"""The most boxes that a call may return; it ends before there are more."""
MAX_SAMPLES = 32
"""The most partitions that are returned for the forecast to learn from."""
# Chosen among a handful of values by time on the wide register. It changes what a bound costs, never
# what it is.
FINER_WEIGHT = 0.7
"""How much the expected rise of the finer half weighs in the choice of a split, against the coarser's."""


class Closed(NamedTuple):
    """Boxes in which no scheme is below the target."""

    low: Any
    high: Any
    infeasible: Any
    """How many of a box's schemes are known to suppress too much."""


class Outcome(NamedTuple):
    """What is left of a box: the parts that reach the target, then those still open."""

    low: Any
    high: Any
    bounds: Any
    """`bounds[i, threshold]`"""
    infeasible: Any
    """How many schemes of each part are known to suppress too much."""
    closed: int
    """How many parts reach the target."""
    first: Any
    """The first threshold at which each of the others may be below it, and the last."""
    last: Any
    partitions: int
    best: Any
    """`best[threshold]`: the partitioned scheme with the least sum of terms, and that sum."""
    best_sum: Any
    samples: Any
    sampled_suppressed: Any
    over: Any
    """For each threshold: how many schemes are known to suppress too much."""


@kernel
def split_and_count(task, workspace, nodes, depth, above, high, cells, first, last):
    """Split the classes of a node, and count what is lost; see `split_classes`."""
    classes = nodes.classes[depth]
    if task.limits.least.shape[0]:
        fresh = cells.number == classes
        return split_limited(task, workspace, depth, above, high, fresh)
    labels = workspace.labels[depth]
    cells = split_classes(task, workspace, labels, classes, above, high, cells)
    count_lost(task, workspace, cells, task.records - nodes.suppressed[depth], first, last)
    return cells


@kernel
def commit_cells(task, workspace, nodes, depth, to, cells, first, last):
    """Make the cells just counted the classes of a node: the same one, or its child."""
    if task.limits.least.shape[0]:
        n_labels, n_dropped = commit_limited(task, workspace, depth, to)
    else:
        least = task.least_classes[first]
        n_labels, n_dropped = relabel(workspace, cells, least, workspace.labels[to])
    if to != depth:
        nodes.covered[to] = nodes.covered[depth]
    low, high, covered = nodes.low[to], nodes.high[to], nodes.covered[to]
    lost = subtract_dropped(task, workspace, n_dropped, low, high, covered)
    nodes.suppressed[to], nodes.classes[to] = nodes.suppressed[depth] + lost, n_labels
    nodes.first[to], nodes.last[to] = first, last
    nodes.lost[to, first : last + 1] = workspace.lost[first : last + 1] - lost


@kernel
def narrow(task, workspace, nodes, depth, high, cells, goal):
    """Lower the levels `high` of the cells just counted, as long as nothing above is below its target.

    Returns the thresholds at which something is left, the new cells, and how many partitions it took.
    """
    first, last, partitions = nodes.first[depth], nodes.last[depth], 0
    lost = workspace.lost
    while True:
        first, last = open_thresholds(task, nodes, depth, high, lost, goal, first, last)
        lower = high.copy()
        if first > last or not lower_levels(task, nodes, depth, lower, lost, goal, first, last):
            return first, last, cells, partitions
        cells = split_and_count(task, workspace, nodes, depth, high, lower, cells, first, last)
        if (lower == high).all():  # no room for more cells
            return first, last, cells, partitions
        partitions += 1
        high[:] = lower


@kernel
def choose_split(task, nodes, depth, terms, goal, steps):
    """Choose where to split a node, as `best_split` does."""
    threshold = nodes.last[depth]
    low, high = nodes.low[depth], nodes.high[depth]
    fill_terms(task, nodes, depth, low, high, nodes.lost[depth, threshold], terms)
    lost = nodes.suppressed[depth] + nodes.lost[depth, threshold]
    # a share strictly between 0 and 1, as the forecast takes it
    share = min(max(lost, 0.2), task.records - 0.2) / task.records
    logit = math.log(share / (1 - share))
    bound = sum_terms(terms, low)
    gap, rest = goal.targets[threshold] - bound, task.max_terms - bound
    return best_split(terms, low, high, gap, rest, share, logit, steps, FINER_WEIGHT)


@kernel
def close_box(closed, n_closed, low, high, infeasible):
    """Add a box to the closed ones; return their number."""
    closed.low[n_closed], closed.high[n_closed] = low, high
    closed.infeasible[n_closed] = infeasible
    return n_closed + 1


@kernel
def close_node(nodes, depth, closed, goal):
    """Close a node with all that was closed within it; return the number of closed boxes."""
    infeasible = goal.over[0] - nodes.over[depth]
    low, high = nodes.first_low[depth], nodes.first_high[depth]
    return close_box(closed, nodes.closed[depth], low, high, infeasible)


@kernel
def open_node(nodes, depth, low, high, n_closed, over):
    """Begin a node."""
    nodes.low[depth], nodes.high[depth] = low, high
    nodes.first_low[depth], nodes.first_high[depth] = low, high
    nodes.closed[depth], nodes.over[depth] = n_closed, over


@kernel
def partition_root(task, workspace, nodes, low, high, first, last):
    """Partition the table by the highest scheme of a box."""
    open_node(nodes, 0, low, high, 0, 0.0)
    nodes.covered[0], nodes.suppressed[0] = task.total_covered, 0
    nodes.classes[0] = 2 * max(1, task.limits.least.shape[0])
    workspace.labels[0] = 1
    begin_root(task, workspace.limits)
    above = task.heights.copy()
    while (above > high).any():
        reached = high.copy()
        cells = Cells(1, nodes.classes[0])
        cells = split_and_count(task, workspace, nodes, 0, above, reached, cells, first, last)
        commit_cells(task, workspace, nodes, 0, 0, cells, first, last)
        above = reached


@kernel
def lower_high(nodes, depth, high, closed, n_closed):
    """Lower the highest scheme of a node, and close what lies above."""
    for a in range(high.size):
        if high[a] < nodes.high[depth, a]:
            n_closed = close_box(closed, n_closed, nodes.low[depth], nodes.high[depth], 0.0)
            closed.low[n_closed - 1, a] = high[a] + 1
            nodes.high[depth, a] = high[a]
    return n_closed


@kernel
def cut_node(task, workspace, nodes, depth, high, goal, closed, n_closed):
    """Close what lies above some levels of a node; these may be its own.

    Returns the number of closed boxes, and the partitions it took.
    """
    cells = Cells(1, nodes.classes[depth])
    first, last = nodes.first[depth], nodes.last[depth]
    cells = split_and_count(
        task, workspace, nodes, depth, nodes.high[depth], high, cells, first, last
    )
    first, last, cells, more = narrow(task, workspace, nodes, depth, high, cells, goal)
    if first <= last:
        n_closed = lower_high(nodes, depth, high, closed, n_closed)
        commit_cells(task, workspace, nodes, depth, depth, cells, first, last)
    nodes.first[depth], nodes.last[depth] = first, last
    return n_closed, more + 1


@kernel
def split_node(task, workspace, nodes, depth, attribute, level, goal, closed, n_closed):
    """Split a node: the half up to a level is closed, or becomes its child.

    Returns the depth to continue at, the number of closed boxes, and the partitions it took.
    """
    low, finer = nodes.low[depth].copy(), nodes.high[depth].copy()
    finer[attribute] = level
    cells, over = Cells(1, nodes.classes[depth]), goal.over[0]
    first, last = nodes.first[depth], nodes.last[depth]
    cells = split_and_count(
        task, workspace, nodes, depth, nodes.high[depth], finer, cells, first, last
    )
    high = finer.copy()
    first, last, cells, more = narrow(task, workspace, nodes, depth, high, cells, goal)
    to = depth if first > last else depth + 1
    if first > last:
        n_closed = close_box(closed, n_closed, low, finer, goal.over[0] - over)
    else:
        open_node(nodes, to, low, finer, n_closed, over)
        n_closed = lower_high(nodes, to, high, closed, n_closed)
        commit_cells(task, workspace, nodes, depth, to, cells, first, last)
    nodes.low[depth, attribute] = finer[attribute] + 1
    return to, n_closed, more + 1


@kernel
def advance(task, nodes, depth, goal):
    """Find the thresholds at which a node is still open; say whether more can be dropped now."""
    first, last, lost = nodes.first[depth], nodes.last[depth], nodes.lost[depth]
    high, was = nodes.high[depth], task.least_classes[first]
    first, last = open_thresholds(task, nodes, depth, high, lost, goal, first, last)
    nodes.first[depth], nodes.last[depth] = first, last
    return first <= last and task.least_classes[first] > was and lost[first] > 0


@kernel
def bound_open(task, nodes, depth, goal, bounds):
    """Write the bounds of the open nodes."""
    for d in range(depth + 1):
        for threshold in range(nodes.first[d], nodes.last[d] + 1):
            lost = nodes.lost[d, threshold]
            bound = least_sum(task, nodes, d, nodes.low[d], lost)
            bounds[d, threshold] = min(goal.targets[threshold], bound)


@kernel
def bound_subtree(task, workspace, steps, low, high, first, last, targets, budget):
    """Try to show that no scheme of a box has a sum of terms below a target.

    Stops when the box is closed, when the budget of partitions is used up, or at a scheme below the
    target. Closed and open parts make up the box, without overlap.
    """
    m, thresholds = low.size, targets.size
    nodes = make_nodes(m, task.total_covered.shape[1], thresholds)
    closed = Closed(
        np.empty((MAX_BOXES, m), np.int64), np.empty((MAX_BOXES, m), np.int64), np.empty(MAX_BOXES)
    )
    goal = Goal(targets, np.zeros(thresholds))
    samples, suppressed_of = np.empty((MAX_SAMPLES, m), np.int64), np.empty(MAX_SAMPLES, np.int64)
    terms = np.zeros(task.total_covered.shape)
    best, best_sum = np.zeros((thresholds, m), np.int64), np.full(thresholds, np.inf)
    partition_root(task, workspace, nodes, low, high, first, last)
    partitions, n_samples, n_closed, depth = 1, 0, 0, 0
    while depth >= 0 and n_closed + m + 1 < MAX_BOXES:
        low_here, high_here = nodes.low[depth], nodes.high[depth]
        at, lost = nodes.first[depth], nodes.lost[depth]
        if at > nodes.last[depth]:
            n_closed = close_node(nodes, depth, closed, goal)
            depth -= 1
            continue
        if advance(task, nodes, depth, goal):
            n_closed, more = cut_node(
                task, workspace, nodes, depth, high_here.copy(), goal, closed, n_closed
            )
            partitions += more
        if at != nodes.first[depth]:
            continue
        if n_samples < MAX_SAMPLES:
            samples[n_samples] = high_here
            suppressed_of[n_samples] = nodes.suppressed[depth] + lost[at]
            n_samples += 1
        here = least_sum(task, nodes, depth, high_here, lost[at])
        if here < best_sum[at]:
            best[at], best_sum[at] = high_here, here
        if partitions >= budget or depth + 1 == MAX_DEPTH or (low_here == high_here).all():
            break
        cut = high_here.copy()
        if lower_levels(task, nodes, depth, cut, lost, goal, at, nodes.last[depth]):
            n_closed, more = cut_node(task, workspace, nodes, depth, cut, goal, closed, n_closed)
        else:
            attribute, level = choose_split(task, nodes, depth, terms, goal, steps)
            depth, n_closed, more = split_node(
                task, workspace, nodes, depth, attribute, level, goal, closed, n_closed
            )
        partitions += more
    left_low = np.concatenate((closed.low[:n_closed], nodes.low[: depth + 1]))
    left_high = np.concatenate((closed.high[:n_closed], nodes.high[: depth + 1]))
    bounds, infeasible = np.empty((left_low.shape[0], thresholds)), np.zeros(left_low.shape[0])
    bounds[:] = targets
    infeasible[:n_closed] = closed.infeasible[:n_closed]
    bound_open(task, nodes, depth, goal, bounds[n_closed:])
    return Outcome(
        left_low, left_high, bounds, infeasible, n_closed, nodes.first[: depth + 1].copy(),
        nodes.last[: depth + 1].copy(), partitions, best, best_sum, samples[:n_samples],
        suppressed_of[:n_samples], goal.over,
    )  # fmt: skip
