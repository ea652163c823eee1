"""Nodes of subtree bounds: parts of a box, what their schemes lose at least, and where that is enough."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from anonymizer.kernels.compilation import kernel

MAX_DEPTH = 24
"""The longest path; nodes that would lie deeper are left open."""


class Goal(NamedTuple):
    """What is to be shown."""

    targets: Any
    """For each threshold: the sum of terms below which there should be no scheme."""
    over: Any
    """For each threshold: how many schemes are known to suppress too much."""


class Nodes(NamedTuple):
    """The nodes on the path from the root to the current one."""

    low: Any
    high: Any
    first_low: Any
    """The box of the node when it was opened, before any part of it was closed."""
    first_high: Any
    first: Any
    """The first threshold, and the last, at which a scheme of the node may be below its target."""
    last: Any
    covered: Any
    """`covered[depth, a, level]`: the leaves that the remaining records cover."""
    suppressed: Any
    lost: Any
    """`lost[depth, threshold]`: how many more records are lost at least, whichever they are."""
    classes: Any
    """The number of labels, 0 included."""
    closed: Any
    """How many boxes were closed when the node was opened."""
    over: Any
    """How many schemes were known to suppress too much then, at the first threshold of all."""


@kernel
def make_nodes(attributes, levels, thresholds):
    """Return the arrays for a path."""
    return Nodes(
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty((MAX_DEPTH, attributes, levels), np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty((MAX_DEPTH, thresholds), np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty(MAX_DEPTH, np.float64),
    )


@kernel
def count_schemes(low, high):
    """Count the schemes of a box, which may be more than fit an integer."""
    schemes = 1.0
    for a in range(low.size):
        schemes *= high[a] - low[a] + 1
    return schemes


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
def least_term(task, nodes, depth, attribute, level, lost):
    """Return the least term of an attribute at a level with so many more records lost.

    It is not known which records: they covered at most what the widest value does.
    """
    covered = nodes.covered[depth, attribute, level] - lost * task.max_covered[attribute, level]
    return term(task, attribute, covered, nodes.suppressed[depth] + lost)


@kernel
def least_sum(task, nodes, depth, scheme, lost):
    """Return the least sum of terms of a scheme with so many more records lost."""
    total = 0.0
    for a in range(scheme.size):
        total += least_term(task, nodes, depth, a, scheme[a], lost)
    return total


@kernel
def is_closed(task, nodes, depth, lost, goal, threshold, schemes):
    """Whether no scheme of a node is below its target at a threshold."""
    if nodes.suppressed[depth] + lost[threshold] > task.suppression_limit:
        goal.over[threshold] += schemes
        return True
    bound = least_sum(task, nodes, depth, nodes.low[depth], lost[threshold])
    return bound >= goal.targets[threshold]


@kernel
def open_thresholds(task, nodes, depth, high, lost, goal, first, last):
    """Return the first and the last threshold at which a scheme may be below its target, if any."""
    schemes = count_schemes(nodes.low[depth], high)
    while first <= last and is_closed(task, nodes, depth, lost, goal, first, schemes):
        first += 1
    while first < last and is_closed(task, nodes, depth, lost, goal, last, schemes):
        last -= 1
    return first, last


@kernel
def level_reaches(task, nodes, depth, attribute, level, lost, goal, first, last, bounds):
    """Whether no scheme of a node with an attribute at a level is below its target."""
    low = nodes.low[depth, attribute]
    for threshold in range(last, first - 1, -1):
        more = lost[threshold]
        rest = bounds[threshold] - least_term(task, nodes, depth, attribute, low, more)
        here = least_term(task, nodes, depth, attribute, level, more)
        if rest + here < goal.targets[threshold]:
            return False
    return True


@kernel
def lower_levels(task, nodes, depth, high, lost, goal, first, last):
    """Lower `high` as long as nothing above it is below its target; say whether it moved."""
    low, moved = nodes.low[depth], False
    bounds = np.empty(last + 1)
    for threshold in range(first, last + 1):
        bounds[threshold] = least_sum(task, nodes, depth, low, lost[threshold])
    for a in range(low.size):
        while high[a] > low[a] and level_reaches(
            task, nodes, depth, a, high[a], lost, goal, first, last, bounds
        ):
            high[a] -= 1
            moved = True
    return moved
