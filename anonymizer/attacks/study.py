"""Attackers of linked tables: who knows a person's row and some of their events, and looks for them.

An attacker is a power: the promised one, one event more, and all events with the knowledge that there
are no others. Two more know what no power covers: how many events a person has, and all columns of the
release with those that are kept. People of the original are drawn, and of each so many events as the
power has, at random. Both are generalized as the release is, and the released people who match are
counted, as forests. Then the attacker points at one of them.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.attacks.result import Attack, Attacks, skip
from anonymizer.attacks.setting import AttackPlan
from anonymizer.data.opening import TableLike
from anonymizer.estimators.proportions import Rate
from anonymizer.policy import Policy
from anonymizer.problem.date_shift import in_intervals
from anonymizer.problem.study import StudyProblem, TablesLike
from anonymizer.risk.study import PROFILE, StudyAnonymity
from anonymizer.solution.manifest import ManifestLike
from anonymizer.verification.attackers import (
    PEOPLE,
    Attackers,
    Event,
    PlainStudy,
    PlainTable,
    Written,
)
from anonymizer.verification.study_original import (
    original_histories,
    originals_of,
    profiles_of,
)
from anonymizer.verification.study_reading import (
    ReleasedTable,
    find_study,
    histories_of,
    open_released,
)

DRAW_PEOPLE, DRAW_EVENTS, DRAW_GUESS = 1, 2, 3
BASELINE = "released people who are pointed at at random"


@dataclass(frozen=True, eq=False)
class StudySetting:
    """A release of linked tables beside its original, both generalized alike."""

    released: PlainStudy
    original: PlainStudy
    model: StudyAnonymity
    """What the release promises."""
    plan: AttackPlan
    whole: tuple[PlainStudy, PlainStudy] | None = None
    """Release and original with the columns that are kept; None where there are none."""

    @cached_property
    def drawn(self) -> NDArray[np.int64]:
        """The people of the original who are attacked."""
        return self.random(DRAW_PEOPLE).permutation(self.original.people)[: self.plan.people]

    @cached_property
    def shares_released(self) -> NDArray[np.float64]:
        """The share of the people like each one drawn who are released: 0 or 1 where nobody forged it."""
        released = Counter(profiles_of(self.released))
        whole = profiles_of(self.original)
        times = Counter(whole)
        mine = [whole[person] for person in self.drawn.tolist()]
        return np.array([min(1.0, released[each] / times[each]) for each in mine])

    def random(self, *what: int) -> np.random.Generator:
        """Return the randomness of one thing that is drawn."""
        return np.random.default_rng([self.plan.seed, *what])


def attack_study(
    released: TableLike | Mapping[str, TableLike],
    policy: Policy,
    against: TablesLike | TableLike = None,
    *,
    manifest: ManifestLike = None,
    people: int = 2_000,
    seed: int = 0,
) -> Attacks:
    """Attack linked tables that are released, given the original ones, and count who is found.

    `released` is their folder, or dataframes by name with their `manifest`; so is `against`, which is
    left out where the policy says where they are. Each attacker tries so many `people`.
    """
    setting = read_study_setting(released, policy, against, manifest, AttackPlan(people, seed))
    results = [by_power(setting, name, model) for name, model in attackers(setting.model)]
    results += [by_number(setting), *by_all_columns(setting)]
    return Attacks(tuple(results), setting.original.people, setting.released.people, seed)


def read_study_setting(
    released: Any, policy: Policy, against: Any, manifest: ManifestLike, plan: AttackPlan
) -> StudySetting:
    """Read a release and its original, and generalize this as the manifest says."""
    claims, given = find_study(released, manifest)
    originals = None if against is None else originals_of(against, policy, claims)
    problem = StudyProblem.read(originals, policy)
    scheme = tuple(claims["scheme"][name] for name in problem.study.attributes)
    released_tables = open_released(given, problem.policy, claims)
    whole = None
    if problem.kept_columns:
        seen, tables = problem, released_tables
        if problem.policy.release.date_shift is not None:
            views, _ = in_intervals({p.name: p.table for p in problem.parts}, problem.policy)
            seen = replace(problem, parts=tuple(p.with_table(views[p.name]) for p in problem.parts))
            views, _ = in_intervals({t.name: t.table for t in tables}, problem.policy)
            tables = [replace(each, table=views[each.name]) for each in tables]
        read = histories_of(tables, ReleasedTable.generalized, ReleasedTable.kept)
        whole = read, original_histories(seen, scheme)
    original = without_kept(original_histories(problem, scheme))
    return StudySetting(histories_of(released_tables), original, problem.model, plan, whole)


def without_kept(histories: PlainStudy) -> PlainStudy:
    """Leave out the columns that are released as they are."""

    def general(rows: PlainTable) -> list[Any]:
        values: list[Any] = list(rows.values)
        return [quasi for quasi, _ in values]

    return PlainStudy(tuple(replace(rows, values=general(rows)) for rows in histories.tables))


def attackers(promised: StudyAnonymity) -> list[tuple[str, StudyAnonymity]]:
    """List who attacks: by what is promised, by one event more, and by all."""
    everything = StudyAnonymity(promised.k, "profile")
    if promised.power == PROFILE:
        found = [("profile, promised", promised)]
        return found if not promised.powers else [*found, ("profile of all tables", everything)]
    assert isinstance(promised.power, int)
    more = {table: power + bool(power) for table, power in promised.powers.items()}
    return [
        (f"power {promised.power}, promised", promised),
        (
            f"power {promised.power + 1}",
            replace(promised, power=promised.power + 1, powers=more, most_events=None),
        ),
        ("profile", everything),
    ]


def by_power(setting: StudySetting, name: str, model: StudyAnonymity) -> Attack:
    """Look for each of the people who are drawn, by so much as an attacker knows of them."""
    question = (
        f"Knowing a person's row and {say_known(model)}, how many released people match, and is the one "
        "that they point at the person?"
    )
    if not setting.released.people:
        return skip(name, question, "nobody is released.")
    return point_at_one(setting, name, question, count_matches(setting, model))


def by_number(setting: StudySetting) -> Attack:
    """Look for people by their row and how many events they have in each table."""
    question = (
        "Knowing a person's row and how many events they have in each table, how many released people "
        "match, and is the one that they point at the person?"
    )

    def known(histories: PlainStudy) -> list[Hashable]:
        rows = histories.tables[PEOPLE].values
        return [(row, histories.number(person)) for person, row in enumerate(rows)]

    matching = count_equal(setting, known(setting.released), known(setting.original))
    return point_at_one(setting, "number of events", question, matching)


def by_all_columns(setting: StudySetting) -> Iterator[Attack]:
    """Look for people by all that is released of them, where columns are kept."""
    if setting.whole is not None:
        question = (
            "Knowing all columns of all rows of a person as they are released, those that are kept too, "
            "how many released people match, and is the one that they point at the person?"
        )
        matching = count_equal(setting, *map(profiles_of, setting.whole))
        yield point_at_one(setting, "all released columns", question, matching)


def count_equal(
    setting: StudySetting, released: Sequence[Hashable], original: Sequence[Hashable]
) -> list[int]:
    """Count the released people who are equal to each person drawn."""
    times = Counter(released)
    return [times[original[person]] for person in setting.drawn.tolist()]


def point_at_one(setting: StudySetting, name: str, question: str, matches: Sequence[int]) -> Attack:
    """Let an attacker point at one of those who match, given how many these are."""
    if not setting.released.people:
        return skip(name, question, "nobody is released.")
    model, matching = setting.model, np.array(matches, np.int64)
    random = setting.random(DRAW_GUESS)
    there = setting.shares_released
    right = random.random(there.size) < there / np.maximum(matching, 1)
    lucky = random.random(there.size) < there / setting.released.people
    few = (matching > 0) & (matching < model.k)
    tried = setting.drawn.size
    details = {
        "k": model.k,
        "alone": Rate(int((matching == 1).sum()), tried).describe(),
        "in fewer than k": Rate(int(few.sum()), tried).describe(),
        "nobody matches": int((matching == 0).sum()),
        "released": int((there > 0).sum()),
        "expected": round(float((there / np.maximum(matching, 1))[matching > 0].sum()), 6),
    }
    success, baseline = (Rate(int(np.count_nonzero(each)), tried) for each in (right, lucky))
    return Attack(name, question, success, baseline, BASELINE, details)


def say_known(model: StudyAnonymity) -> str:
    """Say what an attacker knows beside a person's row."""
    if model.power == PROFILE:
        return "all their events, and that there are no others"
    events = "event" if model.power == 1 else "events"
    return (
        f"{model.power} of their {events}, drawn at random"
        if model.power
        else "none of their events"
    )


