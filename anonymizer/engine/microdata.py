"""Microdata: a table as its distinct quasi-identifier tuples, in small integers, with counts.

Everything the optimizer asks depends on these alone. Rows are touched twice: here, to aggregate them,
and when the release is written.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.data.cells import Cells, text_of
from anonymizer.data.table import Table
from anonymizer.engine.domain import Column, Domain, read_only
from anonymizer.engine.people import People
from anonymizer.errors import AnonymizerWarning, DataError, HierarchyError
from anonymizer.hierarchy import MISSING, Hierarchy, check_values
from anonymizer.kernels.entropy import sum_entropy
from anonymizer.kernels.partition import (
    count_by_label,
    extract_digit,
    label_direct,
    label_hashed,
    relabel,
    sum_covered,
)
from anonymizer.lattice import Lattice

Prepared = TypeVar("Prepared")

KEY_LIMIT = 2**63  # a key fits one machine word
ROW_LIMIT = 2**31  # row and tuple numbers fit an int32


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The distinct tuples of a population table, in the codes of the microdata, with counts."""

    codes: NDArray[np.unsignedinteger]
    words: NDArray[np.uint64]
    counts: NDArray[np.int32]


class Workspace(threading.local):
    """Room to work in, for each thread its own, used again for every scheme.

    Memory that is new to the process costs more than what is done in it.
    """

    def __init__(self) -> None:
        self.arrays: tuple[NDArray[Any], ...] = ()

    def buffers(self, tuples: int) -> tuple[NDArray[Any], ...]:
        """Return slots for labels and keys, and places for what is found of each label."""
        if not self.arrays or self.arrays[2].size != tuples:
            slots = 1 << max(1, int(1.5 * tuples).bit_length())
            self.arrays = (
                np.empty(slots, np.int32),
                np.empty(slots, np.uint64),
                np.empty(tuples, np.int32),
                np.empty(tuples, np.int64),
            )
        return self.arrays


