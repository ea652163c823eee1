"""One class of the people table as an integer program: which events go, so that least is lost.

Everybody has a variable for each event: whether it is kept. A set of events that somebody may know has
one too: whether it is there. It is, where all its events are kept of somebody of whom it may be known;
and then k people have it. Who has it is a product of variables, and may be any number up to these.

People who would be left if whole people were dropped keep everything in some best release, since whatever
else is kept, what is known of them stays shared with the others of them. They are counted beforehand, and
sets that k of them have need no variable. What is left of most classes is small, and is solved at once.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.multisets import number_of_sets

Known = tuple[int, ...]
"""Events by their tuples, sorted; equal ones are as many."""
MOST_SETS = 100_000
"""The most sets of a class that are written out."""
MOST_VARIABLES = 4_000
"""The most variables of a program."""
MOST_NODES = 200
"""Where a search for the best ends; the same on every machine, as no time is."""
TOLERANCE = 1e-6
"""To which the solver says that a bound is right."""
UNIT = 1_000.0
"""What the dearest event costs there, so that the tolerance is a billionth of it."""


@dataclass(frozen=True)
class KnownSets:
    """What somebody may know: how many events in all, and of each group; of the first by person."""

    groups: NDArray[np.int64]
    """The group of each tuple."""
    budgets: NDArray[np.int64]
    depth: int
    k: int

    def sets_of(self, events: Known) -> dict[Known, Known]:
        """Return the sets of events, each with the places of the last copies that it needs."""
        found: dict[Known, Known] = {}
        for size in range(1, self.depth + 1):
            for places in itertools.combinations(range(len(events)), size):
                some = tuple(events[place] for place in places)
                if some not in found and self.may_be_known(some):
                    found[some] = last_copies(some, places)
        return found

    def may_be_known(self, some: Known) -> bool:
        """Whether somebody may know a set of anybody."""
        of_group = Counter(self.groups[list(some)].tolist())
        return all(number <= self.budgets[group] for group, number in of_group.items())

    def of_first(self, some: Known) -> int:
        """Count the events of tables without a power of their own."""
        return int(np.count_nonzero(self.groups[list(some)] == 0))


def last_copies(some: Known, places: Known) -> Known:
    """Return, of places of equal events, the last.

    >>> last_copies((4, 4, 7), (0, 1, 2))
    (1, 2)
    """
    ends = (
        place for at, place in enumerate(places) if at + 1 == len(some) or some[at + 1] != some[at]
    )
    return tuple(ends)


@dataclass(frozen=True, eq=False)
class SolvedClass:
    """Which events of each person are kept, if a way was found, and what is lost at least."""

    kept: list[NDArray[np.bool_]] | None
    bound: float


@dataclass(frozen=True, eq=False)
class ClassProgram:
    """The people of a class with their events, and how many of these somebody knows of each."""

    people: Sequence[Known]
    own: Sequence[int]
    knowledge: KnownSets

    @property
    def is_small(self) -> bool:
        """Whether the sets can be written out, and the variables are few."""
        depth = self.knowledge.depth
        if sum(number_of_sets(len(events), depth) for events in self.people) > MOST_SETS:
            return False
        at_risk = (len(self.at_risk(person)) for person in self.unsure)
        return (
            sum(at_risk) + sum(len(self.people[person]) for person in self.unsure) <= MOST_VARIABLES
        )

    @cached_property
    def sets(self) -> list[dict[Known, Known]]:
        """The sets of each person."""
        found = {events: self.knowledge.sets_of(events) for events in dict.fromkeys(self.people)}
        return [found[events] for events in self.people]

    @cached_property
    def most(self) -> Counter[Known]:
        """How many people have each set."""
        return Counter(some for sets in self.sets for some in sets)

    def owned(self, person: int) -> Iterator[Known]:
        """Yield the sets that may be known of a person."""
        own, knowledge = self.own[person], self.knowledge
        return (some for some in self.sets[person] if knowledge.of_first(some) <= own)

    @cached_property
    def sure(self) -> tuple[Counter[Known], list[int]]:
        """How many of the people who keep everything have each set, and who the others are."""
        support, left = self.most.copy(), dict.fromkeys(range(len(self.people)))
        while failing := [
            p for p in left if any(support[s] < self.knowledge.k for s in self.owned(p))
        ]:
            for person in failing:
                del left[person]
                support.subtract(self.sets[person].keys())
        return support, [person for person in range(len(self.people)) if person not in left]

    @property
    def unsure(self) -> list[int]:
        """Who may lose events."""
        return self.sure[1]

    def at_risk(self, person: int) -> list[Known]:
        """Return the sets of a person that too few have of those who keep everything."""
        return [some for some in self.sets[person] if self.sure[0][some] < self.knowledge.k]

    def solve(self, costs: Mapping[int, float]) -> SolvedClass:
        """Find what to keep, given what the loss of an event of each tuple costs."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        program = Constraints()
        events: dict[tuple[int, int], int] = {}
        for person in self.unsure:
            own = self.people[person]
            places = {place for some in self.at_risk(person) for place in self.sets[person][some]}
            for place, event in enumerate(own):
                again = place > 0 and own[place - 1] == event and (person, place - 1) in events
                if place in places or again:
                    events[person, place] = program.variable(costs[event])
                if again:  # of equal events, the last ones go first
                    program.at_most({events[person, place]: 1, events[person, place - 1]: -1}, 0)
        self.constrain(program, events)
        if not program.worth:  # everybody keeps everything
            return SolvedClass(self.read(np.empty(0), {}), 0.0)
        scale = (max(program.worth) or 1.0) / UNIT
        worth = np.array(program.worth) / scale
        found = milp(
            -worth,
            constraints=LinearConstraint(program.matrix(), ub=np.array(program.limits)),
            integrality=np.array(program.whole),
            bounds=Bounds(0, 1),
            options={"mip_rel_gap": 0.0, "node_limit": MOST_NODES},
        )
        least = (
            0.0 if found.mip_dual_bound is None else worth.sum() + found.mip_dual_bound - TOLERANCE
        )
        kept = None if found.x is None else self.read(found.x, events)
        return SolvedClass(kept, max(0.0, float(least)) * scale)

    def constrain(self, program: Constraints, events: Mapping[tuple[int, int], int]) -> None:
        """Say that each set that is there and may be known has k people."""
        k, (sure, unsure) = self.knowledge.k, self.sure
        there: dict[Known, int] = {}
        having: dict[Known, list[int]] = {}
        for person in unsure:
            owned = {*self.owned(person)}
            for some in self.at_risk(person):
                places = [events[person, place] for place in self.sets[person][some]]
                if self.most[some] >= k:
                    having.setdefault(some, []).append(program.product(places))
                if some in owned:
                    terms = dict.fromkeys(places, 1)
                    if self.most[some] >= k:
                        if some not in there:
                            there[some] = program.variable(0.0)
                        terms[there[some]] = -1
                    program.at_most(terms, len(places) - 1)
        for some, variable in there.items():
            terms = dict.fromkeys(having[some], -1)
            program.at_most({**terms, variable: k - sure[some]}, 0)

    def read(
        self, solution: NDArray[np.float64], events: Mapping[tuple[int, int], int]
    ) -> list[NDArray[np.bool_]] | None:
        """Return what is kept by a solution; None where rounding made it none."""
        kept = [np.ones(len(each), np.bool_) for each in self.people]
        for (person, place), variable in events.items():
            kept[person][place] = solution[variable] > 0.5
        left = [
            tuple(event for event, stays in zip(each, mask.tolist(), strict=True) if stays)
            for each, mask in zip(self.people, kept, strict=True)
        ]
        again = ClassProgram(left, self.own, self.knowledge)
        return None if again.unsure else kept


