"""Merging classes into those of coarser schemes, with how often each value occurs in them.

Coarser classes are unions of finer ones: to merge these takes time in their number, not in that of the
tuples. Each class has a row with the count of every value. Counts are so many bits wide that none is
wider, and lie side by side in words: to add words is to add all counts in them. The classes of several
schemes lie one scheme after the other: those from `starts[s]` to `starts[s + 1]` are of scheme s.
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
            for w in range(rows.shape[1]):
                new_rows[label, w] = rows[i, w]
        else:
            new_sizes[label] += sizes[i]
            for w in range(rows.shape[1]):
                new_rows[label, w] += rows[i, w]
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
            new_tuples[at], new_sizes[at] = tuples[i], sizes[i]
            for w in range(words.shape[1]):
                new_words[at, w] = words[i, w]
            for w in range(rows.shape[1]):
                new_rows[at, w] = rows[i, w]
            at += 1
    return at


@kernel
def raise_levels(words, tuples, sizes, rows, starts, chosen, parents, masks):
    """Merge the chosen classes of schemes into those of coarser ones, each given by its parent and mask.

    Those of one parent follow one another. A scheme is made from the last one of them that is finer,
    which has fewer classes, or from the parent.
    """
    most = 0
    for n in range(parents.size):
        most += chosen[starts[parents[n]] : starts[parents[n] + 1]].sum()
    new_words, new_tuples = np.empty((most, words.shape[1]), np.uint64), np.empty(most, np.int32)
    new_sizes, new_rows = np.empty(most, np.int64), np.empty((most, rows.shape[1]), np.uint64)
    new_starts = np.zeros(parents.size + 1, np.int64)
    labels, slots = (
        np.empty(max(most, sizes.size), np.int32),
        np.empty(4 * sizes.size + 2, np.int32),
    )
    every = np.ones(most, np.bool_)
    for n in range(parents.size):
        finer, parent = n - 1, parents[n]
        while finer >= 0 and parents[finer] == parent and not covers(masks[finer], masks[n]):
            finer -= 1
        if finer < 0 or parents[finer] != parent:
            end = merge_range(
                words, tuples, sizes, rows, chosen, starts[parent], starts[parent + 1], masks[n],
                new_words, new_tuples, new_sizes, new_rows, new_starts[n], labels, slots,
            )  # fmt: skip
        elif (masks[finer] == masks[n]).all():
            end = copy_range(
                new_words, new_tuples, new_sizes, new_rows, every,
                new_starts[finer], new_starts[finer + 1],
                new_words, new_tuples, new_sizes, new_rows, new_starts[n],
            )  # fmt: skip
        else:
            end = merge_range(
                new_words, new_tuples, new_sizes, new_rows, every,
                new_starts[finer], new_starts[finer + 1], masks[n],
                new_words, new_tuples, new_sizes, new_rows, new_starts[n], labels, slots,
            )  # fmt: skip
        new_starts[n + 1] = end
    end = new_starts[parents.size]
    return new_words[:end], new_tuples[:end], new_sizes[:end], new_rows[:end], new_starts


@kernel
def covers(finer, mask):
    """Whether a mask leaves no bits that the finer one does not."""
    for w in range(mask.size):
        if mask[w] & ~finer[w]:
            return False
    return True


@kernel
def group_classes(words, tuples, sizes, rows, starts, masks):
    """Merge the classes of each scheme that agree under its mask; return the group of each class too."""
    n = sizes.size
    new_words, new_tuples = np.empty((n, words.shape[1]), np.uint64), np.empty(n, np.int32)
    new_sizes, new_rows = np.empty(n, np.int64), np.empty((n, rows.shape[1]), np.uint64)
    labels, slots = np.empty(n, np.int32), np.empty(4 * n + 2, np.int32)
    every, new_starts = np.ones(n, np.bool_), np.zeros(starts.size, np.int64)
    end = np.int64(0)  # a literal would be a signature of its own
    for s in range(starts.size - 1):
        end = merge_range(
            words, tuples, sizes, rows, every, starts[s], starts[s + 1], masks[s],
            new_words, new_tuples, new_sizes, new_rows, end, labels, slots,
        )  # fmt: skip
        new_starts[s + 1] = end
    return new_words[:end], new_tuples[:end], new_sizes[:end], new_rows[:end], new_starts, labels


@kernel
def pack_counts(tuple_of_pair, value_of_pair, counts, word_of_value, shift_of_value, rows):
    """Add the counts of pairs of a tuple and a value to the rows of the tuples."""
    for i in range(counts.size):
        value = value_of_pair[i]
        count = np.uint64(counts[i]) << shift_of_value[value]
        rows[tuple_of_pair[i], word_of_value[value]] += count


@kernel
def list_entries(rows, chosen, word_of_value, shift_of_value, ones):
    """List the values that occur in each chosen row, of those whose word and shift are given.

    Returns where those of each row begin, the values, and their counts; see kernels/histograms.py.
    """
    most = chosen.size * word_of_value.size + 1
    starts, values = np.zeros(chosen.size + 1, np.int64), np.empty(most, np.int32)
    counts, n_entries = np.empty(most, np.int64), np.int64(0)
    for c in range(chosen.size):
        row = rows[chosen[c]]
        for value in range(word_of_value.size):
            count = np.int64((row[word_of_value[value]] >> shift_of_value[value]) & ones)
            values[n_entries], counts[n_entries] = value, count
            n_entries += count > 0  # else written over by the next one
        starts[c + 1] = n_entries
    return starts, values[:n_entries], counts[:n_entries]
