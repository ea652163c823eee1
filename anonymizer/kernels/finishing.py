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

HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio
MEMO_BITS = 12
MEMO_SHIFT = np.uint64(64 - MEMO_BITS)

ANYTHING, SHARES, DISTANCE, ENTROPY = range(4)
"""Kinds of criteria: none, limits on shares, on the distance over a tree, and on the entropy."""


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
def merge_cells(cells, tuples, sizes, rows, source, target, n, lift, a, level, place):
    """Merge some classes of one buffer whose lifted cells agree into another; return how many there are.

    The buffers may be the same. `place` says where a cell was last put, in whichever buffer.
    """
    n_merged = 0
    for i in range(n):
        cell = lift[a, level, cells[source, i]]
        at = place[cell]
        found = (at < n_merged) & (cells[target, at] == cell)
        if found:
            sizes[target, at] += sizes[source, i]
            for w in range(rows.shape[2]):
                rows[target, at, w] += rows[source, i, w]
        else:
            place[cell] = n_merged
            cells[target, n_merged] = cell
            tuples[target, n_merged] = tuples[source, i]
            sizes[target, n_merged] = sizes[source, i]
            for w in range(rows.shape[2]):
                rows[target, n_merged, w] = rows[source, i, w]
            n_merged += 1
    return n_merged


@kernel
def passes(
    rows,
    buffer,
    i,
    size,
    kind,
    least,
    most,
    groups,
    limit,
    needed,
    words,
    shifts,
    ones,
    counts,
    sums,
):
    """Whether a class meets a criterion, given its packed counts, `rows[buffer, i]`.

    What each kind asks for says kernels/histograms.py. Each value has its word and its shift; `ones` are
    the bits of a count. `counts` and `sums` are room to work in; the latter are 0 before and after.
    """
    if kind == ANYTHING:
        return True
    for value in range(words.size):
        counts[value] = np.int64((rows[buffer, i, words[value]] >> shifts[value]) & ones)
    if kind == SHARES:
        return within_shares(counts, float(size), least, most, needed)
    if kind == DISTANCE:
        return within_distance(counts, size, groups, most, limit, sums)
    return has_entropy(counts, needed, limit)


@kernel
def within_shares(counts, size, least, most, needed):
    """Whether the shares of all values that occur are between limits; see `outside_shares`."""
    present = 0
    for value in range(counts.size):
        count = counts[value]
        if count > 0:
            lowest = least[value] * size
            if count >= most[value] * size or count <= lowest:
                return False
            present += lowest > 0
    return present >= needed


@kernel
def within_distance(counts, size, groups, shares, limit, sums):
    """Whether the distance from the overall shares is no more than a limit; see `grouped_distances`."""
    levels, total, exceeds = groups.shape[0], float(size), 0.0
    for value in range(counts.size):
        exceeds += max(0.0, counts[value] - shares[groups[0, value]] * total)
    for level in range(1, levels):
        for value in range(counts.size):
            sums[groups[level, value]] += counts[value]
        for value in range(counts.size):
            group = groups[level, value]
            exceeds += max(0.0, sums[group] - shares[group] * total)
            sums[group] = 0.0  # the next value of the group adds nothing
    return exceeds / total / levels <= limit


@kernel
def has_entropy(counts, needed, limit):
    """Whether there are so many values, and so much entropy in nats; see `below_entropy`."""
    present, total, weighted = 0, 0, 0.0
    for value in range(counts.size):
        count = counts[value]
        if count > 0:
            present += 1
            total += count
            weighted += count * np.log(count)
    return present >= needed and not weighted > total * (np.log(total) - limit)


