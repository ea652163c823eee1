"""What a release alone does not show: whether columns that are kept hold what the original held.

Their cells are looked at all the same: an id hidden in a column of wards, or a whole row in one cell, is
a warning. Whoever hides things may hide them better; only the original tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import label_columns
from anonymizer.data.arrays import BATCH_ROWS
from anonymizer.data.column import Column, code_columns
from anonymizer.data.formulas import escape
from anonymizer.data.table import Table
from anonymizer.data.text import CANDIDATES
from anonymizer.errors import counted, list_cells, quote_some
from anonymizer.hierarchy import MISSING, REDACTED, Hierarchy
from anonymizer.policy import Policy
from anonymizer.proposal.content import content_of
from anonymizer.verification.claims import Check
from anonymizer.verification.original import released_columns

NEARLY_ALL = 0.9
"""The share of cells that differ from all others from which they may be ids."""
FEWEST = 10
"""So many cells tell whether nearly all differ."""
LONG = 7
"""Characters of most cells from which they may be ids; decimals of measurements are shorter."""
LONGEST_ROW = 1_000
"""Cells with more characters are looked at as far as this for a row of other columns."""
MOST_BATCHES = 8
"""So much of a table is looked at."""

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Texts:
    """The different texts of one column that may hide something, and how often each occurs."""

    name: str
    texts: Sequence[str]
    counts: Integers
    what: str = "cells"
    """What was counted."""


def check_kept(table: Table, policy: Policy, hierarchies: Sequence[Hierarchy]) -> Iterator[Check]:
    """Say which columns were not compared, and warn of released cells that look like ids or rows."""
    names = released_columns(policy)
    kept = [name for name in names if name not in policy.quasi_identifiers]
    if kept:
        which = quote_some(kept, len(kept))
        yield Check(
            "kept columns are as in the original",
            None,
            f"not compared: {which} may hold anything, such as an id or a whole row in a cell; give the "
            "original with --against",
        )
    columns = code_columns(names, islice(table.batches(names), MOST_BATCHES))
    unlisted = list(unlisted_texts(columns, hierarchies, policy))
    looked = [texts_of(name, columns[name]) for name in kept] + unlisted
    rows = Rows(columns, hierarchies)
    found = [sentence for each in looked if (sentence := suspect(each, rows))]
    seen = max((column.codes.size for column in columns.values()), default=0)
    part = f" of the first {seen:,} rows" if seen >= MOST_BATCHES * BATCH_ROWS else ""
    yield Check(
        "no released cell looks like an id or a whole row",
        None if found else True,
        " ".join(found) or f"{len(looked)} columns looked at{part}",
        warning=bool(found),
    )


def texts_of(name: str, column: Column) -> Texts:
    """Return the different cells of a column that are not missing, and how often each occurs."""
    there = [at for at, text in enumerate(column.texts) if text not in (MISSING, REDACTED)]
    return Texts(name, [column.texts[at] for at in there], column.counts[there])


def unlisted_texts(
    columns: Mapping[str, Column], hierarchies: Sequence[Hierarchy], policy: Policy
) -> Iterator[Texts]:
    """Return the generalized cells that are values of no hierarchy, once for each class.

    A rule may cover what it does not list: codes of postal areas, numbers that are not rounded. The
    means of microaggregation are no values of a hierarchy either, and are checked by their groups.
    """
    first = label_columns(columns[h.name] for h in hierarchies).first_rows()
    write = escape if policy.release.escape_formulas else str
    for hierarchy in hierarchies:
        if hierarchy.growth is None or hierarchy.name in policy.microaggregated:
            continue
        listed = {write(label) for labels in hierarchy.labels for label in labels}
        found = texts_of(hierarchy.name, columns[hierarchy.name].keep(first))
        new = [at for at, text in enumerate(found.texts) if text not in listed]
        yield Texts(found.name, [found.texts[at] for at in new], found.counts[new], "classes")


class Rows:
    """What cells of other columns look like, to know a row of them in one cell."""

    def __init__(self, columns: Mapping[str, Column], hierarchies: Sequence[Hierarchy]) -> None:
        self.values = {name: set(column.texts) - {MISSING} for name, column in columns.items()}
        self.hierarchies = {hierarchy.name: hierarchy for hierarchy in hierarchies}
        self.leaves = {hierarchy.name: set(hierarchy.leaves) for hierarchy in hierarchies}
        self.fewest = max(2, (len(hierarchies) + 1) // 2)

    def holds(self, text: str, name: str) -> bool:
        """Whether a cell holds values of several other columns, separated as cells of a file are."""
        for delimiter in CANDIDATES:
            fields = {field.strip(" \"'") for field in text[:LONGEST_ROW].split(delimiter)} - {
                MISSING
            }
            if len(fields) >= self.fewest and self.matched(fields, name) >= self.fewest:
                return True
        return False

    def matched(self, fields: set[str], name: str) -> int:
        """Count the other columns that have one of the fields, and the fields that one has."""
        own = [
            found
            for other, values in self.values.items()
            if other != name and (found := {f for f in fields if f in values or self.raw(f, other)})
        ]
        return min(len(own), len(set().union(*own)))

    def raw(self, field: str, name: str) -> bool:
        """Whether a field is a value of a column before it was generalized."""
        if name not in self.hierarchies:
            return False
        hierarchy = self.hierarchies[name]
        value = hierarchy.reading.read(field)
        if value is None or value in self.leaves[name]:
            return value is not None
        growth = hierarchy.growth if hierarchy.continuous else None
        return growth is not None and growth.row_of(value) is not None


def suspect(column: Texts, rows: Rows) -> str | None:
    """Say in one sentence why cells of a column look like ids or whole rows; None if they do not."""
    whole = [text for text in column.texts if rows.holds(text, column.name)]
    if whole:
        many = counted(len(whole), "value holds", "values hold")
        return f"column '{column.name}': {many} those of other columns, as a row does{list_cells(whole)}."
    content, cells = content_of(column.texts), int(column.counts.sum())
    if content.identifies:
        return f"column '{column.name}' has {content.value}{list_cells(column.texts)}."
    if cells >= FEWEST and len(column.texts) >= NEARLY_ALL * cells and look_like_ids(column.texts):
        return (
            f"column '{column.name}': {cells:,} {column.what} have {len(column.texts):,} different "
            f"values, as ids do{list_cells(column.texts)}."
        )
    return None


def look_like_ids(texts: Sequence[str]) -> bool:
    """Whether most of some different texts are long, or they number the rows.

    >>> look_like_ids(["4711982", "4711983"]), look_like_ids(["1", "3", "2"]), look_like_ids(["5.3", "7"])
    (True, True, False)
    """
    if sorted(map(len, texts))[len(texts) // 2] >= LONG:
        return True
    if not all(text.isdecimal() and text.isascii() for text in texts):
        return False
    numbers = [int(text) for text in texts]
    return max(numbers) - min(numbers) < len(numbers) / NEARLY_ALL
