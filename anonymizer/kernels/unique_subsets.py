"""Distinct tuples as sorted keys, made coarser one bit at a time.

A tuple's key is one or more 64-bit words, the most significant first; each attribute is a run of bits
in one of them. The tuples of a table are sorted by key. To forget an attribute, its bits are dropped one
after the other: among the tuples that agree on all that is more significant, those with the bit 0 and
those with the bit 1 are two sorted runs, so that one merge drops the bit, joins what has become equal,
and leaves the keys sorted (`drop_bit`). To keep an attribute for good is to look at the runs of tuples
that agree down to its bits: no tuple will ever join one of another run (`settle`).

Of a tuple only its state is kept: how many records of our table and of another one have it, each as 0, 1
or 2 (two or more), as `ours + 4 * theirs`.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel

STATES = 16
MANY = 2  # two records or two million: neither will ever be alone again


def join_states():
    """Tabulate the state of a tuple that joins tuples of two states."""
    one, other = np.indices((STATES, STATES))
    ours = np.minimum(MANY, one % 4 + other % 4)
    theirs = np.minimum(MANY, one // 4 + other // 4)
    return (ours + 4 * theirs).astype(np.uint8)


JOINED = join_states()


@kernel
def agree(keys, one, other, word, above):
    """Tell whether two keys agree on all that is more significant than some bits of a word."""
    for w in range(word):
        if keys[one, w] != keys[other, w]:
            return False
    return (keys[one, word] ^ keys[other, word]) & above == 0


@kernel
def compare(keys, zero, one, word, flag):
    """Compare two keys as if the second one's bit, which is 1, were 0 as in the first: -1, 0 or 1."""
    left, right = keys[zero, word], keys[one, word] ^ flag
    if left != right:
        return -1 if left < right else 1
    for w in range(word + 1, keys.shape[1]):
        if keys[zero, w] != keys[one, w]:
            return -1 if keys[zero, w] < keys[one, w] else 1
    return 0


@kernel
def drop_bit(keys, states, word, bit):
    """Drop one bit of a word of sorted keys; return keys and states of the tuples that are left."""
    n = states.size
    new_keys, new_states = np.empty_like(keys), np.empty_like(states)
    flag = np.uint64(1) << np.uint64(bit)
    above = ~(flag | (flag - np.uint64(1)))
    size, end = 0, 0
    while end < n:
        zero, middle = end, end
        while (
            middle < n and not keys[middle, word] & flag and agree(keys, zero, middle, word, above)
        ):
            middle += 1
        one, end = middle, middle
        while end < n and agree(keys, zero, end, word, above):
            end += 1
        while zero < middle or one < end:
            order = -1 if one == end else 1
            if zero < middle and one < end:
                order = compare(keys, zero, one, word, flag)
            if order == 0:
                new_keys[size], new_states[size] = keys[zero], JOINED[states[zero], states[one]]
            elif order < 0:
                new_keys[size], new_states[size] = keys[zero], states[zero]
            else:
                new_keys[size], new_states[size] = keys[one], states[one]
                new_keys[size, word] ^= flag
            zero += order <= 0
            one += order >= 0
            size += 1
    return new_keys[:size], new_states[:size]


@kernel
def count_state(counts, state):
    """Count a tuple if it is a record of ours alone: whether theirs have it, and whether just once."""
    if state & 3 == 1:
        counts[0] += 1
        counts[1] += state >> 2 > 0
        counts[2] += state >> 2 == 1


@kernel
def settle(keys, states, word, bit, counts):
    """Take out what will not change any more while all bits from one of a word upwards are kept.

    Among the tuples that agree on these bits, one that is by itself will join no other: it is settled,
    and added to the counts. Where several agree but none is a record of ours alone, none ever will be:
    they are left out. Returns keys and states of the rest, where in each run somebody is alone.
    """
    n = states.size
    new_keys, new_states = np.empty_like(keys), np.empty_like(states)
    above = ~((np.uint64(1) << np.uint64(bit)) - np.uint64(1))
    size, end = 0, 0
    while end < n:
        start, alone = end, False
        while end < n and agree(keys, start, end, word, above):
            alone |= states[end] & 3 == 1
            end += 1
        if end == start + 1:
            count_state(counts, states[start])
        elif alone:
            for i in range(start, end):
                new_keys[size], new_states[size] = keys[i], states[i]
                size += 1
    return new_keys[:size], new_states[:size]


@kernel
def decide(keys, states, field, keep, counts):
    """Keep or drop the attribute of a field (word, lowest bit, width), and settle."""
    word, low, width = field
    if not width:  # an attribute with one value tells nobody apart
        return keys, states
    if not keep:
        for bit in range(low, low + width):
            keys, states = drop_bit(keys, states, word, bit)
    return settle(keys, states, word, low, counts)


@kernel
def count_subsets(keys, states, fields, counts, table):
    """Count on every subset of some fields: one row of the table for each, those that keep more first.

    The first field is the most significant: the first half of the rows keeps it, the second drops it.
    `counts` is what is settled already.
    """
    if not len(fields) or not states.size:
        table[:] = counts
        for state in states:
            count_state(table[0], state)
        return
    half = len(table) // 2
    for keep in (True, False):
        so_far = counts.copy()
        new_keys, new_states = decide(keys, states, fields[0], keep, so_far)
        part = table[:half] if keep else table[half:]
        count_subsets(new_keys, new_states, fields[1:], so_far, part)
