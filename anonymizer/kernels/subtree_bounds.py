"""SubtreeBounds: showing that nothing in a box of the lattice is below a target, partition by partition.

A descent splits a box in two, and the part of finer schemes again, until the bound of every part reaches
the target. The highest scheme of a part differs from that of the whole in few attributes, so its classes
are those of the whole, split by these: some steps for each tuple, and no hash. Records whose class is
too small are lost to all finer schemes. Only the way down to the part at hand is kept, so the memory that
a descent takes does not grow with its length.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from anonymizer.kernels.bounds import best_split, cut_high, sum_terms

DEPTH = 24
"""So many parts of parts are looked into; what would lie deeper is left open."""
LEFT = 4096
"""So many boxes a descent may leave; it ends before there are more."""
SAMPLES = 32
"""So many partitions of a descent are told to the forecast."""
# The next two were chosen among a handful of values each by the time of descents on the wide demo
# register. They change what a descent costs, never what it shows.
FEW_CELLS = 65_536
"""Classes are split by several attributes at once only into so many cells, which stay in the cache."""
STRESS = 0.7
"""How much the likely rise of the finer part weighs in the choice of a split, against the coarser's."""


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
    most_covered: Any
    """`most_covered[a, level]`: the most of these."""
    total_covered: Any
    """`total_covered[a, level]`: their sum over all records."""
    leaves: Any
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
    most_suppressed: int
    most: float
    """The sum of terms when everything is lost."""


class Workspace(NamedTuple):
    """Arrays to work in, whatever it holds."""

    labels: Any
    """`labels[depth, i]`: the class of each tuple on the way down; 0 where it is suppressed."""
    keys: Any
    cells: Any
    names: Any
    gone: Any
    by_code: Any


class Frames(NamedTuple):
    """The parts on the way down, and what is known of them."""

    low: Any
    high: Any
    whole_low: Any
    """Where the part began, before anything of it was done."""
    whole_high: Any
    covered: Any
    """`covered[depth, a, level]`: the leaves that the records left cover."""
    suppressed: Any
    classes: Any
    """How many numbers the classes take, 0 included."""
    done: Any
    """How many boxes were done when the part was begun."""


class Done(NamedTuple):
    """Boxes of which nothing is below the target."""

    low: Any
    high: Any


class Outcome(NamedTuple):
    """What a descent leaves: the boxes that reach the target, then those still open."""

    low: Any
    high: Any
    bounds: Any
    partitions: int
    best: Any
    """The partitioned scheme with the least sum of terms, and that sum."""
    best_sum: float
    samples: Any
    sampled_suppressed: Any


@njit(cache=True, nogil=True)
def split_labels(labels, parts, fanout, keys):
    """Number the cells into which parts split what has equal labels."""
    width = np.uint32(fanout)
    for i in range(keys.size):
        keys[i] = labels[i] * width + parts[i]


@njit(cache=True, nogil=True)
def split_keys(keys, parts, fanout):
    """Number the cells into which parts split what has equal keys: in place, for speed by itself."""
    width = np.uint32(fanout)
    for i in range(keys.size):
        keys[i] = keys[i] * width + parts[i]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def take_cells(task, work, n_cells, fanout, labels):
    """Make classes of the cells that are large enough; list the tuples that are suppressed by that.

    Returns how many numbers the classes take, and how many tuples are gone.
    """
    keys, cells, names, gone = work.keys, work.cells, work.names, work.gone
    names[:fanout] = 0
    n_labels = 1
    for cell in range(fanout, n_cells):
        large = cells[cell] >= task.least_class
        names[cell] = n_labels if large else 0
        n_labels += large
    n_gone, first = 0, np.uint32(fanout)
    for i in range(keys.size):
        label = names[keys[i]]
        labels[i] = label
        gone[n_gone] = i  # written over by the next one unless gone: no branch to guess
        n_gone += int((label == 0) & (keys[i] >= first))
    return n_labels, n_gone


@njit(cache=True, nogil=True)
def split_classes(task, work, frames, depth, above, high, fanout):
    """Split the classes of a part by going down to the levels `high` from those `above`.

    Each class is split into so many cells already. Goes as far as there is room for more, from one on
    at least one level of one attribute, and writes back to `high` what it came to. Returns the records
    in cells that are too small, and the number of cells in a class.
    """
    classes = frames.classes[depth]
    for a in range(high.size):
        most_cells = work.cells.size if fanout == 1 else FEW_CELLS
        while high[a] < above[a] and (
            classes * fanout * task.fanout[a, above[a], high[a]] > most_cells
        ):
            high[a] += 1
        parts = task.fanout[a, above[a], high[a]] if high[a] < above[a] else 1
        if parts > 1:
            part_of_tuple = task.parts[task.column[a, above[a], high[a]]]
            if fanout == 1:
                split_labels(work.labels[depth], part_of_tuple, parts, work.keys)
            else:
                split_keys(work.keys, part_of_tuple, parts)
            fanout *= parts
    if fanout == 1:
        work.keys[:] = work.labels[depth]
    return count_cells(task, work.keys, classes * fanout, fanout, work.cells), fanout


