"""What a released study shows of each row beside quasi-identifiers: kept columns, and times of events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import label_columns
from anonymizer.data.column import Column, same_text
from anonymizer.data.table import Table, read_columns
from anonymizer.lattice import Scheme
from anonymizer.policy import Policy
from anonymizer.problem.date_shift import in_intervals, moved_columns
from anonymizer.study.left_out import Seen
from anonymizer.study.study import PEOPLE

if TYPE_CHECKING:
    from anonymizer.problem.study import StudyProblem

MOST_ROWS = 2_000_000
"""Of more rows, in all tables, nobody looks at the columns that are kept."""


def time_columns(policy: Policy) -> tuple[str, ...]:
    """Return the columns of one table that say how far its events are apart."""
    counted = (name for name, each in policy.attributes.items() if each.since)
    return (*counted, *moved_columns(policy))


def find_seen(problem: StudyProblem, scheme: Scheme) -> Seen:
    """Number what the rows show by the columns that are kept, and by their times at a scheme.

    Dates that move are days since the first date of the person.
    """
    sizes = [table.rows for table in problem.study.tables]
    if sum(sizes) > MOST_ROWS:
        return Seen(None, (), ())
    tables = {part.name: part.table for part in problem.parts}
    if problem.policy.release.date_shift is not None:
        tables, _ = in_intervals(tables, problem.policy)
    kept, times, timed = [], [], []
    levels = problem.study.split(scheme)
    for place, (part, rows) in enumerate(zip(problem.parts, sizes, strict=True)):
        columns = read_same(tables[part.name], part.kept)
        kept.append(label_rows(columns, rows))
        microdata = problem.microdata(place)
        for at, each in enumerate(microdata.columns):
            codes = each.groups[levels[place][at]][microdata.codes[at, microdata.tuple_of_row]]
            columns[each.hierarchy.name] = Column(codes, tuple(each.labels(levels[place][at])))
        named = time_columns(part.policy)
        times.append(label_rows({name: columns[name] for name in named}, rows))
        timed += [place] if named and place != PEOPLE else []
    return Seen(kept, times, timed)


def read_same(table: Table, names: tuple[str, ...]) -> dict[str, Column]:
    """Read columns, those values as one that a release does not tell apart."""
    columns = read_columns(table, list(names)) if names else {}
    return {n: each.rename([same_text(text) for text in each.texts]) for n, each in columns.items()}


def label_rows(columns: Mapping[str, Column], rows: int) -> NDArray[np.int32]:
    """Number the rows of a table by some columns; all alike where there are none."""
    return label_columns(columns.values()).of_row if columns else np.zeros(rows, np.int32)
