"""Summing what an attacker who knows some attributes can tell about each record."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_measures(labels, sizes, weights, unique_in_population, measures):
    """Add to each row's measures what it has in the class of its label, by weight.

    The measures are those of prosecutor, journalist and marketer, one row of the array for each.
    """
    for i in range(labels.size):
        size, weight = sizes[labels[i]], weights[i]
        measures[2, i] += weight / size
        if size == 1:
            measures[0, i] += weight
            measures[1, i] += weight * unique_in_population


@njit(cache=True, nogil=True)
def add_with_error(total, error, term):
    """Add a term to a running sum, and to its error what rounding took away (Neumaier)."""
    summed = total + term
    if abs(total) >= abs(term):
        error += (total - summed) + term
    else:
        error += (term - summed) + total
    return summed, error


@njit(cache=True, nogil=True)
def add_totals_of_prefixes(labels, n_labels, counts, weights, starts, totals):
    """Add the totals of the records that remain after each prefix of an order of suppression.

    The rows from starts[p] up to starts[p + 1] are suppressed at position p. Runs from the empty table
    back to the whole one, so that the sums grow and nothing is lost by cancellation. Totals are those
    of prosecutor and marketer, one row of the array for each.
    """
    sizes = np.zeros(n_labels, np.int64)
    sums = np.zeros(n_labels)
    unique, unique_error, share, share_error = 0.0, 0.0, 0.0, 0.0
    for p in range(starts.size - 2, -1, -1):
        for i in range(starts[p], starts[p + 1]):
            label = labels[i]
            if sizes[label] > 0:
                old = sums[label] / sizes[label]
                share, share_error = add_with_error(share, share_error, -old)
                if sizes[label] == 1:
                    unique, unique_error = add_with_error(unique, unique_error, -old)
            sizes[label] += counts[i]
            sums[label] += counts[i] * weights[i]
            new = sums[label] / sizes[label]
            share, share_error = add_with_error(share, share_error, new)
            if sizes[label] == 1:
                unique, unique_error = add_with_error(unique, unique_error, new)
        totals[0, p] += unique + unique_error
        totals[1, p] += share + share_error