@njit(cache=True, nogil=True)
def take_over(task, work, frames, depth, to, fanout):
    """Make the cells just counted the classes of a part, the same or one a step deeper."""
    labels, n_cells = work.labels[to], frames.classes[depth] * fanout
    n_labels, n_gone = take_cells(task, work, n_cells, fanout, labels)
    if to != depth:
        frames.covered[to] = frames.covered[depth]
    lost = take_out(task, work, n_gone, frames.low[to], frames.high[to], frames.covered[to])
    frames.suppressed[to], frames.classes[to] = frames.suppressed[depth] + lost, n_labels


@njit(cache=True, nogil=True)
def take_out(task, work, n_gone, low, high, covered):
    """Take suppressed tuples out of what is covered at the levels of a box; return their records."""
    by_code, lost = work.by_code, 0
    by_code[:] = 0
    for i in work.gone[:n_gone]:
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


@njit(cache=True, nogil=True)
def term(task, attribute, covered, suppressed):
    """Return what an attribute adds to the sum of terms; the suppressed cover the whole domain."""
    leaves, records = task.leaves[attribute], task.records
    loss = (covered + suppressed * leaves - records) / (records * max(leaves - 1.0, 1.0))
    weighted = task.weights[attribute] * max(0.0, loss)
    if task.geometric:
        weighted = math.log1p(weighted)
    return weighted / task.weights.size


@njit(cache=True, nogil=True)
def fill_terms(task, frames, depth, terms):
    """Compute the terms of all levels of a part; return their sum at its lowest scheme."""
    low, high = frames.low[depth], frames.high[depth]
    for a in range(low.size):
        for level in range(low[a], high[a] + 1):
            covered = frames.covered[depth, a, level]
            terms[a, level] = term(task, a, covered, frames.suppressed[depth])
    return sum_terms(terms, low)


@njit(cache=True, nogil=True)
def least_term(task, frames, depth, attribute, level, lost):
    """Return the least that an attribute can add at a level with so many more records lost.

    It is not known yet which records: they covered at most what the widest value does.
    """
    covered = frames.covered[depth, attribute, level] - lost * task.most_covered[attribute, level]
    return term(task, attribute, covered, frames.suppressed[depth] + lost)


@njit(cache=True, nogil=True)
def least_bound(task, frames, depth, lost):
    """Return the least bound of a part with so many more records lost."""
    total = 0.0
    for a in range(frames.low.shape[1]):
        total += least_term(task, frames, depth, a, frames.low[depth, a], lost)
    return total


@njit(cache=True, nogil=True)
def narrow(task, work, frames, depth, high, lost, fanout, target):
    """Lower the levels `high`, just gone down to, as long as nothing above is below the target.

    Returns whether anything is, the number of cells in a class, and how many partitions it took.
    """
    low, partitions = frames.low[depth], 0
    while True:
        if frames.suppressed[depth] + lost > task.most_suppressed:
            return True, fanout, partitions
        bound = least_bound(task, frames, depth, lost)
        if bound >= target:
            return True, fanout, partitions
        lower = high.copy()
        for a in range(low.size):
            rest = bound - least_term(task, frames, depth, a, low[a], lost)
            while lower[a] > low[a] and (
                rest + least_term(task, frames, depth, a, lower[a], lost) >= target
            ):
                lower[a] -= 1
        if (lower == high).all():
            return False, fanout, partitions
        more_lost, more = split_classes(task, work, frames, depth, high, lower, fanout)
        if (lower == high).all():  # no room for more cells
            return False, fanout, partitions
        lost, fanout, partitions = more_lost, more, partitions + 1
        high[:] = lower


@njit(cache=True, nogil=True)
def choose_split(task, frames, depth, terms, bound, target, steps):
    """Choose where to split a part, as `best_split` does."""
    # a share strictly between 0 and 1, as the forecast takes it
    share = min(max(frames.suppressed[depth], 0.2), task.records - 0.2) / task.records
    logit = math.log(share / (1 - share))
    low, high = frames.low[depth], frames.high[depth]
    gap, rest = target - bound, task.most - bound
    return best_split(terms, low, high, gap, rest, share, logit, steps, STRESS)


@njit(cache=True, nogil=True)
def put(done, n_done, low, high):
    """Add a box to those that are done; return how many these are."""
    done.low[n_done], done.high[n_done] = low, high
    return n_done + 1


@njit(cache=True, nogil=True)
def begin(task, work, frames, low, high):
    """Partition the table by the highest scheme of a box."""
    frames.low[0], frames.high[0], frames.covered[0] = low, high, task.total_covered
    frames.whole_low[0], frames.whole_high[0], frames.done[0] = low, high, 0
    frames.suppressed[0], frames.classes[0] = 0, 2
    work.labels[0] = 1
    above = task.heights.copy()
    while (above > high).any():
        reached = high.copy()
        _, fanout = split_classes(task, work, frames, 0, above, reached, 1)
        take_over(task, work, frames, 0, 0, fanout)
        above = reached


