"""From texts to leaves: the one place where the cells of a table become values of its hierarchies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import recode
from anonymizer.data.arrays import is_nested
from anonymizer.data.column import Tuples
from anonymizer.data.table import Table
from anonymizer.errors import DataError, HierarchyError, quote_some
from anonymizer.hierarchy import MISSING, Hierarchy, check_values


def count_texts(
    table: Table, hierarchies: Sequence[Hierarchy], others: Sequence[str] = ()
) -> Tuples:
    """Count the distinct tuples of the quasi-identifiers and some other columns, in one pass.

    The texts of leaves are numbered first.
    """
    names = [*(hierarchy.name for hierarchy in hierarchies), *others]
    check_flat(table, names)
    leaves = [hierarchy.leaves for hierarchy in hierarchies]
    return table.aggregate(names, [*leaves, *(() for _ in others)])


def check_flat(table: Table, names: Sequence[str]) -> None:
    """Raise a DataError for columns that hold lists or structures."""
    types = table.types
    if nested := [name for name in names if is_nested(types[name])]:
        raise DataError(
            f"{table.name}: column {quote_some(nested)} holds lists or structures; "
            "a quasi-identifier has one value in each cell."
        )


def take_in(
    hierarchies: Sequence[Hierarchy],
    tuples: Tuples,
    population: Tuples | None = None,
    places: Sequence[int] = (),
) -> list[Hierarchy]:
    """Return the hierarchies with the values of a table, and of a population, that they do not list.

    `places` is where the population's columns stand among the hierarchies.
    """
    grown = []
    for at, hierarchy in enumerate(hierarchies):
        texts = [*tuples.texts[at][hierarchy.size :]]
        if population is not None and at in places:
            texts += population.texts[places.index(at)][hierarchy.size :]
        grown.append(hierarchy.with_values(texts))
    return grown


def to_leaves(tuples: Tuples, listed: Sequence[Hierarchy], grown: Sequence[Hierarchy]) -> Tuples:
    """Give texts the numbers of the leaves they stand for, and join the tuples that become equal.

    The tuples were counted by the leaves of `listed`; columns beyond the hierarchies stay. A missing cell
    that has no leaf comes after them. One error names all values of all attributes without a leaf.
    """
    numbers: list[NDArray[np.int64]] = [np.arange(len(texts)) for texts in tuples.texts]
    texts, defects, changed = [*tuples.texts], list[str](), False
    for at, (before, hierarchy) in enumerate(zip(listed, grown, strict=True)):
        more = tuples.texts[at][before.size :]
        if hierarchy is before and more in ((), (MISSING,)):
            continue
        changed = True
        values = hierarchy.read_texts(tuples.texts[at])
        number_of = {leaf: number for number, leaf in enumerate(hierarchy.leaves)}
        if MISSING in values:
            number_of.setdefault(MISSING, hierarchy.size)
        unknown = [t for t, value in zip(texts[at], values, strict=True) if value not in number_of]
        defects += uncovered(tuples, at, hierarchy, unknown)
        numbers[at] = np.array([number_of.get(value, 0) for value in values], np.int64)
        texts[at] = tuple(number_of)
    if defects:
        raise HierarchyError(" ".join(defects))
    return recode(tuples, numbers, texts) if changed else tuples


def uncovered(
    tuples: Tuples, column: int, hierarchy: Hierarchy, unknown: Sequence[str]
) -> list[str]:
    """Say which texts of a column have no leaf, and where the first one is."""
    defects = check_values(hierarchy, unknown) if unknown else ()
    row = first_row(tuples, column, unknown) if unknown else None
    where = "" if row is None else f" First at row {row + 1}."
    return [f"{defect.message}{where}" for defect in defects]


def first_row(tuples: Tuples, column: int, texts: Sequence[str]) -> int | None:
    """Return the first row, from 0, that has one of some texts; None where rows are in an engine."""
    if tuples.grouped:
        return None
    numbers = [tuples.texts[column].index(text) for text in texts]
    return int(np.argmax(np.isin(tuples.codes[column], numbers)[tuples.tuple_of_row]))
