"""Subtree bounds: depth-first branch and bound inside one box of the lattice, up to a target.

A node is a part of the box. It is split in two until the bound of every node reaches the target. The
half of coarser schemes comes first, and has the same classes: what is lost there is lost in the finer
half too. The classes of the finer half are those of both, split by the attribute that goes down.
Records whose class is too small are suppressed at all finer schemes; of the others, some more may have
to go, whichever they are. Only the path from the root to the current node is kept, so that the memory
needed does not grow with the number of nodes.

With several thresholds, each has a target, and a node those from a first to a last one: at all others,
all its schemes reach their target. What is too small at the first threshold is dropped. At the others
more is lost, and it is known how much, but not which records.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from anonymizer.kernels.bounds import best_split
from anonymizer.kernels.class_splitting import (
    CellNumbers,
    relabel,
    split_classes,
    subtract_dropped,
)
from anonymizer.kernels.compilation import inlined, kernel
from anonymizer.kernels.known_losses import add_known, coarsest_to_close, make_known, most_lost
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


class ClosedBoxes(NamedTuple):
    """Boxes in which no scheme is below the target."""

    low: Any
    high: Any
    infeasible: Any
    """How many of a box's schemes are known to suppress too much."""


class PartsLeft(NamedTuple):
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
def split_and_count(task, workspace, nodes, depth, above, high, cells):
    """Split the classes of a node, and count what is lost; see `split_classes`."""
    classes, buffer = nodes.classes[depth], nodes.buffer[depth]
    labels, kept = workspace.labels[buffer], task.records - nodes.suppressed[depth]
    cells = split_classes(task, workspace, labels, classes, above, high, cells)
    count_lost(task, workspace, cells, kept, nodes.first[depth], nodes.last[depth])
    return cells


@kernel
def commit_cells(task, workspace, nodes, depth, reached, cells):
    """Make the cells just counted the classes of a node, at the levels `reached`."""
    first, last = nodes.first[depth], nodes.last[depth]
    least = task.least_classes[first]
    n_labels, n_dropped = relabel(workspace, cells, least, workspace.labels[depth])
    low, high, covered = nodes.low[depth], nodes.high[depth], nodes.covered[depth]
    lost = subtract_dropped(task, workspace, n_dropped, low, high, covered)
    nodes.suppressed[depth] += lost
    nodes.classes[depth], nodes.buffer[depth], nodes.at[depth] = n_labels, depth, reached
    nodes.lost[depth, first : last + 1] = workspace.lost[first : last + 1] - lost


@kernel
def narrow(task, nodes, depth, lost, goal):
    """Close what is not below its target with so much lost: thresholds, and what lies above some levels.

    Returns whether the highest scheme of the node was lowered.
    """
    first, last, high = nodes.first[depth], nodes.last[depth], nodes.high[depth]
    first, last = open_thresholds(task, nodes, depth, high, lost, goal, first, last)
    nodes.first[depth], nodes.last[depth] = first, last
    return first <= last and lower_levels(task, nodes, depth, high, lost, goal, first, last)


@inlined
def narrow_by_known(task, workspace, nodes, depth, goal, known):
    """Narrow a node by what other partitions have shown."""
    lost, suppressed = workspace.lost, nodes.suppressed[depth]
    before, moved = suppressed + nodes.lost[depth, 0], True
    while moved:
        total = most_lost(known, nodes.high[depth], before)
        if total == before:
            break
        lost[0], before = total - suppressed, total
        moved = narrow(task, nodes, depth, lost, goal)


@inlined
def close_early(task, workspace, nodes, depth, steps, goal, known):
    """Try to close a node by a scheme that is coarser than its highest one; return the partitions."""
    scheme = nodes.high[depth].copy()
    coarsest_to_close(task, nodes, depth, steps, goal.targets[0], scheme)
    if (scheme == nodes.high[depth]).all() or (scheme == nodes.at[depth]).all():
        return 0
    cells = CellNumbers(1, nodes.classes[depth])
    split_and_count(task, workspace, nodes, depth, nodes.at[depth], scheme, cells)
    add_known(known, scheme, nodes.suppressed[depth] + workspace.lost[0])
    narrow(task, nodes, depth, workspace.lost, goal)
    return 1


