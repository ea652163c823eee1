"""Labelling equal keys and counting what lies under a label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.compilation import kernel

KEY_LIMIT = 2**63  # a key fits one machine word
HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads mixed-radix keys


def label_keys(
    keys: NDArray[np.int64], key_space: int = KEY_LIMIT
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number equal keys by first appearance, and say where that is.

    Where the key space is small, there is a slot for every key; else keys are hashed.
    """
    labels: NDArray[np.int32]
    first: NDArray[np.int32]
    if key_space <= 2 * keys.size:
        labels, first = label_direct(keys, key_space)
    else:
        labels, first = label_hashed(keys, max(1, int(1.5 * keys.size).bit_length()))
    return labels, first


@kernel
def label_direct(keys, key_space):
    """Label equal keys 0, 1, ... in order of first appearance, by one slot for each possible key.

    Returns the labels and where each label appears first.
    """
    slot = np.full(key_space, -1, np.int32)
    first = np.empty(min(keys.size, key_space), np.int32)
    labels = np.empty(keys.size, np.int32)
    n_labels = 0
    for i in range(keys.size):
        label = slot[keys[i]]
        if label < 0:
            label = n_labels
            slot[keys[i]] = label
            first[label] = i
            n_labels += 1
        labels[i] = label
    return labels, first[:n_labels].copy()


@kernel
def label_hashed(keys, bits):
    """Label equal keys 0, 1, ... in order of first appearance, by open addressing in 2^bits slots.

    Returns the labels and where each label appears first.
    """
    mask = np.uint64((1 << bits) - 1)
    shift = np.uint64(64 - bits)
    slot = np.full(1 << bits, -1, np.int32)
    first = np.empty(keys.size, np.int32)
    labels = np.empty(keys.size, np.int32)
    n_labels = 0
    for i in range(keys.size):
        at = (np.uint64(keys[i]) * HASH_MULTIPLIER) >> shift
        label = slot[at]
        while label >= 0 and keys[first[label]] != keys[i]:
            at = (at + np.uint64(1)) & mask
            label = slot[at]
        if label < 0:
            label = n_labels
            slot[at] = label
            first[label] = i
            n_labels += 1
        labels[i] = label
    return labels, first[:n_labels].copy()


@kernel
def label_word(words, counts, mask, slot_label, slot_key, first, sizes):
    """Label words that agree under a mask 0, 1, ... in order of first appearance.

    Open addressing in 2^n slots; a slot holds the masked word beside the label, so that looking it up is
    one step. Slots, `first` and `sizes` are room to work in, whatever they hold. Returns the labels,
    where each appears first, and the sum of its counts.
    """
    last, shift = np.uint64(slot_label.size - 1), shift_for(slot_label.size)
    slot_label[:] = -1
    labels = np.empty(words.size, np.int32)
    n_labels = 0
    for i in range(words.size):
        key = words[i] & mask
        at = (key * HASH_MULTIPLIER) >> shift
        label = slot_label[at]
        while label >= 0 and slot_key[at] != key:
            at = (at + np.uint64(1)) & last
            label = slot_label[at]
        if label < 0:
            label = n_labels
            slot_label[at], slot_key[at] = label, key
            first[label], sizes[label] = i, 0
            n_labels += 1
        labels[i] = label
        sizes[label] += counts[i]
    return labels, first[:n_labels].copy(), sizes[:n_labels].copy()


@kernel
def shift_for(n_slots):
    """Return the shift that leaves a hash of 64 bits as the number of one of 2^n slots."""
    bits = 0
    while (1 << bits) < n_slots:
        bits += 1
    return np.uint64(64 - bits)


@kernel
def mix_words(words, mask):
    """Mix the masked words of each column into one key; equal columns have equal keys."""
    keys = words[0] & mask[0]
    for w in range(1, mask.size):
        word, bits = words[w], mask[w]
        for i in range(keys.size):
            key = (keys[i] ^ (keys[i] >> np.uint64(29))) * HASH_MULTIPLIER
            keys[i] = key + (word[i] & bits)
    return keys


@kernel
def equal_words(words, mask, i, j):
    """Whether two columns of words agree under a mask."""
    for w in range(mask.size):
        if (words[w, i] ^ words[w, j]) & mask[w]:
            return False
    return True


@kernel
def label_words(words, counts, mask, slot_label, slot_key, first, sizes):
    """Do as `label_word` does with columns of several words."""
    last, shift = np.uint64(slot_label.size - 1), shift_for(slot_label.size)
    slot_label[:] = -1
    labels = np.empty(counts.size, np.int32)
    keys = mix_words(words, mask)
    n_labels = 0
    for i in range(keys.size):
        key = keys[i]
        at = (key * HASH_MULTIPLIER) >> shift
        label = slot_label[at]
        # equal keys are nearly always of equal words, but nearly is not enough
        while label >= 0 and (slot_key[at] != key or not equal_words(words, mask, i, first[label])):
            at = (at + np.uint64(1)) & last
            label = slot_label[at]
        if label < 0:
            label = n_labels
            slot_label[at], slot_key[at] = label, key
            first[label], sizes[label] = i, 0
            n_labels += 1
        labels[i] = label
        sizes[label] += counts[i]
    return labels, first[:n_labels].copy(), sizes[:n_labels].copy()


