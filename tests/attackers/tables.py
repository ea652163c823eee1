"""Small tables and what an attacker may know about the people in them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from anonymizer.attackers.attack import AttackedTable, Floats
from anonymizer.attackers.exposure import sum_exactly
from anonymizer.attackers.placed import Subjects, Values
from anonymizer.attackers.probability import Chance
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.attackers.statistics import statistic_of
from anonymizer.attackers.uniqueness import UniqueGivenUnique
from anonymizer.estimators.uniques import unique_given_unique as by_pitman
from anonymizer.hierarchy import Hierarchy
from tests.attackers import overall_oracle as oracle

LEAVES = range(10)
OWN = "own"
"""A column beside the attributes that has everybody's own probability."""
OWN_CELLS = ("0", "0.25", ".9", "1.0")
probabilities = st.sampled_from([0.0, 1.0, 0.5, 0.3, 0.07])


def estimate(sizes: Any, population: int) -> float | None:
    """Some probability that depends on all sizes but not their order; often not to be had."""
    ones, records = sum(size == 1 for size in sizes), sum(sizes)
    if ones in (len(sizes), 3):
        return None
    return ones / (len(sizes) + records / population)


def half(sizes: NDArray[np.int64], population: int) -> float:
    return 0.5


def overall_risks(attack: AttackedTable, estimate: UniqueGivenUnique = by_pitman) -> Floats:
    """The overall risk of each row, which is that of its tuples."""
    found, rows = sum_exactly(attack, estimate=estimate).overall, attack.row_of_tuple
    risks = np.zeros(attack.counts.size)
    risks[rows[rows >= 0]] = found[rows >= 0]
    return risks


def overall_risk(
    attack: AttackedTable, statistic: str | float, estimate: UniqueGivenUnique = by_pitman
) -> float:
    """A statistic of the records' overall risk."""
    return statistic_of(overall_risks(attack, estimate), attack.counts, statistic)


def scenario_of(*groups: AttributeGroup, **changes: Any) -> Scenario:
    parameters = {"population": 1000, "p_m": 0.5, "p_fm": 0.4, "p_c": 0.25, "p_cu": 0.8} | changes
    return Scenario(groups, **parameters)


@dataclass(frozen=True)
class Table:
    """People as tuples of leaf numbers, and what an attacker may know about them.

    Beside the attributes each may have a number, from 0, of what a column of probabilities has.
    """

    people: tuple[tuple[int, ...], ...]
    widths: tuple[int, ...]
    """How many leaves become one value, for each attribute."""
    scenario: Scenario

    @property
    def names(self) -> list[str]:
        return [f"a{number}" for number in range(len(self.widths))]

    def oracle(self, kept: Sequence[int] | None = None) -> list[oracle.Risks]:
        rows = self.people if kept is None else [self.people[row] for row in kept]
        people = [self.described(row) for row in rows]
        records = [
            {
                name: str(leaf // width)
                for name, leaf, width in zip(self.names, row, self.widths, strict=False)
            }
            for row in rows
        ]
        return oracle.all_risks(records, people, self.scenario, estimate)

    def described(self, row: tuple[int, ...]) -> dict[str, str]:
        return {OWN: self.own(row), **dict(zip(self.names, map(str, row), strict=False))}

    def person(self, row: int) -> dict[str, str]:
        return self.described(self.people[row])

    def agree(self, one: tuple[int, ...], other: tuple[int, ...], names: set[str]) -> bool:
        """Whether two people have the same generalized values of some attributes."""
        return all(
            a // width == b // width
            for a, b, width, name in zip(one, other, self.widths, self.names, strict=False)
            if name in names
        )

    def own(self, row: tuple[int, ...]) -> str:
        return OWN_CELLS[row[len(self.widths)]] if len(row) > len(self.widths) else "1.0"

    def subjects(self, rows: Any = None, counts: Any = None) -> Subjects:
        """These rows at the scheme, each a tuple of its own; once, unless counts are given."""
        rows = self.people if rows is None else rows
        leaves = [np.array([row[at] for row in rows], np.int64) for at in range(len(self.widths))]
        values = {
            name: values_of(name, width)
            for name, width in zip(self.names, self.widths, strict=True)
        }
        codes = dict(zip(self.names, leaves, strict=True))
        own = Values.plain(OWN, OWN_CELLS)
        codes[OWN] = np.array([own.texts.index(self.own(row)) for row in rows], np.int64)
        counts = np.ones(len(rows), np.int64) if counts is None else np.asarray(counts, np.int64)
        return Subjects(values, codes, counts, np.arange(len(rows), dtype=np.int32), {OWN: own})

    def attack(
        self,
        rows: Any = None,
        counts: Any = None,
        kept: Sequence[bool] | None = None,
    ) -> AttackedTable:
        """The attack on these rows."""
        marked = None if kept is None else np.array(kept, np.bool_)
        return AttackedTable.of(self.subjects(rows, counts), self.scenario, marked)


def values_of(name: str, width: int) -> Values:
    """All leaves, as a scheme generalizes them to the level at which so many are one value."""
    rows = [(str(leaf), f"from {leaf // width * width}") for leaf in LEAVES]
    hierarchy = Hierarchy.from_rows(name, rows)
    ancestors = np.append(hierarchy.codes, np.zeros((1, len(rows)), np.int64), axis=0)
    return Values(hierarchy, hierarchy.leaves, np.ones(len(rows), np.int64), ancestors)


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 10, p_cu: float | None = None) -> Table:
    """Draw a small table; some attributes may be in no group, others in several."""
    number = draw(st.integers(1, 4))
    names = [f"a{i}" for i in range(number)]
    row = st.tuples(
        *(st.integers(0, draw(st.integers(0, 4))) for _ in names),
        st.integers(0, draw(st.integers(0, len(OWN_CELLS) - 1))),
    )
    people = draw(st.lists(row, min_size=1, max_size=max_rows))
    widths = tuple(draw(st.integers(1, 3)) for _ in names)
    parameters: list[Any] = [draw(chances(names, OWN, plain=True)) for _ in range(4)]
    if p_cu is not None:
        parameters[3] = p_cu
    population = draw(st.sampled_from([50, 10**6]))
    groups, causes = draw(groups_and_causes(names, OWN))
    return Table(tuple(people), widths, Scenario(groups, population, *parameters, causes=causes))


