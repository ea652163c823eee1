"""The distinct tuples of a table and of an external one, as sorted keys for kernels/unique_subsets.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import Codes, Vocabulary, code_batches
from anonymizer.data.table import Table, check_rows
from anonymizer.kernels.unique_subsets import MANY, count_subsets, decide

WORD = 64  # bits

Counts = NDArray[np.int64]
"""Unique records, those of them that the external table has, and those that it has once."""
Batch = list[Codes]
"""The codes of some rows, one array for each attribute."""


@dataclass(frozen=True, slots=True)
class Field:
    """Where the bits of an attribute stand in the keys."""

    attribute: int
    word: int
    low: int
    width: int

    @property
    def place(self) -> tuple[int, int, int]:
        """Word, lowest bit and width, as the kernels have them."""
        return self.word, self.low, self.width


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields in the order in which they are decided on: from the most significant down."""

    fields: tuple[Field, ...]
    words: int


@dataclass(frozen=True, slots=True, eq=False)
class PackedTuples:
    """Distinct tuples: sorted keys, one row for each, and their states."""

    keys: NDArray[np.uint64]
    states: NDArray[np.uint8]

    @property
    def size(self) -> int:
        """The number of tuples."""
        return self.states.size

    def decide(self, field: Field, keep: bool, counts: Counts) -> PackedTuples:
        """Keep or drop an attribute for good; those before it are decided on already.

        Adds to the counts what is settled, and returns the tuples that are still open.
        """
        keys, states = decide(self.keys, self.states, field.place, keep, counts)
        return PackedTuples(keys, states)

    def count_subsets(self, fields: Sequence[Field], counts: Counts) -> Counts:
        """Decide on some fields in every way; return the counts of each, those that keep more first."""
        table = np.empty((1 << len(fields), counts.size), np.int64)
        places = np.array([field.place for field in fields], np.int64).reshape(-1, 3)
        count_subsets(self.keys, self.states, places, counts, table)
        return table


def lay_out(widths: Sequence[int], order: Sequence[int]) -> Layout:
    """Give each attribute its bits, in an order from the most significant down; none is split.

    >>> [field.low for field in lay_out([2, 40, 30], [1, 2, 0]).fields]
    [24, 34, 32]
    """
    fields = []
    word, low = 0, WORD
    for attribute in order:
        if widths[attribute] > low:
            word, low = word + 1, WORD
        low -= widths[attribute]
        fields.append(Field(attribute, word, low, widths[attribute]))
    return Layout(tuple(fields), word + 1)


def entropy(parts: Sequence[Codes], size: int) -> float:
    """Return how much an attribute of so many values tells about a record, in bits.

    >>> entropy([np.array([0, 1], np.uint8), np.array([2, 3], np.uint8)], 4)
    2.0
    """
    counts = sum((np.bincount(part, minlength=size) for part in parts), np.zeros(size, np.int64))
    shares = counts[counts > 0] / max(counts.sum(), 1)
    return float(-(shares * np.log2(shares)).sum())


def bit_width(size: int) -> int:
    """Return the bits that the number of one of so many values takes."""
    return max(size - 1, 0).bit_length()


def read_tuples(
    tables: Sequence[Table], attributes: Sequence[str]
) -> tuple[int, Layout, PackedTuples]:
    """Read our table, and an external one if there is one: our records, and the distinct tuples."""
    vocabularies = [Vocabulary() for _ in attributes]
    parts = [list(code_batches(table.batches(attributes), vocabularies)) for table in tables]
    rows = [sum(batch[0].size for batch in batches) for batches in parts]
    for table, size in zip(tables, rows, strict=True):
        check_rows(table, size)
    sizes = [len(words) for words in vocabularies]
    bits = [
        entropy([batch[a] for batches in parts for batch in batches], size)
        for a, size in enumerate(sizes)
    ]
    # what tells most about a record comes first: without it there are few tuples, with it few are open
    layout = lay_out(
        [*map(bit_width, sizes)], sorted(range(len(bits)), key=lambda a: (-bits[a], a))
    )
    distinct = [aggregate(pack(batches, layout), 4**at) for at, batches in enumerate(parts)]
    return rows[0], layout, join(distinct)


def pack(batches: list[Batch], layout: Layout) -> NDArray[np.uint64]:
    """Write each row as a key; empties the list of batches."""
    parts = []
    while batches:
        batch = batches.pop()
        keys = np.zeros((batch[0].size, layout.words), np.uint64)
        for field in layout.fields:
            if field.width:
                keys[:, field.word] |= batch[field.attribute].astype(np.uint64) << np.uint64(
                    field.low
                )
        parts.append(keys)
    return np.concatenate(parts)


def aggregate(keys: NDArray[np.uint64], unit: int) -> PackedTuples:
    """Sort keys and keep each once, with its rows counted up to MANY, in a unit of the states."""
    keys = sort_keys(keys)
    first = first_places(keys)
    rows = np.diff(np.append(first, len(keys)))
    return PackedTuples(keys[first], (unit * np.minimum(rows, MANY)).astype(np.uint8))


def sort_keys(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Sort keys of one or more words."""
    return np.sort(keys, axis=0) if keys.shape[1] == 1 else keys[np.lexsort(keys.T[::-1])]


def first_places(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Find where each key of a sorted list stands first."""
    changes = np.ones(len(keys), np.bool_)
    changes[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    return np.flatnonzero(changes)


def join(tables: Sequence[PackedTuples]) -> PackedTuples:
    """Join the tuples of tables whose states have different units."""
    if len(tables) == 1:
        return tables[0]
    keys = np.concatenate([table.keys for table in tables])
    states = np.concatenate([table.states for table in tables])
    order = np.lexsort(keys.T[::-1])
    keys = keys[order]
    first = first_places(keys)
    return PackedTuples(keys[first], np.add.reduceat(states[order], first))
