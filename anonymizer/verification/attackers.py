"""What somebody may know of each person of a study, written out set by set, and who else matches.

Nothing of the search is used. A set of events is known with all that these belong to. It is written as
trees: the table and the value of an event, and the trees of the events below it, sorted. Two sets match
if they are written alike: so a person matches what is known of another where one of their own sets is
written so. This is slow, and meant to be obvious.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from anonymizer.risk.study import PROFILE, StudyAnonymity

PEOPLE = 0
Event = tuple[int, int]
"""A table and a row of it."""
Written = tuple[Any, ...]
"""Trees, sorted: of each the table, the value and the trees below."""


@dataclass(frozen=True, eq=False)
class PlainTable:
    """The rows of one table: what they hold, and the rows of another table that they belong to."""

    name: str
    values: Sequence[Hashable]
    """Equal where rows are alike; they can be sorted."""
    parent: int | None = None
    parent_row: Sequence[int] = ()


@dataclass(frozen=True, eq=False)
class PlainStudy:
    """Everybody's row and events; the first table is that of the people."""

    tables: tuple[PlainTable, ...]

    @property
    def people(self) -> int:
        """How many people there are."""
        return len(self.tables[PEOPLE].values)

    def above(self, event: Event) -> Event | None:
        """Return the event that an event belongs to; None where it belongs to a person."""
        table, row = self.tables[event[0]], event[1]
        assert table.parent is not None
        return None if table.parent == PEOPLE else (table.parent, table.parent_row[row])

    def person(self, event: Event) -> int:
        """Return whose an event is."""
        above = self.above(event)
        return self.tables[event[0]].parent_row[event[1]] if above is None else self.person(above)

    @cached_property
    def events(self) -> list[list[Event]]:
        """The events of each person."""
        found: list[list[Event]] = [[] for _ in range(self.people)]
        for place in range(1, len(self.tables)):
            for row in range(len(self.tables[place].values)):
                found[self.person((place, row))].append((place, row))
        return found

    def number(self, person: int) -> tuple[int, ...]:
        """Return how many events a person has in each table."""
        times = Counter(table for table, _ in self.events[person])
        return tuple(times[place] for place in range(1, len(self.tables)))

    def written(self, events: Iterable[Event]) -> Written:
        """Write a set of events, with all that they belong to, as sorted trees."""
        below: dict[Event | None, set[Event]] = {}
        for event in events:
            above = self.above(event)
            below.setdefault(above, set()).add(event)
            while above is not None:
                event, above = above, self.above(above)
                below.setdefault(above, set()).add(event)

        def trees(root: Event | None) -> Written:
            under = (
                (table, self.tables[table].values[row], trees((table, row)))
                for table, row in below.get(root, ())
            )
            return tuple(sorted(under))

        return trees(None)


@dataclass(frozen=True, eq=False)
class Attackers:
    """Everybody who knows what a model says that somebody knows."""

    histories: PlainStudy
    model: StudyAnonymity

    def known(self, person: int) -> list[Event]:
        """Return the events of a person that are in tables which are not left out."""
        powers, common = self.model.powers, bool(self.model.power or self.model.share)
        names = [table.name for table in self.histories.tables]
        return [
            event
            for event in self.histories.events[person]
            if powers.get(names[event[0]], int(common)) > 0
        ]

    def groups(self, known: Sequence[Event]) -> list[list[Event]]:
        """Split events into those of the common power, and those of each table with its own."""
        names = [table.name for table in self.histories.tables]
        own = list(self.model.powers)
        return [
            [event for event in known if names[event[0]] not in own],
            *([event for event in known if names[event[0]] == name] for name in own),
        ]

    def power(self, person: int) -> int:
        """Return how many events somebody knows in the tables without a power of their own."""
        assert isinstance(self.model.power, int)
        common = len(self.groups(self.known(person))[0])
        return max(self.model.power, math.ceil(round(self.model.share * common, 9)))

    @cached_property
    def most(self) -> int:
        """The most that somebody knows of anybody."""
        return max(map(self.power, range(self.histories.people)), default=0)

    def sets(self, person: int, power: int) -> Iterator[tuple[Event, ...]]:
        """Yield every set of events that somebody with a power may know of a person."""
        groups = self.groups(self.known(person))
        powers = [power, *self.model.powers.values()]
        parts = [
            [some for size in range(most + 1) for some in itertools.combinations(group, size)]
            for group, most in zip(groups, powers, strict=True)
        ]
        return (tuple(itertools.chain(*chosen)) for chosen in itertools.product(*parts))

    def views(self, person: int) -> set[Written]:
        """Return all that somebody may know of a person, as it is written."""
        histories = self.histories
        if self.model.power == PROFILE:
            return {histories.written(self.known(person))}
        return {histories.written(each) for each in self.sets(person, self.power(person))}

    def shown(self, person: int) -> set[Written]:
        """Return all that a person may be taken for: what anybody's attacker could know of them."""
        if self.model.power == PROFILE or self.power(person) == self.most:
            return self.views(person)
        return {self.histories.written(each) for each in self.sets(person, self.most)}

    def own_row(self, person: int) -> Hashable:
        """Return what is always known: a person's row, and their number of events where that is."""
        row = self.histories.tables[PEOPLE].values[person]
        return (row, self.histories.number(person)) if self.model.counts == "known" else row

    @cached_property
    def fewest(self) -> list[int]:
        """For each person, the least number of people who match something that somebody knows."""
        rows: dict[Hashable, list[int]] = {}
        for person in range(self.histories.people):
            rows.setdefault(self.own_row(person), []).append(person)
        least = [0] * self.histories.people
        for members in rows.values():
            times: Counter[Written] = Counter()
            for person in members:
                times.update(self.shown(person))
            for person in members:
                least[person] = min(times[view] for view in self.views(person))
        return least

    def over_cap(self) -> int:
        """Count the people with more events than the model allows."""
        most = self.model.most_events
        if most is None:
            return 0
        return sum(len(self.known(person)) > most for person in range(self.histories.people))
