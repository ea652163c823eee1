"""Merging classes into those of a coarser scheme, with how often each value occurs in them.

Coarser classes are unions of finer ones: to merge these takes time in their number, not in that of the
tuples. While classes are merged, an entry of a histogram is a class, a value and a count, in no order.
What comes out lies class after class, as in kernels/histograms.py.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel

HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio


@kernel
def label_masked(words, mask):
    """Label the columns of words that agree under a mask in order of first appearance.

    Returns the labels and where each appears first. Open addressing; a slot holds the first word beside
    the label, so that looking it up is one step in most cases.
    """
    n, bits = words.shape[1], 1
    while (1 << bits) < 2 * n:
        bits += 1
    last, shift = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    slot, slot_word = np.full(1 << bits, -1, np.int32), np.empty(1 << bits, np.uint64)
    labels, first = np.empty(n, np.int32), np.empty(n, np.int32)
    n_labels, first_mask = 0, mask[0]
    for i in range(n):
        word = words[0, i] & first_mask
        key = word * HASH_MULTIPLIER
        for w in range(1, mask.size):
            key = ((key ^ (key >> np.uint64(29))) + (words[w, i] & mask[w])) * HASH_MULTIPLIER
        at = key >> shift
        label = slot[at]
        while label >= 0 and (slot_word[at] != word or differ(words, mask, first[label], i)):
            at = (at + np.uint64(1)) & last
            label = slot[at]
        if label < 0:
            label = n_labels
            slot[at], slot_word[at], first[label] = label, word, i
            n_labels += 1
        labels[i] = label
    return labels, first[:n_labels]


@kernel
def differ(words, mask, i, j):
    """Whether two columns of words differ under a mask, after the first word."""
    for w in range(1, mask.size):
        if (words[w, i] ^ words[w, j]) & mask[w]:
            return True
    return False


@kernel
def merge_classes(
    words, tuples, sizes, class_of, values, counts, mask, top, least, cells, changes, last
):
    """Merge the classes whose words agree under a mask; `class_of`, `values`, `counts` are the entries.

    Those are left out that have fewer than `least` records even when merged under `top`, or by themselves
    if they are the `last` to be made. Where the mask changes nothing, that need not be found out. There
    is a cell, zero before and after, for each class and value. Returns the merged classes: words, a tuple
    of each, sizes, and entries.
    """
    if changes:
        labels, first = label_masked(words, mask)
    else:
        labels = np.arange(sizes.size).astype(np.int32)
        first = labels.copy()
    merged_sizes = np.zeros(first.size, np.int64)
    for c in range(labels.size):
        merged_sizes[labels[c]] += sizes[c]
    merged_words = np.empty((mask.size, first.size), np.uint64)
    for w in range(mask.size):
        for m in range(first.size):
            merged_words[w, m] = words[w, first[m]] & mask[w]
    number = number_large(merged_words, merged_sizes, top, least, last)
    n_kept = 0
    for m in range(first.size):
        if number[m] >= 0:
            for w in range(mask.size):
                merged_words[w, n_kept] = merged_words[w, m]
            merged_sizes[n_kept], first[n_kept] = merged_sizes[m], tuples[first[m]]
            n_kept += 1
    new_class, new_values = np.empty(values.size, np.int32), np.empty(values.size, np.int32)
    new_counts, n_values = np.empty(values.size, np.int32), cells.shape[1]
    flat, n_entries = cells.ravel(), 0
    for e in range(values.size):
        label = number[labels[class_of[e]]]
        if label >= 0:
            cell = label * n_values + values[e]
            new_class[n_entries], new_values[n_entries] = label, values[e]
            n_entries += flat[cell] == 0  # else written over by the next one
            flat[cell] += counts[e]
    for e in range(n_entries):
        cell = new_class[e] * n_values + new_values[e]
        new_counts[e], flat[cell] = flat[cell], 0
    return (
        merged_words[:, :n_kept].copy(),
        first[:n_kept],
        merged_sizes[:n_kept],
        new_class[:n_entries],
        new_values[:n_entries],
        new_counts[:n_entries],
    )


@kernel
def number_large(words, sizes, mask, least, alone):
    """Number the classes that have enough records, alone or merged under a mask; -1 for the others."""
    number = np.empty(sizes.size, np.int32)
    if least <= 1:
        number[:] = np.arange(sizes.size)
        return number
    merged = sizes
    labels = np.arange(sizes.size).astype(np.int32)
    if not alone:
        labels, first = label_masked(words, mask)
        merged = np.zeros(first.size, np.int64)
        for c in range(sizes.size):
            merged[labels[c]] += sizes[c]
    n_large = 0
    for c in range(sizes.size):
        large = merged[labels[c]] >= least
        number[c] = n_large if large else -1
        n_large += large
    return number


@kernel
def merge_box(
    words, tuples, sizes, class_of, values, counts, masks, tops, levels, wanted, least, n_values
):
    """Merge classes into those of all wanted schemes of a box, each from those of a finer scheme.

    Schemes count like numbers, with `levels[d]` levels for the d-th digit, the last fastest.
    `masks[d, l]` leaves the bits of level l of the d-th attribute, and all of the others; `tops[d]` those
    of the attributes up to the d-th, and of the highest levels of the rest. Returns the classes of at
    least so many records, scheme after scheme: where those of each end, a tuple of each, sizes, and
    histograms.
    """
    depths = levels.size
    cells = np.zeros((sizes.size, n_values), np.int32)
    ends = np.zeros(wanted.size, np.int64)
    out_tuples, out_sizes = np.empty(1024, np.int32), np.empty(1024, np.int64)
    out_starts = np.zeros(1025, np.int64)
    out_values, out_counts = np.empty(4096, np.int32), np.empty(4096, np.int64)
    n_classes, n_entries = 0, 0
    nodes = [(words, tuples, sizes, class_of, values, counts) for _ in range(depths + 1)]
    at, digits = np.full(depths, -1, np.int64), np.zeros(depths, np.int64)
    for scheme in range(wanted.size):
        if wanted[scheme]:
            rest = scheme
            for d in range(depths - 1, -1, -1):
                digits[d] = rest % levels[d]
                rest //= levels[d]
            changed = 0
            while changed < depths - 1 and digits[changed] == at[changed]:
                changed += 1
            for d in range(
                changed, depths
            ):  # the first d attributes are set, the others as low as can be
                w, t, n, c, v, k = nodes[d]
                nodes[d + 1] = merge_classes(
                    w, t, n, c, v, k, masks[d, digits[d]], tops[d], least, cells,
                    digits[d] > 0, d == depths - 1,
                )  # fmt: skip
                at[d] = digits[d]
            w, t, n, c, v, k = nodes[depths]
            most = n_entries + v.size
            out_tuples = enlarge(out_tuples, n_classes + n.size)
            out_sizes = enlarge(out_sizes, n_classes + n.size)
            out_starts = enlarge(out_starts, n_classes + n.size + 1)
            out_values, out_counts = enlarge(out_values, most), enlarge(out_counts, most)
            out_tuples[n_classes : n_classes + n.size] = t
            out_sizes[n_classes : n_classes + n.size] = n
            for e in range(v.size):
                cells[c[e], v[e]] = k[e]
            for m in range(n.size):
                for value in range(n_values):
                    if cells[m, value] > 0:
                        out_values[n_entries], out_counts[n_entries] = value, cells[m, value]
                        n_entries += 1
                        cells[m, value] = 0
                n_classes += 1
                out_starts[n_classes] = n_entries
        ends[scheme] = n_classes
    return (
        ends,
        out_tuples[:n_classes],
        out_sizes[:n_classes],
        out_starts[: n_classes + 1],
        out_values[:n_entries],
        out_counts[:n_entries],
    )


@kernel
def enlarge(array, least):
    """Return an array of at least so many elements that begins with those of another."""
    if array.size >= least:
        return array
    larger = np.empty(max(least, 2 * array.size), array.dtype)
    larger[: array.size] = array
    return larger


@kernel
def sum_kept(ends, tuples, sizes, kept, schemes, codes, covered, offsets):
    """Sum what the kept classes of each scheme cover, for each attribute, and their records."""
    sums = np.zeros((offsets.size - 1, schemes.shape[0]), np.int64)
    records = np.zeros(schemes.shape[0], np.int64)
    begin = 0
    for s in range(schemes.shape[0]):
        for c in range(begin, ends[s]):
            if kept[c]:
                records[s] += sizes[c]
                for a in range(sums.shape[0]):
                    value = covered[schemes[s, a], offsets[a] + codes[a, tuples[c]]]
                    sums[a, s] += sizes[c] * value
        begin = ends[s]
    return sums, records


@kernel
def split_histograms(starts, values, counts, low, high):
    """Return the part of all histograms whose values lie in a range, numbered from its beginning."""
    new_starts = np.zeros(starts.size, np.int64)
    new_values, new_counts = np.empty(values.size, np.int32), np.empty(values.size, np.int64)
    n_entries = 0
    for c in range(starts.size - 1):
        for e in range(starts[c], starts[c + 1]):
            if low <= values[e] < high:
                new_values[n_entries], new_counts[n_entries] = values[e] - low, counts[e]
                n_entries += 1
        new_starts[c + 1] = n_entries
    return new_starts, new_values[:n_entries].copy(), new_counts[:n_entries].copy()
