"""Subtree bounds: depth-first branch and bound inside one box of the lattice, up to a target.

A node is a part of the box. It is split in two, and the half of finer schemes first, until the bound of
every node reaches the target. The highest scheme of a child differs from its parent's in few attributes,
so its classes are the parent's, split by these: some steps for each tuple, and no hash. Records whose
class is too small are suppressed at all finer schemes. Only the path from the root to the current node
is kept, so that the memory needed does not grow with the number of nodes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from anonymizer.kernels.bounds import best_split, cut_high, sum_terms
from anonymizer.kernels.compilation import kernel

MAX_DEPTH = 24
"""The longest path; nodes that would lie deeper are left open."""
MAX_BOXES = 4096
"""The most boxes that a call may return; it ends before there are more."""
MAX_SAMPLES = 32
"""The most partitions that are returned for the forecast to learn from."""
# The next two were chosen among a handful of values each by time on the wide register. They change
# what a bound costs, never what it is.
CACHED_CELLS = 65_536
"""Classes are split by several attributes at once only into so many cells, which stay in the cache."""
FINER_WEIGHT = 0.7
"""How much the expected rise of the finer half weighs in the choice of a split, against the coarser's."""


class Task(NamedTuple):
    """A table in integers, and what is asked of its release."""

    values: Any
    """`values[i, a]`: the code of each tuple in each attribute."""
    counts: Any
    single: bool
    """Whether every tuple occurs once."""
    records: int
    offsets: Any
    covered: Any
    """`covered[level, offset + code]`: the leaves below."""
    max_covered: Any
    """`max_covered[a, level]`: the most of these."""
    total_covered: Any
    """`total_covered[a, level]`: their sum over all records."""
    leaves: Any
    least: Any
    """What a single value of each attribute covers: 1, or 0 where it is continuous."""
    heights: Any
    """The levels of each attribute; above the last, everything is in one group."""
    parts: Any
    """`parts[column[a, above, level], i]`: which part of its group above a tuple is in at a level."""
    column: Any
    fanout: Any
    """`fanout[a, above, level]`: the most parts of a group."""
    weights: Any
    geometric: bool
    least_class: int
    suppression_limit: int
    max_terms: float
    """The sum of terms when everything is lost."""


class Workspace(NamedTuple):
    """Arrays to work in; what they hold beforehand does not matter."""

    labels: Any
    """`labels[depth, i]`: the class of each tuple at each node of the path; 0 where it is suppressed."""
    keys: Any
    cells: Any
    names: Any
    dropped: Any
    by_code: Any


class Nodes(NamedTuple):
    """The nodes on the path from the root to the current one."""

    low: Any
    high: Any
    first_low: Any
    """The box of the node when it was opened, before any part of it was closed."""
    first_high: Any
    covered: Any
    """`covered[depth, a, level]`: the leaves that the remaining records cover."""
    suppressed: Any
    classes: Any
    """The number of labels, 0 included."""
    closed: Any
    """How many boxes were closed when the node was opened."""


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
    infeasible: Any
    """How many schemes of each part are known to suppress too much."""
    partitions: int
    best: Any
    """The partitioned scheme with the least sum of terms, and that sum."""
    best_sum: float
    samples: Any
    sampled_suppressed: Any


@kernel
def rank_in_groups(values, groups, n_values, n_groups):
    """Number values 0, 1, ... within the group that each lies in; say how many are in one at most.

    `values` and `groups` are what each code becomes at a level and at one above it.
    """
    group_of_value = np.empty(n_values, np.int64)
    for i in range(values.size):
        group_of_value[values[i]] = groups[i]
    ranks, sizes = np.empty(n_values, np.int64), np.zeros(n_groups, np.int64)
    for value in range(n_values):
        group = group_of_value[value]
        ranks[value] = sizes[group]
        sizes[group] += 1
    return ranks, sizes.max()


@kernel
def look_up(table, values, codes, found):
    """Look up what each of some codes becomes: `table` says it of its values."""
    of_code = table[values].astype(found.dtype)
    for i in range(codes.size):
        found[i] = of_code[codes[i]]


@kernel
def split_labels(labels, parts, fanout, keys):
    """Number the cells into which parts split what has equal labels."""
    width = np.uint32(fanout)
    for i in range(keys.size):
        keys[i] = labels[i] * width + parts[i]


@kernel
def split_keys(keys, parts, fanout):
    """Number the cells into which parts split what has equal keys, in place.

    Apart from `split_labels` because each loop alone is faster.
    """
    width = np.uint32(fanout)
    for i in range(keys.size):
        keys[i] = keys[i] * width + parts[i]


