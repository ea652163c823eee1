"""The quasi-identifiers of a release, read back from it: their values, and which rows are redacted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.columns import Coded, read_columns
from anonymizer.data.formulas import escape
from anonymizer.data.table import Table
from anonymizer.errors import list_cells
from anonymizer.hierarchy import MISSING, Hierarchy
from anonymizer.policy import Policy
from anonymizer.solution.release import REDACTED
from anonymizer.verification.claims import Check


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The quasi-identifiers of a release as read back from it."""

    hierarchies: tuple[Hierarchy, ...]
    scheme: Mapping[str, int]
    columns: dict[str, Coded]
    """The records that are not redacted."""
    rows: int
    redacted: int
    unknown: dict[str, tuple[list[str], int]]
    """Values that are not of the declared level, by attribute, and the first row that has one."""

    @property
    def kept(self) -> int:
        """The number of records that are not redacted."""
        return self.rows - self.redacted


def read_released(
    table: Table, policy: Policy, hierarchies: tuple[Hierarchy, ...], scheme: Mapping[str, int]
) -> Reading:
    """Read the quasi-identifiers back, and set redacted records apart."""
    columns = read_columns(table, [hierarchy.name for hierarchy in hierarchies])
    redacted = find_redacted(columns, policy, hierarchies, scheme)
    kept = {name: column.keep(~redacted) for name, column in columns.items()}
    write = escape if policy.release.escape_formulas else str
    known = {
        h.name: {write(label): label for label in (MISSING, *h.labels[scheme[h.name]])}
        for h in hierarchies
    }
    unknown = {
        name: (strange, columns[name].first_row(strange) + 1)
        for name, column in kept.items()
        if (strange := [text for text in column.texts if text not in known[name]])
    }
    if policy.release.escape_formulas and not unknown:
        kept = {
            name: column.rename([known[name][text] for text in column.texts])
            for name, column in kept.items()
        }
    return Reading(hierarchies, scheme, kept, redacted.size, int(redacted.sum()), unknown)


def find_redacted(
    columns: Mapping[str, Coded],
    policy: Policy,
    hierarchies: tuple[Hierarchy, ...],
    scheme: Mapping[str, int],
) -> NDArray[np.bool_]:
    """Mark the records whose every quasi-identifier is redacted.

    Where every attribute is at a top of the same name, nothing tells a redacted record from another;
    but then there is one class, and nothing was suppressed.
    """
    stars = [column.where(REDACTED) for column in columns.values()]
    all_top = all(REDACTED in h.labels[scheme[h.name]] for h in hierarchies)
    redacts = policy.release.suppressed == "redact" and not all_top
    redacted: NDArray[np.bool_] = np.logical_and.reduce(stars) & redacts
    return redacted


def check_values(reading: Reading) -> Check:
    """Check that each value is one of the declared level of its hierarchy."""
    details = [
        f"column '{name}' has values that are not of level {reading.scheme[name]}"
        f"{list_cells(texts)}, first at row {row}"
        for name, (texts, row) in reading.unknown.items()
    ]
    detail = "; ".join(details) or "every cell is of the level in the scheme"
    return Check("every quasi-identifier is generalized as declared", not details, detail)


def sum_leaves(hierarchy: Hierarchy, reading: Reading) -> int:
    """Sum the leaves that the released values of one attribute cover."""
    level = reading.scheme[hierarchy.name]
    covers = dict(zip(hierarchy.labels[level], np.bincount(hierarchy.codes[level]), strict=True))
    column = reading.columns[hierarchy.name]
    # a missing cell where the level has none covers nothing, so that the loss will not agree
    by_value = np.array([covers.get(text, 0) for text in column.texts], np.int64)
    return int(by_value[column.codes].sum())
