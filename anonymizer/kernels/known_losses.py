"""What partitions have shown to be lost, so that other parts of the lattice need none of their own.

What is lost at a scheme is lost at every finer one. So a partition that closes one part of a box may
close others: it serves best if it is of a scheme as coarse as can be.

It pays a little, in wide tables: mach2019 is proven in 45 s with it and in 49 s without, by 360,000
partitions and by 402,000.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from anonymizer.kernels.compilation import inlined, kernel
from anonymizer.kernels.subtree_nodes import least_sum

MAX_KNOWN = 4096
"""How many partitions are known at a time; then the oldest make room."""
# Chosen among a handful of values by partitions on the wide tables of the benchmark. It changes what a
# bound costs, never what it is.
SPARE = 2.5
"""A scheme is expected to close a node if the forecast has it lose so many times what that takes."""


class Known(NamedTuple):
    """Schemes that were partitioned, and how many records each of them loses at least."""

    schemes: Any
    lost: Any
    added: Any
    """How many were added, in an array of one."""


@inlined
def make_known(attributes):
    """Return room for what partitions will show."""
    schemes = np.empty((MAX_KNOWN, attributes), np.int16)
    return Known(schemes, np.empty(MAX_KNOWN, np.int64), np.zeros(1, np.int64))


@kernel
def add_known(known, scheme, lost):
    """Note how many records a scheme loses at least."""
    at = known.added[0] % MAX_KNOWN
    known.schemes[at], known.lost[at] = scheme, lost
    known.added[0] += 1


@kernel
def most_lost(known, scheme, lost):
    """Return the most records that a scheme is known to lose; `lost` are known to be so beforehand."""
    schemes, losses = known.schemes, known.lost
    for i in range(min(known.added[0], MAX_KNOWN)):
        if losses[i] > lost:
            coarser = True
            for a in range(scheme.size):
                if schemes[i, a] < scheme[a]:
                    coarser = False
                    break
            if coarser:
                lost = losses[i]
    return lost


@inlined
def logit_of(lost, records):
    """Return the logit of a share, finite where none or all records are lost."""
    share = min(max(lost, 0.2), records - 0.2) / records
    return math.log(share / (1 - share))


@inlined
def logit_to_close(task, nodes, depth, target):
    """Return the logit of the share that a scheme should be expected to lose if it is to close a node.

    The bound is taken to grow with the records that are lost as a line does.
    """
    low, suppressed = nodes.low[depth], nodes.suppressed[depth]
    rest = task.records - suppressed
    bound = least_sum(task, nodes, depth, low, np.int64(0))
    rise = least_sum(task, nodes, depth, low, rest) - bound
    needed = rest * (target - bound) / rise if rise > 0 else float(rest)
    return logit_of(suppressed + SPARE * needed, task.records)


@inlined
def coarsest_to_close(task, nodes, depth, steps, target, scheme):
    """Write to `scheme` the coarsest one, above a node's highest, that is expected to close the node.

    Levels are lowered first where that is expected to do most. Where nothing is expected to be enough,
    it is the highest scheme itself.
    """
    high = nodes.high[depth]
    wanted = logit_to_close(task, nodes, depth, target)
    logit = logit_of(nodes.suppressed[depth], task.records)
    scheme[:] = nodes.at[depth]
    while logit < wanted:
        attribute, most = -1, 0.0
        for a in range(high.size):
            step = steps[a, high[a]] - steps[a, scheme[a]]
            if scheme[a] > high[a] and (attribute < 0 or step > most):
                attribute, most = a, step
        if attribute < 0:
            return
        level = scheme[attribute]
        logit += steps[attribute, level - 1] - steps[attribute, level]
        scheme[attribute] = level - 1
