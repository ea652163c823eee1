"""StudyPart: one table of a study, and the policy as if it were alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from anonymizer.data.table import Table
from anonymizer.policy import Policy
from anonymizer.study.encoding import KeyedTable


@dataclass(frozen=True, eq=False)
class StudyPart:
    """One table of a study as it is read, and the policy as if it were alone."""

    linked: KeyedTable
    policy: Policy
    keys: Mapping[str, str]
    """The columns that random keys replace, and the table whose rows these name."""

    @property
    def name(self) -> str:
        """What the study calls it."""
        return self.linked.name

    @property
    def table(self) -> Table:
        """The table itself."""
        return self.linked.table

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the release, in the order of the original."""
        dropped = set(self.policy.dropped) - self.keys.keys()
        return tuple(column for column in self.table.columns if column not in dropped)

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that are released as they are."""
        changed = {*self.keys, *self.policy.quasi_identifiers}
        return tuple(column for column in self.columns if column not in changed)

    def with_table(self, table: Table) -> StudyPart:
        """Return the same part of another table."""
        return replace(self, linked=replace(self.linked, table=table))

    def label(self, column: str, people: str) -> str:
        """Name a column as schemes do: that of a child with its table."""
        return column if self.name == people else f"{self.name}.{column}"
