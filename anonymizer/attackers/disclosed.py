"""Assess what people disclose elsewhere: from a table and some sources to the risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonymizer.attackers.disclosure import (
    Disclosing,
    Source,
    check_named,
    named_attributes,
)
from anonymizer.attackers.external import ID, align
from anonymizer.attackers.nrf import Reidentification, check_e_uniqueness
from anonymizer.attackers.owned import OwnedTuples, TooManyStepsError, read_owned
from anonymizer.attackers.unique_subsets import (
    OnSubsets,
    check_attributes,
    count_unique,
)
from anonymizer.data.opening import TableLike, check_present, open_table
from anonymizer.data.table import Table
from anonymizer.errors import DataError
from anonymizer.hierarchy import Hierarchy


def assess_disclosure(
    data: TableLike,
    sources: Sequence[Source] | Disclosing,
    external: TableLike | None = None,
    *,
    e_uniqueness: float | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    workers: int | None = None,
    on_subsets: OnSubsets | None = None,
) -> Reidentification:
    """Assess the risk of a table through the attributes that some sources disclose.

    `external` replaces the table that the sources name. Values of its columns may be of any level of the
    `hierarchies`, by attribute; others must be written alike.

    >>> import pandas as pd
    >>> toy = pd.DataFrame({"X": ["xa", "xb"], "Y": ["ya", "yb"]})
    >>> assess_disclosure(toy, [Source("forum", 1.0, {"X": 0.5, "Y": 0.0})]).data_set
    0.75
    """
    asked = sources if isinstance(sources, Disclosing) else Disclosing(tuple(sources))
    if external is None and asked.external is not None:
        external = open_table(asked.files[0], asked.external.delimiter)
    if external is not None and e_uniqueness is not None:
        raise DataError(
            "an external table and a number for E-uniqueness are both given; the table is counted, "
            "so leave the number out."
        )
    check_e_uniqueness(e_uniqueness)  # before the work, not after
    table = open_table(data, delimiter, encoding)
    check_named(asked.sources, table)
    attributes = named_attributes(asked.sources)
    check_attributes([table], attributes)
    outside, their_id = None, None
    if external is not None:
        opened = open_table(external, delimiter, encoding)
        table, outside = align_external(table, opened, asked, hierarchies or {})
        their_id = None if asked.external is None or asked.external.id is None else ID
    owned = read_people(table, asked, outside, their_id)
    if owned is not None and (asked.id is not None or their_id is not None):
        uniqueness = owned.count()
    else:
        uniqueness = count_unique(
            table, attributes, outside, workers=workers, on_subsets=on_subsets
        )
    return Reidentification(uniqueness, asked.sources, e_uniqueness, asked.threshold, owned)


def align_external(
    table: Table, external: Table, asked: Disclosing, hierarchies: Mapping[str, Hierarchy]
) -> tuple[Table, Table]:
    """Bring a table and what is known outside to the same columns and levels."""
    named = asked.external
    columns = {} if named is None else named.names
    ids = asked.id, None if named is None else named.id
    return align(table, external, named_attributes(asked.sources), columns, hierarchies, ids)


def read_people(
    table: Table, asked: Disclosing, external: Table | None, their_id: str | None
) -> OwnedTuples | None:
    """Find out whose the tuples are; where that takes too long and nobody asks for it, None."""
    if asked.id is not None:
        check_present(table, [asked.id])
    try:
        attributes = named_attributes(asked.sources)
        return read_owned(table, attributes, asked.id, external, their_id)
    except TooManyStepsError:
        if asked.threshold is None and asked.id is None and their_id is None:
            return None
        raise
