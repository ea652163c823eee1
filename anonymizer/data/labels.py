"""Labels: which rows of a table have equal values, as one number for each row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.columns import ROW_LIMIT, Coded
from anonymizer.kernels.partition import label_keys


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


def label_columns(columns: Iterable[Coded]) -> Labels:
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
