"""Values to codes in an engine: a dictionary of each column, and one packed key for each row.

A dictionary numbers the distinct values of a column where they are; only it is read here, and its values
mean what cells of a file mean. Rows are then counted by packed codes, never by texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.aggregate import word_radices
from anonymizer.data.engines.engine import Engine


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
