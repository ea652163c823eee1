"""The protected table as the procedure sees it: some columns as their distinct values, and people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonymizer.assessment.procedure.keys import KeySet, close_top, flat_hierarchy
from anonymizer.assessment.procedure.linkage import check_common, level_of, match_columns, to_leaves
from anonymizer.assessment.procedure.people import Integers, People
from anonymizer.data.cells import Cells, text_of
from anonymizer.data.table import MemoryTable, Table, open_table
from anonymizer.engine.microdata import check_rows, encode
from anonymizer.errors import DataError, PolicyError, quote_some, suggest_name
from anonymizer.hierarchy import Hierarchy
from anonymizer.knowledge.overlap import Proportion
from anonymizer.knowledge.statement import ExternalSource, Statement
from anonymizer.policy import Policy, Role


@dataclass(frozen=True, slots=True, eq=False)
class Protected:
    """The columns of a table that are looked at, and whose each row is."""

    name: str
    cells: dict[str, Cells]
    person_of_row: Integers | None
    """None where each row is a person."""

    @staticmethod
    def load(table: Table, statement: Statement) -> Protected:
        """Read the columns that a statement names, once."""
        cells = load_columns(table, statement.columns)
        rows = next(iter(cells.values())).indices
        check_rows(table, rows.size)
        if statement.id is None:
            return Protected(table.name, cells, None)
        person = cells[statement.id].indices
        if (person < 0).any():
            row = int(np.argmax(person < 0)) + 1
            raise DataError(
                f"{table.name}: row {row} has no '{statement.id}', so it is not known whose it is; "
                "fill it in, or leave the row out."
            )
        return Protected(table.name, cells, person)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return next(iter(self.cells.values())).indices.size

    def sensitive(self, attribute: str, marked: Sequence[str]) -> tuple[Integers, list[int]]:
        """Number the values of a sensitive attribute, row by row, and those that the steward marks."""
        cells = self.cells[attribute]
        values = list(cells.distinct)
        absent = [value for value in marked if value not in values]
        if absent:
            raise PolicyError(
                f"statement: sensitive.{attribute}: {quote_some(absent)} does not occur in the column; "
                f"{suggest_name(absent[0], values)}"
            )
        numbers = np.where(cells.indices < 0, len(values), cells.indices)
        return numbers, [values.index(value) for value in marked]


def load_columns(table: Table, columns: Sequence[str]) -> dict[str, Cells]:
    """Read some columns into memory, in one pass, each as its distinct texts and where they stand."""
    numbers: list[dict[str, int]] = [{} for _ in columns]
    parts: list[list[Integers]] = [[] for _ in columns]
    for batch in table.batches(columns):
        for cells, known, part in zip(batch, numbers, parts, strict=True):
            of_value = [known.setdefault(text_of(value), len(known)) for value in cells.distinct]
            part.append(np.array([*of_value, -1], np.int64)[cells.indices])
    joined = [np.concatenate(part) if part else np.zeros(0, np.int64) for part in parts]
    return {
        column: Cells(indices, list(known))
        for column, indices, known in zip(columns, joined, numbers, strict=True)
    }


def make_key_set(
    protected: Protected, policy: Policy, source: ExternalSource, external: Table | None
) -> KeySet:
    """See a table through the keys of a source, and count there who matches where it is at hand."""
    mine = {key: protected.cells[key] for key in source.keys}
    theirs = {} if external is None else load_external(external, source)
    hierarchies, base = [], []
    for key in source.keys:
        hierarchy = hierarchy_of(policy, key, mine[key], theirs.get(key))
        own = level_of(hierarchy, mine[key].distinct, protected.name)
        check_shares(source, mine[key], key, own)
        mine[key] = to_leaves(hierarchy, own, mine[key])
        level = max(own, source.levels.get(key, 0))
        if external is not None:
            its = level_of(hierarchy, theirs[key].distinct, external.name)
            theirs[key] = to_leaves(hierarchy, its, theirs[key])
            level = max(level, its)
            here, there = (labels_on(hierarchy, level, table[key]) for table in (mine, theirs))
            check_common(key, here, there, external.name)
        hierarchies.append(hierarchy)
        base.append(level)
    other = None if external is None else MemoryTable(theirs)
    microdata = encode(MemoryTable(mine), hierarchies, other)
    numbered = protected.person_of_row
    people = (
        People.of_rows(microdata) if numbered is None else People.by_number(microdata, numbered)
    )
    return KeySet(microdata, people, tuple(base))


def load_external(external: Table, source: ExternalSource) -> dict[str, Cells]:
    """Read the keys from an external table."""
    names = match_columns(source.keys, external, source.columns)
    loaded = load_columns(external, list(dict.fromkeys(names.values())))
    if not loaded[names[source.keys[0]]].indices.size:
        raise DataError(f"{external.name}: the external table has no rows; name one with people.")
    return {key: loaded[column] for key, column in names.items()}


def hierarchy_of(policy: Policy, key: str, mine: Cells, theirs: Cells | None) -> Hierarchy:
    """Load the hierarchy of a key; a key that the policy does not generalize has its values and a top."""
    if policy.attributes[key].role is Role.QUASI:
        return close_top(policy.hierarchy(key))
    both = [mine] if theirs is None else [mine, theirs]
    missing = any(bool((cells.indices < 0).any()) for cells in both)
    return flat_hierarchy(key, [value for cells in both for value in cells.distinct], missing)


def labels_on(hierarchy: Hierarchy, level: int, cells: Cells) -> set[str]:
    """Return what leaves are called on a level."""
    label_of = {
        leaf: hierarchy.labels[level][code]
        for leaf, code in zip(hierarchy.leaves, hierarchy.codes[level].tolist(), strict=True)
    }
    labels = {label_of[value] for value in cells.distinct}
    return labels | ({""} if (cells.indices < 0).any() else set())


def check_shares(source: ExternalSource, cells: Cells, key: str, level: int) -> None:
    """Raise a PolicyError if a share is given for a value that the key never has."""
    shares = {"p": source.p, "q": source.q}
    for left_out, overlap in source.without.items():
        shares[f"without.{left_out}.p"] = overlap.p or Proportion()
        shares[f"without.{left_out}.q"] = overlap.q or Proportion()
    for name, share in shares.items():
        if share.by != key:
            continue
        absent = [value for value in share.values if value not in cells.distinct]
        if absent:
            raise PolicyError(
                f"statement: source '{source.name}': {name}: {quote_some(absent)} does not occur in "
                f"'{key}'; {suggest_name(absent[0], cells.distinct)}"
            )
        if level:
            raise PolicyError(
                f"statement: source '{source.name}': {name}: the table has '{key}' on level {level} of "
                "its hierarchy, and a share by value needs the values themselves; give one number."
            )


def open_external(statement: Statement, source: ExternalSource) -> Table | None:
    """Open the table of a source that is at hand."""
    if source.table is None:
        return None
    return open_table(statement.folder / source.table, source.delimiter)
