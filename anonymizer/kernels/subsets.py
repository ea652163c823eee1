"""Summing over what an attacker may know: each set of groups once, by how likely it is for each row."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_subset(matches, counts, learned, known, unique_in_population, measures, totals, without):
    """Add the risks of one set of known groups to each row's measures, weighted by its probability.

    `matches` has the records that match each row, `learned[row, group]` the probability that the group
    is learned, `known[group]` whether it is. The measures are those of prosecutor, journalist and
    marketer. `totals` receives the probability and the three measures of the set, summed over records;
    `without[group]` the measures as they would be if the group were never learned.
    """
    groups = known.size
    for row in range(matches.size):
        weight, impossible, certain = 1.0, 0, -1
        for group in range(groups):
            if known[group]:
                factor = learned[row, group]
                if factor == 0.0:
                    impossible = 2
            else:
                factor = 1.0 - learned[row, group]
                if factor == 0.0:  # impossible, unless the group is never learned
                    impossible += 1
                    certain = group
                    factor = 1.0
            weight *= factor
        if impossible > 1:
            continue
        share = 1.0 / matches[row]
        alone = 1.0 if matches[row] == 1 else 0.0
        unique = alone * unique_in_population
        weighted = counts[row] * weight
        if impossible == 1:
            without[certain, 0] += weighted * alone
            without[certain, 1] += weighted * unique
            without[certain, 2] += weighted * share
            continue
        measures[0, row] += weight * alone
        measures[1, row] += weight * unique
        measures[2, row] += weight * share
        totals[0] += weighted
        totals[1] += weighted * alone
        totals[2] += weighted * unique
        totals[3] += weighted * share
        for group in range(groups):
            if not known[group]:
                rest = weighted / (1.0 - learned[row, group])
                without[group, 0] += rest * alone
                without[group, 1] += rest * unique
                without[group, 2] += rest * share


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


@njit(cache=True, nogil=True)
def add_draw(matches, applies, unique_in_population, measures):
    """Add the risks of one draw of known groups to the measures of the rows that it applies to."""
    for row in range(matches.size):
        if applies[row]:
            measures[2, row] += 1.0 / matches[row]
            if matches[row] == 1:
                measures[0, row] += 1.0
                measures[1, row] += unique_in_population