@kernel
def count_cells(task, keys, n_cells, fanout, cells):
    """Count the records in each cell, up to the least class; return how many are in smaller ones."""
    enough = cells.dtype.type(task.least_class)
    cells[:n_cells] = 0
    if task.single:
        for i in range(keys.size):
            count = cells[keys[i]]
            cells[keys[i]] = count + (count < enough)
    else:
        for i in range(keys.size):
            cells[keys[i]] = min(cells[keys[i]] + task.counts[i], task.least_class)
    lost = 0
    for cell in range(fanout, n_cells):  # what comes before was suppressed already
        lost += cells[cell] if cells[cell] < enough else 0
    return lost


@kernel
def relabel(task, workspace, n_cells, fanout, labels):
    """Make classes of the cells that are large enough; list the tuples of the others as dropped.

    Returns the number of labels, and how many tuples are dropped.
    """
    keys, cells, names = workspace.keys, workspace.cells, workspace.names
    dropped = workspace.dropped
    names[:fanout] = 0
    n_labels = 1
    for cell in range(fanout, n_cells):
        large = cells[cell] >= task.least_class
        names[cell] = n_labels if large else 0
        n_labels += large
    n_dropped, first = 0, np.uint32(fanout)
    for i in range(keys.size):
        label = names[keys[i]]
        labels[i] = label
        dropped[n_dropped] = i  # written over by the next one unless dropped: no branch to guess
        n_dropped += int((label == 0) & (keys[i] >= first))
    return n_labels, n_dropped


@kernel
def split_classes(task, workspace, nodes, depth, above, high, fanout):
    """Split the classes of a node by going down to the levels `high` from those `above`.

    Each class is split into `fanout` cells already. Goes as far as the workspace has cells, from a
    fanout of 1 at least one level of one attribute, and writes to `high` how far. Returns the records
    in cells that are too small, and the new fanout.
    """
    classes = nodes.classes[depth]
    for a in range(high.size):
        max_cells = workspace.cells.size if fanout == 1 else CACHED_CELLS
        while high[a] < above[a] and (
            classes * fanout * task.fanout[a, above[a], high[a]] > max_cells
        ):
            high[a] += 1
        parts = task.fanout[a, above[a], high[a]] if high[a] < above[a] else 1
        if parts > 1:
            part_of_tuple = task.parts[task.column[a, above[a], high[a]]]
            if fanout == 1:
                split_labels(workspace.labels[depth], part_of_tuple, parts, workspace.keys)
            else:
                split_keys(workspace.keys, part_of_tuple, parts)
            fanout *= parts
    if fanout == 1:
        workspace.keys[:] = workspace.labels[depth]
    return count_cells(task, workspace.keys, classes * fanout, fanout, workspace.cells), fanout


@kernel
def commit_cells(task, workspace, nodes, depth, to, fanout):
    """Make the cells just counted the classes of a node: the same one, or its child."""
    labels, n_cells = workspace.labels[to], nodes.classes[depth] * fanout
    n_labels, n_dropped = relabel(task, workspace, n_cells, fanout, labels)
    if to != depth:
        nodes.covered[to] = nodes.covered[depth]
    low, high, covered = nodes.low[to], nodes.high[to], nodes.covered[to]
    lost = subtract_dropped(task, workspace, n_dropped, low, high, covered)
    nodes.suppressed[to], nodes.classes[to] = nodes.suppressed[depth] + lost, n_labels


@kernel
def subtract_dropped(task, workspace, n_dropped, low, high, covered):
    """Subtract what dropped tuples cover at the levels of a box; return their records."""
    by_code, lost = workspace.by_code, 0
    by_code[:] = 0
    for i in workspace.dropped[:n_dropped]:
        lost += task.counts[i]
        for a in range(low.size):
            by_code[task.offsets[a] + task.values[i, a]] += task.counts[i]
    for a in range(low.size):
        for level in range(low[a], high[a] + 1):
            total = 0
            for place in range(task.offsets[a], task.offsets[a + 1]):
                total += by_code[place] * task.covered[level, place]
            covered[a, level] -= total
    return lost


@kernel
def term(task, attribute, covered, suppressed):
    """Return the term of an attribute; suppressed records cover the whole domain."""
    leaves, least, records = task.leaves[attribute], task.least[attribute], task.records
    lost = covered + suppressed * leaves - records * least
    loss = lost / (records * max(leaves - least, 1.0))
    weighted = task.weights[attribute] * max(0.0, loss)
    if task.geometric:
        weighted = math.log1p(weighted)
    return weighted / task.weights.size


