"""Labelling equal keys and counting what lies under a label."""

from __future__ import annotations

import numpy as np
from numba import njit

HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads mixed-radix keys


@njit(cache=True, nogil=True)
def add_digits(keys, codes, groups, offsets, levels, strides):
    """Add to each tuple's key its value of each attribute at the attribute's level, as a digit.

    `groups[level, offset + code]` is the value; an attribute with stride 0 is passed over.
    """
    for a in range(levels.size):
        stride, offset, level = strides[a], offsets[a], levels[a]
        if stride:
            for i in range(keys.size):
                keys[i] += stride * groups[level, offset + codes[a, i]]


@njit(cache=True, nogil=True)
def label_direct(keys, key_space):
    """Label equal keys 0, 1, ... in order of first appearance, by one slot for each possible key.

    Returns the labels and where each label appears first.
    """
    slot = np.full(key_space, -1, np.int32)
    first = np.empty(min(keys.size, key_space), np.int32)
    labels = np.empty(keys.size, np.int32)
    n_labels = 0
    for i in range(keys.size):
        label = slot[keys[i]]
        if label < 0:
            label = n_labels
            slot[keys[i]] = label
            first[label] = i
            n_labels += 1
        labels[i] = label
    return labels, first[:n_labels].copy()


@njit(cache=True, nogil=True)
def label_hashed(keys, bits):
    """Label equal keys 0, 1, ... in order of first appearance, by open addressing in 2^bits slots.

    Returns the labels and where each label appears first.
    """
    mask = np.uint64((1 << bits) - 1)
    shift = np.uint64(64 - bits)
    slot = np.full(1 << bits, -1, np.int32)
    first = np.empty(keys.size, np.int32)
    labels = np.empty(keys.size, np.int32)
    n_labels = 0
    for i in range(keys.size):
        at = (np.uint64(keys[i]) * HASH_MULTIPLIER) >> shift
        label = slot[at]
        while label >= 0 and keys[first[label]] != keys[i]:
            at = (at + np.uint64(1)) & mask
            label = slot[at]
        if label < 0:
            label = n_labels
            slot[at] = label
            first[label] = i
            n_labels += 1
        labels[i] = label
    return labels, first[:n_labels].copy()


@njit(cache=True, nogil=True)
def relabel(labels, new_labels):
    """Replace each label in place by its new one."""
    for i in range(labels.size):
        labels[i] = new_labels[labels[i]]


@njit(cache=True, nogil=True)
def count_by_label(labels, n_labels):
    """Count the positions with each label."""
    counts = np.zeros(n_labels, np.int32)
    for label in labels:
        counts[label] += 1
    return counts


@njit(cache=True, nogil=True)
def extract_digit(keys, stride, radix):
    """Extract one digit of mixed-radix keys."""
    digits = np.empty(keys.size, np.int32)
    for i in range(keys.size):
        digits[i] = (keys[i] // stride) % radix
    return digits


@njit(cache=True, nogil=True)
def sum_by_label(labels, counts, n_labels):
    """Sum the counts under each label."""
    sums = np.zeros(n_labels, np.int64)
    for i in range(labels.size):
        sums[labels[i]] += counts[i]
    return sums


@njit(cache=True, nogil=True)
def select_by_label(labels, chosen):
    """List the positions whose label is chosen."""
    selected = np.empty(labels.size, np.int32)
    n_selected = 0
    for i in range(labels.size):
        if chosen[labels[i]]:
            selected[n_selected] = i
            n_selected += 1
    return selected[:n_selected]


@njit(cache=True, nogil=True)
def sum_covered(selected, codes, counts, covered, by_cover, offsets, lowest, highest, spared):
    """Sum what the selected tuples' values cover, for each attribute and level of a range.

    `covered[level, offset + code]` is what a value covers; a tuple counts as often as it occurs. Of
    all records so counted, the `spared` ones that cover least are left out, for each attribute and
    level anew; `by_cover[level, offset:]` lists the places by what they cover.
    """
    totals = np.zeros((highest.size, covered.shape[0]), np.int64)
    by_code = np.zeros(covered.shape[1], np.int64)
    for a in range(highest.size):
        for i in selected:
            by_code[offsets[a] + codes[a, i]] += counts[i]
        for level in range(lowest[a], highest[a] + 1):
            left_out = spared
            for place in range(offsets[a], offsets[a + 1]):
                at = by_cover[level, place] if spared else place
                records = by_code[at]
                if left_out > 0:
                    records -= min(records, left_out)
                    left_out -= by_code[at] - records
                totals[a, level] += records * covered[level, at]
    return totals


@njit(cache=True, nogil=True)
def sum_shares(tuples, codes, shares, offsets, levels):
    """Sum over the attributes what share of its domain each tuple's value covers at its level."""
    sums = np.zeros(tuples.size)
    for a in range(levels.size):
        offset, level = offsets[a], levels[a]
        for i in range(tuples.size):
            sums[i] += shares[level, offset + codes[a, tuples[i]]]
    return sums


@njit(cache=True, nogil=True)
def mark_least(marked, candidates, values, limit, n_marks):
    """Mark the candidates with the least values: all below the limit, then the first that equal it."""
    n_equal = n_marks
    for value in values:
        if value < limit:
            n_equal -= 1
    for i in range(candidates.size):
        if values[i] < limit:
            marked[candidates[i]] = True
        elif values[i] == limit and n_equal > 0:
            marked[candidates[i]] = True
            n_equal -= 1
