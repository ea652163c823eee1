"""An external table beside ours: other names of columns, and values of other levels.

An attacker compares what both tables have. Where one of them is coarser, both are seen as on its level.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from anonymizer.attackers.external import level_of, match_columns, to_leaves
from anonymizer.data.coded import CodedTable
from anonymizer.data.column import Column
from anonymizer.data.opening import check_present
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import AnonymizerWarning
from anonymizer.hierarchy import MISSING, Hierarchy


def align(
    table: Table,
    external: Table,
    attributes: Sequence[str],
    columns: Mapping[str, str],
    hierarchies: Mapping[str, Hierarchy],
    ids: tuple[str | None, str | None] = (None, None),
) -> tuple[CodedTable, CodedTable]:
    """Read the attributes of two tables, called alike and on one level each, and their ids."""
    names = match_columns(attributes, external, dict(columns))
    own, other = ids
    check_present(external, [*names.values(), *([] if other is None else [other])])
    mine = read_columns(table, [*attributes, *([] if own is None else [own])])
    found = read_columns(external, [*names.values(), *([] if other is None else [other])])
    theirs = {name: found[column] for name, column in names.items()}
    if other is not None:
        theirs[ID] = found[other]
    for name in attributes:
        if name in hierarchies:
            both = mine[name], theirs[name]
            mine[name], theirs[name] = same_level(hierarchies[name], *both, (table, external))
        if set(mine[name].texts).isdisjoint(theirs[name].texts):
            warn_of_strangers(name, external)
    return CodedTable(mine), CodedTable(theirs)


def warn_of_strangers(name: str, external: Table) -> None:
    """Warn that nobody can match on an attribute: the risk is then as if all were unique outside."""
    warnings.warn(
        f"{external.name}: no value of '{name}' occurs in both tables, so that whoever is unique in ours "
        "counts as unique there; write them alike, or give the attribute a hierarchy that knows both.",
        AnonymizerWarning,
        stacklevel=2,
    )


ID = "\0id"
"""What the id of the external table is called beside the attributes: no column has that name."""


def same_level(
    hierarchy: Hierarchy, mine: Column, theirs: Column, tables: tuple[Table, Table]
) -> tuple[Column, Column]:
    """Write the values of both columns as on the coarser of their levels."""
    hierarchy, labels = hierarchy.fit([*mine.texts, *theirs.texts])
    mine = mine.rename(labels[: len(mine.texts)])
    theirs = theirs.rename(labels[len(labels) - len(theirs.texts) :])
    own, its = (
        level_of(hierarchy, column.texts, table.name)
        for column, table in zip((mine, theirs), tables, strict=True)
    )
    level = max(own, its)
    return climb(hierarchy, mine, own, level), climb(hierarchy, theirs, its, level)


def climb(hierarchy: Hierarchy, column: Column, level: int, to: int) -> Column:
    """Write the values of a level as those of a coarser one; a missing cell stays one."""
    if level == to:
        return column
    labels, numbers = hierarchy.labels[to], hierarchy.codes[to]
    value_of = {leaf: labels[numbers[at]] for at, leaf in enumerate(hierarchy.leaves)}
    leaves = to_leaves(hierarchy, level, column)
    return leaves.rename([MISSING if leaf == MISSING else value_of[leaf] for leaf in leaves.texts])
