"""Summing what an attacker who knows some attributes can tell about each record."""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel


@kernel
def add_measures(labels, matches, unique, kind, weights, measures):
    """Add the risks of one set of known groups to each row's measures, by the weight of its kind.

    `matches` has the records that match a row with each label, and `unique` how likely such a row is
    unique in the population if it is in the table. The measures are those of prosecutor, journalist and
    marketer, one row of the array for each.
    """
    for row in range(labels.size):
        weight, matching = weights[kind[row]], matches[labels[row]]
        if matching == 0:  # somebody of the population whom no record matches
            continue
        measures[2, row] += weight / matching
        if matching == 1:
            measures[0, row] += weight
            measures[1, row] += weight * unique[labels[row]]


@kernel
def sum_measures(labels, matches, unique, kind, counts, n_kinds):
    """Sum the same over the records of each kind, without the weights."""
    sums = np.zeros((n_kinds, 3))
    for row in range(labels.size):
        matching = matches[labels[row]]
        if counts[row] == 0:
            continue
        sums[kind[row], 2] += counts[row] / matching
        if matching == 1:
            sums[kind[row], 0] += counts[row]
            sums[kind[row], 1] += counts[row] * unique[labels[row]]
    return sums


@kernel
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


@kernel
def count_kept(labels, counts, kept, n_labels):
    """Count the records of the tuples kept with each label."""
    counted = np.zeros(n_labels, np.int64)
    for row in range(labels.size):
        if kept[row]:
            counted[labels[row]] += counts[row]
    return counted


@kernel
def mark_too_few(labels, people, least, kept, found):
    """Mark the tuples kept whose label has fewer people than each needs; other marks stay."""
    for i in range(labels.size):
        found[i] |= kept[i] & (people[labels[i]] < least[i])


@kernel
def add_risks(labels, matches, unique, kept, kind, picked, alone, confirmed, risks):
    """Add the overall risk given one set of known groups to each tuple kept, by the weight of its kind.

    `matches` has the people who match a tuple with each label. By kind: one of them is picked and
    confirmed with the probability `picked`; `alone` is added for somebody whom nobody else matches, and
    `confirmed` if that person is unique in the population too: `unique` has the probability by label.
    """
    for row in range(labels.size):
        if kept[row]:
            matching = matches[labels[row]]
            risk = picked[kind[row]] / matching
            if matching == 1:
                risk += alone[kind[row]] + confirmed[kind[row]] * unique[labels[row]]
            risks[row] += risk


@kernel
def add_with_error(total, error, term):
    """Add a term to a running sum, and to its error what rounding took away (Neumaier)."""
    summed = total + term
    if abs(total) >= abs(term):
        error += (total - summed) + term
    else:
        error += (term - summed) + total
    return summed, error


@kernel
def add_totals_of_prefixes(labels, unique, counts, kind, starts, picked, alone, confirmed, totals):
    """Add the sum of the risks of the records that remain after each prefix of an order of suppression.

    The rows from starts[p] up to starts[p + 1] are suppressed at position p. Runs from the empty table
    back to the whole one, so that the sums grow and nothing is lost by cancellation. For `picked`,
    `alone` and `confirmed` see `add_risks`.
    """
    sizes = np.zeros(unique.size, np.int64)
    sums = np.zeros(unique.size)
    only = np.zeros(unique.size)  # what comes on top while one record has the label
    total, error = 0.0, 0.0
    for p in range(starts.size - 2, -1, -1):
        for i in range(starts[p], starts[p + 1]):
            label = labels[i]
            if sizes[label] > 0:
                term = sums[label] / sizes[label] + (only[label] if sizes[label] == 1 else 0.0)
                total, error = add_with_error(total, error, -term)
            sizes[label] += counts[i]
            sums[label] += counts[i] * picked[kind[i]]
            only[label] = alone[kind[i]] + confirmed[kind[i]] * unique[label]
            term = sums[label] / sizes[label] + (only[label] if sizes[label] == 1 else 0.0)
            total, error = add_with_error(total, error, term)
        totals[p] += total + error
