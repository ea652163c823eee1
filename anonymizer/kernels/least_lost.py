"""How many records every scheme finer than a partition loses, as the sizes of its classes say.

Take what a finer scheme keeps, and look at it here: it has no more classes here than there, and what is
alone in its class here is so there. Where that takes only a part of a class, put the rest back: as many
classes, more records. So what is kept there is no more than the most that whole classes, kept here, could
be within the same limits. For each limit that most is found by suppressing the smallest classes first: of
all ways to suppress so many classes, it takes the fewest records and leaves the largest classes.
"""

from __future__ import annotations

from anonymizer.kernels.compilation import inlined, kernel


@kernel
def count_sizes(workspace, cells):
    """Count the cells of each size, empty ones and those suppressed before apart.

    Sizes beyond the last that is counted are taken for that one.
    """
    histogram, sizes = workspace.histogram, workspace.cells
    histogram[:] = 0
    most = sizes.dtype.type(histogram.size - 1)
    for cell in range(cells.suppressed, cells.number):
        histogram[min(sizes[cell], most)] += 1
    histogram[0] = 0


@kernel
def sum_small(task, workspace, cells):
    """Return the records in cells below the least class of the only threshold."""
    sizes, lost = workspace.cells, 0
    enough = sizes.dtype.type(task.least_classes[0])
    for cell in range(cells.suppressed, cells.number):
        lost += sizes[cell] if sizes[cell] < enough else 0
    return lost


@kernel
def sum_records(task, workspace, cells):
    """Return the records in cells with fewer people than the least class of the only threshold."""
    keys, sizes, lost = workspace.keys, workspace.cells, 0
    enough = sizes.dtype.type(task.least_classes[0])
    for i in range(keys.size):
        small = keys[i] >= cells.suppressed and sizes[keys[i]] < enough
        lost += task.counts[i] if small else 0
    return lost


@kernel
def first_cut(histogram, start, classes, kept, average):
    """Return the records of the smallest classes that must go until few are left for so many records.

    Classes below `start` are gone. Stops where classes are no longer counted, so that it may return less.
    """
    lost = 0
    for size in range(start, histogram.size - 1):
        if classes == 0 or classes / kept <= average:
            return lost
        here = histogram[size]
        if here and (classes > here) and (classes - here) / (kept - here * size) > average:
            lost, classes, kept = lost + here * size, classes - here, kept - here * size
            continue
        for _ in range(here):
            if classes == 0 or classes / kept <= average:
                return lost
            lost, classes, kept = lost + size, classes - 1, kept - size
    return lost


@kernel
def lost_at(task, histogram, total_classes, kept, threshold):
    """Return how many of the kept records are lost at one threshold, at least."""
    lost, classes, least = 0, total_classes, task.least_classes[threshold]
    for size in range(1, least):
        lost += size * histogram[size]
        classes -= histogram[size]
    more = 0
    if classes and classes / (kept - lost) > task.averages[threshold]:
        more = first_cut(histogram, least, classes, kept - lost, task.averages[threshold])
    if least == 1:
        alone = histogram[1]
        more = max(more, alone - task.uniques[threshold])
        more = max(more, min(alone, classes - task.classes[threshold]))
    return lost + more


@inlined
def count_lost(task, workspace, cells, kept, first, last):
    """Count what cells lose at each threshold from the first to the last, of so many records kept."""
    lost = workspace.lost
    if task.members.of_tuple.size:
        lost[0] = sum_records(task, workspace, cells)
        return
    if task.by_size:
        lost[0] = sum_small(task, workspace, cells)
        return
    count_sizes(workspace, cells)
    histogram = workspace.histogram
    classes = histogram.sum()
    for threshold in range(first, last + 1):
        lost[threshold] = lost_at(task, histogram, classes, kept, threshold)
