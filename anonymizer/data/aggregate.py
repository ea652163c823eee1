"""Aggregation: from rows to distinct tuples with counts; no Python loop over rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.columns import (
    Codes,
    Vocabulary,
    check_rows,
    code_batches,
    smallest_type,
)
from anonymizer.data.contract import Table, Tuples
from anonymizer.kernels.partition import (
    KEY_LIMIT,
    count_by_label,
    extract_digit,
    label_keys,
    relabel,
    sum_by_label,
)


def aggregate(table: Table, columns: Sequence[str], known: Sequence[Sequence[str]] = ()) -> Tuples:
    """Count the distinct tuples of some columns, in one pass over the table.

    Texts that are `known`, column by column, are numbered first, so that codes and the order of tuples
    follow from them and not from the order of rows.
    """
    vocabularies = [Vocabulary(texts) for texts in known] or [Vocabulary() for _ in columns]
    batches = list(code_batches(table.batches(columns), vocabularies))
    check_rows(table, sum(batch[0].size for batch in batches))
    return count_tuples(batches, [words.texts for words in vocabularies])


def count_tuples(batches: list[list[Codes]], texts: Sequence[tuple[str, ...]]) -> Tuples:
    """Count the distinct tuples of coded rows; empties the list of batches."""
    sizes = [len(each) for each in texts]
    tuple_of_row, keys = number_keys(pack(batches, sizes))
    counts = count_by_label(tuple_of_row, keys[0].size)
    return Tuples(tuple(texts), tuple(unpack(keys, sizes)), counts, tuple_of_row)


def recode(tuples: Tuples, numbers: Sequence[Codes], texts: Sequence[tuple[str, ...]]) -> Tuples:
    """Give the codes of each column other numbers, of other texts, and join what becomes equal."""
    sizes = [len(each) for each in texts]
    coded = [new[old] for new, old in zip(numbers, tuples.codes, strict=True)]
    labels, keys = number_keys(pack([coded], sizes))
    counts = sum_by_label(labels, tuples.counts, keys[0].size).astype(np.int32)
    codes = tuple(unpack(keys, sizes))
    of_row = labels[tuples.tuple_of_row]
    return Tuples(tuple(texts), codes, counts, of_row, tuples.grouped)


def word_radices(radices: Sequence[int]) -> list[list[int]]:
    """Split the columns' radices into runs whose product fits one key.

    >>> word_radices([2**40, 2**20, 2**20])
    [[1099511627776, 1048576], [1048576]]
    """
    runs: list[list[int]] = [[]]
    product = 1
    for radix in radices:
        product *= radix
        if product > KEY_LIMIT and runs[-1]:
            runs.append([])
            product = radix
        runs[-1].append(radix)
    return runs


def pack(batches: list[list[Codes]], radices: Sequence[int]) -> list[NDArray[np.int64]]:
    """Write each row as one mixed-radix key (more words where one is too short).

    The first column is the most significant digit: keys sort as tuples do. Each batch is let go of as
    soon as it is packed.
    """
    runs = word_radices(radices)
    rows = sum(batch[0].size for batch in batches)
    words = [np.zeros(rows, np.int64) for _ in runs]
    end = rows
    while batches:
        batch = batches.pop()
        start, columns = end - batch[0].size, iter(batch)
        for run, word in zip(runs, words, strict=True):
            key = word[start:end]
            for radix in run:
                key *= radix
                key += next(columns)
        end = start
    return words


def unpack(words: list[NDArray[np.int64]], radices: Sequence[int]) -> Iterator[NDArray[np.integer]]:
    """Split keys back into the codes of each column, one column at a time."""
    for run, word in zip(word_radices(radices), words, strict=True):
        for position, radix in enumerate(run):
            stride = math.prod(run[position + 1 :])
            yield extract_digit(word, stride, radix).astype(smallest_type(radix))


def number_keys(
    words: list[NDArray[np.int64]],
) -> tuple[NDArray[np.int32], list[NDArray[np.int64]]]:
    """Number equal rows by the order of their keys: row by row, and the distinct keys.

    Empties the list it is given: each word is let go of as soon as it is no longer needed.
    """
    labels, first = label_keys(words[0])
    for word in words[1:]:
        more, distinct_more = label_keys(word)
        labels, first = label_keys(labels.astype(np.int64) * distinct_more.size + more)
    keys = [words.pop(0)[first] for _ in range(len(words))]
    del first
    order = np.lexsort(keys[::-1]) if len(keys) > 1 else np.argsort(keys[0])
    rank = np.empty(order.size, np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    relabel(labels, rank)
    del rank
    return labels, [keys.pop(0)[order] for _ in range(len(keys))]
