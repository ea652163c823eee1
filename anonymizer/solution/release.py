"""Release: a scheme, or several in layers, applied to a table, and the table that comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.arrays import is_nested
from anonymizer.data.coded import load
from anonymizer.data.column import Column, smallest_type
from anonymizer.data.release import write_csv
from anonymizer.data.table import File, Grouped, Recoding, ReleasePlan, Table, read_columns
from anonymizer.errors import ReleaseError
from anonymizer.hierarchy import REDACTED
from anonymizer.layers.layering import Layering
from anonymizer.policy import Policy
from anonymizer.solution.date_shift import with_moved_dates
from anonymizer.solution.microaggregation import aggregate_classes
from anonymizer.table.microdata import Microdata, encode
from anonymizer.table.recoding import in_order


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A generalized table without the suppressed records; made when asked for.

    Identifying and removed columns are gone, sensitive and insensitive ones stay as they are. Rows are
    shuffled unless the policy says otherwise: their order in the original is a key.
    """

    table: Table
    policy: Policy
    layering: Layering
    """The scheme of each distinct tuple; one for all unless the policy asks for layers."""

    @property
    def microdata(self) -> Microdata:
        """The table in integers."""
        return self.layering.microdata

    @property
    def suppressed(self) -> NDArray[np.bool_]:
        """Which distinct tuples are suppressed."""
        return self.layering.suppressed

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the release, in the order of the original."""
        dropped = set(self.policy.dropped)
        return tuple(column for column in self.table.columns if column not in dropped)

    @property
    def redacts(self) -> bool:
        """Whether suppressed records stay in the table."""
        return self.policy.release.suppressed == "redact"

    def rows(self, random: np.random.Generator | None) -> NDArray[np.int64]:
        """Return the original row of each released row, in their order without randomness."""
        rows = np.arange(self.microdata.tuple_of_row.size)
        if not self.redacts:
            rows = rows[~self.suppressed[self.microdata.tuple_of_row]]
        if random is not None and self.policy.release.shuffle and not self.microdata.grouped:
            random.shuffle(rows)
        return rows

    def recoding(self, attribute: str) -> Recoding:
        """Return the released value of each tuple.

        Written are the values that classes were formed by, never the cells: cells that count as one value
        come out alike.
        """
        at = self.microdata.attributes.index(attribute)
        numbers, values = self.values(at)
        aggregated = attribute in self.policy.microaggregated
        untouched = aggregated or all(scheme[at] == 0 for scheme in self.layering.schemes)
        redacted = self.redacts and bool(self.suppressed.any())
        if redacted:
            values = list(dict.fromkeys([*values, REDACTED]))  # a level may be called so too
            numbers = np.where(self.suppressed, values.index(REDACTED), numbers)
        hierarchy = self.microdata.columns[at].hierarchy
        read = hierarchy.reading.read if 0 in [s[at] for s in self.layering.schemes] else None
        numbers = numbers.astype(smallest_type(len(values)), copy=False)
        recoding = Recoding(tuple(values), numbers, original=untouched and not redacted, read=read)
        return recoding if aggregated else in_order(recoding, hierarchy)

    def values(self, attribute: int) -> tuple[NDArray[np.integer], list[str]]:
        """Return the released value of each tuple in one attribute, as numbers of texts."""
        name = self.microdata.attributes[attribute]
        center = self.policy.attributes[name].microaggregation
        if center is None or not self.layering.schemes:
            return self.layering.values(attribute)
        scheme = self.layering.schemes[0]
        return aggregate_classes(self.microdata, scheme, self.suppressed, attribute, center)

    def plan(self, random: np.random.Generator | None = None) -> ReleasePlan:
        """Return what the table must know to make the release.

        Without randomness, rows are in their order, and dates stay where they are.
        """
        recodings = {attribute: self.recoding(attribute) for attribute in self.microdata.attributes}
        self.check_redacted(recodings)
        of_row = self.microdata.tuple_of_row
        escaped = self.policy.release.escape_formulas
        rows = self.rows(random)
        plan = ReleasePlan(self.columns, recodings, of_row, rows, escaped, self.grouped())
        if random is None or self.policy.release.date_shift is None:
            return plan
        return with_moved_dates(plan, self.table, self.policy, random.bytes(32))

    def check_redacted(self, recodings: Mapping[str, Recoding]) -> None:
        """Raise a ReleaseError if a kept class has the name of suppressed records."""
        if not self.redacts or not self.suppressed.any():
            return
        stars = [each.number_of_tuple == each.values.index(REDACTED) for each in recodings.values()]
        if (np.logical_and.reduce(stars) & ~self.suppressed).any():
            raise ReleaseError(
                f"policy: suppressed records are released as '{REDACTED}', and so is a class that is "
                f"kept; rename '{REDACTED}' in a hierarchy, or write suppressed = \"drop\" in [release]."
            )

    def grouped(self) -> Grouped | None:
        """Return what an engine must know to make the release; None where it has no part in it."""
        microdata = self.microdata
        if not microdata.grouped:
            return None
        deciding = (*microdata.attributes, *microdata.beside)
        person = () if microdata.id is None else (microdata.id,)
        redacted = self.suppressed if self.redacts else np.zeros_like(self.suppressed)
        shuffled = self.policy.release.shuffle
        return Grouped(
            (*deciding, *microdata.counted_columns, *person), deciding, redacted, shuffled
        )

    def by_rows(self) -> Release:
        """Return the release with the rows of its table in memory, where an engine has counted them.

        The order of tuples follows from their values, so that only the tuple of each row is new.
        """
        microdata = self.microdata
        if not microdata.grouped:
            return self
        names = [*microdata.attributes, *microdata.beside]
        person = [] if microdata.id is None else [microdata.id]
        table = load(self.table, [*names, *self.columns, *person])
        hierarchies = [column.hierarchy for column in microdata.columns]
        read = encode(table, hierarchies, beside=list(microdata.beside))
        by_row = replace(microdata, tuple_of_row=read.tuple_of_row, grouped=False)
        return replace(self, table=table, layering=replace(self.layering, microdata=by_row))

    def read_kept(self) -> dict[str, Column]:
        """Read the columns that are released unchanged, and the id column."""
        microdata, table = self.microdata, self.table
        types = table.types
        kept = [name for name in self.columns if name not in microdata.attributes]
        names = [name for name in kept if not is_nested(types[name])]
        if microdata.id is not None and microdata.id not in names:
            names.append(microdata.id)
        if not names:
            return {}
        coded = read_columns(table, names)
        rows = coded[names[0]].codes.size
        if rows != microdata.records:
            raise ReleaseError(
                f"{table.name} changed since it was anonymized: it had {microdata.records} rows and now "
                f"has {rows}. Run again."
            )
        return coded

    def to_frame(self, random: np.random.Generator) -> Any:
        """Make the released dataframe: of the same kind as the original, of pandas for a file."""
        return self.table.release(self.plan(random))

    def write(self, path: Path, random: np.random.Generator) -> None:
        """Write the release as a file, of the kind that the policy states, or else of the original's.

        Dataframes become CSV.
        """
        plan, delimiter = self.plan(random), self.policy.data.delimiter
        self.table.release(plan, File(path, delimiter, self.policy.release.file))

    @property
    def file_name(self) -> str:
        """What the released file is called."""
        return self.table.file_name(self.policy.release.file)


def mapping_rows(policy: Policy, scheme: dict[str, int]) -> Sequence[tuple[str, str, str]]:
    """List attribute, value and released value for every leaf of every hierarchy.

    All leaves are listed, whether or not they occur: the mapping says nothing about the data.
    """
    return [
        (hierarchy.name, row[0], row[scheme[hierarchy.name]])
        for hierarchy in policy.load_hierarchies()
        for row in hierarchy.rows()
    ]


def layer_rows(
    policy: Policy, schemes: Sequence[dict[str, int]]
) -> Sequence[tuple[str, str, str, str]]:
    """List attribute, value, level and released value for every level that a layer has."""
    return [
        (hierarchy.name, row[0], str(level), row[level])
        for hierarchy in policy.load_hierarchies()
        for level in sorted({scheme[hierarchy.name] for scheme in schemes})
        for row in hierarchy.rows()
    ]


def write_mapping(policy: Policy, schemes: Sequence[dict[str, int]], path: Path) -> None:
    """Write the applied mapping as a CSV file: attribute, value, released; for layers, also the level."""
    header: tuple[str, ...] = ("attribute", "value", "released")
    rows: Sequence[tuple[str, ...]] = ()
    if len(schemes) == 1:
        rows = mapping_rows(policy, schemes[0])
    else:
        header, rows = ("attribute", "value", "level", "released"), layer_rows(policy, schemes)
    columns = [list(column) for column in zip(*rows, strict=True)]
    table = pa.table(dict(zip(header, columns, strict=True)))
    write_csv(table, path, policy.data.delimiter)
