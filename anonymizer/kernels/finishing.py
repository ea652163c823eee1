"""The classes of all schemes that differ in the last attributes only, group by group.

Schemes that agree in the levels of the first attributes have their classes inside groups, those that
agree in these attributes. A group has few classes: they stay close at hand while the levels of the last
attributes are gone through.

The values of the last attributes together are a cell, a number. `lift[a, level, cell]` is the first of
the cells that agree with it once the a-th of them is raised to a level.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel


@kernel
def sort_by_group(group, n_groups):
    """List the classes group after group; return where those of each begin too."""
    starts = np.zeros(n_groups + 1, np.int64)
    for c in range(group.size):
        starts[group[c] + 1] += 1
    for g in range(n_groups):
        starts[g + 1] += starts[g]
    members, at = np.empty(group.size, np.int32), starts[:-1].copy()
    for c in range(group.size):
        members[at[group[c]]] = c
        at[group[c]] += 1
    return members, starts


@kernel
def merge_cells(cells, tuples, sizes, rows, source, target, n, lifted, place):
    """Merge some classes of one buffer whose lifted cells agree into another; return their number.

    The buffers may be the same. `place` says where a cell was last put, in whichever buffer.
    """
    n_merged = 0
    for i in range(n):
        cell = lifted[cells[source, i]]
        at = place[cell]
        if at < n_merged and cells[target, at] == cell:
            sizes[target, at] += sizes[source, i]
            for value in range(rows.shape[2]):
                rows[target, at, value] += rows[source, i, value]
        else:
            place[cell] = n_merged
            cells[target, n_merged] = cell
            tuples[target, n_merged] = tuples[source, i]
            sizes[target, n_merged] = sizes[source, i]
            for value in range(rows.shape[2]):
                rows[target, n_merged, value] = rows[source, i, value]
            n_merged += 1
    return n_merged


@kernel
def finish_groups(
    tuples, sizes, rows, group, group_starts, group_sizes, alive,
    cell_of_tuple, lift, low, wanted, digits, least,
):  # fmt: skip
    """List the classes of at least so many records of all wanted schemes, from those of the low ones.

    Scheme s has the groups from `group_starts[s]` on, of which only those alive are looked at. `low[s]`
    are the levels of the last attributes in its classes, `digits[t]` those of the t-th finished scheme,
    in ascending order, of which `wanted[s, t]` are made. Returns a tuple, the size and the row of each
    class, and its scheme, numbered as those wanted are.
    """
    members, starts = sort_by_group(group, group_sizes.size)
    n_attributes, n_values = digits.shape[1], rows.shape[1]
    most, widest, n_wanted = 0, 1, wanted.sum(axis=1)
    for s in range(wanted.shape[0]):
        for g in range(group_starts[s], group_starts[s + 1]):
            if alive[g]:
                n = starts[g + 1] - starts[g]
                widest = max(widest, n)
                most += n_wanted[s] * min(n, group_sizes[g] // least)
    new_tuples, new_sizes = np.empty(most, np.int32), np.empty(most, np.int64)
    new_rows, new_schemes = np.empty((most, n_values), np.int32), np.empty(most, np.int32)
    # a buffer for the classes of the group, and one for each attribute that is raised
    cells = np.empty((n_attributes + 1, widest), np.int32)
    own_tuples, own_sizes = np.empty_like(cells), np.empty((n_attributes + 1, widest), np.int64)
    own_rows = np.empty((n_attributes + 1, widest, n_values), np.int32)
    place = np.zeros(lift.shape[2], np.int32)
    buffer, counts = np.zeros(n_attributes + 1, np.int64), np.zeros(n_attributes + 1, np.int64)
    current = np.empty(n_attributes, np.int64)
    n_new, first_scheme = 0, 0
    for s in range(wanted.shape[0]):
        for g in range(group_starts[s], group_starts[s + 1]):
            if not alive[g]:
                continue
            counts[0] = starts[g + 1] - starts[g]
            for i in range(counts[0]):
                c = members[starts[g] + i]
                cell = cell_of_tuple[tuples[c]]
                for a in range(n_attributes):
                    cell = lift[a, low[s, a], cell]
                cells[0, i], own_tuples[0, i], own_sizes[0, i] = cell, tuples[c], sizes[c]
                for value in range(n_values):
                    own_rows[0, i, value] = rows[c, value]
            current[:], scheme = -1, first_scheme
            for t in range(wanted.shape[1]):
                if not wanted[s, t]:
                    continue
                same = 0
                while same < n_attributes and current[same] == digits[t, same]:
                    same += 1
                for a in range(same, n_attributes):
                    # from the level before, if what stands before it is the same
                    source = buffer[a + 1] if a == same and current[a] >= 0 else buffer[a]
                    n = counts[a + 1] if a == same and current[a] >= 0 else counts[a]
                    current[a] = digits[t, a]
                    if current[a] == low[s, a] or n == 1:
                        buffer[a + 1], counts[a + 1] = source, n
                        continue
                    buffer[a + 1] = a + 1
                    counts[a + 1] = merge_cells(
                        cells, own_tuples, own_sizes, own_rows, source, a + 1, n,
                        lift[a, current[a]], place,
                    )  # fmt: skip
                last = buffer[n_attributes]
                for i in range(counts[n_attributes]):
                    if own_sizes[last, i] >= least:
                        new_tuples[n_new], new_sizes[n_new] = (
                            own_tuples[last, i],
                            own_sizes[last, i],
                        )
                        new_schemes[n_new] = scheme
                        for value in range(n_values):
                            new_rows[n_new, value] = own_rows[last, i, value]
                        n_new += 1
                scheme += 1
        first_scheme += n_wanted[s]
    return new_tuples[:n_new], new_sizes[:n_new], new_rows[:n_new], new_schemes[:n_new]