@kernel
def fill_terms(task, nodes, depth, terms):
    """Compute the terms of all levels of a node; return their sum at its lowest scheme."""
    low, high = nodes.low[depth], nodes.high[depth]
    for a in range(low.size):
        for level in range(low[a], high[a] + 1):
            covered = nodes.covered[depth, a, level]
            terms[a, level] = term(task, a, covered, nodes.suppressed[depth])
    return sum_terms(terms, low)


@kernel
def least_term(task, nodes, depth, attribute, level, lost):
    """Return the least term of an attribute at a level with so many more records lost.

    It is not known yet which records: they covered at most what the widest value does.
    """
    covered = nodes.covered[depth, attribute, level] - lost * task.max_covered[attribute, level]
    return term(task, attribute, covered, nodes.suppressed[depth] + lost)


@kernel
def least_bound(task, nodes, depth, lost):
    """Return the least bound of a node with so many more records lost."""
    total = 0.0
    for a in range(nodes.low.shape[1]):
        total += least_term(task, nodes, depth, a, nodes.low[depth, a], lost)
    return total


@kernel
def narrow(task, workspace, nodes, depth, high, lost, fanout, target):
    """Lower the levels `high` of the cells just counted, as long as nothing above is below the target.

    Returns whether nothing is left, how many schemes then suppress too much, the new fanout, and how
    many partitions it took.
    """
    low, partitions = nodes.low[depth], 0
    while True:
        if nodes.suppressed[depth] + lost > task.suppression_limit:
            return True, count_schemes(low, high), fanout, partitions
        bound = least_bound(task, nodes, depth, lost)
        if bound >= target:
            return True, 0.0, fanout, partitions
        lower = high.copy()
        for a in range(low.size):
            rest = bound - least_term(task, nodes, depth, a, low[a], lost)
            while lower[a] > low[a] and (
                rest + least_term(task, nodes, depth, a, lower[a], lost) >= target
            ):
                lower[a] -= 1
        if (lower == high).all():
            return False, 0.0, fanout, partitions
        lost_below, more = split_classes(task, workspace, nodes, depth, high, lower, fanout)
        if (lower == high).all():  # no room for more cells
            return False, 0.0, fanout, partitions
        lost, fanout, partitions = lost_below, more, partitions + 1
        high[:] = lower


@kernel
def choose_split(task, nodes, depth, terms, bound, target, steps):
    """Choose where to split a node, as `best_split` does."""
    # a share strictly between 0 and 1, as the forecast takes it
    share = min(max(nodes.suppressed[depth], 0.2), task.records - 0.2) / task.records
    logit = math.log(share / (1 - share))
    low, high = nodes.low[depth], nodes.high[depth]
    gap, rest = target - bound, task.max_terms - bound
    return best_split(terms, low, high, gap, rest, share, logit, steps, FINER_WEIGHT)


@kernel
def count_schemes(low, high):
    """Count the schemes of a box, which may be more than fit an integer."""
    schemes = 1.0
    for a in range(low.size):
        schemes *= high[a] - low[a] + 1
    return schemes


@kernel
def close_box(closed, n_closed, low, high, infeasible):
    """Add a box to the closed ones; return their number."""
    closed.low[n_closed], closed.high[n_closed] = low, high
    closed.infeasible[n_closed] = infeasible
    return n_closed + 1


@kernel
def close_node(nodes, depth, closed, n_closed, infeasible):
    """Close a node with all that was closed within it; return the number of closed boxes."""
    first = nodes.closed[depth]
    infeasible += closed.infeasible[first:n_closed].sum()
    return close_box(closed, first, nodes.first_low[depth], nodes.first_high[depth], infeasible)


@kernel
def partition_root(task, workspace, nodes, low, high):
    """Partition the table by the highest scheme of a box."""
    nodes.low[0], nodes.high[0], nodes.covered[0] = low, high, task.total_covered
    nodes.first_low[0], nodes.first_high[0], nodes.closed[0] = low, high, 0
    nodes.suppressed[0], nodes.classes[0] = 0, 2
    workspace.labels[0] = 1
    above = task.heights.copy()
    while (above > high).any():
        reached = high.copy()
        _, fanout = split_classes(task, workspace, nodes, 0, above, reached, 1)
        commit_cells(task, workspace, nodes, 0, 0, fanout)
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
def cut_node(task, workspace, nodes, depth, high, target, closed, n_closed):
    """Close what lies above some levels of a node.

    Returns whether the node is pruned, how many of its schemes then suppress too much, the number of
    closed boxes, and the partitions it took.
    """
    lost, fanout = split_classes(task, workspace, nodes, depth, nodes.high[depth], high, 1)
    pruned, infeasible, fanout, partitions = narrow(
        task, workspace, nodes, depth, high, lost, fanout, target
    )
    if not pruned:
        n_closed = lower_high(nodes, depth, high, closed, n_closed)
        commit_cells(task, workspace, nodes, depth, depth, fanout)
    return pruned, infeasible, n_closed, partitions + 1


