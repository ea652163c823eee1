"""Supports: the largest part of a study's people in which everybody shares what is known with k others.

A set of people is feasible if each of them, and each set S of their events that somebody may know, has k
people in it who match. Matches only grow with the people, so the union of feasible sets is feasible, and
there is a greatest one. It is found by dropping whoever has a set with too few, until nobody has. Only
people whose rows are equal match: so everything is done class by class of the people table.

What a coarser scheme makes of a match is a match, so the people kept at a scheme are feasible at every
coarser one: whoever goes at a scheme goes at all finer ones. And whoever shares all sets of m events with
k people shares the smaller ones too: so people are dropped for smaller powers first, which takes less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import code_labels, label_together
from anonymizer.errors import DataError, PolicyError, suggest_name
from anonymizer.kernels.multisets import number_of_sets, peel_classes
from anonymizer.lattice import Scheme
from anonymizer.risk.study import PROFILE, StudyAnonymity
from anonymizer.study.forests import Forest, Powers, keep_forests
from anonymizer.study.study import NO_ROWS, PEOPLE, Mask, PersonEvents, Study
from anonymizer.table.domain import read_only

WHOLE = -1
"""The depth at which whole profiles are compared."""
NO_GROUPS = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Supports:
    """A study, and what a model says that somebody knows of it."""

    study: Study
    model: StudyAnonymity

    def __post_init__(self) -> None:
        names = [table.name for table in self.study.tables[1:]]
        for name in self.model.powers:
            if self.study.place_of(name) is None:
                raise PolicyError(
                    f"policy: the model 'study' has a power for '{name}', which is no table of events; "
                    f"{suggest_name(name, names)}"
                )

    @cached_property
    def known(self) -> tuple[int, ...]:
        """The child tables whose events somebody may know, those left out apart."""
        powers, shared = self.model.powers, bool(self.model.power or self.model.share)
        return tuple(
            place
            for place, table in enumerate(self.study.tables)
            if place != PEOPLE and powers.get(table.name, shared)
        )

    @cached_property
    def group_of_table(self) -> NDArray[np.int64]:
        """Which power counts for each table: 0 the common one, others are a table's own."""
        groups = np.zeros(len(self.study.tables), np.int64)
        own = [place for place in self.known if self.study.tables[place].name in self.model.powers]
        groups[own] = np.arange(1, len(own) + 1)
        return groups

    @cached_property
    def budgets(self) -> NDArray[np.int64]:
        """The power of each group; that of the common one is by person."""
        own = [self.study.tables[place].name for place in self.known]
        return np.array([0, *(self.model.powers[n] for n in own if n in self.model.powers)])

    @cached_property
    def own(self) -> NDArray[np.int64]:
        """How many events of each person somebody knows, in all tables without a power of their own."""
        if self.model.power == PROFILE:
            return np.zeros(self.study.people, np.int64)
        together = [place for place in self.known if self.group_of_table[place] == 0]
        return read_only(self.model.own_powers(self.study.counts(together).sum(axis=0)))

    @cached_property
    def events(self) -> PersonEvents:
        """The events of the tables that are not left out."""
        return self.study.events(self.known)

    @cached_property
    def person_of_event(self) -> NDArray[np.int64]:
        """Whose each of these is."""
        return read_only(np.repeat(np.arange(self.study.people), self.events.counts))

    def place_of_type(self, types: NDArray[np.int32], number: int) -> NDArray[np.int64]:
        """Return, for each number that events have at a scheme, which of the known tables it is of."""
        place = np.zeros(number, np.int64)
        rows = [np.full(self.study.tables[t].rows, at, np.int32) for at, t in enumerate(self.known)]
        place[types] = self.events.arrange(rows or [NO_ROWS])
        return place

    @cached_property
    def is_flat(self) -> bool:
        """Whether no event that may be known has a parent among the events."""
        return all(self.study.tables[place].parent == PEOPLE for place in self.known)

    @cached_property
    def beside(self) -> NDArray[np.int32]:
        """What tells people apart beside their rows: how many events they have, where that is known."""
        if self.model.counts == "unknown":
            return np.zeros(self.study.people, np.int32)
        counts = self.study.counts(range(1, len(self.study.tables)))
        return np.unique(counts, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int32)

    @cached_property
    def within_cap(self) -> Mask:
        """Who has no more events than the model allows."""
        most = self.model.most_events
        if most is None:
            return read_only(np.ones(self.study.people, np.bool_))
        return read_only(self.events.counts <= most)

    @cached_property
    def depth(self) -> int:
        """The most events that somebody knows of anybody."""
        own = self.own[self.within_cap].max(initial=0)
        return int(min(own + self.budgets.sum(), self.events.counts.max(initial=0)))

    def kept(self, scheme: Scheme) -> Mask:
        """Return who is kept at a scheme: the greatest feasible set of people."""
        return next(kept for kept, last in self.narrow(scheme) if last)

    def narrow(self, scheme: Scheme) -> Iterator[tuple[Mask, bool]]:
        """Yield sets of people, each within the one before, that hold everybody who is kept.

        The last one, which says so, is who is kept.
        """
        parts = self.study.split(scheme)
        classes, kept = self.large_classes(parts)
        profile = self.model.power == PROFILE
        alone = not self.known or not (profile or self.depth)
        yield kept, alone
        if alone:
            return
        order = np.argsort(classes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(classes))])
        if profile:
            forest = Forest.of(self.study, self.known, self.study.labels(scheme))
            yield self.peel(order, starts, forest.first, forest.trees, kept, WHOLE), True
            return
        types, groups = self.paths(parts)
        for depth in range(1, self.depth + 1):
            kept = self.peel(order, starts, self.events.first, types, kept, depth, groups)
            yield kept, depth == self.depth and (self.is_flat or depth == 1)
        if not self.is_flat and self.depth > 1:
            forest = Forest.of(self.study, self.known, self.study.labels(scheme))
            groups_known = {place: int(self.group_of_table[place]) for place in self.known}
            powers = Powers(groups_known, tuple(self.budgets.tolist()), self.own, self.model.k)
            yield keep_forests(forest, powers, np.split(order, starts[1:-1]), kept), True

    def large_classes(self, parts: Sequence[Scheme]) -> tuple[NDArray[np.int32], Mask]:
        """Number everybody's class in the people table, and say who is in one of k or more."""
        people = self.study.tables[PEOPLE]
        rows = people.labels(parts[PEOPLE])[people.microdata.tuple_of_row]
        classes = code_labels(rows).refine(code_labels(self.beside)).of_row
        kept = self.within_cap.copy()
        sizes = np.bincount(classes[kept], minlength=classes.max() + 1)
        kept &= sizes[classes] >= self.model.k
        return classes, kept

    def peel(
        self,
        order: NDArray[np.int64],
        starts: NDArray[np.int64],
        first: NDArray[np.int64],
        types: NDArray[np.int32],
        kept: Mask,
        depth: int,
        groups: NDArray[np.int64] | None = None,
    ) -> Mask:
        """Return who is left of the people kept, by sets of so many events at most, or by all of them."""
        left = kept.copy()
        if groups is None:
            groups = np.zeros(int(types.max(initial=-1)) + 1, np.int64)
        much = peel_classes(
            order, starts, first, types, groups, self.budgets, self.own, depth, self.model.k, left
        )
        if much >= 0:
            raise self.too_many(int(self.events.counts[much]), depth)
        return left

    def too_many(self, events: int, depth: int) -> DataError:
        """Say that a person has too many sets of events to count."""
        names = ", ".join(f"'{self.study.tables[place].name}'" for place in self.known)
        return DataError(
            f"{names}: {events:,} events of a person, or of several like them, have "
            f"{number_of_sets(events, depth):,.0f} sets of at most {depth}, which are too many to count; "
            "state most_events, which drops people with more events, or a lower power."
        )

    def paths(self, parts: Sequence[Scheme]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Number each event by its tuple and those of its parents, and say which group a number is of.

        Events of different tables never have the same number.
        """
        study, numbers = self.study, dict[int, NDArray[np.int32]]()
        for place, table in enumerate(study.tables):
            if place == PEOPLE or (self.is_flat and place not in self.known):
                continue
            labels = table.labels(parts[place])
            numbers[place] = labels[table.microdata.tuple_of_row]
            if table.parent != PEOPLE:
                assert table.parent is not None
                above = code_labels(numbers[table.parent][table.parent_row])
                together = [above, code_labels(numbers[place])]
                numbers[place] = label_together(together, table.rows).of_row
        of_rows, groups, offset = [], [NO_GROUPS], 0
        for place in self.known:
            count = int(numbers[place].max(initial=-1)) + 1
            of_rows.append(numbers[place] + np.int32(offset) if offset else numbers[place])
            groups.append(np.full(count, self.group_of_table[place], np.int64))
            offset += count
        return self.events.arrange(of_rows or [NO_ROWS]), np.concatenate(groups)
