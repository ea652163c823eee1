"""A released table for analysis: the level of each cell, and columns widened to one level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import Column
from anonymizer.data.opening import TableLike
from anonymizer.data.table import Recoding, ReleasePlan, Table, read_columns
from anonymizer.errors import DataError, list_cells, quote_some, suggest_name
from anonymizer.hierarchy import MISSING, Hierarchy
from anonymizer.policy import Policy, PolicyLike
from anonymizer.solution.layered import check_labels
from anonymizer.table.recoding import in_order


def released_levels(released: TableLike, policy: PolicyLike) -> dict[str, NDArray[np.int64]]:
    """Return the level of every released cell, by quasi-identifier, in the order of the rows.

    Where a value is called the same at several levels, the lowest counts. A redacted cell is at the level
    that has its name, or at -1 where none has.
    """
    policy = Policy.of(policy)
    _, columns, hierarchies = open_released(released, policy)
    return {h.name: levels_of(h, columns[h.name])[columns[h.name].codes] for h in hierarchies}


def coarsen_to(released: TableLike, policy: PolicyLike, levels: Mapping[str, int]) -> Any:
    """Return a released table with some quasi-identifiers widened to one level each.

    Classes only merge, so none gets smaller. Raises a DataError where a cell is above the level already:
    a policy's `max_level` keeps the layers below the level that an analysis can use.
    """
    policy = Policy.of(policy)
    table, columns, hierarchies = open_released(released, policy)
    named = {hierarchy.name: hierarchy for hierarchy in hierarchies}
    for name, level in levels.items():
        if name not in named:
            raise DataError(f"'{name}' is not a quasi-identifier; {suggest_name(name, named)}")
        if level not in range(named[name].height):
            raise DataError(
                f"'{name}' has no level {level}; its highest is {named[name].height - 1}."
            )
    of_row = np.arange(columns[hierarchies[0].name].codes.size, dtype=np.int32)
    recodings = {
        name: in_order(
            recoding_of(
                widened_texts(named[name], columns[name], level, table.name), columns[name]
            ),
            named[name],
        )
        for name, level in levels.items()
    }
    return table.release(
        ReleasePlan(tuple(table.columns), recodings, of_row, of_row.astype(np.int64))
    )


def recoding_of(texts: Sequence[str], column: Column) -> Recoding:
    """Write each text of a column as another; several may become one."""
    number_of = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    numbers = np.array([number_of[text] for text in texts], np.int64)
    return Recoding(tuple(number_of), numbers[column.codes], original=False)


def open_released(
    released: TableLike, policy: Policy
) -> tuple[Table, dict[str, Column], tuple[Hierarchy, ...]]:
    """Open a released table, read its quasi-identifiers, and check that their values tell their level."""
    table = policy.data.open_release(released, policy.machine.memory)
    if absent := [name for name in policy.quasi_identifiers if name not in table.columns]:
        raise DataError(f"{table.name}: there is no column {quote_some(absent)}; give a release.")
    columns, hierarchies = read_columns(table, policy.quasi_identifiers), []
    for listed in policy.load_hierarchies():
        hierarchy, labels = listed.fit(columns[listed.name].texts)
        columns[listed.name] = columns[listed.name].rename(labels)
        # a missing cell has a place in the release, whether or not the hierarchy names it
        hierarchies.append(hierarchy.with_missing() if MISSING in labels else hierarchy)
    check_labels(hierarchies)
    return table, columns, tuple(hierarchies)


def levels_of(hierarchy: Hierarchy, column: Column) -> NDArray[np.int64]:
    """Return the lowest level at which each text of a column is a value; -1 where it is none."""
    levels = dict[str, int]()
    for level, labels in enumerate(hierarchy.labels):
        for label in labels:
            levels.setdefault(label, level)
    return np.array([levels.get(text, -1) for text in column.texts], np.int64)


def widened_texts(hierarchy: Hierarchy, column: Column, level: int, where: str) -> list[str]:
    """Return what each text of a column becomes at a level."""
    found = levels_of(hierarchy, column).tolist()
    above = [text for text, own in zip(column.texts, found, strict=True) if own > level]
    if above:
        raise DataError(
            f"{where}: column '{hierarchy.name}' has {quote_some(above)}, which is above level {level} "
            f"already; choose at least {max(found)}, or set max_level in the policy."
        )
    if unknown := [text for text, own in zip(column.texts, found, strict=True) if own < 0]:
        raise DataError(
            f"{where}: column '{hierarchy.name}' has values that are not in its hierarchy at any level"
            f"{list_cells(unknown)}; give a release under this policy."
        )
    target = {
        (own, label): str(row[level])
        for row in hierarchy.rows()
        for own, label in enumerate(row[: level + 1])
    }
    return [target[own, text] for own, text in zip(found, column.texts, strict=True)]
