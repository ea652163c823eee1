"""Studies: linked tables about whole people, as the checker sees them.

Somebody who knows a person's row and a set S of their events, with all that these belong to, finds
whoever has the same row and an injective map of what is known to their own events that keeps table,
values and parents. Written as trees, sorted, S is alike for all who match: what such a map finds is
closed under parents, so it is what somebody may know of the other person by as many events. So everybody
is counted under each thing that may be known of them, and people go until each has k. More people, or
fewer values, make no count smaller: the greatest fixpoint is the best that can be kept, and holds those
of finer schemes.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from anonymizer.proof.format import Scheme
from anonymizer.proof.losses import Measure
from anonymizer.proof.models import Model
from anonymizer.proof.table import Gone, Integers, Marks, Table, Unsupported, View, whole_sums

MOST_SETS = 3_000_000
"""So many things that may be known of people are written out at a scheme; more take too long."""
Form = tuple[Any, ...]
"""Trees, sorted: the number of an event, and the trees below it; numbers alone in flat studies."""


@dataclass(frozen=True, eq=False)
class LinkedRows:
    """One table of a study: its distinct tuples, and the rows that have them."""

    name: str
    table: Table
    tuple_of_row: Integers
    parent: int | None
    """The place of the table that its rows belong to; None for the people, who belong to nobody."""
    parent_row: Integers
    """The row of that table."""

    @property
    def width(self) -> int:
        """The number of attributes."""
        return len(self.table.attributes)

    def values(self, scheme: Scheme) -> Integers:
        """Number the rows by what they become."""
        return self.table.partition(scheme)[self.tuple_of_row]


@dataclass(frozen=True, eq=False)
class PeopleTable(Table):
    """Everybody as a tuple of their own, with one record: they go with all their rows.

    The attributes are those of all tables, and only those of the first put people into classes.
    """

    rows: tuple[LinkedRows, ...] = ()

    def partition(self, scheme: Scheme) -> Integers:
        """Number the people by their rows in the people table."""
        return self.rows[0].values(scheme[: self.rows[0].width])

    @cached_property
    def person_of_row(self) -> tuple[Integers, ...]:
        """The person of each row of each table."""
        found = [np.arange(self.counts.size)]
        for rows in self.rows[1:]:
            assert rows.parent is not None
            found.append(found[rows.parent][rows.parent_row])
        return tuple(found)

    @cached_property
    def starts(self) -> list[int]:
        """Where the events of each child table begin, if all are numbered one after another."""
        sizes = [rows.tuple_of_row.size for rows in self.rows[1:]]
        return [0, *itertools.accumulate(sizes, initial=0)]

    @cached_property
    def above(self) -> list[int]:
        """The event that each event belongs to; -1 where it belongs to the person."""
        found: list[int] = []
        for rows in self.rows[1:]:
            assert rows.parent is not None
            own = rows.parent == 0
            found += [
                -1 if own else self.starts[rows.parent] + row for row in rows.parent_row.tolist()
            ]
        return found

    @cached_property
    def is_flat(self) -> bool:
        """Whether every event belongs to a person at once."""
        return all(rows.parent == 0 for rows in self.rows[1:])

    def numbers(self, scheme: Scheme) -> list[int]:
        """Number the events by their table and what they become."""
        found, at, first = list[int](), self.rows[0].width, 0
        for rows in self.rows[1:]:
            values = rows.values(scheme[at : at + rows.width]) + first
            found += values.tolist()
            at, first = at + rows.width, int(values.max(initial=first - 1)) + 1
        return found


@dataclass(frozen=True)
class LinkedMeasure(Measure):
    """The loss of each attribute over the rows of its own table."""

    def losses(self, table: Table, gone: Gone) -> list[list[float]]:
        """Return the loss of each attribute at every level, with all rows of some people gone."""
        assert isinstance(table, PeopleTable)
        found: list[list[float]] = []
        for rows, person in zip(table.rows, table.person_of_row, strict=True):
            own = rows.table
            lost = gone.tuples[person].astype(np.int64)
            counts, number = whole_sums(rows.tuple_of_row, lost, own.counts.size), int(lost.sum())
            for at, (attribute, codes) in enumerate(zip(own.attributes, own.codes, strict=True)):
                gone_of = whole_sums(codes, counts, attribute.groups[0].size)
                found.append(self.cover_lost(own, at, gone_of, gone_of, number, 0))
        return found


@dataclass(frozen=True, eq=False)
class KnownEvents(Model):
    """At least k people match a person's row and any set of their events that somebody may know."""

    scope: ClassVar[str] = "whole people"
    local: ClassVar[bool] = False

    table: PeopleTable
    k: int
    power: int | None
    """How many events of tables without a power of their own; None: all, and that there are no more."""
    powers: Mapping[str, int] = field(default_factory=dict)
    share: float = 0.0
    most_events: int | None = None
    counts_known: bool = False
    last: dict[Scheme, tuple[Integers, Integers, Marks]] = field(default_factory=dict, repr=False)
    """What may be known at the scheme that was looked at last."""

    def __post_init__(self) -> None:
        rows = sum(rows.tuple_of_row.size for rows in self.table.rows)
        if rows > MOST_SETS:  # of so many, not even the sets are counted in good time
            raise Unsupported(
                f"the checker goes through {rows:,} rows, above {MOST_SETS:,}, one by one."
            )
        sets = sum(self.number_of_sets(person, self.most) for person in range(len(self.known)))
        if sets > MOST_SETS:
            raise Unsupported(
                f"the checker writes out all that may be known of everybody, and that is {sets:,} sets "
                f"of events, above {MOST_SETS:,}."
            )

    @cached_property
    def known(self) -> list[list[list[int]]]:
        """The events of each person that may be known: first of the common power, then table by table."""
        names = list(self.powers)
        common = self.power is None or self.power > 0 or self.share > 0
        found: list[list[list[int]]] = [
            [[] for _ in range(len(names) + 1)] for _ in range(self.table.counts.size)
        ]
        for place, rows in enumerate(self.table.rows[1:], 1):
            group = names.index(rows.name) + 1 if rows.name in names else 0
            if self.powers[rows.name] if group else common:
                for row, person in enumerate(self.table.person_of_row[place].tolist()):
                    found[person][group].append(self.table.starts[place] + row)
        return found

    @cached_property
    def over(self) -> Marks:
        """Who has more events than are allowed."""
        most = math.inf if self.most_events is None else self.most_events
        return np.array([sum(map(len, groups)) > most for groups in self.known], np.bool_)

    def own(self, person: int) -> int:
        """How many events of a person somebody knows, in the tables without a power of their own."""
        if self.power is None:
            return 0
        return max(self.power, math.ceil(round(self.share * len(self.known[person][0]), 9)))

    @cached_property
    def most(self) -> int:
        """The most that is known of anybody."""
        return max((self.own(p) for p in np.flatnonzero(~self.over).tolist()), default=0)

    def number_of_sets(self, person: int, most: int) -> int:
        """Count the sets of events that somebody may know of a person."""
        if self.power is None or self.over[person]:
            return 1
        return math.prod(
            sum(math.comb(len(group), size) for size in range(limit + 1))
            for group, limit in zip(self.known[person], (most, *self.powers.values()), strict=True)
        )

    def sets(self, person: int, most: int) -> Iterator[Iterable[int]]:
        """Yield the sets of events that somebody may know of a person."""
        groups = self.known[person]
        if self.power is None:
            return iter([itertools.chain(*groups)])
        chosen = [
            [some for size in range(limit + 1) for some in itertools.combinations(group, size)]
            for group, limit in zip(groups, (most, *self.powers.values()), strict=True)
        ]
        return map(itertools.chain.from_iterable, itertools.product(*chosen))

    def forms(self, person: int, most: int, numbers: Sequence[int]) -> set[Form]:
        """Return what somebody may know of a person, as it is written."""
        sets, above = self.sets(person, most), self.table.above
        if self.table.is_flat:
            return {tuple(sorted(map(numbers.__getitem__, events))) for events in sets}
        return {write(events, above, numbers) for events in sets}

    def known_at(self, scheme: Scheme) -> tuple[Integers, Integers, Marks]:
        """List everybody with all they may be taken for, and whether somebody may know it of them."""
        if scheme not in self.last:
            self.last.clear()
            self.last[scheme] = self.write_out(scheme)
        return self.last[scheme]

    def write_out(self, scheme: Scheme) -> tuple[Integers, Integers, Marks]:
        """List it for the first time."""
        rows, numbers = self.table.partition(scheme).tolist(), self.table.numbers(scheme)
        persons, found, told = list[int](), list[int](), list[bool]()
        number: dict[tuple[Any, ...], int] = {}
        for person in np.flatnonzero(~self.over).tolist():
            theirs = self.forms(person, self.most, numbers)
            own, all_of = self.own(person), len(self.known[person][0])
            by_power = theirs if own >= min(self.most, all_of) else self.forms(person, own, numbers)
            row = (rows[person], self.events_of(person)) if self.counts_known else rows[person]
            persons += [person] * len(theirs)
            found += [number.setdefault((row, form), len(number)) for form in theirs]
            told += [form in by_power for form in theirs]
        return np.array(persons, np.int64), np.array(found, np.int64), np.array(told, np.bool_)

    def events_of(self, person: int) -> tuple[int, ...]:
        """Count the events of a person in each table."""
        return tuple(times[person] for times in self.times)

    @cached_property
    def times(self) -> list[Counter[int]]:
        """How many events everybody has in each child table."""
        return [Counter(of.tolist()) for of in self.table.person_of_row[1:]]

    def breaks(self, view: View) -> Marks:
        """Mark who has something that fewer than k of those kept match, or has too many events."""
        person, form, told = self.known_at(view.scheme)
        there = view.kept[person]
        people = np.bincount(form[there], minlength=int(form.max(initial=-1)) + 1)
        broken = self.over.copy()
        broken[person[there & told & (people[form] < self.k)]] = True
        return broken & view.kept


def write(events: Iterable[int], above: Sequence[int], numbers: Sequence[int]) -> Form:
    """Write some events with all that they belong to as sorted trees."""
    below: dict[int, set[int]] = {}
    for event in events:
        while event >= 0 and event not in below.setdefault(above[event], set()):
            below[above[event]].add(event)
            event = above[event]

    def trees(root: int) -> Form:
        return tuple(sorted((numbers[event], trees(event)) for event in below.get(root, ())))

    return trees(-1)
