"""The protected table as the procedure sees it: some columns as their distinct values, and people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anonymizer.assessment.keys import (
    Integers,
    KeyPeople,
    KeySet,
    close_top,
    flat_hierarchy,
)
from anonymizer.attackers.external import External, place_column, to_leaves
from anonymizer.attackers.linked_table import LinkedTable
from anonymizer.attackers.overlap import Proportion
from anonymizer.attackers.statement import ExternalSource, Statement
from anonymizer.data.coded import CodedTable
from anonymizer.data.column import Column, check_whose
from anonymizer.data.table import Table, check_rows, read_columns
from anonymizer.errors import PolicyError, quote_some, suggest_cell, suggest_name
from anonymizer.hierarchy import MISSING, Hierarchy
from anonymizer.policy import Policy, Role
from anonymizer.table.microdata import encode


@dataclass(frozen=True, slots=True, eq=False)
class Protected:
    """The columns of a table that are looked at, and whose each row is."""

    name: str
    columns: dict[str, Column]
    person_of_row: Integers | None
    """None where each row is a person."""

    @staticmethod
    def load(table: Table, statement: Statement) -> Protected:
        """Read the columns that a statement names, once."""
        columns = read_columns(table, statement.columns)
        check_rows(table, next(iter(columns.values())).codes.size)
        if statement.id is None:
            return Protected(table.name, columns, None)
        person = columns[statement.id]
        check_whose(person, table.name, statement.id)
        return Protected(table.name, columns, person.codes.astype(np.int64))

    @property
    def rows(self) -> int:
        """The number of rows."""
        return next(iter(self.columns.values())).codes.size

    def sensitive(
        self, attribute: str, marked: Sequence[str], place: str = "sensitive"
    ) -> tuple[Integers, list[int]]:
        """Number the values of an attribute, row by row, and those that the steward marks."""
        column = self.columns[attribute]
        values = [text for text in column.texts if text != MISSING]
        absent = [value for value in marked if value not in values]
        if absent:
            raise PolicyError(
                f"statement: {place}.{attribute}: {quote_some(absent)} does not occur in the column; "
                f"{suggest_cell(absent[0], values)}"
            )
        return column.codes.astype(np.int64), [column.texts.index(value) for value in marked]


def make_key_set(
    protected: Protected, policy: Policy, source: ExternalSource, external: External | None
) -> KeySet:
    """See a table through the keys of a source, and count there who matches where it is at hand."""
    mine, base, hierarchies = {}, [], []
    for key in source.keys:
        others = [] if external is None else [external.keys[key]]
        listed = hierarchy_of(policy, key, protected.columns[key], *others)
        hierarchy, column, own = place_column(listed, protected.columns[key], protected.name)
        check_shares(source, column, key, own, hierarchy)
        mine[key] = to_leaves(hierarchy, own, column)
        if MISSING in mine[key].texts and MISSING not in column.texts:
            hierarchy = hierarchy.with_missing()  # for redacted cells
        hierarchies.append(hierarchy)
        base.append(max(own, source.levels.get(key, 0)))
    microdata = encode(CodedTable(mine), hierarchies)
    linked = None if external is None else LinkedTable.of(microdata, external)
    if linked is not None:
        linked.check_common(tuple(base))
        base = [*map(max, base, linked.levels)]
    numbered = protected.person_of_row
    people = (
        KeyPeople.of_rows(microdata)
        if numbered is None
        else KeyPeople.by_number(microdata, numbered)
    )
    return KeySet(microdata, people, tuple(base), linked)


def hierarchy_of(policy: Policy, key: str, mine: Column, *theirs: Column) -> Hierarchy:
    """Load the hierarchy of a key; a key that the policy does not generalize has its values and a top."""
    if policy.attributes[key].role is Role.QUASI:
        return close_top(policy.hierarchy(key))
    texts = [text for column in (mine, *theirs) for text in column.texts]
    return flat_hierarchy(key, texts, missing=MISSING in texts)


def check_shares(
    source: ExternalSource, column: Column, key: str, level: int, hierarchy: Hierarchy
) -> None:
    """Raise a PolicyError if a share is given for a value that the key never has."""
    shares = {"p": source.p, "q": source.q}
    for left_out, overlap in source.without.items():
        shares[f"without.{left_out}.p"] = overlap.p or Proportion()
        shares[f"without.{left_out}.q"] = overlap.q or Proportion()
    values = [text for text in column.texts if text != MISSING]
    for name, share in shares.items():
        if share.by != key:
            continue
        stated = list(share.probabilities)
        pairs = zip(stated, hierarchy.read_texts(stated), strict=True)
        absent = [text for text, value in pairs if value not in values]
        if absent:
            raise PolicyError(
                f"statement: source '{source.name}': {name}: {quote_some(absent)} does not occur in "
                f"'{key}'; {suggest_cell(absent[0], values)}"
            )
        if level:
            raise PolicyError(
                f"statement: source '{source.name}': {name}: the table has '{key}' on level {level} of "
                "its hierarchy, and a share by value needs the values themselves; give one number."
            )


def check_statement(statement: Statement, policy: Policy) -> None:
    """Raise a PolicyError that lists every name that is not a column of the policy's table."""
    known = tuple(policy.attributes)
    faults = []
    for number, source in enumerate(statement.source):
        faults += [
            f"source.{number}.keys: '{key}' is not a column; {suggest_name(key, known)}"
            for key in source.keys
            if key not in known
        ]
        faults += list(level_faults(f"source.{number}", source, policy))
        if statement.id in source.keys:
            faults.append(
                f"source.{number}.keys: '{statement.id}' is the id; a key is known to others."
            )
    faults += [
        f"{place}: '{name}' is not a column; {suggest_name(name, known)}"
        for place, names in (("sensitive", statement.sensitive), ("outcome", statement.outcome))
        for name in names
        if name not in known
    ]
    if statement.id is not None and statement.id not in known:
        faults.append(f"id: '{statement.id}' is not a column; {suggest_name(statement.id, known)}")
    elif None not in (statement.id, policy.data.id) and statement.id != policy.data.id:
        faults.append(
            f"id: '{statement.id}' is not the id of the policy, '{policy.data.id}'; use that."
        )
    if faults:
        raise PolicyError.defective("statement", faults)


def level_faults(where: str, source: ExternalSource, policy: Policy) -> Iterator[str]:
    """Check that keys known on a coarser level have a hierarchy with that level."""
    coarser = [key for key, level in source.levels.items() if level and key in policy.attributes]
    generalized = [key for key in coarser if policy.attributes[key].role is Role.QUASI]
    for key in coarser:
        if key not in generalized:
            yield f"{where}.levels: '{key}' has no hierarchy in the policy; leave it out."
    heights = {key: policy.hierarchy(key).height for key in generalized}
    yield from (f"{where}.levels: {fault}" for fault in source.level_faults(heights))
