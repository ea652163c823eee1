"""What the promise of a study leaves out, counted on those who are released."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import code_labels, label_together
from anonymizer.kernels.multisets import merge_equal
from anonymizer.lattice import Scheme
from anonymizer.study.forests import Forest
from anonymizer.study.study import PEOPLE, Rows, Study

Labels: TypeAlias = Sequence[NDArray[np.integer]]
"""For each table, numbers of its rows: equal where these are alike."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a release shows beside quasi-identifiers, as numbers of the rows of each table."""

    kept: Labels | None
    """All columns that are released as they are; None where there are too many rows to look at them."""
    times: Labels
    """When events were, apart from what they were."""
    timed: Sequence[int]
    """The places of the tables of events that say when these were."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many released people are alone by what the promise does not cover."""

    alone_by_number: dict[str, int]
    """By their row and the number of their events in a table."""
    alone_by_profile: int
    """By their row and all their events."""
    alone_by_times: int | None
    """By their row and the days between their events; None where no column has these."""
    alone_by_all: int | None
    """By all released columns of all their rows; None where there are too many rows to count."""
    without_events: int
    """People who have no event in any table."""
    dropped: int
    """People who are not released."""
    kept_columns: tuple[str, ...]
    """Columns that are released as they are."""

    def describe(self) -> dict[str, Any]:
        """Return the counts as JSON; what was not counted is not there."""
        counted = {name: each for name, each in asdict(self).items() if each is not None}
        return {**counted, "kept_columns": list(self.kept_columns)}

    def sentences(self) -> list[str]:
        """Say what was counted, one sentence each."""
        return [
            f"{people(count)} alone by their row and {what}." for what, count in self.alone()
        ] + [
            f"{people(self.without_events)} released without any event, and "
            f"{people(self.dropped)} dropped: who is not there may be in the study.",
            "Columns that are released as they are, outside the promise: "
            f"{', '.join(self.kept_columns) or 'none'}.",
        ]

    def alone(self) -> Iterator[tuple[str, int]]:
        """Yield what people may be alone by, and how many are."""
        for table, count in self.alone_by_number.items():
            yield f"their number of rows in '{table}'", count
        yield "all their events", self.alone_by_profile
        if self.alone_by_times is not None:
            yield "the days between their events", self.alone_by_times
        if self.alone_by_all is not None and self.kept_columns:
            yield "all released columns of all their rows", self.alone_by_all


def people(count: int) -> str:
    """Count people, with the verb.

    >>> people(1), people(1200)
    ('1 person is', '1,200 people are')
    """
    return "1 person is" if count == 1 else f"{count:,} people are"


def count_left_out(
    study: Study, scheme: Scheme, rows_kept: Rows, columns: tuple[str, ...], seen: Seen
) -> LeftOut:
    """Count, among the people kept, who is alone by what somebody may know beyond the model."""
    kept, general = rows_kept[PEOPLE], study.labels(scheme)
    children = range(1, len(study.tables))
    rows = code_labels(general[PEOPLE])
    released = study.with_events(rows_kept)
    counts = released.counts(children)

    def alone(*numbers: NDArray[np.integer]) -> int:
        together = label_together([rows, *map(code_labels, numbers)], kept.size)
        of_kept = together.of_row[kept]
        return int(np.count_nonzero(np.bincount(of_kept) == 1))

    def alone_by(labels: Labels, known: Sequence[int]) -> int:
        there = [labels[PEOPLE], *(labels[place][rows_kept[place]] for place in children)]
        forest = Forest.of(released, known, there)
        return alone(there[PEOPLE], merge_equal(forest.trees, forest.first)[0])

    return LeftOut(
        {study.tables[place].name: alone(counts[place - 1]) for place in children},
        alone_by(general, children),
        alone_by(seen.times, seen.timed) if seen.timed else None,
        None if seen.kept is None else alone_by(together(general, seen.kept), children),
        int(np.count_nonzero(counts[:, kept].sum(axis=0) == 0)),
        int(np.count_nonzero(~kept)),
        columns,
    )


def together(some: Labels, others: Labels) -> list[NDArray[np.int32]]:
    """Number the rows of each table by two numbers of each."""
    return [
        label_together([code_labels(one), code_labels(two)], one.size).of_row
        for one, two in zip(some, others, strict=True)
    ]
