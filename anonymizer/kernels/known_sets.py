"""Summing over what an attacker may know: each set of groups once, by how likely it is for each row."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_subset(matches, counts, kind, weights, unique_in_population, measures, sums):
    """Add the risks of one set of known groups to each row's measures, by the weight of its kind.

    `matches` has the records that match each row. The measures are those of prosecutor, journalist and
    marketer; `sums` receives, for each kind, what they sum to over its records, without the weight.
    """
    for row in range(matches.size):
        weight = weights[kind[row]]
        share = 1.0 / matches[row]
        measures[2, row] += weight * share
        sums[kind[row], 2] += counts[row] * share
        if matches[row] == 1:
            measures[0, row] += weight
            measures[1, row] += weight * unique_in_population
            sums[kind[row], 0] += counts[row]
            sums[kind[row], 1] += counts[row] * unique_in_population


@njit(cache=True, nogil=True)
def add_matches(labels, split, counts, rows, n_labels, matches):
    """Let the rows before `split` match those from there on that have the same label, and the reverse."""
    before = np.zeros(n_labels, np.int64)
    after = np.zeros(n_labels, np.int64)
    for i in range(split):
        before[labels[i]] += counts[rows[i]]
    for i in range(split, labels.size):
        after[labels[i]] += counts[rows[i]]
    for i in range(split):
        matches[rows[i]] += after[labels[i]]
    for i in range(split, labels.size):
        matches[rows[i]] += before[labels[i]]