@kernel
def split_node(task, workspace, nodes, depth, attribute, level, target, closed, n_closed):
    """Split a node: the half up to a level is closed, or becomes its child.

    Returns the depth to continue at, the number of closed boxes, and the partitions it took.
    """
    low, finer = nodes.low[depth].copy(), nodes.high[depth].copy()
    finer[attribute] = level
    lost, fanout = split_classes(task, workspace, nodes, depth, nodes.high[depth], finer, 1)
    high = finer.copy()
    pruned, infeasible, fanout, partitions = narrow(
        task, workspace, nodes, depth, high, lost, fanout, target
    )
    to = depth if pruned else depth + 1
    if pruned:
        n_closed = close_box(closed, n_closed, low, finer, infeasible)
    else:
        nodes.low[to], nodes.high[to], nodes.closed[to] = low, finer, n_closed
        nodes.first_low[to], nodes.first_high[to] = low, finer
        n_closed = lower_high(nodes, to, high, closed, n_closed)
        commit_cells(task, workspace, nodes, depth, to, fanout)
    nodes.low[depth, attribute] = finer[attribute] + 1
    return to, n_closed, partitions + 1


@kernel
def make_nodes(attributes, levels):
    """Return the arrays for a path."""
    return Nodes(
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes, levels), np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty(MAX_DEPTH, np.int64),
    )


@kernel
def bound_subtree(task, workspace, steps, low, high, target, budget):
    """Try to show that no scheme of a box has a sum of terms below a target.

    Stops when the box is closed, when the budget of partitions is used up, or at a scheme below the
    target. Closed and open parts make up the box, without overlap.
    """
    m = low.size
    nodes = make_nodes(m, task.total_covered.shape[1])
    closed = Closed(
        np.empty((MAX_BOXES, m), np.int64), np.empty((MAX_BOXES, m), np.int64), np.empty(MAX_BOXES)
    )
    samples, suppressed_of = np.empty((MAX_SAMPLES, m), np.int64), np.empty(MAX_SAMPLES, np.int64)
    terms, best, best_sum = np.zeros(task.total_covered.shape), high.copy(), np.inf
    partition_root(task, workspace, nodes, low, high)
    partitions, n_samples, n_closed, depth = 1, 0, 0, 0
    while depth >= 0 and n_closed + m + 1 < MAX_BOXES:
        bound = fill_terms(task, nodes, depth, terms)
        low_here, high_here = nodes.low[depth], nodes.high[depth]
        suppressed = nodes.suppressed[depth]
        if n_samples < MAX_SAMPLES:
            samples[n_samples], suppressed_of[n_samples] = high_here, suppressed
            n_samples += 1
        if suppressed <= task.suppression_limit and sum_terms(terms, high_here) < best_sum:
            best[:], best_sum = high_here, sum_terms(terms, high_here)
        pruned, infeasible = bound >= target, 0.0
        if suppressed > task.suppression_limit:
            pruned, infeasible = True, count_schemes(low_here, high_here)
        if not pruned:
            if partitions >= budget or depth + 1 == MAX_DEPTH or (low_here == high_here).all():
                break
            cut = high_here.copy()
            if cut_high(terms, bound, low_here, cut, target):
                pruned, infeasible, n_closed, more = cut_node(
                    task, workspace, nodes, depth, cut, target, closed, n_closed
                )
            else:
                attribute, level = choose_split(task, nodes, depth, terms, bound, target, steps)
                depth, n_closed, more = split_node(
                    task, workspace, nodes, depth, attribute, level, target, closed, n_closed
                )
            partitions += more
        if pruned:
            n_closed = close_node(nodes, depth, closed, n_closed, infeasible)
            depth -= 1
    left_low = np.concatenate((closed.low[:n_closed], nodes.low[: depth + 1]))
    left_high = np.concatenate((closed.high[:n_closed], nodes.high[: depth + 1]))
    bounds, infeasible_of = np.full(n_closed + depth + 1, target), np.zeros(n_closed + depth + 1)
    infeasible_of[:n_closed] = closed.infeasible[:n_closed]
    for d in range(depth + 1):
        bounds[n_closed + d] = min(target, fill_terms(task, nodes, d, terms))
    return Outcome(
        left_low, left_high, bounds, infeasible_of, partitions, best, best_sum,
        samples[:n_samples], suppressed_of[:n_samples],
    )  # fmt: skip
