"""How often each value of an attribute occurs in each class, and what follows from it.

The histograms of all classes lie one after the other: the entries from `starts[c]` to `starts[c + 1]` are
the values that occur in class c, with their counts. So the time is that of the tuples, however many values
an attribute has.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel


@kernel
def count_values(labels, codes, counts, n_labels, n_values):
    """Count each value under each label; tuples with one label and one value are added up."""
    at = np.zeros(n_labels + 1, np.int64)
    for label in labels:
        at[label + 1] += 1
    for c in range(n_labels):
        at[c + 1] += at[c]
    by_label = np.empty(labels.size, np.int32)
    for i in range(labels.size):
        by_label[at[labels[i]]] = i
        at[labels[i]] += 1  # at last, where the next label begins
    starts = np.zeros(n_labels + 1, np.int64)
    values = np.empty(labels.size, np.int32)
    sums = np.empty(labels.size, np.int64)
    place = np.full(n_values, -1, np.int64)
    n_entries, begin = 0, 0
    for c in range(n_labels):
        for j in range(begin, at[c]):
            i = by_label[j]
            entry = place[codes[i]]
            if entry < starts[c]:  # of an earlier class, or none
                entry = n_entries
                place[codes[i]] = entry
                values[entry], sums[entry] = codes[i], 0
                n_entries += 1
            sums[entry] += counts[i]
        begin = at[c]
        starts[c + 1] = n_entries
    return starts, values[:n_entries].copy(), sums[:n_entries].copy()


@kernel
def sum_entries(starts, counts):
    """Sum the counts of each class."""
    totals = np.zeros(starts.size - 1, np.int64)
    for c in range(totals.size):
        for e in range(starts[c], starts[c + 1]):
            totals[c] += counts[e]
    return totals


@kernel
def largest_counts(starts, values, counts, chosen):
    """Return the largest count of a chosen value in each class; 0 where none of them occurs."""
    largest = np.zeros(starts.size - 1, np.int64)
    for c in range(largest.size):
        for e in range(starts[c], starts[c + 1]):
            if chosen[values[e]]:
                largest[c] = max(largest[c], counts[e])
    return largest


@kernel
def count_chosen(starts, values, counts, chosen):
    """Sum the counts of the chosen values in each class."""
    sums = np.zeros(starts.size - 1, np.int64)
    for c in range(sums.size):
        for e in range(starts[c], starts[c + 1]):
            if chosen[values[e]]:
                sums[c] += counts[e]
    return sums


@kernel
def entropies(starts, counts):
    """Return the entropy of each class in nats."""
    found = np.zeros(starts.size - 1)
    for c in range(found.size):
        total, weighted = 0, 0.0
        for e in range(starts[c], starts[c + 1]):
            total += counts[e]
            if counts[e] > 1:
                weighted += counts[e] * np.log(counts[e])
        if total > 0:
            found[c] = np.log(total) - weighted / total
    return found


@kernel
def tail_ratios(starts, counts, least):
    """Return the largest count over the sum of all but the `least` - 1 largest; infinite over nothing."""
    ratios = np.zeros(starts.size - 1)
    for c in range(ratios.size):
        begin, end = starts[c], starts[c + 1]
        if end - begin < least:
            ratios[c] = np.inf
        elif end > begin:
            ordered = np.sort(counts[begin:end])
            tail = 0
            for e in range(ordered.size - least + 1):
                tail += ordered[e]
            ratios[c] = ordered[-1] / tail
    return ratios


@kernel
def highest_ratios(starts, values, counts, sizes, weights):
    """Return the largest share of a value over its weight, in each class.

    A value with an infinite weight counts as 0, one with weight 0 as infinite.
    """
    highest = np.zeros(starts.size - 1)
    for c in range(highest.size):
        for e in range(starts[c], starts[c + 1]):
            weight = weights[values[e]]
            if weight > 0:
                highest[c] = max(highest[c], counts[e] / sizes[c] / weight)
            else:
                highest[c] = np.inf
    return highest


@kernel
def lowest_ratios(starts, values, counts, sizes, weights, n_needed):
    """Return the least share of a value over its weight, in each class; only finite weights count.

    Where fewer than `n_needed` of them occur in a class, some share is 0.
    """
    lowest = np.full(starts.size - 1, np.inf)
    for c in range(lowest.size):
        present = 0
        for e in range(starts[c], starts[c + 1]):
            weight = weights[values[e]]
            if np.isfinite(weight):
                present += 1
                if weight > 0:
                    lowest[c] = min(lowest[c], counts[e] / sizes[c] / weight)
        if present < n_needed:
            lowest[c] = 0.0
    return lowest


@kernel
def grouped_distances(starts, values, counts, groups, shares):
    """Return the earth mover's distance of each class over a tree, 0 to 1.

    The mean over the levels below the root of half the sum of all differences between the shares of the
    groups: a value at level l and one that meets it only at level l + 1 differ at so many levels.
    `groups[l, value]` numbers the groups of all levels in one row, of which `shares` are those overall.
    """
    found = np.zeros(starts.size - 1)
    records = np.zeros(shares.size)
    for c in range(found.size):
        total = 0
        for e in range(starts[c], starts[c + 1]):
            total += counts[e]
        for level in range(groups.shape[0]):
            for e in range(starts[c], starts[c + 1]):
                records[groups[level, values[e]]] += counts[e]
            for e in range(starts[c], starts[c + 1]):
                group = groups[level, values[e]]
                # what exceeds is what falls short elsewhere: half of all differences
                found[c] += max(0.0, records[group] / total - shares[group])
                records[group] = 0  # the next value of the group adds nothing: shares are not negative
        found[c] /= groups.shape[0]
    return found


@kernel
def ordered_distances(starts, values, counts, ranks, shares):
    """Return the earth mover's distance of each class over an order, 0 to 1: neighbours are equally far.

    `shares` are those overall, by rank.
    """
    steps = max(1, shares.size - 1)
    found = np.zeros(starts.size - 1)
    records = np.zeros(shares.size)
    for c in range(found.size):
        total = 0
        for e in range(starts[c], starts[c + 1]):
            records[ranks[values[e]]] += counts[e]
            total += counts[e]
        moved = 0.0
        for rank in range(shares.size - 1):
            moved += records[rank] / total - shares[rank]
            found[c] += abs(moved)
            records[rank] = 0
        records[shares.size - 1] = 0
        found[c] /= steps
    return found
