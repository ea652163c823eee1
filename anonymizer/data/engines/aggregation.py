"""Aggregation in an engine: the rows are counted there, and only codes and counts come over.

A dictionary numbers the distinct values of a column where they are; only it is read here, and its values
mean what cells of a file mean. Rows are then counted by packed codes, never by texts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.aggregate import pack, recode, unpack, word_radices
from anonymizer.data.column import MISSING, Tuples, Vocabulary, smallest_type, text_of
from anonymizer.data.engines.engine import Engine
from anonymizer.errors import DataError


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """The distinct values of a column, numbered in the engine; a missing cell has the last number."""

    column: str
    place: int
    """Which of the columns it is: names in the engine follow from it."""
    table: Any
    """In the engine: values and their codes."""
    values: Sequence[Any]
    """The values in the order of their codes."""

    @property
    def value(self) -> str:
        """What the values are called in the engine."""
        return f"value_{self.place}__"

    @property
    def code(self) -> str:
        """What the codes are called in the engine."""
        return f"code_{self.place}__"

    @property
    def size(self) -> int:
        """The number of codes, that of missing cells included."""
        return len(self.values) + 1

    @property
    def bits(self) -> int:
        """How many bits hold a code."""
        return max(1, (self.size - 1).bit_length())


def number_values(engine: Engine, source: Any, column: str, place: int) -> Dictionary:
    """Number the values of a column, in the engine and in its order."""
    import ibis

    empty = Dictionary(column, place, None, ())
    there = source.filter(source[column].notnull())
    distinct = there.select(**{empty.value: there[column]}).distinct()
    rank = ibis.row_number().over(order_by=distinct[empty.value])
    # Ibis takes a rank for 64 bits wide; in Spark it has 32, and products of codes would overflow
    code = rank.cast("int32").cast("int64")
    kept = engine.keep(distinct.mutate(**{empty.code: code}))
    batches = engine.fetch(kept.order_by(empty.code).select(empty.value))
    values = [value for batch in batches for value in batch.column(0).to_pylist()]
    return Dictionary(column, place, kept, values)


def join_dictionaries(source: Any, dictionaries: Iterable[Dictionary]) -> Any:
    """Join the rows of a table with the dictionaries of some of its columns."""
    joined = source
    for each in dictionaries:
        joined = joined.left_join(each.table, joined[each.column] == each.table[each.value])
    return joined


def code_of(joined: Any, dictionary: Dictionary) -> Any:
    """Return the code of a cell; null where the dictionary does not have its value."""
    import ibis

    missing = ibis.literal(dictionary.size - 1, "int64")
    return ibis.ifelse(joined[dictionary.column].isnull(), missing, joined[dictionary.code])


def word_name(at: int) -> str:
    """Return what a word of packed codes is called in the engine."""
    return f"word_{at}__"


def radices_of(dictionaries: Iterable[Dictionary]) -> list[int]:
    """Return powers of two by which codes are packed, so that bits can be taken out again."""
    return [1 << each.bits for each in dictionaries]


def words_of(joined: Any, dictionaries: Sequence[Dictionary]) -> dict[str, Any]:
    """Pack the codes of a row into as few words as hold them, the first as the most significant."""
    left, words = iter(dictionaries), {}
    for at, run in enumerate(word_radices(radices_of(dictionaries))):
        word: Any = None
        for radix in run:
            code = code_of(joined, next(left)).cast("int64")
            word = code if word is None else word * radix + code
        words[word_name(at)] = word
    return words


def codes_of(packed: Any, dictionaries: Sequence[Dictionary]) -> dict[str, Any]:
    """Take the codes out of packed words."""
    left, codes = iter(dictionaries), {}
    for at, run in enumerate(word_radices(radices_of(dictionaries))):
        shift = sum(radix.bit_length() - 1 for radix in run)
        for radix in run:
            shift -= radix.bit_length() - 1
            codes[next(left).code] = (packed[word_name(at)] >> shift) & (radix - 1)
    return codes


def fetch_integers(engine: Engine, query: Any) -> list[NDArray[np.int64]]:
    """Fetch columns of integers; a null, which should not be there, is -1."""
    parts: list[list[NDArray[np.int64]]] = [[] for _ in query.columns]
    for batch in engine.fetch(query, 1 << 20):
        for part, column in zip(parts, batch.columns, strict=True):
            part.append(column.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False))
    return [np.concatenate(part) if part else np.zeros(0, np.int64) for part in parts]


BYTES_PER_TUPLE, BYTES_PER_CODE = 130, 7
"""What a run holds of each distinct tuple at its peak, and of each of its codes, about.

