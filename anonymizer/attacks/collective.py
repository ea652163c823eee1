"""The collective match: all released rows matched with an identified list at once.

A match gives each row to a person who may have it, and no person two rows. All matches are equally
likely. The classes of one scheme are disjoint, so that within a class the match is a random one: of f
rows in a class with F people of the list, f/F are expected to be right. Classes overlap in layers, and in
rows that were tampered with. Then the class with the fewest candidates chooses first.

Matches are drawn until there are enough rows to tell the share that is right. Rows of one match hang
together: whoever is given to a wrong row is missing at their own. In a class of two rows and two people,
both are right or both are wrong; that is the worst case, so two rows count as one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonymizer.attackers.cells import LabelMembers, label_sides
from anonymizer.attacks.columns import Integers
from anonymizer.attacks.matching import NOBODY, AlikeRows, pair_up
from anonymizer.attacks.result import Attack, skip
from anonymizer.attacks.setting import Setting
from anonymizer.data.column import Column
from anonymizer.estimators.proportions import Rate

NAME = "collective match"
QUESTION = (
    "Having a list of identified people, can they match all released rows with it at once, and how many "
    "matches are right?"
)
DRAW = 6
ENOUGH, MOST, MOST_ENTRIES = 20_000, 200, 20_000_000
"""Matches are drawn until so many rows are given away; at most so many, of so many entries in all."""
TOGETHER = 2.0
"""So many rows of a match count as one."""


def collective(setting: Setting) -> Attack:
    """Match all rows with the population, or else with the original itself."""
    if setting.cells.rows == 0:
        return skip(NAME, QUESTION, "no row is released.")
    people, known, person_of_record = identified(setting)
    rows, listed = setting.cells.rows, people.shape[1]
    truth = np.append(person_of_record, NOBODY)[setting.owners]  # of a row that is nobody's, nobody
    parts = list(setting.cells.join(known, people))
    whose = setting.person if setting.population is None else np.arange(listed)
    random, right, lucky = setting.random(DRAW), 0, 0
    matches = max(1, min(-(-ENOUGH // rows), MOST, MOST_ENTRIES // (len(parts) * listed)))
    for _ in range(matches):
        given = match(parts, rows, listed, random)
        right += count_right(given, truth, whose)
        lucky += count_right(match_blindly(rows, listed, random), truth, whose)
    details: dict[str, float] = {
        "people": listed,
        "rows": rows,
        "matches": matches,
        "matched": int(np.count_nonzero(given != NOBODY)),
    }
    if len(parts) == 1:
        details["expected"] = round(expected(parts[0], truth, whose), 6)
    who = "rows that are given to people of the list at random"
    success, baseline = (Rate(each, matches * rows, TOGETHER) for each in (right, lucky))
    return Attack(NAME, QUESTION, success, baseline, who, details)


def match_blindly(rows: int, people: int, random: np.random.Generator) -> Integers:
    """Return the person that each row is given to at random; `NOBODY` where nobody is left for it."""
    given = np.full(rows, NOBODY, np.int64)
    some = min(rows, people)
    given[random.permutation(rows)[:some]] = random.choice(people, some, replace=False)
    return given


def count_right(given: Integers, truth: Integers, whose: Integers) -> int:
    """Count the rows that are given to an entry of the list that is their own person's."""
    both = (given != NOBODY) & (truth != NOBODY)
    return int(np.count_nonzero(whose[given[both]] == whose[truth[both]]))


def identified(setting: Setting) -> tuple[Integers, tuple[int, ...], Integers]:
    """Return an identified list, the columns that it has, and who in it each record's person is."""
    population = setting.population
    if population is None:
        return setting.original, setting.quasi, np.arange(setting.original.shape[1])
    known = tuple(at for at in setting.quasi if at in population.there)
    common = [name for name in setting.identity if name in population.texts]
    if common:
        return (
            population.leaves,
            known,
            find_people(setting.identity[common[0]], population.texts[common[0]]),
        )
    return population.leaves, known, draw_people(setting, population.leaves, known)


def find_people(records: Column, people: Column) -> Integers:
    """Return the place of each record's person in a list, by an id column."""
    place_of_text = dict(zip(people.texts, first_places(people), strict=True))
    places = [place_of_text.get(text, NOBODY) for text in records.texts]
    return np.array(places, np.int64)[records.codes]


def first_places(column: Column) -> Sequence[int]:
    """Return the first row of each text."""
    places: list[int] = np.unique(column.codes, return_index=True)[1].tolist()
    return places


def draw_people(setting: Setting, people: Integers, known: Sequence[int]) -> Integers:
    """Give each record a person of the list with its values, at random: nobody tells them apart."""
    random = setting.random(DRAW, 1)
    records = setting.original[list(known)]
    mine, theirs, _ = label_sides(records, people[list(known)])
    found = np.full(mine.size, NOBODY, np.int64)
    drawn, place = pair_up(mine, theirs, random)
    found[drawn] = place
    return found


def match(
    parts: Sequence[AlikeRows], rows: int, people: int, random: np.random.Generator
) -> Integers:
    """Return the person that each row is given to; `NOBODY` where nobody is left for it."""
    given = np.full(rows, NOBODY, np.int64)
    if len(parts) == 1:
        part = parts[0]
        met = np.flatnonzero(np.bincount(part.row_label, minlength=part.number)[part.record_label])
        at, person = pair_up(part.row_label, part.record_label[met], random)
        given[part.rows[at]] = met[person]
        return given
    taken = np.zeros(people, np.bool_)
    for mine, theirs in narrowest_first(parts):
        free = theirs[~taken[theirs]]
        some = min(mine.size, free.size)
        chosen = random.permutation(free)[:some]
        given[random.permutation(mine)[:some]] = chosen
        taken[chosen] = True
    return given


def narrowest_first(parts: Sequence[AlikeRows]) -> list[tuple[Integers, Integers]]:
    """List the rows and the people of all classes that have rows, those with the fewest people first."""
    found = []
    for part in parts:
        rows = LabelMembers.of(part.row_label, part.number)
        people = LabelMembers.of(part.record_label, part.number)
        labels = np.unique(part.row_label).tolist()
        found += [(part.rows[rows[label]], people[label]) for label in labels]
    return sorted(found, key=lambda each: each[1].size)


def expected(part: AlikeRows, truth: Integers, whose: Integers) -> float:
    """Return how many rows are expected to be matched right where classes are disjoint.

    A row whose person has e of the F entries of the list that may have it is right with probability e/F;
    if there are more rows than entries, so many rows fewer are matched.
    """
    rows = np.bincount(part.row_label, minlength=part.number)
    people = np.bincount(part.record_label, minlength=part.number)
    chance = 1 / np.maximum(1, np.maximum(rows, people))
    known = truth[part.rows] != NOBODY
    label = part.row_label[known]
    wide = int(whose.max(initial=0)) + 1
    own = label * wide + whose[truth[part.rows][known]]
    entries, times = np.unique(part.record_label * wide + whose, return_counts=True)
    at = np.searchsorted(entries, own)
    fits = np.append(entries, NOBODY)[at] == own
    return float((np.append(times, 0)[at] * chance[label])[fits].sum())