@njit(cache=True, nogil=True)
def cut_off(frames, depth, high, done, n_done):
    """Lower the highest scheme of a part; what lies above is done."""
    for a in range(high.size):
        if high[a] < frames.high[depth, a]:
            n_done = put(done, n_done, frames.low[depth], frames.high[depth])
            done.low[n_done - 1, a] = high[a] + 1
            frames.high[depth, a] = high[a]
    return n_done


@njit(cache=True, nogil=True)
def cut_part(task, work, frames, depth, high, target, done, n_done):
    """Leave out what lies above some levels of a part.

    Returns whether that ends it, the number of boxes done, and the partitions it took.
    """
    lost, fanout = split_classes(task, work, frames, depth, frames.high[depth], high, 1)
    out, fanout, partitions = narrow(task, work, frames, depth, high, lost, fanout, target)
    if not out:
        n_done = cut_off(frames, depth, high, done, n_done)
        take_over(task, work, frames, depth, depth, fanout)
    return out, n_done, partitions + 1


@njit(cache=True, nogil=True)
def split_part(task, work, frames, depth, attribute, level, target, done, n_done):
    """Split a part: what is up to a level is done, or a part of its own one step deeper.

    Returns the depth to go on at, the number of boxes done, and the partitions it took.
    """
    low, finer = frames.low[depth].copy(), frames.high[depth].copy()
    finer[attribute] = level
    lost, fanout = split_classes(task, work, frames, depth, frames.high[depth], finer, 1)
    high = finer.copy()
    out, fanout, partitions = narrow(task, work, frames, depth, high, lost, fanout, target)
    to = depth if out else depth + 1
    if out:
        n_done = put(done, n_done, low, finer)
    else:
        frames.low[to], frames.high[to], frames.done[to] = low, finer, n_done
        frames.whole_low[to], frames.whole_high[to] = low, finer
        n_done = cut_off(frames, to, high, done, n_done)
        take_over(task, work, frames, depth, to, fanout)
    frames.low[depth, attribute] = finer[attribute] + 1
    return to, n_done, partitions + 1


@njit(cache=True, nogil=True)
def make_frames(attributes, levels):
    """Return the arrays for the way down."""
    return Frames(
        np.empty((DEPTH, attributes), np.int64),
        np.empty((DEPTH, attributes), np.int64),
        np.empty((DEPTH, attributes), np.int64),
        np.empty((DEPTH, attributes), np.int64),
        np.empty((DEPTH, attributes, levels), np.int64),
        np.empty(DEPTH, np.int64),
        np.empty(DEPTH, np.int64),
        np.empty(DEPTH, np.int64),
    )


@njit(cache=True, nogil=True)
def descend(task, work, steps, low, high, target, budget):
    """Try to show that no scheme of a box has a sum of terms below a target.

    Stops when the box is done, when the budget of partitions is used up, or at a scheme that is below
    the target. What is done and what is left open make up the box, without overlap.
    """
    m = low.size
    frames = make_frames(m, task.total_covered.shape[1])
    done = Done(np.empty((LEFT, m), np.int64), np.empty((LEFT, m), np.int64))
    samples, suppressed_of = np.empty((SAMPLES, m), np.int64), np.empty(SAMPLES, np.int64)
    terms, best, best_sum = np.zeros(task.total_covered.shape), high.copy(), np.inf
    begin(task, work, frames, low, high)
    partitions, n_samples, n_done, depth = 1, 0, 0, 0
    while depth >= 0 and n_done + m + 1 < LEFT:
        bound = fill_terms(task, frames, depth, terms)
        at_low, at_high = frames.low[depth], frames.high[depth]
        suppressed = frames.suppressed[depth]
        if n_samples < SAMPLES:
            samples[n_samples], suppressed_of[n_samples] = at_high, suppressed
            n_samples += 1
        if suppressed <= task.most_suppressed and sum_terms(terms, at_high) < best_sum:
            best[:], best_sum = at_high, sum_terms(terms, at_high)
        out = bound >= target or suppressed > task.most_suppressed
        if not out:
            if partitions >= budget or depth + 1 == DEPTH or (at_low == at_high).all():
                break
            cut = at_high.copy()
            if cut_high(terms, bound, at_low, cut, target):
                out, n_done, more = cut_part(task, work, frames, depth, cut, target, done, n_done)
            else:
                attribute, level = choose_split(task, frames, depth, terms, bound, target, steps)
                depth, n_done, more = split_part(
                    task, work, frames, depth, attribute, level, target, done, n_done
                )
            partitions += more
        if out:
            whole_low, whole_high = frames.whole_low[depth], frames.whole_high[depth]
            n_done = put(done, frames.done[depth], whole_low, whole_high)
            depth -= 1
    left_low = np.concatenate((done.low[:n_done], frames.low[: depth + 1]))
    left_high = np.concatenate((done.high[:n_done], frames.high[: depth + 1]))
    bounds = np.full(n_done + depth + 1, target)
    for d in range(depth + 1):
        bounds[n_done + d] = min(target, fill_terms(task, frames, d, terms))
    sampled, suppressed_of = samples[:n_samples], suppressed_of[:n_samples]
    return Outcome(left_low, left_high, bounds, partitions, best, best_sum, sampled, suppressed_of)
