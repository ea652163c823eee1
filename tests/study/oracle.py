"""The meaning of a study, from the design's sentences alone: slow, and without any code of the engine."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Path = tuple[str, ...]
"""What a value becomes, level by level."""
Event = tuple[int, int]
"""A child table, by its place, and a row."""


@dataclass(frozen=True)
class Child:
    """A child table: each row has the row it belongs to, and its values."""

    name: str
    parent: int | None
    """The place of the child that it belongs to; None for the people table."""
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    trees: tuple[dict[str, Path], ...]


@dataclass(frozen=True)
class Case:
    """A small study, and what somebody knows of it."""

    people: tuple[tuple[str, ...], ...]
    trees: tuple[dict[str, Path], ...]
    children: tuple[Child, ...]
    k: int
    power: int | str
    powers: dict[str, int] = field(default_factory=dict)
    share: float = 0.0
    most_events: int | None = None
    counts: str = "unknown"
    weights: tuple[float, ...] = ()
    aggregate: str = "geometric"
    suppress: str = "people"
    event_limit: float = 1.0

    @cached_property
    def all_trees(self) -> list[dict[str, Path]]:
        return [*self.trees, *(tree for child in self.children for tree in child.trees)]

    @property
    def high(self) -> tuple[int, ...]:
        return tuple(len(next(iter(tree.values()))) - 1 for tree in self.all_trees)

    def schemes(self) -> Iterator[tuple[int, ...]]:
        return itertools.product(*(range(top + 1) for top in self.high))

    def parent(self, event: Event) -> Event | None:
        table, row = event
        above = self.children[table].parent
        return None if above is None else (above, self.children[table].rows[row][0])

    def person(self, event: Event) -> int:
        above = self.parent(event)
        return self.children[event[0]].rows[event[1]][0] if above is None else self.person(above)

    @cached_property
    def events(self) -> list[list[Event]]:
        """The events of each person."""
        found: list[list[Event]] = [[] for _ in self.people]
        for table, child in enumerate(self.children):
            for row in range(len(child.rows)):
                found[self.person((table, row))].append((table, row))
        return found

    def left_out(self, table: int) -> bool:
        name = self.children[table].name
        return self.powers[name] == 0 if name in self.powers else not (self.power or self.share)

    def known(self, person: int) -> list[Event]:
        """The events of the tables that are not left out."""
        return [event for event in self.events[person] if not self.left_out(event[0])]

    def closure(self, events: tuple[Event, ...]) -> frozenset[Event]:
        """Events with all that they belong to."""
        found = set(events)
        for event in events:
            above = self.parent(event)
            while above is not None:
                found.add(above)
                above = self.parent(above)
        return frozenset(found)

    def attacks(self, person: int) -> set[frozenset[Event]]:
        """Every set that somebody may know of a person, with the parents."""
        known = self.known(person)
        if self.power == "profile":
            return {frozenset(), self.closure(tuple(known))}
        together = [e for e in known if self.children[e[0]].name not in self.powers]
        most = max(int(self.power), math.ceil(round(self.share * len(together), 9)))
        found = set()
        for size in range(len(known) + 1):
            for events in itertools.combinations(known, size):
                names = [self.children[table].name for table, _ in events]
                own = all(names.count(name) <= power for name, power in self.powers.items())
                if own and sum(name not in self.powers for name in names) <= most:
                    found.add(self.closure(events))
        return found


class Generalized:
    """A case at a scheme."""

    def __init__(self, case: Case, scheme: tuple[int, ...]) -> None:
        self.case, self.scheme = case, scheme
        levels = list(scheme)
        own, at = levels[: len(case.trees)], len(case.trees)
        self.people = [self.tuple_of(row, case.trees, own) for row in case.people]
        self.tuples: list[list[Path]] = []
        for child in case.children:
            part = levels[at : at + len(child.trees)]
            at += len(child.trees)
            self.tuples.append([self.tuple_of(row, child.trees, part) for _, row in child.rows])

    @staticmethod
    def tuple_of(
        row: tuple[str, ...], trees: tuple[dict[str, Path], ...], levels: list[int]
    ) -> Path:
        return tuple(
            tree[value][level] for value, tree, level in zip(row, trees, levels, strict=True)
        )

    def matches(self, known: frozenset[Event], other: int) -> bool:
        """Whether a map of the events to different events of another person keeps all that is known."""
        case = self.case
        # a parent before its children: then its image is there when theirs are looked for
        pending = sorted(known, key=lambda event: len(case.closure((event,))))

        def extend(image: dict[Event, Event]) -> bool:
            if len(image) == len(pending):
                return True
            event = pending[len(image)]
            above = case.parent(event)
            for candidate in case.events[other]:
                if (
                    candidate not in image.values()
                    and candidate[0] == event[0]
                    and self.tuples[event[0]][candidate[1]] == self.tuples[event[0]][event[1]]
                    and (above is None or image[above] == case.parent(candidate))
                    and extend({**image, event: candidate})
                ):
                    return True
            return False

        return extend({})

    def shares(self, known: frozenset[Event], person: int, other: int) -> bool:
        """Whether another person cannot be told from this one by what is known."""
        case = self.case
        if self.people[person] != self.people[other]:
            return False
        if case.counts == "known":
            for table in range(len(case.children)):
                mine, theirs = (
                    [e[0] for e in case.events[p]].count(table) for p in (person, other)
                )
                if mine != theirs:
                    return False
        if case.power == "profile" and known != frozenset():
            whole = case.closure(tuple(case.known(other)))
            return len(whole) == len(known) and self.matches(known, other)
        if case.power == "profile" and not case.known(person):
            return not case.known(other)
        return self.matches(known, other)

    def greatest(self) -> frozenset[int]:
        """The largest of all sets of people in which everybody is safe; it holds all the others."""
        case, everybody = self.case, range(len(self.case.people))
        sharing = [
            [
                {other for other in everybody if self.shares(known, person, other)}
                for known in case.attacks(person)
            ]
            for person in everybody
        ]
        cap = math.inf if case.most_events is None else case.most_events
        within = [person for person in everybody if len(case.known(person)) <= cap]
        feasible = [
            frozenset(some)
            for size in range(len(within) + 1)
            for some in itertools.combinations(within, size)
            if all(
                len(others & set(some)) >= case.k for person in some for others in sharing[person]
            )
        ]
        largest = max(feasible, key=len)
        assert all(each <= largest for each in feasible)
        return largest

    def meets(self, people: frozenset[int], dropped: frozenset[Event]) -> bool:
        """Whether everybody released shares each set of their released events with k of them.

        For events that belong to people alone. What somebody knows is by the events of the original.
        """
        case = self.case
        released = {p: [e for e in case.known(p) if e not in dropped] for p in people}

        def written(events: Iterable[Event]) -> Counter[tuple[int, Path]]:
            return Counter((table, self.tuples[table][row]) for table, row in events)

        everything = {p: written(events) for p, events in released.items()}
        return all(
            sum(
                self.people[other] == self.people[person] and wanted <= everything[other]
                for other in people
            )
            >= case.k
            for person in people
            for known in case.attacks(person)
            if known <= {*released[person]}
            for wanted in [written(known)]
        )

    def releases(self) -> Iterator[tuple[frozenset[int], frozenset[Event]]]:
        """Every release: the people, and the events of theirs that are dropped."""
        case = self.case
        cap = math.inf if case.most_events is None else case.most_events
        within = [p for p in range(len(case.people)) if len(case.known(p)) <= cap]
        for people in map(frozenset, subsets(within)):
            for some in subsets([e for p in people for e in case.known(p)]):
                if self.meets(people, dropped := frozenset(some)):
                    yield people, dropped

    def gone(self, table: int, kept: frozenset[int], dropped: frozenset[Event]) -> float:
        """The share of the rows of a child table that are gone."""
        rows = [(table, row) for row in range(len(self.case.children[table].rows))]
        return sum(self.case.person(e) not in kept or e in dropped for e in rows) / len(rows)

    def loss(self, kept: frozenset[int], dropped: frozenset[Event] = frozenset()) -> float:
        """The loss of the release: each column's mean share over the rows of its own table."""
        case, losses, at = self.case, [], 0
        tables = [(case.trees, [(p, row) for p, row in enumerate(case.people)])]
        for table, child in enumerate(case.children):
            rows = [
                (-1 if (table, n) in dropped else case.person((table, n)), row)
                for n, (_, row) in enumerate(child.rows)
            ]
            tables.append((child.trees, rows))
        for trees, rows in tables:
            for column, tree in enumerate(trees):
                level = self.scheme[at]
                shares = [
                    share(tree, row[column], level) if person in kept else 1.0
                    for person, row in rows
                ]
                total, least = sum(shares), len(rows) / len(tree)
                losses.append(
                    max(0.0, (total - least) / (len(rows) - least)) if len(tree) > 1 else 0.0
                )
                at += 1
        weights = [weight / (max(case.weights) or 1.0) for weight in case.weights]
        if case.aggregate == "arithmetic":
            return sum(w * x for w, x in zip(weights, losses, strict=True)) / len(losses)
        product = math.prod(1 + w * x for w, x in zip(weights, losses, strict=True))
        return product ** (1 / len(losses)) - 1


def subsets(things: list[Any]) -> Iterator[tuple[Any, ...]]:
    """All of them."""
    return itertools.chain.from_iterable(
        itertools.combinations(things, size) for size in range(len(things) + 1)
    )


def share(tree: dict[str, Path], value: str, level: int) -> float:
    """The share of the leaves that a value covers at a level."""
    return sum(path[level] == tree[value][level] for path in tree.values()) / len(tree)
