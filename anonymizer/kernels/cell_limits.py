"""Cells of some attributes each, split together, and the tuples whose cell has too few people.

For each limit, the tuples are split by the attributes that it goes by alone. A tuple whose cell has too
few people under any limit is dropped, and no longer counts in its other cells, until nobody is left who
has too few. What is kept is the greatest set that meets all limits. Whatever is kept at a finer scheme
meets them here too, because cells only merge: it is part of that set.

The tuples of the table come first. Those after them are people of a population table: they count where a
limit says so, and are never dropped.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from anonymizer.kernels.class_splitting import CACHED_CELLS, Cells, hash_labels, split_keys
from anonymizer.kernels.compilation import inlined, kernel


class CellLimits(NamedTuple):
    """What is asked of cells; no limits where there are none."""

    tuples: int
    """How many tuples are the table's."""
    finest: Any
    """`finest[limit, a]`: the finest level of each attribute that a limit goes by; -1 for none."""
    people: Any
    """`people[limit, i]`: how many people each tuple adds to its cell."""
    least: Any
    """`least[limit, i]`: how many there must be for a tuple to be kept."""
    most_least: Any
    """For each limit: the most of these."""
    equal: Any
    """For each limit: whether all of these are equal."""
    of_population: Any
    """For each limit: whether those who count are never dropped."""


class CellArrays(NamedTuple):
    """Arrays to work in, as those of a `Workspace`."""

    labels: Any
    """`labels[depth, limit, i]`: the cell of each tuple at each node of the path; 0 once dropped."""
    sizes: Any
    """`sizes[depth, limit, label]`: the people in each."""
    classes: Any
    """`classes[depth, limit]`: the number of labels, 0 included."""
    keys: Any
    """`keys[limit, i]`: the cell of each tuple, split further."""
    number: Any
    """The number of these, for each limit."""
    people: Any
    """`people[limit, cell]`: the people in each who are not dropped."""
    gone: Any
    """Which tuples are dropped: 0 or 1."""
    split: Any
    """Whether the cells of each limit are not those of the node."""
    unchecked: Any
    """Whether some cells of each limit may have too few people."""


@kernel
def begin_root(task, arrays):
    """Begin with the whole table in one cell."""
    arrays.labels[0], arrays.classes[0], arrays.unchecked[:] = 1, 2, 1
    for limit in range(arrays.number.size):
        arrays.sizes[0, limit, 1] = task.limits.people[limit].sum()


@inlined
def restart(task, arrays, depth):
    """Begin with the cells of a node."""
    labels = arrays.labels[depth]
    for limit in range(arrays.number.size):
        number = arrays.classes[depth, limit]
        arrays.keys[limit] = labels[limit]
        arrays.people[limit, :number] = arrays.sizes[depth, limit, :number]
        arrays.number[limit], arrays.split[limit] = number, 0
    arrays.gone[:] = 0
    for i in range(task.limits.tuples):
        arrays.gone[i] = labels[0, i] == 0


@kernel
def count_parts(task, limit, attribute, above, level):
    """Return into how many parts, at most, a limit's cells are split on the way down to a level."""
    finest = task.limits.finest[limit, attribute]
    above, level = max(above, finest), max(level, finest)
    return task.fanout[attribute, above, level] if finest >= 0 and level < above else 1


@inlined
def has_room(task, workspace, depth, attribute, above, level):
    """Whether the cells of all limits can be split by an attribute, down to a level."""
    arrays = workspace.limits
    for limit in range(arrays.number.size):
        parts, number = count_parts(task, limit, attribute, above, level), arrays.number[limit]
        fresh = number == arrays.classes[depth, limit]
        if fresh and level + 1 == above and workspace.slots.size > 1:
            continue  # these are hashed
        if parts > 1 and number * parts > (task.room if fresh else CACHED_CELLS):
            return False
    return True


@kernel
def split_cells(task, workspace, depth, limit, attribute, above, level):
    """Split the cells of a limit by an attribute."""
    arrays, parts = workspace.limits, count_parts(task, limit, attribute, above, level)
    if parts == 1:
        return
    finest = task.limits.finest[limit, attribute]
    row = task.column[attribute, max(above, finest), max(level, finest)]
    keys, number = arrays.keys[limit], arrays.number[limit]
    if number == arrays.classes[depth, limit] and number * parts > task.room:
        labels = arrays.labels[depth, limit]
        arrays.number[limit] = hash_labels(labels, task.parts[row], parts, keys, workspace.slots)
    else:
        split_keys(keys, task.parts[row], parts)
        arrays.number[limit] = number * parts
    arrays.split[limit], arrays.unchecked[limit] = 1, 1


