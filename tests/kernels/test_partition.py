from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels.partition import (
    HASH_MULTIPLIER,
    count_by_label,
    extract_digit,
    label_direct,
    label_hashed,
    label_word,
    label_words,
    number_of_code,
    relabel,
    select_by_label,
    sum_by_label,
    sum_chosen,
    sum_covered,
)
from anonymizer.table.microdata import Workspace

SMALL = st.lists(st.integers(0, 9))
LABELS = st.lists(st.integers(0, 4), min_size=1, max_size=30)


def number_by_appearance(keys: Sequence[Hashable]) -> tuple[list[int], list[int]]:
    """The obvious way: a dict."""
    numbers: dict[Hashable, int] = {}
    labels = [numbers.setdefault(key, len(numbers)) for key in keys]
    return labels, [keys.index(key) for key in numbers]


def bits_for(size: int) -> int:
    return max(1, int(1.5 * size).bit_length())


@given(SMALL)
def test_labels_by_slot_are_those_of_a_dict(keys: list[int]) -> None:
    labels, first = label_direct(np.array(keys, np.int64), 10)
    assert (labels.tolist(), first.tolist()) == number_by_appearance(keys)


@given(st.lists(st.one_of(st.integers(0, 9), st.integers(0, 2**63 - 1))))
def test_labels_by_hash_are_those_of_a_dict(keys: list[int]) -> None:
    labels, first = label_hashed(np.array(keys, np.int64), bits_for(len(keys)))
    assert (labels.tolist(), first.tolist()) == number_by_appearance(keys)


@pytest.mark.parametrize("last", [False, True])
def test_keys_that_all_want_one_slot_are_told_apart(last: bool) -> None:
    inverse = pow(int(HASH_MULTIPLIER), -1, 2**64)
    # all hashes begin with the same bits; where those are ones, probing runs over the end
    top = (2**64 - 2**40) if last else 0
    keys = [key for i in range(2000) if (key := (top + i) * inverse % 2**64) < 2**63]
    assert len(keys) > 500
    keys += keys[::3]
    labels, first = label_hashed(np.array(keys, np.int64), bits_for(len(keys)))
    assert (labels.tolist(), first.tolist()) == number_by_appearance(keys)


WORD = st.one_of(st.integers(0, 9), st.integers(0, 2**64 - 1))


@given(st.lists(st.tuples(WORD, st.integers(1, 9)), min_size=1), WORD)
def test_words_that_agree_under_a_mask_have_one_label(
    rows: list[tuple[int, int]], mask: int
) -> None:
    words, counts = zip(*rows, strict=True)
    labels, first, sizes = label_word(
        np.array(words, np.uint64),
        np.array(counts, np.int32),
        np.uint64(mask),
        *Workspace().buffers(len(rows)),
    )
    masked = [word & mask for word in words]
    assert (labels.tolist(), first.tolist()) == number_by_appearance(masked)
    of_label = [
        sum(c for c, label in zip(counts, labels, strict=True) if label == n)
        for n in range(first.size)
    ]
    assert sizes.tolist() == of_label


@given(st.lists(st.tuples(WORD, WORD, WORD), min_size=1), st.tuples(WORD, WORD, WORD))
def test_columns_of_words_are_labelled_as_wholes(
    rows: list[tuple[int, int, int]], mask: tuple[int, int, int]
) -> None:
    words = np.array(rows, np.uint64).T.copy()
    counts = np.ones(len(rows), np.int32)
    arrays = Workspace().buffers(len(rows))
    for array in arrays:
        array[:] = 7  # whatever they hold
    labels, first, sizes = label_words(words, counts, np.array(mask, np.uint64), *arrays)
    masked = [tuple(w & m for w, m in zip(row, mask, strict=True)) for row in rows]
    assert (labels.tolist(), first.tolist()) == number_by_appearance(masked)
    assert int(sizes.sum()) == len(rows)


def test_columns_whose_mixed_keys_agree_are_still_told_apart() -> None:
    # the second word undoes what the first one does to the key
    multiplier, first_words = int(HASH_MULTIPLIER), [3, 4, 5, 6]
    mixed = [(word ^ (word >> 29)) * multiplier % 2**64 for word in first_words]
    rows = [(word, -key % 2**64) for word, key in zip(first_words, mixed, strict=True)]
    words = np.array([*rows, *rows], np.uint64).T.copy()
    everything = np.full(2, 2**64 - 1, np.uint64)
    arrays = Workspace().buffers(8)
    labels, _, _ = label_words(words, np.ones(8, np.int32), everything, *arrays)
    assert labels.tolist() == [0, 1, 2, 3] * 2


@given(LABELS, st.data())
def test_sums_and_counts_by_label_are_those_of_a_counter(
    labels: list[int], data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(labels), max_size=len(labels)))
    summed: Counter[int] = Counter()
    for label, weight in zip(labels, weights, strict=True):
        summed[label] += weight
    array = np.array(labels, np.int32)
    assert sum_by_label(array, np.array(weights, np.int32), 5).tolist() == [
        summed[label] for label in range(5)
    ]
    assert count_by_label(array, 5).tolist() == [labels.count(label) for label in range(5)]