class Constraints:
    """A program that is written down: variables, what each is worth, and what is at most what."""

    def __init__(self) -> None:
        self.worth: list[float] = []
        self.whole: list[bool] = []
        self.limits: list[float] = []
        self.entries: list[tuple[int, int, int]] = []

    def variable(self, worth: float, whole: bool = True) -> int:
        """Add a variable, which may be between 0 and 1 unless it is a whole number."""
        self.worth.append(worth)
        self.whole.append(whole)
        return len(self.worth) - 1

    def at_most(self, terms: Mapping[int, int], limit: float) -> None:
        """Add a constraint on a sum of variables, each with a factor."""
        self.entries += [(len(self.limits), variable, factor) for variable, factor in terms.items()]
        self.limits.append(limit)

    def product(self, variables: Sequence[int]) -> int:
        """Return a variable that is at most each of some others."""
        if len(variables) == 1:
            return variables[0]
        product = self.variable(0.0, whole=False)
        for each in variables:
            self.at_most({product: 1, each: -1}, 0)
        return product

    def matrix(self) -> object:
        """Return the factors of all constraints."""
        from scipy.sparse import csr_array

        rows, columns, factors = np.array(self.entries, np.int64).reshape(-1, 3).T
        shape = (len(self.limits), len(self.worth))
        return csr_array((factors.astype(np.float64), (rows, columns)), shape=shape)