def count_matches(setting: StudySetting, model: StudyAnonymity) -> list[int]:
    """Count the released people who match what is known of each person drawn."""
    knowing, random = Attackers(setting.original, model), setting.random(DRAW_EVENTS)
    by_row = events_by_row(Attackers(setting.released, model))
    meets = operator.eq if model.power == PROFILE else fits
    found: dict[Hashable, int] = {}
    counted = []
    for person in setting.drawn.tolist():
        row = knowing.own_row(person)
        known = setting.original.written(draw_events(knowing, person, random))
        if (row, known) not in found:
            theirs = by_row.get(row, Counter[Written]())
            found[row, known] = sum(n for events, n in theirs.items() if meets(known, events))
        counted.append(found[row, known])
    return counted


def events_by_row(shown: Attackers) -> dict[Hashable, Counter[Written]]:
    """Count the people by what is always known of them, and by the events that may be."""
    found: dict[Hashable, Counter[Written]] = {}
    for person in range(shown.histories.people):
        events = shown.histories.written(shown.known(person))
        found.setdefault(shown.own_row(person), Counter())[events] += 1
    return found


def draw_events(knowing: Attackers, person: int, random: np.random.Generator) -> list[Event]:
    """Draw what an attacker knows of a person: as many events as they may know, or all that there are."""
    known = knowing.known(person)
    if knowing.model.power == PROFILE:
        return known
    powers = (knowing.power(person), *knowing.model.powers.values())
    return [
        group[at]
        for group, power in zip(knowing.groups(known), powers, strict=True)
        for at in random.permutation(len(group))[:power].tolist()
    ]


def fits(known: Written, theirs: Written) -> bool:
    """Whether for each tree that is known there is another of theirs, with all that is known below it.

    >>> fits(((1, "a", ()), (1, "a", ())), ((1, "a", ()), (1, "b", ())))
    False
    """
    if not known:
        return True
    (*root, below), rest = known[0], known[1:]
    return any(
        list(tree[:2]) == root
        and fits(below, tree[2])
        and fits(rest, (*theirs[:at], *theirs[at + 1 :]))
        for at, tree in enumerate(theirs)
        if at == 0 or tree != theirs[at - 1]
    )
