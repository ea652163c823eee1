"""How often each value of an attribute occurs in each class, and what follows from it.

The histograms of all classes lie one after the other: the entries from `starts[c]` to `starts[c + 1]` are
the values that occur in class c, with their counts. So the time is that of the tuples, however many
values an attribute has.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel


@kernel
def count_values(labels, tuple_of_pair, value_of_pair, records, chosen, n_values):
    """Count each value in each chosen class, from pairs of a tuple and a value; labels are of tuples.

    There is a cell for each class and value where these are few; else pairs are sorted by class, and
    those of one class and one value added up.
    """
    number = np.full(chosen.size, -1, np.int64)
    n_chosen = 0
    for c in range(chosen.size):
        if chosen[c]:
            number[c] = n_chosen
            n_chosen += 1
    if n_chosen * n_values <= 4 * tuple_of_pair.size:
        return count_in_cells(labels, tuple_of_pair, value_of_pair, records, number, n_values)
    return count_sorted(labels, tuple_of_pair, value_of_pair, records, number, n_values)


@kernel
def count_in_cells(labels, tuple_of_pair, value_of_pair, records, number, n_values):
    """Count by one cell for each numbered class and each value."""
    cells = np.zeros((number.max() + 1) * n_values, np.int64)
    for i in range(tuple_of_pair.size):
        at = number[labels[tuple_of_pair[i]]]
        if at >= 0:
            cells[at * n_values + value_of_pair[i]] += records[i]
    most = min(cells.size, tuple_of_pair.size)
    starts = np.zeros(number.size + 1, np.int64)
    values, sums = np.empty(most, np.int32), np.empty(most, np.int64)
    n_entries = 0
    for c in range(number.size):
        if number[c] >= 0:
            begin = number[c] * n_values
            for value in range(n_values):
                if cells[begin + value] > 0:
                    values[n_entries], sums[n_entries] = value, cells[begin + value]
                    n_entries += 1
        starts[c + 1] = n_entries
    return starts, values[:n_entries].copy(), sums[:n_entries].copy()


@kernel
def count_sorted(labels, tuple_of_pair, value_of_pair, records, number, n_values):
    """Count by sorting the pairs of numbered classes; the values of each class are in order."""
    at = np.zeros(number.size + 1, np.int32)
    for i in range(tuple_of_pair.size):
        label = labels[tuple_of_pair[i]]
        if number[label] >= 0:
            at[label + 1] += 1
    for c in range(number.size):
        at[c + 1] += at[c]
    n_pairs = at[number.size]
    by_class = np.empty(n_pairs, np.int32)
    for i in range(tuple_of_pair.size):
        label = labels[tuple_of_pair[i]]
        if number[label] >= 0:
            by_class[at[label]] = i
            at[label] += 1  # at last, where the next class begins
    starts = np.zeros(number.size + 1, np.int64)
    values, sums = np.empty(n_pairs, np.int32), np.empty(n_pairs, np.int64)
    place = np.full(n_values, -1, np.int64)
    n_entries, begin = 0, 0
    for c in range(number.size):
        for j in range(begin, at[c]):
            value = value_of_pair[by_class[j]]
            if place[value] < starts[c]:  # of an earlier class, or none
                place[value] = n_entries
                values[n_entries] = value
                n_entries += 1
        values[starts[c] : n_entries].sort()  # so that sums do not depend on how they were counted
        for entry in range(starts[c], n_entries):
            place[values[entry]], sums[entry] = entry, 0
        for j in range(begin, at[c]):
            sums[place[value_of_pair[by_class[j]]]] += records[by_class[j]]
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
        if starts[c + 1] - starts[c] > 1:  # one value has none, to the last bit
            found[c] = np.log(total) - weighted / total
    return found


@kernel
def below_entropy(starts, counts, least, limit):
    """Mark the classes of fewer than `least` values, or of an entropy in nats below a limit."""
    below = np.zeros(starts.size - 1, np.bool_)
    for c in range(below.size):
        total, weighted = 0, 0.0
        for e in range(starts[c], starts[c + 1]):
            total += counts[e]
            weighted += counts[e] * np.log(counts[e])
        if starts[c + 1] - starts[c] < least:
            below[c] = True
        elif total > 0:
            below[c] = weighted > total * (np.log(total) - limit)
    return below


@kernel
def tail_ratios(starts, counts, least):
    """Return the largest count over the sum of all but the `least` - 1 largest; infinite over nothing."""
    ratios, top = np.zeros(starts.size - 1), np.zeros(max(1, least - 1), np.int64)
    for c in range(ratios.size):
        begin, end = starts[c], starts[c + 1]
        if end - begin < least:
            ratios[c] = np.inf
        elif end > begin:
            top[:], tail = 0, 0
            for e in range(begin, end):
                tail += counts[e]
                at, count = 0, counts[e]
                while at < top.size and count <= top[at]:
                    at += 1
                for place in range(at, top.size):  # in its place among the largest, in order
                    top[place], count = count, top[place]
            if least > 1:
                tail -= top.sum()
            ratios[c] = top[0] / tail
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
def outside_shares(starts, values, counts, sizes, least, most, n_needed):
    """Mark the classes in which a value's share is `most` or above, or `least` or below, of those it has.

    A value that it may have in any share has the limits 0 and infinity. Marked too are those that have
    fewer than `n_needed` of the values with a least share.
    """
    outside = np.zeros(starts.size - 1, np.bool_)
    for c in range(outside.size):
        begin, end, size = starts[c], starts[c + 1], float(sizes[c])
        if end - begin < n_needed:
            outside[c] = True
            continue
        present = 0
        for e in range(begin, end):
            lowest = least[values[e]] * size
            if counts[e] >= most[values[e]] * size or counts[e] <= lowest:
                outside[c] = True
                break
            present += lowest > 0
        outside[c] |= present < n_needed
    return outside


@kernel
def grouped_distances(starts, values, counts, groups, shares, limit):
    """Return the earth mover's distance of each class over a tree, 0 to 1.

    The mean over the levels below the root of half the sum of all differences between the shares of the
    groups: a value at level l and one that meets it only at level l + 1 differ at so many levels.
    `groups[l, value]` numbers the groups of all levels in one row, of which `shares` are those overall;
    at level 0, each value is one. Where it is above a limit, it need not be all of the distance.
    """
    found = np.zeros(starts.size - 1)
    records = np.zeros(shares.size)
    levels = groups.shape[0]
    for c in range(found.size):
        begin, end, total = starts[c], starts[c + 1], 0.0
        for e in range(begin, end):
            total += counts[e]
        # what exceeds is what falls short elsewhere: half of all differences
        exceeds = 0.0
        for e in range(begin, end):
            exceeds += max(0.0, counts[e] - shares[groups[0, values[e]]] * total)
        for level in range(1, levels):
            if exceeds > limit * levels * total:
                break
            for e in range(begin, end):
                records[groups[level, values[e]]] += counts[e]
            for e in range(begin, end):
                group = groups[level, values[e]]
                exceeds += max(0.0, records[group] - shares[group] * total)
                # the next value of the group adds nothing: shares are not negative
                records[group] = 0.0
        if end > begin:
            found[c] = exceeds / total / levels
    return found


@kernel
def ordered_distances(starts, values, counts, ranks, shares, limit):
    """Return the earth mover's distance of each class over an order, 0 to 1: neighbours are equally far.

    `shares` are those overall, by rank. Where it is above a limit, it need not be all of the distance.
    """
    steps = max(1, shares.size - 1)
    found = np.zeros(starts.size - 1)
    records = np.zeros(shares.size)
    for c in range(found.size):
        begin, end, total = starts[c], starts[c + 1], 0.0
        if begin == end:
            continue
        for e in range(begin, end):
            records[ranks[values[e]]] += counts[e]
            total += counts[e]
        moved, work, most = 0.0, 0.0, limit * steps * total
        for rank in range(shares.size - 1):
            moved += records[rank] - shares[rank] * total
            work += abs(moved)
            if work > most:
                break
        for e in range(begin, end):
            records[ranks[values[e]]] = 0.0
        found[c] = work / total / steps
    return found
