"""Which single events of a study are dropped: how many, of whom the last, and which values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonymizer.lattice import Scheme
from anonymizer.study.study import PEOPLE, Rows, Study

MOST_VALUES = 10
"""So many values of each column are listed."""


@dataclass(frozen=True, slots=True)
class DroppedEvents:
    """The events of released people that are dropped, by table and by value."""

    events: dict[str, int]
    """How many of each table."""
    lost_all: int
    """People who are released without any event, and had some: they look as if nothing had been."""
    values: dict[str, dict[str, tuple[int, int]]]
    """By column, as the scheme has them, the values of which most rows are dropped, alone or with
    people: how many, and of how many."""

    @staticmethod
    def of(study: Study, scheme: Scheme, rows: Rows, names: Sequence[str]) -> DroppedEvents:
        """Count what is dropped at a scheme, given which rows of each table are kept."""
        people, children = rows[PEOPLE], range(1, len(study.tables))
        whose = study.person_of_row
        alone = {
            names[place]: int(np.count_nonzero(people[whose[place]] & ~rows[place]))
            for place in children
        }
        had, has = np.zeros(study.people, np.int64), np.zeros(study.people, np.int64)
        for place in children:
            had += np.bincount(whose[place], minlength=study.people)
            has += np.bincount(whose[place][rows[place]], minlength=study.people)
        lost_all = int(np.count_nonzero(people & (had > 0) & (has == 0)))
        parts = study.split(scheme)
        values = {
            f"{names[place]}.{name}": values_dropped(study, place, at, parts[place][at], rows)
            for place in children
            for at, name in enumerate(study.tables[place].attributes)
        }
        return DroppedEvents(alone, lost_all, values)

    def describe(self) -> dict[str, Any]:
        """Return the counts as JSON, and no values: those that are rare stay with the steward."""
        return {"events_dropped": self.events, "lost_all_events": self.lost_all}

    def sentences(self) -> list[str]:
        """Say what was dropped, one sentence for each table, and what that makes people look like."""
        dropped = [
            f"{number:,} rows of '{name}' dropped of people who are released."
            for name, number in self.events.items()
        ]
        lost = (
            f"{self.lost_all:,} people lost their last event: they look as if they never had any."
        )
        return [*dropped, lost]


def values_dropped(
    study: Study, place: int, attribute: int, level: int, rows: Rows
) -> dict[str, tuple[int, int]]:
    """Return the values of a column of which most rows are dropped, with how many of how many."""
    microdata = study.tables[place].microdata
    column = microdata.columns[attribute]
    groups = column.groups[level][microdata.codes[attribute]][microdata.tuple_of_row]
    texts = column.labels(level)
    everything = np.bincount(groups, minlength=len(texts))
    gone = np.bincount(groups[~rows[place]], minlength=len(texts))
    most = np.argsort(-gone, kind="stable")[:MOST_VALUES].tolist()
    return {texts[each]: (int(gone[each]), int(everything[each])) for each in most if gone[each]}
