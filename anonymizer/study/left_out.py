"""What the promise of a study leaves out, counted on those who are released."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import code_labels, label_together
from anonymizer.kernels.multisets import merge_equal
from anonymizer.lattice import Scheme
from anonymizer.study.forests import Forest
from anonymizer.study.study import PEOPLE, Rows, Study


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many released people are alone by what the promise does not cover."""

    alone_by_number: dict[str, int]
    """By their row and the number of their events in a table."""
    alone_by_profile: int
    """By their row and all their events."""
    without_events: int
    """People who have no event in any table."""
    dropped: int
    """People who are not released."""
    kept_columns: tuple[str, ...]
    """Columns that are released as they are."""

    def describe(self) -> dict[str, Any]:
        """Return the counts as JSON."""
        return {**asdict(self), "kept_columns": list(self.kept_columns)}

    def sentences(self) -> list[str]:
        """Say what was counted, one sentence each."""
        number = [
            f"{people(count)} alone by their row and their number of rows in '{table}'."
            for table, count in self.alone_by_number.items()
        ]
        kept = ", ".join(self.kept_columns) or "none"
        return [
            *number,
            f"{people(self.alone_by_profile)} alone by their row and all their events.",
            f"{people(self.without_events)} released without any event, and "
            f"{people(self.dropped)} dropped: who is not there may be in the study.",
            f"Columns that are released as they are, outside the promise: {kept}.",
        ]


def people(count: int) -> str:
    """Count people, with the verb.

    >>> people(1), people(1200)
    ('1 person is', '1,200 people are')
    """
    return "1 person is" if count == 1 else f"{count:,} people are"


def count_left_out(
    study: Study, scheme: Scheme, rows_kept: Rows, columns: tuple[str, ...]
) -> LeftOut:
    """Count, among the people kept, who is alone by what somebody may know beyond the model."""
    study, kept = study.with_events(rows_kept), rows_kept[PEOPLE]
    parts, children = study.split(scheme), range(1, len(study.tables))
    table = study.tables[PEOPLE]
    rows = code_labels(table.labels(parts[PEOPLE])[table.microdata.tuple_of_row])
    counts = study.counts(children)
    forest = Forest.of(study, children, parts)
    whole = merge_equal(forest.trees, forest.first)[0]

    def alone(numbers: NDArray[np.integer]) -> int:
        together = label_together([rows, code_labels(numbers)], kept.size)
        of_kept = together.of_row[kept]
        return int(np.count_nonzero(np.bincount(of_kept) == 1))

    return LeftOut(
        {study.tables[place].name: alone(counts[place - 1]) for place in children},
        alone(whole),
        int(np.count_nonzero(counts[:, kept].sum(axis=0) == 0)),
        int(np.count_nonzero(~kept)),
        columns,
    )
