"""Many schemes at a time: which are open, how little their classes can lose, and how much they do.

The classes of several schemes lie one scheme after the other, as in kernels/merging.py. The schemes that
agree in the levels of the first attributes are a block; in it they count like numbers, the last attribute
fastest.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel


@kernel
def advance(digits, levels):
    """Count on by one, the last digit fastest."""
    a = levels.size - 1
    while a >= 0 and digits[a] == levels[a] - 1:
        digits[a] = 0
        a -= 1
    if a >= 0:
        digits[a] += 1


@kernel
def open_ranges(blocks, at, levels):
    """Mark the blocks with an open scheme, and return the lowest and highest levels of open ones."""
    found = np.zeros(at.size, np.bool_)
    low = np.zeros((at.size, levels.size), np.int64)
    high = np.zeros((at.size, levels.size), np.int64)
    digits = np.zeros(levels.size, np.int64)
    for s in range(at.size):
        digits[:] = 0
        for a in range(levels.size):
            low[s, a] = levels[a]
        for i in range(blocks.shape[1]):
            if blocks[at[s], i]:
                found[s] = True
                for a in range(levels.size):
                    low[s, a] = min(low[s, a], digits[a])
                    high[s, a] = max(high[s, a], digits[a])
            advance(digits, levels)
    return found, low, high


@kernel
def close_blocks(blocks, at, feasible, fixed, terms, low, levels, limit):
    """Close the schemes of some blocks whose sum of terms is above a limit.

    `fixed` are the terms of the attributes that are set; `terms[a, s, low + l]` is that of another one of
    block s at its level l.
    """
    digits = np.zeros(levels.size, np.int64)
    for s in range(at.size):
        digits[:] = 0
        for i in range(blocks.shape[1]):
            if blocks[at[s], i]:
                total = fixed[s]
                for a in range(levels.size):
                    total += terms[a, s, low[a] + digits[a]]
                blocks[at[s], i] = feasible[s] and total <= limit
            advance(digits, levels)


@kernel
def sum_kept(tuples, sizes, scheme_of, kept, schemes, places, covered, alike):
    """Sum what the kept classes of each scheme cover, for each attribute, and their records.

    `covered[level, places[tuple, attribute]]` is what a value covers; `alike[attribute, level]` is what
    all values of a level cover, or negative where they differ.
    """
    n_schemes, n_attributes = schemes.shape
    sums = np.zeros((n_schemes, n_attributes), np.int64)
    records = np.zeros(n_schemes, np.int64)
    varied, n_varied = np.zeros((n_schemes, n_attributes), np.int64), np.zeros(n_schemes, np.int64)
    for s in range(n_schemes):
        for a in range(n_attributes):
            if alike[a, schemes[s, a]] < 0:
                varied[s, n_varied[s]] = a
                n_varied[s] += 1
    for c in range(sizes.size):
        if kept[c]:
            s = scheme_of[c]
            records[s] += sizes[c]
            for i in range(n_varied[s]):
                a = varied[s, i]
                sums[s, a] += sizes[c] * covered[schemes[s, a], places[tuples[c], a]]
    for s in range(n_schemes):
        for a in range(n_attributes):
            if alike[a, schemes[s, a]] >= 0:
                sums[s, a] = records[s] * alike[a, schemes[s, a]]
    return sums.T, records


@kernel
def sum_most_kept(
    starts, tuples, sizes, group, group_starts, group_tuples, group_sizes, kept, low, high,
    places, covered, by_cover, offsets, alike,
):  # fmt: skip
    """Sum what is covered at least, at each scheme and each level of a range, if groups are kept so far.

    Of each group at most `kept` records are kept, of all groups that are not kept whole those that cover
    least, for each attribute and level anew. An attribute with only one level is the same in a group. For
    `alike`, see `sum_kept`. Returns the sums, and how many records are kept.
    """
    n_schemes, n_attributes = low.shape
    sums = np.zeros((n_attributes, n_schemes, covered.shape[0]), np.int64)
    records = np.zeros(n_schemes, np.int64)
    by_code = np.zeros((2, covered.shape[1]), np.int64)  # of groups kept partly, and whole
    whole = (kept == group_sizes).astype(np.int64)
    set_ones, free_ones = np.empty(n_attributes, np.int64), np.empty(n_attributes, np.int64)
    for s in range(n_schemes):
        exempt, n_set, n_free = np.int64(0), 0, 0
        for a in range(n_attributes):
            if not all_alike(alike, a, low[s, a], high[s, a]):
                by_code[:, offsets[a] : offsets[a + 1]] = 0
                if low[s, a] == high[s, a]:
                    set_ones[n_set] = a
                    n_set += 1
                else:
                    free_ones[n_free] = a
                    n_free += 1
        for g in range(group_starts[s], group_starts[s + 1]):
            records[s] += kept[g]
            exempt += kept[g] * (1 - whole[g])
            if kept[g] > 0:
                for i in range(n_set):
                    by_code[whole[g], places[group_tuples[g], set_ones[i]]] += group_sizes[g]
        if n_free:
            for c in range(starts[s], starts[s + 1]):
                own = group[c]
                if kept[own] > 0:
                    for i in range(n_free):
                        by_code[whole[own], places[tuples[c], free_ones[i]]] += sizes[c]
        for a in range(n_attributes):
            known = all_alike(alike, a, low[s, a], high[s, a])
            for level in range(low[s, a], high[s, a] + 1):
                if known:
                    sums[a, s, level] = records[s] * alike[a, level]
                else:
                    sums[a, s, level] = sum_least(
                        by_code, covered[level], by_cover[level],
                        offsets[a], offsets[a + 1], exempt,
                    )  # fmt: skip
    return sums, records


@kernel
def all_alike(alike, a, low, high):
    """Whether the values of each of some levels cover the same."""
    for level in range(low, high + 1):
        if alike[a, level] < 0:
            return False
    return True


@kernel
def sum_least(by_code, covered, by_cover, begin, end, exempt):
    """Sum what all records of the second row cover, and so many of the first that cover least."""
    total = 0
    for at in range(begin, end):
        total += by_code[1, at] * covered[at]
    left = exempt
    for at in by_cover[begin:end]:
        if left <= 0:
            break
        more = min(by_code[0, at], left)
        left -= more
        total += more * covered[at]
    return total
