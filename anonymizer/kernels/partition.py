"""Labelling equal keys and counting what lies under a label."""

from __future__ import annotations

import numpy as np
from numba import njit

HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads mixed-radix keys


@njit(cache=True, nogil=True)
def add_codes(keys, codes, contribution):
    """Add to each key what its code contributes."""
    for i in range(keys.size):
        keys[i] += contribution[codes[i]]


@njit(cache=True, nogil=True)
def label_direct(keys, key_space):
    """Label equal keys 0, 1, ... in order of first appearance, by one slot for each possible key."""
    slot = np.full(key_space, -1, np.int32)
    labels = np.empty(keys.size, np.int32)
    n_labels = 0
    for i in range(keys.size):
        label = slot[keys[i]]
        if label < 0:
            label = n_labels
            slot[keys[i]] = label
            n_labels += 1
        labels[i] = label
    return labels, n_labels


@njit(cache=True, nogil=True)
def label_hashed(keys, bits):
    """Label equal keys 0, 1, ... in order of first appearance, by open addressing in 2^bits slots."""
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
    return labels, n_labels


@njit(cache=True, nogil=True)
def sum_by_label(labels, counts, n_labels):
    """Sum the counts under each label."""
    sums = np.zeros(n_labels, np.int64)
    for i in range(labels.size):
        sums[labels[i]] += counts[i]
    return sums


@njit(cache=True, nogil=True)
def first_by_label(labels, n_labels):
    """Find the first position of each label; labels are numbered by first appearance."""
    first = np.empty(n_labels, np.int64)
    n_seen = 0
    for i in range(labels.size):
        if labels[i] == n_seen:
            first[n_seen] = i
            n_seen += 1
    return first


@njit(cache=True, nogil=True)
def select_by_label(labels, chosen):
    """List the positions whose label is chosen."""
    n_selected = 0
    for i in range(labels.size):
        if chosen[labels[i]]:
            n_selected += 1
    selected = np.empty(n_selected, np.int64)
    n_selected = 0
    for i in range(labels.size):
        if chosen[labels[i]]:
            selected[n_selected] = i
            n_selected += 1
    return selected


@njit(cache=True, nogil=True)
def sum_by_code(codes, counts, selected, n_codes):
    """Sum the counts of the selected positions by their code."""
    sums = np.zeros(n_codes, np.int64)
    for i in selected:
        sums[codes[i]] += counts[i]
    return sums
