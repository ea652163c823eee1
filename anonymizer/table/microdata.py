"""Microdata: a table as its distinct quasi-identifier tuples, in small integers, with counts.

Everything the optimizer asks depends on these alone. Rows are touched twice: here, to aggregate them,
and when the release is written.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import Column, Tuples
from anonymizer.data.table import Table
from anonymizer.errors import AnonymizerWarning, quote_some
from anonymizer.hierarchy import MISSING, Hierarchy
from anonymizer.kernels.entropy import sum_entropy
from anonymizer.kernels.partition import sum_covered
from anonymizer.lattice import Lattice
from anonymizer.table.domain import Domain, QuasiIdentifier, read_only
from anonymizer.table.extra_columns import take_out
from anonymizer.table.leaves import count_texts, take_in, to_leaves
from anonymizer.table.people import People
from anonymizer.table.sensitive import SensitiveColumn

Prepared = TypeVar("Prepared")
NO_RECORDS = read_only(np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class PopulationTuples:
    """The distinct tuples of a population table, in the paths of the microdata, with counts."""

    words: NDArray[np.uint64]
    counts: NDArray[np.int32]
    codes: NDArray[np.unsignedinteger]
    """The codes of all columns, as those of the microdata."""
    places: tuple[int, ...]
    """Where the attributes that the population table has stand among the quasi-identifiers."""
    known: NDArray[np.uint64] | None = None
    """The bits, in every word, of the attributes that the population table has; None where it has all."""

    @cached_property
    def people(self) -> int:
        """The number of people in the population table."""
        return int(self.counts.sum())


class Workspace(threading.local):
    """Buffers of each thread, reused for every scheme.

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
    population: PopulationTuples | None = None
    people: People | None = None
    """Whom the rows belong to; None where each row is a person."""
    id: str | None = None
    """The column that tells whose a row is."""
    beside: Mapping[str, Column] = field(default_factory=dict, repr=False)
    """Columns that risk models look at beside the quasi-identifiers. Where there are any, tuples that
    differ in them alone are distinct too."""
    sensitive: Mapping[str, SensitiveColumn] = field(default_factory=dict, repr=False)
    """Columns whose values are counted in each class; they tell no tuples apart."""
    of_groups: Mapping[str, SensitiveColumn] = field(default_factory=dict, repr=False)
    """Columns that tell only which groups must be kept; they tell no tuples apart."""
    grouped: bool = False
    """Whether an engine counted the rows: `tuple_of_row` is then of each tuple that came from there."""

    @property
    def counted_columns(self) -> Mapping[str, SensitiveColumn]:
        """All columns whose values are counted, in the order in which they were read."""
        return {**self.sensitive, **self.of_groups}

    @property
    def number_of_people(self) -> int:
        """How many different people the table has."""
        return self.records if self.people is None else self.people.number

    def count_people(
        self, labels: NDArray[np.int32], records: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the people in each class, given the class of each tuple and the records of each."""
        return records if self.people is None else self.people.class_sizes(labels, records.size)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the table alone: what is prepared goes by identities that are of this process."""
        return {each.name: self.__dict__[each.name] for each in fields(self)}

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
        """Buffers to partition the tuples in."""
        return Workspace()

    def clear_workspace(self) -> None:
        """Let go of that room, for what is done after the search; it is made anew where it is needed."""
        self.__dict__.pop("workspace", None)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return self.domain.attributes

    @property
    def columns(self) -> tuple[QuasiIdentifier, ...]:
        """The quasi-identifiers."""
        return self.domain.columns

    @property
    def lattice(self) -> Lattice:
        """All levels of all hierarchies."""
        return self.domain.lattice

    @cached_property
    def records(self) -> int:
        """The number of rows."""
        return int(self.counts.sum(dtype=np.int64))

    @property
    def distinct(self) -> int:
        """The number of distinct tuples."""
        return self.counts.size

    def sum_covered(
        self, selected: NDArray[np.int32], box: Lattice, exempt: int = 0, all_but: bool = False
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Sum the leaves covered by some tuples, for each attribute and level of a box; elsewhere, 0.

        Where it is `all_but`, by all others: with the fewer of the two it takes less time. Returns the
        sums, and the same without the `exempt` records that cover least in each of them.
        """
        sums: tuple[NDArray[np.int64], NDArray[np.int64]] = sum_covered(
            selected,
            self.codes,
            self.counts,
            self.domain.covered,
            self.domain.by_cover,
            self.domain.offsets,
            np.array(box.low),
            np.array(box.high),
            exempt,
            all_but,
            self.records_of_code if all_but else NO_RECORDS,
        )
        return sums

    @cached_property
    def records_of_code(self) -> NDArray[np.int64]:
        """The records of each value of all attributes side by side: `records[offset + code]`."""
        sizes = np.diff(self.domain.offsets)
        counts = [
            np.bincount(codes, self.counts, size)
            for codes, size in zip(self.codes, sizes, strict=True)
        ]
        return read_only(np.concatenate(counts).astype(np.int64))

    @cached_property
    def total_covered(self) -> NDArray[np.int64]:
        """For each attribute and level: the leaves covered, summed over all records."""
        everything = np.arange(self.distinct, dtype=np.int32)
        return read_only(self.sum_covered(everything, self.lattice)[0])

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
    table: Table,
    hierarchies: Sequence[Hierarchy],
    population: Table | None = None,
    person: str | None = None,
    beside: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    of_groups: Sequence[str] = (),
) -> Microdata:
    """Aggregate a table, and a population table if there is one.

    The quasi-identifiers are the hierarchies' names; a population table may lack some, and is matched on
    those it has. `person` is the id column, where people have several rows. `beside` are columns that
    tell tuples apart without being quasi-identifiers; `sensitive` columns and those `of_groups` do not,
    and are counted. Cells are read as the hierarchies say. Raises a HierarchyError that lists every value
    without a leaf, and warns where a leaf for missing cells had to be added.
    """
    there = () if population is None else population.columns
    places = [at for at, hierarchy in enumerate(hierarchies) if hierarchy.name in there]
    id_column = [] if person is None else [person]
    counted_columns = list(dict.fromkeys([*sensitive, *of_groups]))
    counted = count_texts(table, hierarchies, [*beside, *counted_columns, *id_column])
    matching = None
    if population is not None:
        matching = count_texts(population, [hierarchies[at] for at in places])
    grown = take_in(hierarchies, counted, matching, places)
    if matching is not None:
        listed, taken = ([each[at] for at in places] for each in (hierarchies, grown))
        matching = to_leaves(matching, listed, taken)
    wider = to_leaves(counted, hierarchies, grown)
    if person is None and not beside and not counted_columns:
        return encode_tuples(wider, grown, matching, places)
    narrow, extra = take_out(wider, len(hierarchies), beside, counted_columns, person, table.name)
    encoded = encode_tuples(narrow, grown, matching, places)
    described = {name: each for name, each in extra.sensitive.items() if name in sensitive}
    others = {name: each for name, each in extra.sensitive.items() if name not in sensitive}
    return replace(
        encoded, people=extra.people, id=person, beside=extra.beside, sensitive=described,
        of_groups=others,
    )  # fmt: skip


def encode_tuples(
    tuples: Tuples,
    hierarchies: Sequence[Hierarchy],
    population: Tuples | None = None,
    places: Sequence[int] = (),
) -> Microdata:
    """Make microdata of tuples whose codes are the numbers of leaves, and of a population's.

    `places` is where the population's columns stand among the hierarchies.
    """
    widened = None if population is None else widen(population, places, tuples)
    both = [tuples] if widened is None else [tuples, widened]
    names = tuple(hierarchy.name for hierarchy in hierarchies)
    extended = [with_missing(hierarchy, at, both) for at, hierarchy in enumerate(hierarchies)]
    warn_of_missing(
        [new.name for old, new in zip(hierarchies, extended, strict=True) if old is not new]
    )
    columns = tuple(
        QuasiIdentifier.build(extended[at], [each.codes[at] for each in both])
        for at, hierarchy in enumerate(hierarchies)
    )
    codes, counts = encode_columns(columns, tuples), read_only(tuples.counts)
    domain, tuple_of_row = Domain(names, columns), read_only(tuples.tuple_of_row)
    if widened is None:
        return Microdata(domain, codes, counts, tuple_of_row, grouped=tuples.grouped)
    others = encode_columns(columns, widened)
    words = domain.paths.encode(others)
    known = None
    if len(places) < len(hierarchies):
        known = np.bitwise_or.reduce(domain.paths.masks[list(places), 0], axis=0)
    matching = PopulationTuples(words, read_only(widened.counts), others, tuple(places), known)
    return Microdata(domain, codes, counts, tuple_of_row, matching, grouped=tuples.grouped)


def widen(population: Tuples, places: Sequence[int], tuples: Tuples) -> Tuples:
    """Give a population the columns that it lacks, with one value throughout, which is never compared."""
    if len(places) == len(tuples.texts):
        return population
    texts, codes = (
        list(tuples.texts),
        [np.resize(each[:1], population.counts.size) for each in tuples.codes],
    )
    for place, own_texts, own_codes in zip(places, population.texts, population.codes, strict=True):
        texts[place], codes[place] = own_texts, own_codes
    return replace(population, texts=tuple(texts), codes=tuple(codes))


def with_missing(hierarchy: Hierarchy, column: int, parts: Sequence[Tuples]) -> Hierarchy:
    """Return the hierarchy, with a leaf for missing cells if there are any that it has none for."""
    if all(MISSING not in part.texts[column][hierarchy.size :] for part in parts):
        return hierarchy
    return hierarchy.with_missing()


def warn_of_missing(columns: Sequence[str]) -> None:
    """Warn, once for all columns, that missing cells are a value of their own."""
    if columns:
        several = "s" if len(columns) > 1 else ""
        has, its = ("have", "their hierarchies") if several else ("has", "its hierarchy")
        warnings.warn(
            f"column{several} {quote_some(columns)} {has} missing cells but no leaf for them in {its}: "
            'they are kept as a value of their own below the top. Say so with missing = "top" there, or '
            "name a group; in a .csv file, add an empty leaf.",
            AnonymizerWarning,
            stacklevel=2,
        )


def encode_columns(
    columns: Sequence[QuasiIdentifier], tuples: Tuples
) -> NDArray[np.unsignedinteger]:
    """Number the leaves of the tuples among those that occur, attribute by attribute."""
    kind = np.min_scalar_type(max(column.leaves.size - 1 for column in columns))
    codes = np.empty((len(columns), tuples.counts.size), kind)
    for row, column, leaves in zip(codes, columns, tuples.codes, strict=True):
        row[:] = column.encode(leaves)
    return read_only(codes)
