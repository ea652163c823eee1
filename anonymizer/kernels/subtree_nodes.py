"""Nodes of subtree bounds: parts of a box, lower bounds on the loss of their schemes, and cuts."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from anonymizer.kernels.compilation import inlined, kernel

MAX_DEPTH = 32
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
    at: Any
    """The scheme whose classes are known; they are still to be split where it is above `high`."""
    buffer: Any
    """Where the labels of these classes are: where a node above has them, until they are split."""
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


@inlined
def make_nodes(attributes, levels, thresholds):
    """Return the arrays for a path."""
    return Nodes(
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty((MAX_DEPTH, attributes), np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty((MAX_DEPTH, attributes, levels), np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty((MAX_DEPTH, thresholds), np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty(MAX_DEPTH, np.int64),
        np.empty(MAX_DEPTH, np.float64),
    )


@inlined
def count_schemes(low, high):
    """Count the schemes of a box, which may be more than fit an integer."""
    schemes = 1.0
    for a in range(low.size):
        schemes *= high[a] - low[a] + 1
    return schemes


@kernel
def term(covered, suppressed, leaves, least, records, weight, attributes, geometric):
    """Return the term of an attribute; suppressed records cover the whole domain."""
    lost = covered + suppressed * leaves - records * least
    loss = lost / (records * max(leaves - least, 1.0))
    weighted = weight * max(0.0, loss)
    if geometric:
        weighted = math.log1p(weighted)
    return weighted / attributes


@kernel
def fill_terms(task, nodes, depth, low, high, lost, terms):
    """Compute the least terms of all levels from `low` to `high` with so many more records lost.

    It is not known which records: they covered at most what the widest value does.
    """
    # looked up once: a field of a tuple of arrays costs more than a term
    covered, most = nodes.covered[depth], task.max_covered
    leaves, least, weights = task.leaves, task.least, task.weights
    records, geometric, suppressed = task.records, task.geometric, nodes.suppressed[depth] + lost
    for a in range(low.size):
        for level in range(low[a], high[a] + 1):
            kept = covered[a, level] - lost * most[a, level]
            terms[a, level] = term(
                kept, suppressed, leaves[a], least[a], records, weights[a], low.size, geometric
            )


@kernel
def sum_terms(terms, scheme):
    """Return the sum of the terms of a scheme."""
    total = 0.0
    for a in range(scheme.size):
        total += terms[a, scheme[a]]
    return total


@kernel
def least_sum(task, nodes, depth, scheme, lost):
    """Return the least sum of terms of a scheme with so many more records lost."""
    terms = np.empty(task.total_covered.shape)
    fill_terms(task, nodes, depth, scheme, scheme, lost, terms)
    return sum_terms(terms, scheme)


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


@inlined
def lower_to(terms, low, high, target, reach):
    """Write to `reach` the highest level of each attribute above which nothing is below a target."""
    bound = sum_terms(terms, low)
    for a in range(low.size):
        rest, level = bound - terms[a, low[a]], high[a]
        while level > low[a] and rest + terms[a, level] >= target:
            level -= 1
        reach[a] = max(reach[a], level)


@kernel
def lower_levels(task, nodes, depth, high, lost, goal, first, last):
    """Lower `high` as long as nothing above it is below its target; say whether it moved."""
    low, moved = nodes.low[depth], False
    terms, reach = np.empty(task.total_covered.shape), low.copy()
    for threshold in range(first, last + 1):
        fill_terms(task, nodes, depth, low, high, lost[threshold], terms)
        lower_to(terms, low, high, goal.targets[threshold], reach)
    for a in range(low.size):
        moved |= reach[a] < high[a]
        high[a] = reach[a]
    return moved
