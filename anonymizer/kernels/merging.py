"""Merging classes into those of coarser schemes, with how often each value occurs in them.

Coarser classes are unions of finer ones: to merge these takes time in their number, not in that of the
tuples. Each class has a row with the count of every value. The classes of several schemes lie one scheme
after the other: those from `starts[s]` to `starts[s + 1]` are of scheme s.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel

HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio


@kernel
def merge_range(
    words, tuples, sizes, rows, chosen, begin, end, mask,
    new_words, new_tuples, new_sizes, new_rows, new_begin, labels, slots,
):  # fmt: skip
    """Merge the chosen classes of a range whose words agree under a mask; return where the new ones end.

    The new ones are written from `new_begin` on, and their places to `labels`. Open addressing; `slots`
    is room to work in, for at least twice as many classes and a power of two.
    """
    bits = 1
    while (1 << bits) < 2 * (end - begin):
        bits += 1
    last, shift = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    slots[: 1 << bits] = -1
    n_new, n_words, first_mask = new_begin, mask.size, mask[0]
    for i in range(begin, end):
        if not chosen[i]:
            continue
        word = words[i, 0] & first_mask
        key = word * HASH_MULTIPLIER
        for w in range(1, n_words):
            key = ((key ^ (key >> np.uint64(29))) + (words[i, w] & mask[w])) * HASH_MULTIPLIER
        at = key >> shift
        label = slots[at]
        while label >= 0 and (
            new_words[label, 0] != word
            or (n_words > 1 and differ(new_words, label, words, i, mask))
        ):
            at = (at + np.uint64(1)) & last
            label = slots[at]
        if label < 0:
            label = slots[at] = n_new
            n_new += 1
            for w in range(n_words):
                new_words[label, w] = words[i, w] & mask[w]
            new_tuples[label], new_sizes[label] = tuples[i], sizes[i]
            for value in range(rows.shape[1]):
                new_rows[label, value] = rows[i, value]
        else:
            new_sizes[label] += sizes[i]
            for value in range(rows.shape[1]):
                new_rows[label, value] += rows[i, value]
        labels[i] = label
    return n_new


@kernel
def differ(masked, i, words, j, mask):
    """Whether masked words differ from others under the mask, after the first."""
    for w in range(1, mask.size):
        if masked[i, w] != words[j, w] & mask[w]:
            return True
    return False


@kernel
def copy_range(
    words, tuples, sizes, rows, chosen, begin, end, new_words, new_tuples, new_sizes, new_rows, at
):
    """Copy the chosen classes of a range to a place; return where they end."""
    for i in range(begin, end):
        if chosen[i]:
            new_words[at], new_tuples[at], new_sizes[at] = words[i], tuples[i], sizes[i]
            for value in range(rows.shape[1]):
                new_rows[at, value] = rows[i, value]
            at += 1
    return at


@kernel
def raise_levels(words, tuples, sizes, rows, starts, chosen, masks, wanted):
    """Merge the chosen classes of each scheme into those at higher levels of one attribute.

    `masks[l]` leaves the bits of its level l, and all of the others; level 0 changes nothing.
    `wanted[s, l]` says which levels to make of scheme s, each from the one before, which has fewer
    classes. Returns the classes, those of a scheme level after level.
    """
    most = 0
    for s in range(wanted.shape[0]):
        most += (starts[s + 1] - starts[s]) * wanted[s].sum()
    new_words, new_tuples = np.empty((most, words.shape[1]), np.uint64), np.empty(most, np.int32)
    new_sizes, new_rows = np.empty(most, np.int64), np.empty((most, rows.shape[1]), np.int32)
    new_starts = np.zeros(wanted.sum() + 1, np.int64)
    labels, slots = (
        np.empty(max(most, sizes.size), np.int32),
        np.empty(4 * sizes.size + 2, np.int32),
    )
    every = np.ones(most, np.bool_)
    made = 0
    for s in range(wanted.shape[0]):
        before = -1
        for level in range(wanted.shape[1]):
            if not wanted[s, level]:
                continue
            if level == 0:
                end = copy_range(
                    words, tuples, sizes, rows, chosen, starts[s], starts[s + 1],
                    new_words, new_tuples, new_sizes, new_rows, new_starts[made],
                )  # fmt: skip
            elif before < 0:
                end = merge_range(
                    words, tuples, sizes, rows, chosen, starts[s], starts[s + 1], masks[level],
                    new_words, new_tuples, new_sizes, new_rows, new_starts[made], labels, slots,
                )  # fmt: skip
            else:
                end = merge_range(
                    new_words, new_tuples, new_sizes, new_rows, every,
                    new_starts[made - 1], new_starts[made], masks[level],
                    new_words, new_tuples, new_sizes, new_rows, new_starts[made], labels, slots,
                )  # fmt: skip
            before = level
            made += 1
            new_starts[made] = end
    end = new_starts[made]
    return new_words[:end], new_tuples[:end], new_sizes[:end], new_rows[:end], new_starts


@kernel
def group_classes(words, tuples, sizes, rows, starts, mask):
    """Merge the classes of each scheme that agree under a mask; return the group of each class too."""
    n = sizes.size
    new_words, new_tuples = np.empty((n, words.shape[1]), np.uint64), np.empty(n, np.int32)
    new_sizes, new_rows = np.empty(n, np.int64), np.empty((n, rows.shape[1]), np.int32)
    labels, slots = np.empty(n, np.int32), np.empty(4 * n + 2, np.int32)
    every, new_starts, end = np.ones(n, np.bool_), np.zeros(starts.size, np.int64), 0
    for s in range(starts.size - 1):
        end = merge_range(
            words, tuples, sizes, rows, every, starts[s], starts[s + 1], mask,
            new_words, new_tuples, new_sizes, new_rows, end, labels, slots,
        )  # fmt: skip
        new_starts[s + 1] = end
    return new_words[:end], new_tuples[:end], new_sizes[:end], new_rows[:end], new_starts, labels


@kernel
def list_entries(rows, chosen, low, high):
    """List the values of a range that occur in each chosen row, numbered from its beginning.

    Returns where those of each row begin, the values, and their counts; see kernels/histograms.py.
    """
    most = chosen.size * (high - low) + 1
    starts, values = np.zeros(chosen.size + 1, np.int64), np.empty(most, np.int32)
    counts, n_entries = np.empty(most, np.int64), 0
    for c in range(chosen.size):
        row = rows[chosen[c]]
        for value in range(low, high):
            values[n_entries], counts[n_entries] = value - low, row[value]
            n_entries += row[value] > 0  # else written over by the next one
        starts[c + 1] = n_entries
    return starts, values[:n_entries], counts[:n_entries]


@kernel
def sum_kept(starts, tuples, sizes, kept, schemes, places, covered):
    """Sum what the kept classes of each scheme cover, for each attribute, and their records.

    `covered[level, places[tuple, attribute]]` is what a value covers.
    """
    sums = np.zeros((schemes.shape[1], schemes.shape[0]), np.int64)
    records = np.zeros(schemes.shape[0], np.int64)
    for s in range(schemes.shape[0]):
        for c in range(starts[s], starts[s + 1]):
            if kept[c]:
                records[s] += sizes[c]
                for a in range(sums.shape[0]):
                    value = covered[schemes[s, a], places[tuples[c], a]]
                    sums[a, s] += sizes[c] * value
    return sums, records


@kernel
def sum_most_kept(
    starts, tuples, sizes, group, group_starts, group_tuples, group_sizes, kept, low, high,
    places, covered, by_cover, offsets,
):  # fmt: skip
    """Sum what is covered at least, at each scheme and each level of a range, if groups are kept so far.

    Of each group at most `kept` records are kept, of all groups that are not kept whole those that cover
    least, for each attribute and level anew. An attribute with only one level is the same in a group.
    Returns the sums, and how many records are kept.
    """
    n_schemes, n_attributes = low.shape
    sums = np.zeros((n_attributes, n_schemes, covered.shape[0]), np.int64)
    records = np.zeros(n_schemes, np.int64)
    by_code = np.zeros((2, covered.shape[1]), np.int64)  # of groups kept partly, and whole
    whole = (kept == group_sizes).astype(np.int64)
    for s in range(n_schemes):
        by_code[:], exempt = 0, 0
        is_set = low[s] == high[s]
        set_ones, free_ones = np.flatnonzero(is_set), np.flatnonzero(~is_set)
        for g in range(group_starts[s], group_starts[s + 1]):
            records[s] += kept[g]
            exempt += kept[g] * (1 - whole[g])
            if kept[g] > 0:
                for a in set_ones:
                    by_code[whole[g], places[group_tuples[g], a]] += group_sizes[g]
        for c in range(starts[s], starts[s + 1]):
            own = group[c]
            if kept[own] > 0:
                for a in free_ones:
                    by_code[whole[own], places[tuples[c], a]] += sizes[c]
        for each in range(n_attributes):
            for level in range(low[s, each], high[s, each] + 1):
                sums[each, s, level] = sum_least(
                    by_code,
                    covered[level],
                    by_cover[level],
                    offsets[each],
                    offsets[each + 1],
                    exempt,
                )
    return sums, records


@kernel
def sum_least(by_code, covered, by_cover, begin, end, exempt):
    """Sum what all records of the second row cover, and so many of the first that cover least."""
    total = 0
    for at in range(begin, end):
        total += by_code[1, at] * covered[at]
    left = exempt
    for at in by_cover[begin:end]:
        if left <= 0:
            break
        more = min(by_code[0, at], left)
        left -= more
        total += more * covered[at]
    return total


@kernel
def close_blocks(blocks, at, feasible, terms, low, levels, depth, limit):
    """Close the schemes of some blocks whose sum of terms is above a limit.

    A block has the schemes with the levels of the first `depth` attributes set; they count like numbers,
    the last attribute fastest. `terms[a, s, l]` is the term of block s at level l.
    """
    n_attributes = levels.size
    digits = np.zeros(n_attributes, np.int64)
    for s in range(at.size):
        fixed = 0.0
        for a in range(depth):
            fixed += terms[a, s, low[s, a]]
        digits[:] = 0
        for i in range(blocks.shape[1]):
            total = fixed
            for a in range(depth, n_attributes):
                total += terms[a, s, low[s, a] + digits[a]]
            blocks[at[s], i] &= feasible[s] and total <= limit
            a = n_attributes - 1
            while a >= depth and digits[a] == levels[a] - 1:
                digits[a] = 0
                a -= 1
            if a >= depth:
                digits[a] += 1
