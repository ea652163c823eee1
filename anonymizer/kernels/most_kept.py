"""How many records of a class can be kept, at most, when it is split into parts that pass.

What passes, class by class, is closed under joining: so all that is kept of a class passes together, and
has no more of any value than the class has. The largest such histogram, in real numbers, bounds what
every finer scheme keeps. Histograms are those of kernels/histograms.py; only chosen classes are looked
at, the others are 0.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel

HALVINGS = 12
"""Steps of a bisection; its upper end is a bound after each."""


@kernel
def most_under_caps(starts, values, counts, chosen, caps, share):
    """Return the largest m with sum_s min(n_s, caps_s m) >= share m, for each class.

    The sum less share m is concave and 0 at m = 0. Newton's method from above, on straight pieces, ends
    after a few steps, and never below the solution.
    """
    most = np.zeros(starts.size - 1)
    for c in range(most.size):
        if not chosen[c]:
            continue
        m = 0.0
        for e in range(starts[c], starts[c + 1]):
            m += counts[e]
        while True:
            fixed, slope = 0.0, -share
            for e in range(starts[c], starts[c + 1]):
                cap = caps[values[e]]
                if counts[e] <= cap * m:
                    fixed += counts[e]
                else:
                    slope += cap
            if slope >= 0 or -fixed / slope >= m * (1 - 1e-12):
                break
            m = -fixed / slope
        if share == 1.0:
            whole = np.floor(m + 1e-6)
            while True:  # no value has more than a whole number of records
                total = 0.0
                for e in range(starts[c], starts[c + 1]):
                    total += min(float(counts[e]), np.floor(caps[values[e]] * whole + 1e-6))
                if total >= whole:
                    break
                whole = total
            m = whole
        most[c] = m
    return most


@kernel
def truncated_entropy(ordered, cap):
    """Return the sum of descending counts that are cut at a cap, and their entropy."""
    total, weighted = 0.0, 0.0
    for count in ordered:
        x = min(float(count), cap)
        total += x
        weighted += x * np.log(x)
    return total, np.log(total) - weighted / total


@kernel
def truncated_tail(ordered, cap, least):
    """Return the sum of descending counts that are cut at a cap, and the largest over the tail."""
    total, tail = 0.0, 0.0
    for i in range(ordered.size):
        x = min(float(ordered[i]), cap)
        total += x
        if i >= least - 1:
            tail += x
    return total, min(float(ordered[0]), cap) / tail


@kernel
def most_even(starts, counts, chosen, by_entropy, least, limit):
    """Return how many records can be kept with an entropy of at least `limit`, or `least` values and a
    largest count of at most `limit` times the tail.

    Of all histograms of one sum, the one that is cut at a common cap is the most even, and a lower cap
    makes it more even: both are Schur-convex, so the highest cap that passes keeps most.
    """
    most = np.zeros(starts.size - 1)
    for c in range(most.size):
        begin, end = starts[c], starts[c + 1]
        if not chosen[c] or end - begin < least:
            continue
        ordered = np.sort(counts[begin:end])[::-1]
        low, high = float(ordered[-1]), float(ordered[0])
        if even_enough(ordered, high, by_entropy, least, limit):
            most[c] = counts[begin:end].sum()
            continue
        if not even_enough(ordered, low, by_entropy, least, limit):
            continue  # not even all counts alike
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if even_enough(ordered, middle, by_entropy, least, limit):
                low = middle
            else:
                high = middle
        for count in ordered:
            most[c] += min(float(count), high)
        # the whole class does not pass, however near the bisection comes to it
        most[c] = min(most[c], counts[begin:end].sum() - 0.5)
    return most


@kernel
def even_enough(ordered, cap, by_entropy, least, limit):
    """Whether descending counts that are cut at a cap pass, rounding aside."""
    if by_entropy:
        return truncated_entropy(ordered, cap)[1] >= limit - 1e-9
    return truncated_tail(ordered, cap, least)[1] <= limit + 1e-9


@kernel
def fill(weights, counts, n_values):
    """Return the most records with a sum of weights of at most 0: those with the least weights first.

    Changes the order of both: the others come first, then those of weight above 0 in order.
    """
    kept, sum_of_weights, n_light = 0.0, 0.0, 0
    for i in range(n_values):
        if weights[i] <= 0:
            kept += counts[i]
            sum_of_weights += weights[i] * counts[i]
            weights[i], weights[n_light] = weights[n_light], weights[i]
            counts[i], counts[n_light] = counts[n_light], counts[i]
            n_light += 1
    for i in range(n_light, n_values):
        least = i  # few are needed, mostly: the lightest of the rest, each time
        for j in range(i + 1, n_values):
            if weights[j] < weights[least]:
                least = j
        weight, count = weights[least], counts[least]
        weights[least], counts[least] = weights[i], counts[i]
        if sum_of_weights + weight * count > 0:
            return kept - sum_of_weights / weight
        kept += count
        sum_of_weights += weight * count
    return kept


@kernel
def most_in_order(starts, values, counts, chosen, ranks, shares, limit):
    """Return the most records within a distance over an order; see `ordered_distances`.

    The distance is the largest of sum_s (p_s - q_s) f_s over functions f that differ by at most one step
    between neighbours. With the one that is largest for the class, whatever is kept of it and passes has
    sum_s k_s (f_s - f - limit) <= 0, f being the overall mean of f_s.
    """
    n_ranks = shares.size
    steps = max(1, n_ranks - 1)
    most, records, height = np.zeros(starts.size - 1), np.zeros(n_ranks), np.zeros(n_ranks)
    weights, sums = np.zeros(n_ranks), np.zeros(n_ranks)
    for c in range(most.size):
        if not chosen[c]:
            continue
        begin, end = starts[c], starts[c + 1]
        records[:] = 0
        total = 0.0
        for e in range(begin, end):
            records[ranks[values[e]]] += counts[e]
            total += counts[e]
        moved = 0.0
        for rank in range(n_ranks - 1):
            moved += records[rank] / total - shares[rank]
            height[rank] = np.sign(moved) / steps
        height[n_ranks - 1] = 0.0
        for rank in range(n_ranks - 2, -1, -1):
            height[rank] += height[rank + 1]
        mean = (shares * height).sum()
        for e in range(begin, end):
            weights[e - begin] = height[ranks[values[e]]] - mean - limit
            sums[e - begin] = counts[e]
        most[c] = fill(weights, sums, end - begin)
    return most


@kernel
def most_in_groups(starts, values, counts, chosen, groups, shares, limit):
    """Return the most records within a distance over a tree; see `grouped_distances`, `most_in_order`.

    f_s is the share of levels at which the group of s has more than its overall share.
    """
    most, records = np.zeros(starts.size - 1), np.zeros(shares.size)
    weights, sums = np.zeros(groups.shape[1]), np.zeros(groups.shape[1])
    levels = groups.shape[0]
    for c in range(most.size):
        if not chosen[c]:
            continue
        begin, end = starts[c], starts[c + 1]
        total = 0.0
        for e in range(begin, end):
            total += counts[e]
            for level in range(levels):
                records[groups[level, values[e]]] += counts[e]
        mean = 0.0
        for e in range(begin, end):
            weights[e - begin], sums[e - begin] = 0.0, counts[e]
            for level in range(levels):
                group = groups[level, values[e]]
                if abs(records[group]) > shares[group] * total:
                    weights[e - begin] += 1.0 / levels
                    if records[group] > 0:  # the first value of the group
                        mean += shares[group] / levels
                        records[group] = -records[group]
        for e in range(begin, end):
            weights[e - begin] -= mean + limit
            for level in range(levels):
                records[groups[level, values[e]]] = 0
        most[c] = fill(weights, sums, end - begin)
    return most
