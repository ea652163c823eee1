"""Merging the cells of one set of keys into those of a smaller set."""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel


@kernel
def drop_digit(keys, stride, radix):
    """Set one digit of mixed-radix keys to 0."""
    dropped = np.empty_like(keys)
    for i in range(keys.size):
        dropped[i] = keys[i] - (keys[i] // stride) % radix * stride
    return dropped


@kernel
def merge_owners(labels, owners, n_labels):
    """Find the one owner of all cells with each label; -1 where there are several."""
    merged = np.full(n_labels, -2, np.int64)
    for i in range(labels.size):
        label = labels[i]
        if merged[label] == -2:
            merged[label] = owners[i]
        elif merged[label] != owners[i]:
            merged[label] = -1
    return merged


@kernel
def list_unique(label_of_cell, owners):
    """List the cells whose label has one owner."""
    unique = np.empty(label_of_cell.size, np.int32)
    n_unique = 0
    for i in range(label_of_cell.size):
        if owners[label_of_cell[i]] >= 0:
            unique[n_unique] = i
            n_unique += 1
    return unique[:n_unique].copy()


@kernel
def mark(marked, cells, value):
    """Set the marks of some cells."""
    for i in cells:
        marked[i] = value


@kernel
def select_unmarked(cells, marked):
    """List the cells that are not marked."""
    unmarked = np.empty(cells.size, np.int32)
    n_unmarked = 0
    for i in cells:
        if not marked[i]:
            unmarked[n_unmarked] = i
            n_unmarked += 1
    return unmarked[:n_unmarked].copy()
