"""Aggregation in an engine: the rows are counted there, and only codes and counts come over."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import pack, recode, unpack
from anonymizer.data.cells import MISSING, text_of
from anonymizer.data.columns import Vocabulary, smallest_type
from anonymizer.data.contract import Tuples
from anonymizer.data.engines.dictionaries import (
    Dictionary,
    fetch_integers,
    join_dictionaries,
    number_values,
    radices_of,
    words_of,
)
from anonymizer.data.engines.engine import Engine
from anonymizer.errors import DataError

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
