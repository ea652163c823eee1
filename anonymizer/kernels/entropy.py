"""The bits that tell apart the values of some records."""

from __future__ import annotations

import math

import numpy as np

from anonymizer.kernels.compilation import kernel


@kernel
def sum_entropy(selected, codes, counts, groups, offsets, lowest, highest, exempt):
    """Sum the bits that tell apart the values of the selected tuples, for each attribute and level.

    `groups[level, offset + code]` numbers the value that a code becomes; a tuple counts as often as it
    occurs. Of all records so counted, the `exempt` ones of the rarest values are left out, for each
    attribute and level of the range anew; elsewhere the sum is 0.
    """
    totals = np.zeros((highest.size, groups.shape[0]))
    for a in range(highest.size):
        code, begin, end = codes[a], offsets[a], offsets[a + 1]
        by_code = np.zeros(end - begin, np.int64)
        for i in selected:
            by_code[code[i]] += counts[i]
        for level in range(lowest[a], highest[a] + 1):
            by_group = np.zeros(end - begin, np.int64)
            for place in range(end - begin):
                by_group[groups[level, begin + place]] += by_code[place]
            if exempt:
                leave_out_rarest(by_group, exempt)
            totals[a, level] = bits(by_group)
    return totals


@kernel
def leave_out_rarest(records, exempt):
    """Take so many records away (in place), those of the rarest values first."""
    records.sort()
    for place in range(records.size):
        less = min(records[place], exempt)
        records[place] -= less
        exempt -= less


@kernel
def bits(records):
    """Sum log2(all / alike) over records of which so many are alike in each place."""
    everything, total = records.sum(), 0.0
    for alike in records:
        if alike:
            total += alike * math.log2(everything / alike)
    return total