@inlined
def partition_node(task, workspace, nodes, depth, goal, known):
    """Split the classes of a node down to its highest scheme, or as far as there is room.

    Returns the partitions it took. A node that turns out closed keeps the classes that it has.
    """
    reached, partitions, moved = nodes.at[depth].copy(), 0, True
    cells = CellNumbers(1, nodes.classes[depth])
    while moved:
        high = nodes.high[depth].copy()
        cells = split_and_count(task, workspace, nodes, depth, reached, high, cells)
        if partitions > 0 and (high == reached).all():  # no room for more cells
            break
        reached[:] = high
        partitions += 1
        if task.least_classes.size == 1:
            add_known(known, reached, nodes.suppressed[depth] + workspace.lost[0])
        moved = narrow(task, nodes, depth, workspace.lost, goal)
    if nodes.first[depth] <= nodes.last[depth]:
        commit_cells(task, workspace, nodes, depth, reached, cells)
    return partitions


@inlined
def descend(task, workspace, nodes, depth, steps, goal, known):
    """Close a node, or split its classes on the way to its highest scheme; return the partitions."""
    partitions = 0
    if task.least_classes.size == 1:
        narrow_by_known(task, workspace, nodes, depth, goal, known)
        if nodes.first[depth] <= nodes.last[depth]:
            partitions = close_early(task, workspace, nodes, depth, steps, goal, known)
    if nodes.first[depth] <= nodes.last[depth]:
        partitions += partition_node(task, workspace, nodes, depth, goal, known)
    return partitions


@inlined
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
    return best_split(terms, low, high, gap, rest, share, logit, steps, task.finer_weight)


@inlined
def close_box(closed, n_closed, low, high, infeasible):
    """Add a box to the closed ones; return their number."""
    closed.low[n_closed], closed.high[n_closed] = low, high
    closed.infeasible[n_closed] = infeasible
    return n_closed + 1


@inlined
def close_above(nodes, depth, before, closed, n_closed):
    """Close the part above a node's highest scheme that was not above its former one."""
    for a in range(before.size):
        if nodes.high[depth, a] < before[a]:
            n_closed = close_box(closed, n_closed, nodes.low[depth], before, 0.0)
            closed.low[n_closed - 1, a] = nodes.high[depth, a] + 1
            before[a] = nodes.high[depth, a]
    return n_closed


@inlined
def close_node(nodes, depth, closed, goal):
    """Close a node with all that was closed within it; return the number of closed boxes."""
    infeasible = goal.over[0] - nodes.over[depth]
    low, high = nodes.first_low[depth], nodes.first_high[depth]
    return close_box(closed, nodes.closed[depth], low, high, infeasible)


@inlined
def open_node(nodes, depth, low, high, n_closed, over):
    """Begin a node."""
    nodes.low[depth], nodes.high[depth] = low, high
    nodes.first_low[depth], nodes.first_high[depth] = low, high
    nodes.closed[depth], nodes.over[depth] = n_closed, over


@inlined
def partition_root(task, workspace, nodes, low, high, first, last):
    """Partition the table by the highest scheme of a box."""
    root = np.int64(0)  # a literal would be a signature of its own
    open_node(nodes, root, low, high, 0, 0.0)
    nodes.covered[root], nodes.suppressed[root] = task.total_covered, 0
    nodes.classes[root] = 2
    nodes.first[root], nodes.last[root], nodes.buffer[root] = first, last, 0
    workspace.labels[root] = 1
    nodes.at[root] = task.heights
    while (nodes.at[root] > high).any():
        reached = high.copy()
        cells = CellNumbers(1, nodes.classes[root])
        cells = split_and_count(task, workspace, nodes, root, nodes.at[root], reached, cells)
        commit_cells(task, workspace, nodes, root, reached, cells)


