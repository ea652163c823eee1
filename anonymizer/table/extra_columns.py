"""Columns that are not quasi-identifiers: taken out of wider tuples, with what they tell of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import recode
from anonymizer.data.column import Column, Tuples, nobodys_row
from anonymizer.hierarchy import MISSING
from anonymizer.table.domain import read_only
from anonymizer.table.leaves import first_row
from anonymizer.table.people import People
from anonymizer.table.sensitive import SensitiveColumn


@dataclass(frozen=True, slots=True, eq=False)
class Extra:
    """What the columns beside the quasi-identifiers tell of the tuples."""

    people: People | None
    beside: Mapping[str, Column]
    """Those that tell people apart for a risk model, tuple by tuple."""
    sensitive: Mapping[str, SensitiveColumn]


def take_out(
    wider: Tuples,
    attributes: int,
    beside: Sequence[str],
    sensitive: Sequence[str],
    person: str | None,
    where: str,
) -> tuple[Tuples, Extra]:
    """Return the tuples of the first `attributes` columns, and what the others tell of them.

    The others are those `beside`, then the `sensitive` ones, then that of the person, if there is one.
    Tuples that differ in a column beside stay apart.
    """
    first = attributes + len(beside)
    wider = in_order(wider, range(attributes, first + len(sensitive)))
    tuples, people = without_columns(wider, range(first, first + len(sensitive))), None
    if person is not None:
        tuples, people = split_people(tuples, where, person)
    columns = {
        name: Column(read_only(codes), texts)
        for name, texts, codes in zip(
            beside, tuples.texts[attributes:], tuples.codes[attributes:], strict=True
        )
    }
    found = count_sensitive(wider, sensitive, first, tuples, person is not None)
    narrow = replace(tuples, texts=tuples.texts[:attributes], codes=tuples.codes[:attributes])
    return narrow, Extra(people, columns, found)


def without_columns(tuples: Tuples, columns: Sequence[int]) -> Tuples:
    """Take some columns out of tuples, and join what becomes equal."""
    if not columns:
        return tuples
    numbers: list[NDArray[np.integer]] = [np.arange(len(texts)) for texts in tuples.texts]
    texts = [*tuples.texts]
    for at in columns:
        numbers[at], texts[at] = np.zeros(len(texts[at]), np.int64), ("",)
    joined = recode(tuples, numbers, texts)
    left = [at for at in range(len(texts)) if at not in columns]
    return replace(
        joined,
        texts=tuple(joined.texts[at] for at in left),
        codes=tuple(joined.codes[at] for at in left),
    )


def count_sensitive(
    wider: Tuples, names: Sequence[str], first: int, tuples: Tuples, several: bool
) -> dict[str, SensitiveColumn]:
    """Count the values of some columns of wider tuples; where people have `several`, they come last."""
    if not names:
        return {}
    tuple_of_wide = np.empty(wider.counts.size, np.int32)
    tuple_of_wide[wider.tuple_of_row] = tuples.tuple_of_row
    people = np.unique(wider.codes[-1], return_inverse=True)[1] if several else None
    return {
        name: SensitiveColumn.of(wider, first + at, tuple_of_wide, people)
        for at, name in enumerate(names)
    }


def in_order(tuples: Tuples, columns: Sequence[int]) -> Tuples:
    """Number the texts of some columns in their own order, so that the order of rows decides nothing."""
    if not columns:
        return tuples
    texts = [*tuples.texts]
    numbers = [np.arange(len(each)) for each in texts]
    for at in columns:
        order = sorted(range(len(texts[at])), key=texts[at].__getitem__)
        numbers[at] = np.argsort(order)
        texts[at] = tuple(texts[at][number] for number in order)
    return recode(tuples, numbers, texts)


def split_people(pairs: Tuples, where: str, person: str) -> tuple[Tuples, People]:
    """Take the last column, the id, out of tuples, and find the people of each tuple."""
    if MISSING in pairs.texts[-1]:
        raise nobodys_row(where, first_row(pairs, len(pairs.codes) - 1, [MISSING]), person)
    kept = [np.arange(len(texts)) for texts in pairs.texts[:-1]]
    everybody = np.zeros(len(pairs.texts[-1]), np.int64)
    joined = recode(pairs, [*kept, everybody], [*pairs.texts[:-1], ("",)])
    tuples = replace(joined, texts=joined.texts[:-1], codes=joined.codes[:-1])
    tuple_of_pair = np.empty(pairs.counts.size, np.int32)
    tuple_of_pair[pairs.tuple_of_row] = tuples.tuple_of_row
    number_of_person = np.unique(pairs.codes[-1], return_inverse=True)[1]
    return tuples, People.of_rows(number_of_person, tuple_of_pair, tuples.counts.size)
