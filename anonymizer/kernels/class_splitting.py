"""Splitting the classes of a scheme by attributes that go down some levels.

A class is split into cells: some steps for each tuple, and no hash unless cells are too many. Cells that
are too small are dropped for good, because their records are suppressed at all finer schemes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonymizer.kernels.compilation import inlined, kernel
from anonymizer.kernels.people import add_people

# Chosen among a handful of values by time on the wide register. It changes what a bound costs, never
# what it is.
CACHED_CELLS = 65_536
"""Classes are split by several attributes at once only into so many cells, which stay in the cache."""
TOO_SMALL = np.uint32(0xFFFFFFFF)
"""The name of a cell whose records are dropped; there are never so many classes."""
MANY_REPEATED = 4
"""Up to one tuple in so many may occur more than once for all to be counted as one first."""


class Members(NamedTuple):
    """Whom the tuples belong to, as in table/people.py; without tuples where records are counted."""

    of_tuple: Any
    of_history: Any
    starts: Any
    tuple_of_entry: Any


class SplittingTask(NamedTuple):
    """A table in integers, and what is asked of its release, at one threshold or several.

    Thresholds are in order, the loosest first.
    """

    values: Any
    """`values[i, a]`: what each tuple's value covers depends on; see search/subtree_bounds.py."""
    counts: Any
    repeated: Any
    """The tuples that occur more than once."""
    members: Members
    records: int
    offsets: Any
    covered: Any
    """`covered[level, offset + value]`: the leaves below."""
    max_covered: Any
    """`max_covered[a, level]`: the most of these."""
    min_covered: Any
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
    least_classes: Any
    """For each threshold: how many records every class that is kept has. They never fall."""
    averages: Any
    """For each threshold: how many classes may be kept for each record that is."""
    uniques: Any
    """For each threshold: how many records may be kept that are alone in their class."""
    classes: Any
    """For each threshold: how many classes may be kept if one of them has a single record."""
    counted: int
    """Classes are counted up to so many records; larger ones are never suppressed for their size."""
    by_size: bool
    """Whether there is one threshold, and a least class is all that it asks for."""
    room: int
    """Classes are split by one attribute into so many cells at most, unless these are hashed."""
    suppression_limit: int
    max_terms: float
    """The sum of terms when everything is lost."""
    finer_weight: float
    """How much the expected rise of the finer half weighs in a split, against the coarser's."""


class SplittingBuffers(NamedTuple):
    """Arrays to work in; what they hold beforehand does not matter."""

    labels: Any
    """`labels[depth, i]`: the class of each tuple at each node of the path; 0 where it is suppressed."""
    keys: Any
    """The cell of each tuple."""
    cells: Any
    """The records in each cell, or the people."""
    last: Any
    """Who was counted last in each cell, where people are."""
    names: Any
    dropped: Any
    by_value: Any
    slots: Any
    """A hash table, where there may be too many cells to number them without."""
    histogram: Any
    """How many cells there are of each size."""
    lost: Any
    """For each threshold: how many of the records that a node still has its cells lose, at least."""


class CellNumbers(NamedTuple):
    """How cells are numbered: those of records suppressed before come first."""

    suppressed: int
    number: int


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
def hash_labels(labels, parts, fanout, keys, slots):
    """Number the cells that are there, as `split_labels` would, in order of appearance from 1 on.

    What was suppressed is in cell 0. Returns the number of cells.
    """
    slots[:] = (
        0  # each slot: the cell's key above 32 bits, and its number below; 0 where it is free
    )
    mask, number = np.uint64(slots.size - 1), 1
    for i in range(keys.size):
        if labels[i] == 0:
            keys[i] = 0
            continue
        key = np.uint64(labels[i]) * np.uint64(fanout) + np.uint64(parts[i])
        slot = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20) & mask
        while slots[slot] != 0 and slots[slot] >> np.uint64(32) != key:
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] == 0:
            slots[slot] = (key << np.uint64(32)) | np.uint64(number)
            number += 1
        keys[i] = np.uint32(slots[slot] & np.uint64(0xFFFFFFFF))
    return number


@kernel
def count_records(task, keys, n_cells, cells):
    """Count the records in each cell."""
    cells[:n_cells] = 0
    if task.repeated.size > keys.size // MANY_REPEATED:
        for i in range(keys.size):
            cells[keys[i]] += np.uint32(task.counts[i])
        return
    for i in range(keys.size):
        cells[keys[i]] += np.uint32(1)
    for i in task.repeated:
        cells[keys[i]] += np.uint32(task.counts[i] - 1)


@kernel
def count_people(members, keys, cells, last):
    """Count the people in each cell, each once."""
    cells[:] = 0
    for i in range(keys.size):
        cells[keys[i]] += np.uint32(members.of_tuple[i])
    add_people(keys, members.starts, members.tuple_of_entry, members.of_history, cells, last)