@dataclass(frozen=True, eq=False)
class Microdata:
    """The distinct quasi-identifier tuples of a table in a canonical order, and how often each occurs.

    The order of tuples follows from the attributes and their leaves, never from the order of rows.
    """

    domain: Domain
    codes: NDArray[np.unsignedinteger]
    """The codes of all columns: one row for each attribute, one column for each tuple."""
    counts: NDArray[np.int32]
    tuple_of_row: NDArray[np.int32] = field(repr=False)
    population: Population | None = None
    people: People | None = None
    """Whom the rows belong to; None where each row is a person."""

    @property
    def number_of_people(self) -> int:
        """How many different people the table has."""
        return self.records if self.people is None else self.people.number

    def count_people(
        self, labels: NDArray[np.int32], records: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the people in each class, given the class of each tuple and the records of each."""
        return records if self.people is None else self.people.class_sizes(labels, records.size)

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """The paths of all columns: one row for each machine word, one column for each tuple."""
        return read_only(self.domain.paths.encode(self.codes))

    @cached_property
    def prepared(self) -> dict[int, tuple[object, Any]]:
        """What models prepare of the table, by what they prepare it for."""
        return {}

    def once(self, what: object, prepare: Callable[[], Prepared]) -> Prepared:
        """Return what is prepared of the table for an object, made when first asked for."""
        if id(what) not in self.prepared:
            # the object stays, and so does its identity; of two threads the first one decides
            self.prepared.setdefault(id(what), (what, prepare()))
        found: Prepared = self.prepared[id(what)][1]
        return found

    @cached_property
    def workspace(self) -> Workspace:
        """Room to partition the tuples in."""
        return Workspace()

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return self.domain.attributes

    @property
    def columns(self) -> tuple[Column, ...]:
        """The quasi-identifiers."""
        return self.domain.columns

    @property
    def lattice(self) -> Lattice:
        """All levels of all hierarchies."""
        return self.domain.lattice

    @property
    def records(self) -> int:
        """The number of rows."""
        return self.tuple_of_row.size

    @property
    def distinct(self) -> int:
        """The number of distinct tuples."""
        return self.counts.size

    def sum_covered(
        self, selected: NDArray[np.int32], box: Lattice, exempt: int = 0
    ) -> NDArray[np.int64]:
        """Sum the leaves covered by some tuples, for each attribute and level of a box; elsewhere, 0.

        Of their records, the `exempt` ones that cover least are left out of each sum.
        """
        sums: NDArray[np.int64] = sum_covered(
            selected,
            self.codes,
            self.counts,
            self.domain.covered,
            self.domain.by_cover,
            self.domain.offsets,
            np.array(box.low),
            np.array(box.high),
            exempt,
        )
        return sums

    @cached_property
    def total_covered(self) -> NDArray[np.int64]:
        """For each attribute and level: the leaves covered, summed over all records."""
        everything = np.arange(self.distinct, dtype=np.int32)
        return read_only(self.sum_covered(everything, self.lattice))

    def sum_entropy(
        self, selected: NDArray[np.int32], box: Lattice, exempt: int = 0
    ) -> NDArray[np.float64]:
        """Sum the bits that tell apart the values of some tuples, for each attribute and level of a box.

        Of their records, the `exempt` ones of the rarest values are left out of each sum.
        """
        sums: NDArray[np.float64] = sum_entropy(
            selected,
            self.codes,
            self.counts,
            self.domain.groups,
            self.domain.offsets,
            np.array(box.low),
            np.array(box.high),
            exempt,
        )
        return sums

    @cached_property
    def total_entropy(self) -> NDArray[np.float64]:
        """For each attribute and level: the bits that tell apart the values of all records."""
        everything = np.arange(self.distinct, dtype=np.int32)
        return read_only(self.sum_entropy(everything, self.lattice))


def encode(
    table: Table, hierarchies: Sequence[Hierarchy], population: Table | None = None
) -> Microdata:
    """Aggregate a table, and a population table if there is one: no Python loop over rows.

    The quasi-identifiers are the hierarchies' names. Raises a HierarchyError that lists every value
    without a leaf, and warns where a leaf for missing cells had to be added.
    """
    encoders = [Encoder(hierarchy) for hierarchy in hierarchies]
    names = tuple(hierarchy.name for hierarchy in hierarchies)
    tuple_of_row, counts, words = aggregate(pack(table, encoders))
    if population is None:
        columns, (codes,) = encode_tuples(encoders, [words])
        return Microdata(Domain(names, columns), codes, counts, tuple_of_row)
    _, people, words_of_people = aggregate(pack(population, encoders))
    columns, (codes, codes_of_people) = encode_tuples(encoders, [words, words_of_people])
    domain = Domain(names, columns)
    matching = Population(codes_of_people, domain.paths.encode(codes_of_people), people)
    return Microdata(domain, codes, counts, tuple_of_row, matching)


def encode_tuples(
    encoders: Sequence[Encoder], parts: Sequence[list[NDArray[np.int64]]]
) -> tuple[tuple[Column, ...], list[NDArray[np.unsignedinteger]]]:
    """Number what occurs in any of the parts, attribute by attribute; return the codes of each part."""
    radices = [encoder.radix for encoder in encoders]
    columns = []
    codes: list[list[NDArray[np.unsignedinteger]]] = [[] for _ in parts]
    unpacked = (unpack(words, radices) for words in parts)
    for encoder, *leaves in zip(encoders, *unpacked, strict=True):
        column = Column.build(encoder.final_hierarchy(), leaves)
        columns.append(column)
        for part, leaves_of_tuples in zip(codes, leaves, strict=True):
            part.append(column.encode(leaves_of_tuples))
    return tuple(columns), [read_only(np.stack(part)) for part in codes]


class Encoder:
    """Turns the cells of one attribute into leaf numbers, and remembers what had no leaf."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.index = pd.Index(hierarchy.leaves, dtype=object)
        self.radix = hierarchy.size + 1  # the last number is a missing cell's
        self.uncovered: dict[str, int] = {}
        self.has_missing = False

    def encode(self, cells: Cells, first_row: int) -> NDArray[np.int64]:
        """Return the leaf of every cell; unknown values are noted with their row and get leaf 0."""
        texts = [text_of(value) for value in cells.distinct]
        leaves = self.index.get_indexer(pd.Index([*texts, MISSING], dtype=object))
        if leaves[-1] < 0:  # the hierarchy has no leaf of its own for a missing cell
            leaves[-1] = self.hierarchy.size
            self.has_missing |= bool((cells.indices < 0).any())
        for unknown in np.flatnonzero(leaves < 0):
            row = first_row + int(np.argmax(cells.indices == unknown))
            self.uncovered.setdefault(texts[unknown], row)
            leaves[unknown] = 0
        return leaves[cells.indices]  # index -1 is the last entry: the missing cell's leaf

    def final_hierarchy(self) -> Hierarchy:
        """Return the hierarchy, with a leaf for missing cells if there were any."""
        if not self.has_missing:
            return self.hierarchy
        warnings.warn(
            f"column '{self.hierarchy.name}' has missing cells but its hierarchy has no leaf for "
            "them: they are kept as a value of their own below the top. Add an empty leaf to the "
            "hierarchy to choose otherwise.",
            AnonymizerWarning,
            stacklevel=2,
        )
        return self.hierarchy.with_missing()


def raise_uncovered(encoders: Sequence[Encoder]) -> None:
    """Raise one error for all values of all attributes that have no leaf."""
    defects = [
        f"{defect.message} First at row {min(encoder.uncovered.values()) + 1}."
        for encoder in encoders
        if encoder.uncovered
        for defect in check_values(encoder.hierarchy, list(encoder.uncovered))
    ]
    if defects:
        raise HierarchyError(" ".join(defects))


def word_radices(radices: Sequence[int]) -> list[list[int]]:
    """Split the attributes' radices into runs whose product fits one key.

    >>> word_radices([2**40, 2**20, 2**20])
    [[1099511627776, 1048576], [1048576]]
    """
    runs: list[list[int]] = []
    product = KEY_LIMIT
    for radix in radices:
        product *= radix
        if product > KEY_LIMIT:
            runs.append([])
            product = radix
        runs[-1].append(radix)
    return runs


def pack(table: Table, encoders: Sequence[Encoder]) -> list[NDArray[np.int64]]:
    """Read the table into one mixed-radix key for each row (more words where one is too short).

    Eight bytes for each row and word are all that is kept of a batch, so the table is never in memory
    as cells. The first attribute is the most significant digit: keys sort as tuples do.
    """
    runs = word_radices([encoder.radix for encoder in encoders])
    parts: list[list[NDArray[np.int64]]] = [[] for _ in runs]
    first_row = 0
    for batch in table.batches([encoder.hierarchy.name for encoder in encoders]):
        columns = iter(zip(encoders, batch, strict=True))
        for run, part in zip(runs, parts, strict=True):
            key = np.zeros(batch[0].indices.size, np.int64)
            for radix in run:
                encoder, cells = next(columns)
                key *= radix
                key += encoder.encode(cells, first_row)
            part.append(key)
        first_row += batch[0].indices.size
    raise_uncovered(encoders)
    check_rows(table, first_row)
    return [join(part) for part in parts]


def check_rows(table: Table, rows: int) -> None:
    """Raise a DataError unless there are rows, and not too many."""
    if rows == 0:
        raise DataError(f"{table.name}: the table has no rows, so there is nothing to anonymize.")
    if rows >= ROW_LIMIT:
        raise DataError(f"{table.name}: {rows} rows are more than the {ROW_LIMIT} supported.")


def join(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Concatenate arrays and let go of each as soon as it is copied."""
    joined = np.empty(sum(part.size for part in parts), np.int64)
    at = joined.size
    while parts:
        part = parts.pop()
        at -= part.size
        joined[at : at + part.size] = part
    return joined


def unpack(words: list[NDArray[np.int64]], radices: Sequence[int]) -> Iterator[NDArray[np.int32]]:
    """Split keys back into the leaf numbers of each attribute, one attribute at a time."""
    for run, word in zip(word_radices(radices), words, strict=True):
        for position, radix in enumerate(run):
            yield extract_digit(word, math.prod(run[position + 1 :]), radix)


def aggregate(
    words: list[NDArray[np.int64]],
) -> tuple[NDArray[np.int32], NDArray[np.int32], list[NDArray[np.int64]]]:
    """Number equal rows by the order of their keys: row numbers, counts and the distinct keys.

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
    sorted_keys = [keys.pop(0)[order] for _ in range(len(keys))]
    counts = count_by_label(labels, order.size)
    return read_only(labels), read_only(counts), sorted_keys


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
