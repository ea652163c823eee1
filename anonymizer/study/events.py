"""Single events: which rows of people go, so that everybody shares what is known of what is left.

Only events go: nobody who is left without any is told from the others of their class. So the people kept
are those in classes of k, whatever the power, and the question is which of their events to keep.

**Power 1.** A set is one event. An event whose tuple fewer than k people of the class have is in no
release, and all the others together are one: the greatest.

**More.** Two releases together need not be one: a set may be in one of them alone. But what meets the
power meets power 1, so every release is within the greatest one for that, and no set has more support
than there. So of each person, every release drops a hitting set of those with a support below k there:
how many events a least one has is a bound, for this scheme and, since what meets a finer scheme meets
this one, for all finer ones. A release is found the other way round: everybody drops a hitting set, again
and again, until nobody has to, and then events are put back that may be. Where that costs more than the
bound, a class is solved as an integer program, if it is small enough; its solution, and its own bound,
take their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import PolicyError
from anonymizer.kernels.events import drop_events
from anonymizer.kernels.multisets import MOST_SETS, merge_equal, number_of_sets
from anonymizer.lattice import Scheme
from anonymizer.study.programs import ClassProgram, KnownSets
from anonymizer.study.study import PEOPLE, Mask, Rows, Study
from anonymizer.study.supports import Supports

ROUNDING = 1e-12
"""Of sums of costs."""
SETS_AT_ONCE = 1 << 22
"""Classes are put together up to so many sets."""
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SingleEvents:
    """The events of the greatest release for power 1, person by person, those of a class together."""

    supports: Supports
    scheme: Scheme
    people: Mask
    """Who is kept."""
    chosen: Mask
    """Which of the events that may be known, in the order of `Supports.events`."""
    members: Integers
    """The people kept, class by class."""
    starts: Integers
    """Where each class begins among these; the last is their number."""
    order: Integers
    """The events that are chosen, by members, and by tuple for each of them."""
    begin: Integers
    """Where those of each member begin."""
    items: NDArray[np.int32]
    """The tuple of each, other ones in other classes; those of a class follow one another."""
    groups: Integers
    """The group of tables of each of these tuples."""
    tables: Integers
    """The place of its table among those that may be known."""

    @staticmethod
    def greatest(supports: Supports, scheme: Scheme) -> SingleEvents:
        """Return the greatest release for power 1 at a scheme."""
        parts = supports.study.split(scheme)
        classes, people = supports.large_classes(parts)
        members = np.argsort(classes, kind="stable")
        members = members[people[members]]
        starts = np.flatnonzero(np.diff(classes[members], prepend=-1, append=-1))
        types, groups = supports.paths(parts)
        person = supports.person_of_event
        chosen = people[person]
        if not supports.depth:
            return SingleEvents(
                supports, scheme, people, chosen, members, starts, *nothing(members.size)
            )
        there = np.flatnonzero(chosen)
        key = classes[person[there]].astype(np.int64) * groups.size + types[there]
        known, items = np.unique(key, return_inverse=True)
        rank = np.zeros(people.size, np.int64)
        rank[members] = np.arange(members.size)
        by = np.lexsort((items, rank[person[there]]))
        there, items = there[by], items[by].astype(np.int32)
        owner = rank[person[there]]
        new = np.ones(there.size, np.bool_)
        new[1:] = (items[1:] != items[:-1]) | (owner[1:] != owner[:-1])
        shared = np.bincount(items[new], minlength=known.size)[items] >= supports.model.k
        chosen[there[~shared]] = False
        begin = np.concatenate([[0], np.cumsum(np.bincount(owner[shared], minlength=members.size))])
        table = supports.place_of_type(types, groups.size)
        of_item = known % groups.size
        return SingleEvents(
            supports, scheme, people, chosen, members, starts, there[shared], begin, items[shared],
            groups[of_item], table[of_item],
        )  # fmt: skip

    @property
    def exact(self) -> bool:
        """Whether the greatest release is one for the power asked for."""
        return self.supports.depth <= 1

    @cached_property
    def lost(self) -> Integers:
        """For each person, how many of their events every release drops: of each table, and in all."""
        return self.dropped[1]

    @property
    def found(self) -> Mask:
        """The events of a release that is found by hitting sets."""
        return self.dropped[0]

    @cached_property
    def dropped(self) -> tuple[Mask, Integers]:
        """The events of a release, and how many every release drops."""
        supports = self.supports
        kept = self.chosen.copy()
        lost = np.zeros((supports.study.people, len(supports.known) + 1), np.int64)
        for low, high in self.chunks():
            stays, least = self.drop(low, high)
            kept[self.order[self.begin[low] : self.begin[high]][~stays]] = False
            lost[self.members[low:high]] = least
        return kept, lost

    def chunks(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of members: whole classes, as many as have few sets together."""
        supports = self.supports
        counts, depth = np.diff(self.begin), supports.depth
        sets = np.array([number_of_sets(n, depth) for n in range(counts.max(initial=0) + 1)])
        of_class = np.add.reduceat(np.append(sets[counts], 0), self.starts[:-1])
        low, together = 0, 0.0
        for number, some in enumerate(of_class.tolist()):
            if some > MOST_SETS:
                person = (
                    self.starts[number] + counts[slice(*self.starts[number : number + 2])].argmax()
                )
                raise supports.too_many(int(counts[person]), depth)
            if together and together + some > SETS_AT_ONCE:
                yield int(self.starts[low]), int(self.starts[number])
                low, together = number, 0.0
            together += some
        if together:
            yield int(self.starts[low]), int(self.starts[-1])

    def drop(self, low: int, high: int) -> tuple[Mask, Integers]:
        """Drop events of some members, whole classes; say which of their events are kept."""
        supports = self.supports
        begin = self.begin[low : high + 1] - self.begin[low]
        items = self.items[self.begin[low] : self.begin[high]]
        offset = items.min(initial=0)
        own = supports.own[self.members[low:high]]
        budgets = supports.budgets.copy()
        budgets[0] = own.max(initial=0)
        depth = int(min(supports.depth, budgets.sum()))
        number, heads, weights = equal_lists(items - offset, begin, own)
        lists = [items[begin[head] : begin[head + 1]] for head in heads.tolist()]
        first = np.concatenate([[0], np.cumsum([each.size for each in lists])])
        types = slice(int(offset), int(items.max(initial=-1)) + 1)
        kept, lost = drop_events(
            np.concatenate([*lists, items[:0]]) - offset, first, weights, own[heads], self.groups[types],
            self.tables[types], len(supports.known), budgets, depth, supports.model.k,
        )  # fmt: skip
        own_place = np.arange(items.size) - np.repeat(begin[:-1], np.diff(begin))
        return kept[np.repeat(first[:-1][number], np.diff(begin)) + own_place], lost[number]

    def cheapest(self, costs: NDArray[np.float64], most: float) -> tuple[Mask | None, float]:
        """Return the events of a release that costs little, and what any release costs at least.

        `costs` are those of the events, in the order of `Supports.events`; equal ones have one. What the
        release that hitting sets find costs too much for a class is found by an integer program. None
        where any release costs more than `most`: then it is not looked for.
        """
        kept, cost = self.found.copy(), costs[self.order]
        member = np.repeat(np.arange(self.members.size), np.diff(self.begin))
        lowest = np.lexsort((cost, member))
        place = np.arange(cost.size) - self.begin[member]
        least = self.sum_by_class(
            member, cost[lowest] * (place < self.lost[self.members[member], -1])
        )
        spent = self.sum_by_class(member, cost * ~kept[self.order])
        size = self.sum_by_class(member, np.ones(cost.size))
        for number in np.argsort(size, kind="stable").tolist():
            if least.sum() > most:
                return None, float(least.sum())
            if spent[number] - least[number] <= spent[number] * ROUNDING:
                continue
            low, high = self.starts[number : number + 2].tolist()
            program = self.program(low, high)
            if not program.is_small:
                continue
            own = slice(self.begin[low], self.begin[high])
            solved = program.solve(
                dict(zip(self.items[own].tolist(), cost[own].tolist(), strict=True))
            )
            least[number] = max(least[number], min(solved.bound, spent[number]))
            if solved.kept is not None:
                stays = np.concatenate(solved.kept)
                if cost[own][~stays].sum() < spent[number]:
                    kept[self.order[own]] = stays
        return kept, float(least.sum())

    def sum_by_class(self, member: Integers, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum up values of events by the classes of their people."""
        of_member = np.bincount(member, values, self.members.size)
        summed: NDArray[np.float64] = np.add.reduceat(of_member, self.starts[:-1])
        return summed

    def program(self, low: int, high: int) -> ClassProgram:
        """Write a class, from one member to another, as an integer program."""
        supports, items, begin = self.supports, self.items.tolist(), self.begin.tolist()
        own = supports.own[self.members[low:high]]
        budgets = supports.budgets.copy()
        budgets[0] = own.max(initial=0)
        people = [tuple(items[begin[at] : begin[at + 1]]) for at in range(low, high)]
        depth = int(min(supports.depth, budgets.sum()))
        knowledge = KnownSets(self.groups, budgets, depth, supports.model.k)
        return ClassProgram(people, own.tolist(), knowledge)

    def rows(self, events: Mask) -> Rows:
        """Say which rows of each table are kept, with some of the events that may be known."""
        supports = self.supports
        rows = [self.people[person] for person in supports.study.person_of_row]
        sizes = [rows[place].size for place in supports.known]
        for place, mask in zip(supports.known, supports.events.spread(events, sizes), strict=True):
            rows[place] = mask
        return tuple(rows)


def nothing(
    people: int,
) -> tuple[Integers, Integers, NDArray[np.int32], Integers, Integers]:
    """Return no events of people."""
    none = np.empty(0, np.int64)
    return none, np.zeros(people + 1, np.int64), none.astype(np.int32), none, none


def equal_lists(
    items: NDArray[np.int32], begin: Integers, own: Integers
) -> tuple[Integers, Integers, NDArray[np.int32]]:
    """Number lists that are equal, of whom as much is known: number, where each is first, how many."""
    number = merge_equal(items, begin)[0].astype(np.int64)
    _, heads, numbers, weights = np.unique(
        number * (own.max(initial=0) + 1) + own,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    return numbers.reshape(-1), heads, weights.astype(np.int32)


def check_flat(study: Study) -> None:
    """Raise a PolicyError where events belong to events: those cannot go alone."""
    for table in study.tables[1:]:
        if table.parent not in (None, PEOPLE):
            above = study.tables[table.parent].name
            raise PolicyError(
                f"policy: the rows of '{table.name}' belong to '{above}', and single events are dropped "
                'only where all belong to people; write suppress = "people".'
            )
