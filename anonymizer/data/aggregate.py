"""Rows numbered by several columns, and counted: no Python loop over rows.

From rows to distinct tuples with counts, and which rows have equal values, as one number for each row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import (
    ROW_LIMIT,
    Codes,
    Column,
    Tuples,
    smallest_type,
)
from anonymizer.kernels.partition import (
    KEY_LIMIT,
    count_by_label,
    extract_digit,
    label_keys,
    relabel,
    sum_by_label,
)


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


class Labels(NamedTuple):
    """A number below `number` for each row; rows with the same label are not told apart."""

    of_row: NDArray[np.int32]
    number: int

    def refine(self, values: Labels) -> Labels:
        """Split each part by some values; a chain of splits begins with `one_part`."""
        if values.number <= 1 or self.number == self.of_row.size:
            return self  # the values tell no one apart, or everyone is told apart already
        keys = self.of_row.astype(np.int64) * values.number + values.of_row
        labels, first = label_keys(keys, self.number * values.number)
        return Labels(labels, first.size)

    def take(self, rows: NDArray[np.integer] | slice) -> Labels:
        """Return the labels of some rows."""
        return Labels(self.of_row[rows], self.number)

    def first_rows(self) -> NDArray[np.int32]:
        """Return where each label occurs first."""
        return label_keys(self.of_row.astype(np.int64), self.number)[1]


def one_part(rows: int) -> Labels:
    """Return the partition in which no row is told from another."""
    return Labels(np.zeros(rows, np.int32), min(rows, 1))


def code_labels(codes: NDArray[np.integer]) -> Labels:
    """Take codes as labels."""
    if not codes.size:
        return Labels(codes.astype(np.int32), 0)
    least, most = int(codes.min()), int(codes.max())
    for code in (least, most):
        if not 0 <= code < ROW_LIMIT:  # wrapped around, it would match what it must not
            raise ValueError(f"codes are from 0 to {ROW_LIMIT - 1}, got {code}")
    return Labels(codes.astype(np.int32), most + 1)


def label_together(parts: Iterable[Labels], rows: int) -> Labels:
    """Label the rows that have equal labels in several partitions.

    >>> sex, age = code_labels(np.array([0, 0, 1])), code_labels(np.array([5, 5, 5]))
    >>> label_together([sex, age], 3).of_row.tolist()
    [0, 0, 1]
    """
    labels = one_part(rows)
    for part in parts:
        labels = labels.refine(part)
    return labels


def label_columns(columns: Iterable[Column]) -> Labels:
    """Label the rows that have equal values of some columns; one column at least is given."""
    parts = [code_labels(column.codes) for column in columns]
    return label_together(parts, parts[0].of_row.size)


def distinct_rows(
    columns: Sequence[NDArray[np.integer]], rows: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number the distinct rows in the order of their values, and say where one of each is."""
    labels = label_together(map(code_labels, columns), rows)
    first = labels.first_rows()
    order = np.lexsort([column[first] for column in columns][::-1]) if columns else np.arange(1)
    number = np.empty(order.size, np.int32)
    number[order] = np.arange(order.size, dtype=np.int32)
    return number[labels.of_row], first[order].astype(np.int32)


def pair_people(
    labels: NDArray[np.integer], person: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List each label of a row with whose the row is, each pair once."""
    people = int(person.max(initial=0)) + 1
    return np.divmod(np.unique(labels.astype(np.int64) * people + person), people)


def count_people(
    labels: NDArray[np.integer], person: NDArray[np.integer], number: int
) -> NDArray[np.int64]:
    """Count the people who have a row with each of so many labels, each once."""
    return np.bincount(pair_people(labels, person)[0], minlength=number)


def count_people_alone(labels: NDArray[np.integer], person: NDArray[np.integer]) -> int:
    """Count the people who have a label that nobody else has.

    >>> count_people_alone(np.array([0, 0, 1, 2, 2]), np.array([7, 7, 7, 8, 9]))
    1
    """
    labels, whose = pair_people(labels, person)
    holders = np.bincount(labels)
    return int(np.unique(whose[holders[labels] == 1]).size)
