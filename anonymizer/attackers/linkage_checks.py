"""Does a linkage look right? Whom nobody matches may be absent, or just be written in another way."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from anonymizer.attackers.external import External
from anonymizer.attackers.linked_table import LinkedTable
from anonymizer.attackers.statement import ExternalSource, Statement
from anonymizer.data.aggregate import code_labels, label_together
from anonymizer.data.column import Column, code_columns
from anonymizer.errors import HIDDEN, AnonymizerWarning, percent, quote, values_shown
from anonymizer.lattice import Scheme

LARGE_SHARE = 0.5
"""If more people than this share match nobody, that is a warning."""
NAMED = 5
"""Values that fewer people have are not named."""


def warn(sentences: Iterable[str]) -> None:
    """Warn of each."""
    for sentence in sentences:
        warnings.warn(sentence, AnonymizerWarning, stacklevel=3)


def unmatched_warnings(
    linked: LinkedTable, base: Scheme, unmatched: int, people: int
) -> Iterator[str]:
    """Say that many match nobody, or that a value is written in two ways."""
    apart = [
        f"{quote(here)} of '{key}' is {quote(there)} there"
        if values_shown()
        else f"a value of '{key}' is written in another way there{HIDDEN}"
        for key, here, there in written_apart(linked, base)
    ]
    if apart or unmatched > LARGE_SHARE * people:
        hint = "; ".join(apart[:3]) or "check that both tables write the keys alike"
        share = f"{unmatched:,} of {people:,} people ({percent(unmatched / people, 0)})"
        name = Path(linked.name).name  # a report tells no folders
        yield f"{name}: {share} match nobody there and count as not found; {hint}."


def written_apart(linked: LinkedTable, base: Scheme) -> Iterator[tuple[str, str, str]]:
    """Find values that the external table has only in another case or with other blanks."""
    microdata = linked.microdata
    for at, level in enumerate(map(max, base, linked.levels)):
        place = linked.places[at]
        column, there = microdata.columns[place], linked.labels_there(at, level)
        plain = {normalize(label): label for label in sorted(there)}
        records = np.bincount(
            column.groups[level][microdata.codes[place]],
            microdata.counts,
            column.group_counts[level],
        )
        for label, number in zip(column.labels(level), records, strict=True):
            if label not in there and normalize(label) in plain and number >= NAMED:
                yield microdata.attributes[place], label, plain[normalize(label)]


def normalize(label: str) -> str:
    """Write a value without what people overlook.

    >>> normalize(" Never-married ") == normalize("never married")
    True
    """
    return " ".join(label.casefold().replace("-", " ").replace("_", " ").split())


def repeated_warnings(
    external: External, statement: Statement, source: ExternalSource
) -> Iterator[str]:
    """Say that an external table without an id seems to list people twice.

    Its first batch shows it: rows are equal in every column, not only in keys; or a column with the name
    of the protected table's id has a value twice.
    """
    table = external.table
    if source.id is not None or table is None:
        return
    names = list(dict.fromkeys(table.columns))
    keys = {source.names.get(key, key) for key in source.keys}
    if not set(names) - keys:
        return
    first = code_columns(names, islice(table.batches(names), 1))
    if statement.id in names and (times := repeats([first[statement.id]])):
        yield (
            f"{table.name}: {times:,} rows have a '{statement.id}' that an earlier one has, and each row "
            f'counts as a person; if it tells whose a row is, add id = "{statement.id}" to '
            f"'{source.name}'."
        )
    elif times := repeats(list(first.values())):
        yield (
            f"{table.name}: {times:,} rows are the same as an earlier one in every column, and each row "
            f"counts as a person; name the column that tells whose a row is as id of '{source.name}'."
        )


def repeats(columns: list[Column]) -> int:
    """Count the rows that are equal to an earlier one in some columns."""
    rows = columns[0].codes.size
    parts = (code_labels(column.codes.astype(np.int64)) for column in columns)
    return rows - label_together(parts, rows).number
