"""The released tables of a study, read back with what policy and manifest say of each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from anonymizer.data.column import same_text
from anonymizer.data.opening import TableLike
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import ReleaseError, quote_some
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Attribute, Policy, Role
from anonymizer.problem.seen import time_columns
from anonymizer.solution.manifest import FILE_NAME, read_manifest
from anonymizer.solution.study_manifest import check_study_manifest
from anonymizer.verification.attackers import PlainStudy, PlainTable
from anonymizer.verification.declared import (
    hierarchies_used,
)
from anonymizer.verification.reading import ReadRelease, read_release


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """One released table, what its part of the policy says, and what the manifest says of it."""

    name: str
    table: Table
    policy: Policy
    """The policy as if the table were alone."""
    keys: Mapping[str, str]
    """The columns that have random keys, and the table whose rows these name."""
    manifest: Mapping[str, Any]
    """The manifest as if the table were alone."""

    @cached_property
    def with_keys(self) -> Policy:
        """The policy by which keys are columns like others."""
        own = {name: Attribute(role=Role.INSENSITIVE) for name in self.keys}
        return self.policy.model_copy(update={"attributes": {**self.policy.attributes, **own}})

    @cached_property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """The hierarchies of its quasi-identifiers, as they were used."""
        return hierarchies_used(self.policy, self.manifest)

    @cached_property
    def reading(self) -> ReadRelease | None:
        """Its quasi-identifiers as they are read back; None where it has none."""
        if not self.hierarchies:
            return None
        return read_release(self.table, self.policy, self.hierarchies, self.manifest)

    @cached_property
    def linked(self) -> dict[str, list[str]]:
        """The keys in each of its columns of keys, row by row."""
        columns = read_columns(self.table, list(self.keys))
        return {name: column.cells() for name, column in columns.items()}

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.linked.values())))

    def own_keys(self) -> list[str] | None:
        """Return the keys that name its own rows; None where nothing refers to them."""
        return next((self.linked[c] for c, table in self.keys.items() if table == self.name), None)

    def above(self) -> tuple[str, list[str]] | None:
        """Return the table that its rows belong to, and the keys of the rows there."""
        found = ((t, self.linked[c]) for c, t in self.keys.items() if t != self.name)
        return next(found, None)

    def generalized(self) -> list[tuple[str, ...]]:
        """Return the quasi-identifiers of each row, as labels of the hierarchies."""
        if self.reading is None:
            return [()] * self.rows
        columns = [self.reading.columns[h.name].cells() for h in self.hierarchies]
        return list(zip(*columns, strict=True))

    def times(self) -> list[tuple[str, ...]]:
        """Return when the event of each row was, apart from what it was."""
        names = time_columns(self.policy)
        if not names:
            return [()] * self.rows
        general = {} if self.reading is None else self.reading.columns
        other = [name for name in names if name not in general]
        columns = {**general, **read_columns(self.table, other)} if other else general
        return list(zip(*(map(same_text, columns[n].cells()) for n in names), strict=True))

    def kept(self) -> list[tuple[str, ...]]:
        """Return what is released as it was in each row."""
        quasi = self.policy.quasi_identifiers
        names = [
            n for n, a in self.policy.attributes.items() if not a.role.dropped and n not in quasi
        ]
        if not names:
            return [()] * self.rows
        columns = read_columns(self.table, names)
        return list(zip(*(map(same_text, columns[n].cells()) for n in names), strict=True))


def find_study(released: Any, manifest: Any) -> tuple[dict[str, Any], Mapping[str, TableLike]]:
    """Return the manifest and the released tables by name."""
    if isinstance(released, Mapping):
        if manifest is None:
            raise ReleaseError("verify needs the manifest of dataframes; pass it as `manifest`.")
        return read_study(manifest), released
    if not isinstance(released, str | Path):
        raise ReleaseError(
            "the release: the policy has linked tables; give their folder, or dataframes by name."
        )
    path = Path(released)
    folder = path if path.is_dir() else path.parent
    read = read_study(folder / FILE_NAME if manifest is None else manifest)
    names = {name: folder / Path(output["name"]).name for name, output in read["output"].items()}
    return read, names


def read_study(manifest: Any) -> dict[str, Any]:
    """Take a manifest, or read it from its file."""
    if isinstance(manifest, str | Path):
        return read_manifest(manifest, check_study_manifest)
    check_study_manifest(manifest, "the manifest")
    return dict(manifest)


def open_released(
    given: Mapping[str, TableLike], policy: Policy, manifest: Mapping[str, Any]
) -> list[ReleasedTable]:
    """Open the tables that the policy has, parents first; a ReleaseError names one that is not there."""
    people = [name for name in manifest["tables"] if name not in policy.tables]
    names = [*people, *policy.tables]
    known = all(set(names) == set(manifest[key]) for key in ("tables", "input", "output", "keys"))
    if len(people) != 1 or not known or set(given) != set(names):
        raise ReleaseError(
            f"the release: the policy has the tables {quote_some(policy.tables)} and that of the people, "
            f"the manifest {quote_some(manifest['tables'])}, and given are {quote_some(given)}; all must "
            "have the same."
        )
    order = people
    while len(order) < len(names):  # as a study has them; a policy's tables have no circle
        left = [name for name in policy.tables if name not in order]
        order.append(next(n for n in left if (policy.tables[n].parent or people[0]) in order))
    return [open_one(name, people[0], given[name], policy, manifest) for name in order]


def open_one(
    name: str, people: str, given: TableLike, policy: Policy, manifest: Mapping[str, Any]
) -> ReleasedTable:
    """Open a released table, with what policy and manifest say of it alone."""
    own = policy if name == people else policy.of_table(name)
    declared = manifest["policy"]
    if name != people:
        declared = as_table(as_table(declared.get("tables")).get(name))
    table = own.data.open_release(given, own.machine.memory)
    own = own.with_columns([*table.columns, *as_table(declared.get("attributes"))])
    start = "" if name == people else f"{name}."
    alone = {
        key: {n: manifest[key].get(f"{start}{n}") for n in own.quasi_identifiers}
        for key in ("hierarchies", "scheme")
    }
    child = policy.tables.get(name)
    keys = {policy.data.id or "": people}
    if child is not None:
        keys = {child.id: child.parent or people}
        keys |= {} if child.key is None else {child.key: name}
    return ReleasedTable(name, table, own, keys, {**alone, "suppressed": 0})


def as_table(value: object) -> Mapping[str, Any]:
    """Return a table of a manifest; an empty one where something else stands there."""
    return value if isinstance(value, Mapping) else {}


def labels(table: ReleasedTable, people: str) -> list[str]:
    """Name the quasi-identifiers of a table as schemes do."""
    start = "" if table.name == people else f"{table.name}."
    return [f"{start}{name}" for name in table.policy.quasi_identifiers]


Values = Callable[[ReleasedTable], list[tuple[str, ...]]]
"""What is read of each row of a released table."""


def histories_of(tables: list[ReleasedTable], *values: Values) -> PlainStudy:
    """Put the released rows together, by person, each with some values: if none, what is generalized."""
    places = {each.name: place for place, each in enumerate(tables)}
    row_of_key = {
        each.name: {key: row for row, key in enumerate(own)}
        for each in tables
        if (own := each.own_keys()) is not None
    }
    made = []
    for each in tables:
        read = [own(each) for own in values or (ReleasedTable.generalized,)]
        told: list[Hashable] = [*zip(*read, strict=True)] if len(read) > 1 else [*read[0]]
        if above := each.above():
            parent, keys = above
            rows = [row_of_key[parent][key] for key in keys]
            made.append(PlainTable(each.name, told, places[parent], rows))
        else:
            made.append(PlainTable(each.name, told))
    return PlainStudy(tuple(made))