Measured from here to the end of writing: 19 million tuples of 9 columns take 3.4 GB.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Aggregation:
    """The distinct tuples of some columns as an engine counted them."""

    dictionaries: tuple[Dictionary, ...]
    codes: tuple[NDArray[np.integer], ...]
    """The code of each tuple's value, for each column."""
    counts: NDArray[np.int64]

    def dictionary(self, column: str) -> Dictionary:
        """Return the dictionary of a column."""
        return next(each for each in self.dictionaries if each.column == column)

    def codes_of(self, column: str) -> NDArray[np.integer]:
        """Return the code of each tuple's value in a column."""
        return self.codes[[each.column for each in self.dictionaries].index(column)]

    def keys(self, columns: Sequence[str]) -> list[NDArray[np.int64]]:
        """Pack the codes of some columns as the engine does."""
        radices = radices_of(map(self.dictionary, columns))
        return pack([[self.codes_of(column) for column in columns]], radices)


def aggregate_in(engine: Engine, source: Any, columns: Sequence[str], name: str) -> Aggregation:
    """Count the distinct tuples of some columns."""
    dictionaries = tuple(
        number_values(engine, source, column, place) for place, column in enumerate(columns)
    )
    joined = join_dictionaries(source, dictionaries)
    coded = joined.select(**words_of(joined, dictionaries))
    with engine.kept(coded.group_by(coded.columns).agg(rows__=coded.count())) as counted:
        check_room(engine.count(counted), len(columns), name)
        *words, counts = fetch_integers(engine, counted)
    if any((word < 0).any() for word in words):
        raise changed(name)
    return Aggregation(dictionaries, tuple(unpack(words, radices_of(dictionaries))), counts)


def check_room(tuples: int, columns: int, name: str) -> None:
    """Raise a DataError where the distinct tuples would not fit this machine's memory."""
    needed, there = tuples * (BYTES_PER_TUPLE + BYTES_PER_CODE * columns), available_memory()
    if needed > there:
        raise DataError(
            f"{name}: {tuples:,} distinct tuples take about {needed / 2**30:.1f} GiB for search and "
            f"release, and {there / 2**30:.1f} GiB are free; round values or leave out a "
            "quasi-identifier, or use a machine with more memory."
        )


def available_memory() -> int:
    """Return the bytes of memory that this process can still have."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def changed(name: str) -> DataError:
    """Say that what was read first is no longer there."""
    return DataError(f"{name} changed while it was anonymized or assessed. Run again.")


def to_tuples(aggregation: Aggregation, known: Sequence[Sequence[str]]) -> Tuples:
    """Read the values of the dictionaries as texts, and join the tuples that become equal."""
    words = [Vocabulary(texts) for texts in known] or [Vocabulary() for _ in aggregation.codes]
    pairs = zip(words, aggregation.dictionaries, aggregation.codes, strict=True)
    numbers = [number_texts(vocabulary, each, codes) for vocabulary, each, codes in pairs]
    places = np.arange(aggregation.counts.size, dtype=np.int32)
    counts = aggregation.counts.astype(np.int32)
    raw = Tuples((), aggregation.codes, counts, places, grouped=True)
    return recode(raw, numbers, [vocabulary.texts for vocabulary in words])


def number_texts(
    vocabulary: Vocabulary, dictionary: Dictionary, codes: NDArray[np.integer]
) -> NDArray[np.integer]:
    """Return the number of the text that each code of a dictionary stands for."""
    missing = dictionary.size - 1
    texts = [*map(text_of, dictionary.values), MISSING]
    if not (codes == missing).any():  # no cell is missing
        texts.pop()
    number_of = vocabulary.number_of
    numbers = [number_of.setdefault(text, len(number_of)) for text in texts]
    numbers += [0] * (dictionary.size - len(numbers))
    return np.array(numbers, smallest_type(len(vocabulary)))
