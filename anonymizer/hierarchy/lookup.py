"""Lookup: columns of a table beside the policy, from which a hierarchy takes groups or labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from anonymizer.data.opening import check_present, open_table
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import DataError, HierarchyError, quote, quote_some
from anonymizer.hierarchy.levels import MISSING


def read_groups(path: Path, value: str, above: Sequence[str]) -> dict[str, Any]:
    """Nest the values of a column in the groups that other columns name, from fine to coarse."""
    names = [value, *above]
    rows = distinct_rows(path, names)
    parents = [dict(parents_of(level, rows)) for level in range(len(above))]
    faults = [fault for level in range(len(above)) for fault in group_faults(level, names, rows)]
    if faults:
        raise HierarchyError.defective(str(path), faults)
    groups: dict[str, Any] = {}
    for leaf in dict.fromkeys(row[0] for row in rows):
        chain = [leaf]
        for level in parents:
            chain.append(level[chain[-1]])
        inner = groups
        for group in reversed(chain[2:]):
            inner = inner.setdefault(group, {})
        inner.setdefault(chain[1], []).append(leaf)
    return groups


def parents_of(level: int, rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield each value of a level with what a row has above it, as far as it has something there."""
    return ((row[level], row[level + 1]) for row in rows if row[level] and row[level + 1])


def group_faults(level: int, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Say which values of a level have two parents, or none."""
    first: dict[str, str] = {}
    for value, parent in dict.fromkeys(parents_of(level, rows)):
        if first.setdefault(value, parent) != parent:
            yield (
                f"{quote(value)} of '{names[level]}' is in {quote(first[value])} and in {quote(parent)} "
                f"of '{names[level + 1]}'; correct the table, or choose another column."
            )
    known = dict.fromkeys(row[level] for row in rows if row[level])
    if alone := [value for value in known if value not in first]:
        yield (
            f"nothing of '{names[level + 1]}' stands beside {quote_some(alone)} of '{names[level]}'; "
            "fill it in."
        )


def distinct_rows(path: Path, names: Sequence[str]) -> list[tuple[str, ...]]:
    """List the different rows of some columns of a table that have a value in the first of them."""
    with opened(path) as table:
        check_present(table, names)
        return rows_of(table, names)


def read_labels(path: Path) -> list[tuple[str, ...]]:
    """List codes with their labels, the first two columns of a table; the header is the first row."""
    with opened(path) as table:
        names = table.columns[:2]
        if len(names) < 2:
            raise DataError(f"{path}: there is one column; it needs codes and their labels.")
        return [names, *rows_of(table, names)]


@contextmanager
def opened(path: Path) -> Iterator[Table]:
    """Open a table; what is wrong with it is wrong with the hierarchy."""
    try:
        yield open_table(path)
    except DataError as error:
        raise HierarchyError(str(error)) from None


def rows_of(table: Table, names: Sequence[str]) -> list[tuple[str, ...]]:
    """List the different rows of some columns, in the order of their first appearance."""
    columns = list(read_columns(table, names).values())
    codes, first = np.unique([column.codes for column in columns], axis=1, return_index=True)
    ordered = codes[:, np.argsort(first)].tolist()
    texts = [
        [column.texts[code] for code in row] for column, row in zip(columns, ordered, strict=True)
    ]
    return [row for row in zip(*texts, strict=True) if row[0] != MISSING]