@inlined
def split_node(nodes, depth, attribute, level, n_closed, over):
    """Split a node: the half above a level becomes its child, with the same classes."""
    low, child = nodes.low[depth].copy(), depth + 1
    low[attribute] = level + 1
    open_node(nodes, child, low, nodes.high[depth], n_closed, over)
    nodes.at[child], nodes.buffer[child] = nodes.at[depth], nodes.buffer[depth]
    nodes.first[child], nodes.last[child] = nodes.first[depth], nodes.last[depth]
    nodes.covered[child], nodes.suppressed[child] = nodes.covered[depth], nodes.suppressed[depth]
    nodes.lost[child], nodes.classes[child] = nodes.lost[depth], nodes.classes[depth]
    nodes.high[depth, attribute] = level


@inlined
def advance(task, nodes, depth, goal):
    """Find the thresholds at which a node is still open; say whether more can be dropped now."""
    first, last, lost = nodes.first[depth], nodes.last[depth], nodes.lost[depth]
    high, was = nodes.high[depth], task.least_classes[first]
    first, last = open_thresholds(task, nodes, depth, high, lost, goal, first, last)
    nodes.first[depth], nodes.last[depth] = first, last
    return first <= last and task.least_classes[first] > was and lost[first] > 0


@inlined
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
    closed = ClosedBoxes(
        np.empty((MAX_BOXES, m), np.int64), np.empty((MAX_BOXES, m), np.int64), np.empty(MAX_BOXES)
    )
    goal = Goal(targets, np.zeros(thresholds))
    samples, suppressed_of = np.empty((MAX_SAMPLES, m), np.int64), np.empty(MAX_SAMPLES, np.int64)
    terms = np.zeros(task.total_covered.shape)
    best, best_sum = np.zeros((thresholds, m), np.int64), np.full(thresholds, np.inf)
    partition_root(task, workspace, nodes, low, high, first, last)
    partitions, n_samples, n_closed, depth = 1, 0, 0, np.int64(0)
    known = make_known(m)
    while depth >= 0 and n_closed + m + 1 < MAX_BOXES:
        low_here, high_here = nodes.low[depth], nodes.high[depth]
        at, lost, before = nodes.first[depth], nodes.lost[depth], nodes.high[depth].copy()
        if at > nodes.last[depth]:
            n_closed = close_node(nodes, depth, closed, goal)
            depth -= 1
            continue
        if (nodes.at[depth] > high_here).any() or advance(task, nodes, depth, goal):
            if partitions >= budget:
                break
            partitions += descend(task, workspace, nodes, depth, steps, goal, known)
            n_closed = close_above(nodes, depth, before, closed, n_closed)
            continue
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
        if lower_levels(task, nodes, depth, high_here, lost, goal, at, nodes.last[depth]):
            n_closed = close_above(nodes, depth, before, closed, n_closed)
        else:
            attribute, level = choose_split(task, nodes, depth, terms, goal, steps)
            split_node(nodes, depth, attribute, level, n_closed, goal.over[0])
            depth += 1
    left_low = np.concatenate((closed.low[:n_closed], nodes.low[: depth + 1]))
    left_high = np.concatenate((closed.high[:n_closed], nodes.high[: depth + 1]))
    bounds, infeasible = np.empty((left_low.shape[0], thresholds)), np.zeros(left_low.shape[0])
    bounds[:] = targets
    infeasible[:n_closed] = closed.infeasible[:n_closed]
    bound_open(task, nodes, depth, goal, bounds[n_closed:])
    return PartsLeft(
        left_low, left_high, bounds, infeasible, n_closed, nodes.first[: depth + 1].copy(),
        nodes.last[: depth + 1].copy(), partitions, best, best_sum, samples[:n_samples],
        suppressed_of[:n_samples], goal.over,
    )  # fmt: skip
