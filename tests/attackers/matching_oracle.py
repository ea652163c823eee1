"""Who matches whom, slowly and obviously: one person, one set of known groups, one record at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np

from anonymizer.attackers.probability import Chance
from anonymizer.attackers.scenario import Scenario
from anonymizer.attackers.uniqueness import unique_in_population
from anonymizer.estimators.uniques import unique_given_unique
from anonymizer.hierarchy import Hierarchy
from tests.attackers import overall_oracle

Person = dict[str, str]
Place = tuple[int, frozenset[str]]
"""A level, and the leaves below a value of it."""


def place(hierarchy: Hierarchy, text: str) -> Place:
    """Find the finest value of that name; `*` covers everything."""
    rows = list(hierarchy.rows())
    for level in range(hierarchy.height):
        if leaves := frozenset(row[0] for row in rows if row[level] == text):
            return level, leaves
    assert text == "*"
    return hierarchy.height, frozenset(row[0] for row in rows)


def lift(hierarchy: Hierarchy, at: Place, level: int) -> Place:
    """Go up to a level, unless it is there already."""
    if at[0] >= level:
        return at
    rows = list(hierarchy.rows())
    (label,) = {row[level] for row in rows if row[0] in at[1]}
    return level, frozenset(row[0] for row in rows if row[level] == label)


def covers(one: Place, other: Place) -> bool:
    return one[1] >= other[1] or other[1] >= one[1]


def chance(of: Chance, person: Person, hierarchies: dict[str, Hierarchy]) -> float:
    """The highest that it may be, given what the table tells of a person."""
    names = [name for name in of.names if name in hierarchies]
    leaves = [place(hierarchies[name], person[name])[1] for name in names]
    return max(
        overall_oracle.number(of, person | dict(zip(names, each, strict=True)))
        for each in product(*leaves)
    )


def risks(
    people: Sequence[Person], hierarchies: dict[str, Hierarchy], scenario: Scenario
) -> list[tuple[float, float, float]]:
    """Return prosecutor, journalist and marketer risk of everybody."""
    found = np.zeros((len(people), 3))
    likely = [
        list(overall_oracle.all_known(scenario, partial(chance, person=p, hierarchies=hierarchies)))
        for p in people
    ]
    for known in product((False, True), repeat=len(scenario.learned)):
        told = [
            (name, group.levels.get(name, 0))
            for group, learned in zip(scenario.learned, known, strict=True)
            if learned
            for name in group.attributes
        ]
        profiles = [
            [
                lift(hierarchies[name], place(hierarchies[name], person[name]), level)
                for name, level in told
            ]
            for person in people
        ]
        records = [
            [place(hierarchies[name], person[name]) for name, _ in told] for person in people
        ]
        sizes = np.array(list(Counter(map(tuple, profiles)).values()))
        matches = [
            sum(all(map(covers, profile, record)) for record in records) for profile in profiles
        ]
        unique = unique_in_population(sizes, scenario, unique_given_unique)
        for row in range(len(people)):
            weight = math.fsum(share for share, those in likely[row] if those == known)
            alone = matches[row] == 1
            found[row] += weight * np.array([alone, alone * unique, 1 / matches[row]])
    return [tuple(row) for row in found.tolist()]