@kernel
def count_people(task, arrays, limit):
    """Count the people in the cells of a limit who are not dropped."""
    keys, people, gone = arrays.keys[limit], arrays.people[limit], arrays.gone
    people[: arrays.number[limit]] = 0
    own = task.limits.people[limit]
    for i in range(keys.size):
        people[keys[i]] += own[i] * (1 - gone[i])


@kernel
def drop(task, arrays, i, limit):
    """Drop a tuple, whose cell has too few people under a limit.

    Where another of its cells may have too few now, that is noted.
    """
    arrays.gone[i] = 1
    for other in range(arrays.number.size):
        cell = arrays.keys[other, i]
        arrays.people[other, cell] -= task.limits.people[other, i]
        few = 0 < arrays.people[other, cell] < task.limits.most_least[other]
        # all tuples of a cell that is too small for one are dropped together if they need as many
        if few and (other != limit or not task.limits.equal[other]):
            arrays.unchecked[other] = True


@kernel
def check_cells(task, arrays, limit):
    """Drop the tuples whose cell has too few people under a limit; return their records."""
    keys, people, least = arrays.keys[limit], arrays.people[limit], task.limits.least[limit]
    gone, lost = arrays.gone, 0
    for i in range(task.limits.tuples):
        if people[keys[i]] < least[i] and not gone[i]:
            drop(task, arrays, i, limit)
            lost += task.counts[i]
    return lost


@inlined
def drop_too_few(task, arrays):
    """Drop tuples until every cell of each has enough people; return the records dropped."""
    lost = 0
    while arrays.unchecked.any():
        for limit in range(arrays.number.size):
            if arrays.unchecked[limit]:
                arrays.unchecked[limit] = 0
                lost += check_cells(task, arrays, limit)
    return lost


@inlined
def split_limited(task, workspace, depth, above, high, fresh):
    """Split the cells of all limits down to the levels `high`, and drop the tuples in too small ones.

    As `split_classes`, goes as far as there is room, and writes to `high` how far. Where it is not
    `fresh`, the cells are split already. The records lost since it was are in `workspace.lost`.
    """
    arrays = workspace.limits
    if fresh:
        restart(task, arrays, depth)
        workspace.lost[0] = 0
    for a in range(high.size):
        while high[a] < above[a] and not has_room(task, workspace, depth, a, above[a], high[a]):
            high[a] += 1
        for limit in range(arrays.number.size):
            if high[a] < above[a]:
                split_cells(task, workspace, depth, limit, a, above[a], high[a])
    for limit in range(arrays.number.size):
        if arrays.unchecked[limit]:
            count_people(task, arrays, limit)
    workspace.lost[0] += drop_too_few(task, arrays)
    return Cells(1, arrays.number.sum())


@kernel
def list_dropped(workspace, depth):
    """List the tuples that are dropped and were not so at a node; return how many."""
    labels, gone, dropped = workspace.limits.labels[depth, 0], workspace.limits.gone, 0
    for i in range(gone.size):
        workspace.dropped[dropped] = i
        dropped += int((gone[i] == 1) & (labels[i] != 0))
    return dropped


@kernel
def mark_used(task, arrays, limit, names):
    """Mark the cells of a limit in which a tuple of the table is left."""
    keys, number = arrays.keys[limit], arrays.number[limit]
    if not task.limits.of_population[limit]:
        for cell in range(number):
            names[cell] = arrays.people[limit, cell] > 0
        return
    names[:number] = 0
    for i in range(task.limits.tuples):
        names[keys[i]] |= 1 - arrays.gone[i]


@kernel
def relabel_limited(task, workspace, to, limit):
    """Make labels of the cells of a limit in which somebody is left."""
    arrays, names, number = workspace.limits, workspace.names, workspace.limits.number[limit]
    keys, labels, sizes = arrays.keys[limit], arrays.labels[to, limit], arrays.sizes[to, limit]
    if not arrays.split[limit]:
        arrays.classes[to, limit], sizes[:number] = number, arrays.people[limit, :number]
        for i in range(keys.size):
            labels[i] = keys[i] * (1 - arrays.gone[i])
        return
    mark_used(task, arrays, limit, names)
    n_labels = 1
    for cell in range(number):
        if names[cell]:
            names[cell], sizes[n_labels] = n_labels, arrays.people[limit, cell]
            n_labels += 1
    for i in range(keys.size):
        labels[i] = names[keys[i]] * (1 - arrays.gone[i])
    arrays.classes[to, limit] = n_labels


@inlined
def commit_limited(task, workspace, depth, to):
    """Make the cells just split those of a node: the same one, or its child.

    Returns the number of labels of all limits, and how many tuples are dropped.
    """
    n_dropped = list_dropped(workspace, depth)
    for limit in range(workspace.limits.number.size):
        relabel_limited(task, workspace, to, limit)
    return workspace.limits.classes[to].sum(), n_dropped