@kernel
def measure_room(group_starts, group_sizes, alive, starts, n_wanted, least_class):
    """Return how many classes may pass, at most, and how many the widest group has."""
    room, widest = 1, 1
    for s in range(n_wanted.size):
        for g in range(group_starts[s], group_starts[s + 1]):
            if alive[g]:
                n = starts[g + 1] - starts[g]
                widest = max(widest, n)
                room += n_wanted[s] * min(n, group_sizes[g] // least_class)
    return room, widest


@kernel
def take_group(members, tuples, sizes, rows, cell_of_tuple, lift, low, buffers):
    """Put the classes of a group into the first of the buffers."""
    cells, own_tuples, own_sizes, own_rows = buffers
    for i in range(members.size):
        c = members[i]
        cell = cell_of_tuple[tuples[c]]
        for a in range(low.size):
            cell = lift[a, low[a], cell]
        cells[0, i], own_tuples[0, i], own_sizes[0, i] = cell, tuples[c], sizes[c]
        for w in range(rows.shape[1]):
            own_rows[0, i, w] = rows[c, w]


@kernel
def finish_groups(
    tuples, sizes, rows, group, group_starts, group_sizes, alive,
    cell_of_tuple, lift, low, wanted, digits, least_class, criterion, layout, with_rows,
):  # fmt: skip
    """List the classes that pass, of all wanted schemes, from the classes of the low ones.

    Those pass that have at least so many records and meet a criterion; see `passes`.

    Scheme s has the groups from `group_starts[s]` on, of which only those alive are looked at. `low[s]`
    are the levels of the last attributes in its classes, `digits[t]` those of the t-th finished scheme,
    in ascending order, of which `wanted[s, t]` are made. Returns a tuple, the size and the row of each
    class, if rows are asked for, and its scheme, numbered as those wanted are.
    """
    members, starts = sort_by_group(group, group_sizes.size)
    n_attributes, n_words = digits.shape[1], rows.shape[1]
    n_wanted = wanted.sum(axis=1)
    room, widest = measure_room(group_starts, group_sizes, alive, starts, n_wanted, least_class)
    new_tuples, new_sizes = np.empty(room, np.int32), np.empty(room, np.int64)
    new_rows = np.empty((room if with_rows else 0, n_words), np.uint64)
    new_schemes = np.empty(room, np.int32)
    # arrays of a tuple, and parts of arrays, would be counted as references class by class
    kind, least, most, groups, limit, needed = criterion
    words, shifts, ones = layout
    counts, sums = np.zeros(words.size, np.int64), np.zeros(max(words.size, most.size))
    in_one_word, verdicts = n_words == 1, np.zeros(1 << MEMO_BITS, np.bool_)
    # the same few counts come again and again; they decide, for a class is as large as their sum
    judged_rows = np.zeros(1 << MEMO_BITS, np.uint64)  # no class has no records
    # a buffer for the classes of the group, and one for each attribute that is raised
    cells = np.empty((n_attributes + 1, widest), np.int32)
    own_tuples, own_sizes = np.empty_like(cells), np.empty((n_attributes + 1, widest), np.int64)
    own_rows = np.empty((n_attributes + 1, widest, n_words), np.uint64)
    place = np.zeros(lift.shape[2], np.int32)
    buffer, lengths = np.zeros(n_attributes + 1, np.int64), np.zeros(n_attributes + 1, np.int64)
    current = np.empty(n_attributes, np.int64)
    n_new, first_scheme = 0, 0
    for s in range(wanted.shape[0]):
        for g in range(group_starts[s], group_starts[s + 1]):
            if not alive[g]:
                continue
            lengths[0] = starts[g + 1] - starts[g]
            take_group(
                members[starts[g] : starts[g + 1]], tuples, sizes, rows, cell_of_tuple, lift, low[s],
                (cells, own_tuples, own_sizes, own_rows),
            )  # fmt: skip
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
                    n = lengths[a + 1] if a == same and current[a] >= 0 else lengths[a]
                    current[a] = digits[t, a]
                    if current[a] == low[s, a] or n == 1:
                        buffer[a + 1], lengths[a + 1] = source, n
                        continue
                    buffer[a + 1] = a + 1
                    lengths[a + 1] = merge_cells(
                        cells, own_tuples, own_sizes, own_rows, source, a + 1, n,
                        lift, a, current[a], place,
                    )  # fmt: skip
                last = buffer[n_attributes]
                for i in range(lengths[n_attributes]):
                    size = own_sizes[last, i]
                    key = own_rows[last, i, 0]
                    at = (key * HASH_MULTIPLIER) >> MEMO_SHIFT
                    if in_one_word and judged_rows[at] == key:
                        kept = verdicts[at]
                    else:
                        kept = size >= least_class and passes(
                            own_rows, last, i, size, kind, least, most, groups, limit, needed,
                            words, shifts, ones, counts, sums,
                        )  # fmt: skip
                        judged_rows[at], verdicts[at] = key, kept
                    # written over by the next one unless it is kept
                    new_tuples[n_new], new_sizes[n_new] = own_tuples[last, i], size
                    new_schemes[n_new] = scheme
                    if with_rows:
                        for w in range(n_words):
                            new_rows[n_new, w] = own_rows[last, i, w]
                    n_new += kept
                scheme += 1
        first_scheme += n_wanted[s]
    return new_tuples[:n_new], new_sizes[:n_new], new_rows[: n_new * with_rows], new_schemes[:n_new]