@kernel
def relabel(labels, new_labels):
    """Replace each label in place by its new one."""
    for i in range(labels.size):
        labels[i] = new_labels[labels[i]]


@kernel
def count_by_label(labels, n_labels):
    """Count the positions with each label."""
    counts = np.zeros(n_labels, np.int32)
    for label in labels:
        counts[label] += 1
    return counts


@kernel
def extract_digit(keys, stride, radix):
    """Extract one digit of mixed-radix keys."""
    digits = np.empty(keys.size, np.int32)
    for i in range(keys.size):
        digits[i] = (keys[i] // stride) % radix
    return digits


@kernel
def sum_by_label(labels, counts, n_labels):
    """Sum the counts under each label."""
    sums = np.zeros(n_labels, np.int64)
    for i in range(labels.size):
        sums[labels[i]] += counts[i]
    return sums


@kernel
def sum_chosen(values, chosen):
    """Sum the values that are chosen."""
    total = 0
    for i in range(values.size):
        total += values[i] * chosen[i]
    return total


@kernel
def select_by_label(labels, chosen):
    """List the positions whose label is chosen."""
    selected = np.empty(labels.size + 1, np.int32)
    n_selected = 0
    for i in range(labels.size):
        selected[n_selected] = i  # written over by the next one unless chosen: no branch to guess
        n_selected += chosen[labels[i]]
    return selected[:n_selected].copy()


@kernel
def sum_covered(
    selected, codes, counts, covered, by_cover, offsets, lowest, highest, exempt, all_but, records
):
    """Sum what the selected tuples' values cover, for each attribute and level of a range.

    `covered[level, offset + code]` is what a value covers; a tuple counts as often as it occurs. Where it
    is `all_but`, the others are selected: then `records[offset + code]` are those of all tuples. Returns
    the sums, and what is left of them without the `exempt` records that cover least, for each attribute
    and level anew; `by_cover[level, offset:]` lists the places by what they cover.
    """
    totals = np.zeros((highest.size, covered.shape[0]), np.int64)
    left = np.zeros((highest.size, covered.shape[0]), np.int64)
    for a in range(highest.size):
        code, begin, end = codes[a], offsets[a], offsets[a + 1]
        if all_but:
            by_code = records[begin:end].copy()
            for i in selected:
                by_code[code[i]] -= counts[i]
        else:
            by_code = np.zeros(end - begin, np.int64)
            for i in selected:
                by_code[code[i]] += counts[i]
        for level in range(lowest[a], highest[a] + 1):
            totals[a, level] = left[a, level] = (by_code * covered[level, begin:end]).sum()
            if exempt:
                places = by_cover[level, begin:end] - begin
                left[a, level] = sum_but(by_code, covered[level, begin:end], places, exempt)
    return totals, left


@kernel
def sum_covered_by_step(selected, steps, n_steps, codes, counts, covered, offsets, highest):
    """Sum what the selected tuples' values cover, at each level, separately for each step."""
    totals = np.zeros((n_steps, highest.size, covered.shape[0]), np.int64)
    for a in range(highest.size):
        code, begin, end = codes[a], offsets[a], offsets[a + 1]
        by_code = np.zeros((n_steps, end - begin), np.int64)
        for j in range(selected.size):
            by_code[steps[j], code[selected[j]]] += counts[selected[j]]
        for level in range(highest[a] + 1):
            row = covered[level, begin:end]
            for step in range(n_steps):
                totals[step, a, level] = (by_code[step] * row).sum()
    return totals


@kernel
def sum_but(records, covered, order, exempt):
    """Sum what so many records cover, without the first `exempt` of them in the order given."""
    total, left_out = 0, exempt
    for place in order:
        less = min(records[place], left_out)
        left_out -= less
        total += (records[place] - less) * covered[place]
    return total


@kernel
def sum_shares(tuples, codes, shares, offsets, levels):
    """Sum over the attributes what share of its domain each tuple's value covers at its level."""
    sums = np.zeros(tuples.size)
    for a in range(levels.size):
        offset, level = offsets[a], levels[a]
        for i in range(tuples.size):
            sums[i] += shares[level, offset + codes[a, tuples[i]]]
    return sums


@kernel
def mark_least(marked, candidates, values, limit, n_marks):
    """Mark the candidates with the least values: all below the limit, then the first that equal it."""
    n_equal = n_marks
    for value in values:
        if value < limit:
            n_equal -= 1
    for i in range(candidates.size):
        if values[i] < limit:
            marked[candidates[i]] = True
        elif values[i] == limit and n_equal > 0:
            marked[candidates[i]] = True
            n_equal -= 1


@kernel
def number_of_code(codes, tuple_of, numbers, counted, size):
    """Return the number of each code, -1 where none is counted, and whether each code has only one.

    `codes[i]` stands beside the number of the tuple `tuple_of[i]`.
    """
    found = np.full(size, -1, np.int64)
    for i in range(codes.size):
        if counted[i]:
            number = np.int64(numbers[tuple_of[i]])
            code = codes[i]
            if found[code] >= 0 and found[code] != number:
                return found, False
            found[code] = number
    return found, True