@kernel
def split_classes(task, workspace, labels, classes, above, high, cells):
    """Split classes by going down to the levels `high` from those `above`, and count the cells.

    They are split into some cells already, unless these are as many as the classes. Goes as far as the
    workspace has room, from the classes at least one level of one attribute, and writes to `high` how
    far. Returns the new cells.
    """
    suppressed, number = cells
    fresh = number == classes
    for a in range(high.size):
        room = task.room if fresh else CACHED_CELLS
        while high[a] < above[a] and number * task.fanout[a, above[a], high[a]] > room:
            if fresh and high[a] + 1 == above[a] and workspace.slots.size > 1:
                break
            high[a] += 1
        parts = task.fanout[a, above[a], high[a]] if high[a] < above[a] else 1
        if parts > 1:
            part_of_tuple = task.parts[task.column[a, above[a], high[a]]]
            if fresh and number * parts > room:
                number = hash_labels(labels, part_of_tuple, parts, workspace.keys, workspace.slots)
                suppressed, fresh = 1, False
                continue
            if fresh:
                split_labels(labels, part_of_tuple, parts, workspace.keys)
            else:
                split_keys(workspace.keys, part_of_tuple, parts)
            suppressed, number, fresh = suppressed * parts, number * parts, False
    if fresh:
        workspace.keys[:] = labels
    if task.members.of_tuple.size:
        count_people(task.members, workspace.keys, workspace.cells[:number], workspace.last)
    else:
        count_records(task, workspace.keys, number, workspace.cells)
    return CellNumbers(suppressed, number)


@kernel
def relabel(workspace, cells, least_class, labels):
    """Make classes of the cells that are large enough; list the tuples of the others as dropped.

    Returns the number of labels, and how many tuples are dropped.
    """
    keys, sizes, names = workspace.keys, workspace.cells, workspace.names
    dropped, n_dropped = workspace.dropped, 0
    names[: cells.suppressed] = 0
    n_labels = 1
    for cell in range(cells.suppressed, cells.number):
        large = sizes[cell] >= least_class
        names[cell] = n_labels if large else TOO_SMALL
        n_labels += large
    for i in range(keys.size):
        label = names[keys[i]]
        if label == TOO_SMALL:
            dropped[n_dropped] = i
            n_dropped += 1
            label = np.uint32(0)
        labels[i] = label
    return n_labels, n_dropped


@kernel
def is_uneven(task, attribute, level):
    """Whether not all values of a level cover as much."""
    return task.min_covered[attribute, level] < task.max_covered[attribute, level]


@kernel
def list_to_count(task, low, high, n_dropped):
    """List the attributes with an uneven level in a box and no more values than tuples are dropped."""
    listed, n_listed = np.empty(low.size, np.int64), 0
    for a in range(low.size):
        uneven = False
        for level in range(low[a], high[a] + 1):
            uneven |= is_uneven(task, a, level)
        if uneven and task.offsets[a + 1] - task.offsets[a] <= n_dropped:
            listed[n_listed] = a
            n_listed += 1
    return listed[:n_listed]


@kernel
def count_by_value(task, by_value, dropped, attributes):
    """Count the records of dropped tuples by their values of some attributes; return all of them.

    Tuple by tuple: the counts of one attribute, one after another, would wait for each other.
    """
    values, counts, starts, lost = task.values, task.counts, task.offsets[attributes], 0
    for a in attributes:
        by_value[task.offsets[a] : task.offsets[a + 1]] = 0
    for i in dropped:
        lost += counts[i]
        for j in range(attributes.size):
            by_value[starts[j] + values[i, attributes[j]]] += counts[i]
    return lost


@kernel
def sum_by_tuple(task, dropped, attribute, level):
    """Return what dropped tuples cover at one level of an attribute, tuple by tuple."""
    start, total = task.offsets[attribute], 0
    for i in dropped:
        total += task.counts[i] * task.covered[level, start + task.values[i, attribute]]
    return total


@kernel
def sum_by_value(task, by_value, attribute, level):
    """Return what the records counted by value cover at one level of an attribute."""
    total = 0
    for place in range(task.offsets[attribute], task.offsets[attribute + 1]):
        total += by_value[place] * task.covered[level, place]
    return total


@inlined
def subtract_dropped(task, workspace, n_dropped, low, high, covered):
    """Subtract what dropped tuples cover at the levels of a box; return their records.

    Where all values of a level cover as much, nothing is looked up. Where an attribute has more values
    than tuples are dropped, these are looked up one by one.
    """
    dropped, by_value = workspace.dropped[:n_dropped], workspace.by_value
    lost = count_by_value(task, by_value, dropped, list_to_count(task, low, high, n_dropped))
    for a in range(low.size):
        few = task.offsets[a + 1] - task.offsets[a] > n_dropped
        for level in range(low[a], high[a] + 1):
            if not is_uneven(task, a, level):
                covered[a, level] -= lost * task.max_covered[a, level]
            elif few:
                covered[a, level] -= sum_by_tuple(task, dropped, a, level)
            else:
                covered[a, level] -= sum_by_value(task, by_value, a, level)
    return lost