@st.composite
def groups_and_causes(
    draw: st.DrawFn, names: list[str], column: str | None, values: Sequence[str] = "0123"
) -> tuple[tuple[AttributeGroup, ...], dict[str, Chance]]:
    """Draw groups, which may overlap, and causes of some of them."""
    causes = {name: draw(chances(names, column, values)) for name in ("c0", "c1")}
    groups = []
    for _ in range(draw(st.integers(1, 4))):
        members = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        cause = draw(st.sampled_from([None, None, *causes]))
        group = AttributeGroup(tuple(members), 0.0, cause=cause)
        groups.append(group.with_chance(draw(chances(names, column, values))))
    used = {group.cause for group in groups}
    return tuple(groups), {name: chance for name, chance in causes.items() if name in used}


@st.composite
def chances(
    draw: st.DrawFn,
    names: list[str],
    column: str | None,
    values: Sequence[str] = "0123",
    plain: bool = False,
) -> Chance:
    """Draw a probability for all, by the leaves of one or two attributes, or from a column."""
    kind = draw(st.sampled_from(["all", "by", "by", "two", "column"] + ["all"] * 6 * plain))
    if kind == "column" and column is not None:
        return Chance(column=column)
    if kind in ("all", "column"):
        return Chance(draw(probabilities))
    by = draw(st.permutations(names))[: 2 if kind == "two" else 1]
    listed: Any = st.dictionaries(st.sampled_from(values), probabilities, max_size=2)
    if len(by) == 2:
        listed = st.dictionaries(st.sampled_from(values), probabilities | listed, max_size=2)
    return Chance(by=tuple(by), probabilities=draw(listed), default=draw(probabilities))


@st.composite
def with_ranges(draw: st.DrawFn, scenario: Scenario) -> tuple[Scenario, Scenario]:
    """Draw ranges in place of some of a scenario's numbers, and a scenario within them."""
    others = draw(st.lists(st.tuples(probabilities, st.floats(0, 1)), min_size=1, max_size=8))
    ranges, within = itertools.cycle(others), itertools.cycle(others)

    def to_range(amount: float) -> Any:
        other, _ = next(ranges)
        return (min(amount, other), max(amount, other))

    def to_number(amount: float) -> float:
        other, share = next(within)
        low, high = min(amount, other), max(amount, other)
        return low + share * (high - low)

    return (
        scenario.change(lambda chance: chance.change(to_range)),
        scenario.change(lambda chance: chance.change(to_number)),
    )


def random_table(rows: int, groups: int, **changes: Any) -> Table:
    """A table of random people, each attribute a group of its own."""
    people = np.random.default_rng(rows).geometric(0.3, (rows, groups)).clip(1, 9)
    scenario = scenario_of(
        *(AttributeGroup((f"a{g}",), 0.3 + 0.4 * g / groups) for g in range(groups)), **changes
    )
    return Table(tuple(map(tuple, people.tolist())), (1,) * groups, scenario)