def test_sums_hold_more_than_32_bits() -> None:
    counts = np.full(3, 2**31 - 1, np.int32)
    assert sum_by_label(np.zeros(3, np.int32), counts, 1).tolist() == [3 * (2**31 - 1)]


@given(LABELS, st.lists(st.booleans(), min_size=5, max_size=5))
def test_selecting_lists_the_positions_with_a_chosen_label(
    labels: list[int], chosen: list[bool]
) -> None:
    selected = select_by_label(np.array(labels, np.int32), np.array(chosen))
    assert selected.tolist() == [i for i, label in enumerate(labels) if chosen[label]]


@given(st.lists(st.tuples(st.integers(0, 2**40), st.booleans())))
def test_chosen_values_are_summed(rows: list[tuple[int, bool]]) -> None:
    values, chosen = np.array([v for v, _ in rows], np.int64), np.array([c for _, c in rows], bool)
    assert sum_chosen(values, chosen) == sum(value for value, choice in rows if choice)


@given(LABELS, st.permutations(range(5)))
def test_relabelling_replaces_each_label(labels: list[int], new: list[int]) -> None:
    array = np.array(labels, np.int32)
    relabel(array, np.array(new, np.int32))
    assert array.tolist() == [new[label] for label in labels]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans()), max_size=8),
    st.lists(st.integers(0, 2), min_size=3, max_size=3),
)
def test_a_code_has_one_number_or_it_is_said_that_it_has_several(
    rows: list[tuple[int, int, bool]], numbers: list[int]
) -> None:
    codes, tuples, counted = (
        (list(column) for column in zip(*rows, strict=True)) if rows else ([],) * 3
    )
    found, decided = number_of_code(
        np.array(codes, np.uint8), np.array(tuples, np.int32), np.array(numbers, np.uint8),
        np.array(counted, np.bool_), 4,
    )  # fmt: skip
    of_code = [{numbers[t] for code, t, there in rows if there and code == c} for c in range(4)]
    assert decided == all(len(each) < 2 for each in of_code)
    if decided:
        assert found.tolist() == [min(each, default=-1) for each in of_code]


@given(st.lists(st.integers(2, 300), min_size=1, max_size=6), st.data())
def test_digits_come_out_of_a_key_as_they_went_in(radices: list[int], data: st.DataObject) -> None:
    digits = [data.draw(st.integers(0, radix - 1)) for radix in radices]
    key = 0
    for radix, digit in zip(radices, digits, strict=True):
        key = key * radix + digit
    for position, (radix, digit) in enumerate(zip(radices, digits, strict=True)):
        stride = int(np.prod(radices[position + 1 :], dtype=np.int64))
        assert extract_digit(np.array([key, 0]), stride, radix).tolist() == [digit, 0]


@st.composite
def coded(draw: st.DrawFn) -> tuple[list[int], list[int], list[list[int]], list[list[int]]]:
    """Draw leaf counts, levels, codes[attribute][tuple] and a table [level][offset + code]."""
    leaves = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    levels = [draw(st.integers(0, 2)) for _ in leaves]
    tuples = draw(st.integers(1, 8))
    codes = [
        draw(st.lists(st.integers(0, n - 1), min_size=tuples, max_size=tuples)) for n in leaves
    ]
    row = st.lists(st.integers(0, 6), min_size=sum(leaves), max_size=sum(leaves))
    return leaves, levels, codes, [draw(row) for _ in range(3)]


@given(coded(), st.data(), st.integers(0, 12))
def test_covered_leaves_are_summed_over_all_but_the_spared_records_at_each_level_of_a_range(
    case: tuple[list[int], list[int], list[list[int]], list[list[int]]],
    data: st.DataObject,
    exempt: int,
) -> None:
    leaves, levels, codes, covered = case
    offsets = np.cumsum([0, *leaves])
    tuples = range(len(codes[0]))
    counts = [data.draw(st.integers(1, 9)) for _ in tuples]
    selected = sorted(data.draw(st.sets(st.sampled_from(tuples))))
    lowest = [data.draw(st.integers(0, level)) for level in levels]
    by_cover = [
        [
            place
            for a in range(len(leaves))
            for place in sorted(range(offsets[a], offsets[a + 1]), key=row.__getitem__)
        ]
        for row in covered
    ]
    all_but = data.draw(st.booleans())
    named = sorted({*tuples} - {*selected}) if all_but else selected
    records = [
        sum(counts[i] for i in tuples if codes[a][i] == code)
        for a, size in enumerate(leaves)
        for code in range(size)
    ]
    totals, left = sum_covered(
        np.array(named, np.int32), np.array(codes, np.uint8), np.array(counts, np.int32),
        np.array(covered), np.array(by_cover), offsets, np.array(lowest), np.array(levels), exempt,
        all_but, np.array(records),
    )  # fmt: skip

    def expected(a: int, level: int, exempt: int) -> int:
        cover = [covered[level][int(offsets[a]) + codes[a][i]] for i in selected]
        records = sorted(c for c, i in zip(cover, selected, strict=True) for _ in range(counts[i]))
        return sum(records[exempt:]) if lowest[a] <= level <= levels[a] else 0

    for found, without in ((totals, 0), (left, exempt)):
        assert found.tolist() == [
            [expected(a, level, without) for level in range(3)] for a in range(len(leaves))
        ]
