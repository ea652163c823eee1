"""Whose values a median, quartiles or a mean give away, against enumeration and linear programs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from anonymizer.published.summaries import (
    RANGE,
    Statistic,
    SummaryCell,
    Weights,
    attack_values,
    newly_known,
    solve,
    ways_to_compute,
)

GRID = [Fraction(each, 2) for each in range(9)]
"""Values on halves: finer than those that people have, which are whole."""


@dataclass(frozen=True)
class Small:
    """A few people's values in order, and what is printed of them."""

    values: tuple[int, ...]
    ranks: dict[str, Weights]
    cell: SummaryCell


@st.composite
def smalls(draw: st.DrawFn, spread: bool = True) -> Small:
    """Some statistics of a few people, with quartiles computed in one of the usual ways."""
    values = sorted(draw(st.lists(st.integers(0, 4), min_size=1, max_size=5)))
    names = [*RANGE, "mean", *(["sd"] if spread and len(values) > 1 else [])]
    shown = draw(st.sets(st.sampled_from(names), min_size=1))
    every = dict.fromkeys(RANGE, Statistic(Fraction(0)))
    ways = list(ways_to_compute(SummaryCell("", len(values), every)))
    ranks = {name: at for name, at in draw(st.sampled_from(ways)).items() if name in shown}
    printed = {name: Statistic(take(at, values)) for name, at in ranks.items()}
    if "mean" in shown:
        printed["mean"] = Statistic(Fraction(sum(values), len(values)))
    if "sd" in shown:
        printed["sd"] = Statistic(Fraction(variance(values) ** 0.5))
    return Small(tuple(values), ranks, SummaryCell("", len(values), printed))


def take(weights: Weights, values) -> Fraction:
    return sum((part * values[rank] for rank, part in weights.items()), Fraction(0))


def variance(values) -> float:
    mean = Fraction(sum(values), len(values))
    return float(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def agrees(small: Small, values) -> bool:
    """Whether other people would have what is printed, too."""
    printed = small.cell.statistics
    if any(take(at, values) != printed[name].value for name, at in small.ranks.items()):
        return False
    if "mean" in printed and Fraction(sum(values), len(values)) != printed["mean"].value:
        return False
    return "sd" not in printed or abs(variance(values) - float(printed["sd"].value) ** 2) < 1e-9


def by_rank(small: Small, per_block) -> list:
    """Give each rank what its block has."""
    solved = solve(small.cell, small.ranks)
    assert solved is not None
    pairs = zip(solved.sizes, per_block(solved), strict=True)
    return [each for size, each in pairs for _ in range(size)]


@given(small=smalls())
def test_whose_value_is_given_away_has_no_other_in_any_table_that_agrees(small: Small) -> None:
    known = by_rank(small, lambda solved: solved.known)
    found = by_rank(small, lambda solved: solved.values)
    tables = [
        each
        for each in combinations_with_replacement(GRID, len(small.values))
        if agrees(small, each)
    ]
    for rank, sure in enumerate(known):
        if sure:
            assert {table[rank] for table in tables} == {small.values[rank]}
            assert found[rank] == pytest.approx(small.values[rank], abs=1e-6)


@given(small=smalls(spread=False))
def test_whose_value_is_not_given_away_may_have_another(small: Small) -> None:
    people = len(small.values)
    rows = [[float(at.get(rank, 0)) for rank in range(people)] for at in small.ranks.values()]
    given_values = [float(small.cell.statistics[name].value) for name in small.ranks]
    if mean := small.cell.statistics.get("mean"):
        rows.append([1 / people] * people)
        given_values.append(float(mean.value))
    gaps = -np.diff(np.eye(people), axis=0)
    alike = []
    for rank in range(people):
        ends = []
        for sign in (1, -1):
            goal = np.zeros(people)
            goal[rank] = sign
            end = linprog(
                goal,
                gaps if people > 1 else None,
                np.zeros(people - 1) if people > 1 else None,
                rows,
                given_values,
                bounds=[(-100, 100)] * people,
            )
            ends.append(sign * end.fun)
        alike.append(abs(ends[1] - ends[0]) < 1e-6)
    assert by_rank(small, lambda solved: solved.known) == alike


@given(small=smalls())
def test_what_a_participant_learns_of_others_is_so_in_every_table_with_their_value(
    small: Small,
) -> None:
    learned = by_rank(
        small,
        lambda solved: [
            0 if known else newly_known(solved, block) for block, known in enumerate(solved.known)
        ],
    )
    known = by_rank(small, lambda solved: solved.known)
    tables = [
        each
        for each in combinations_with_replacement(GRID, len(small.values))
        if agrees(small, each)
    ]
    for rank, count in enumerate(learned):
        own = [each for each in tables if each[rank] == small.values[rank]]
        sure = [
            other
            for other in range(len(small.values))
            if other != rank and not known[other] and len({each[other] for each in own}) == 1
        ]
        assert count <= len(sure)


def attack(people: int, **printed: float):
    figures = {name: Statistic(Fraction(str(value))) for name, value in printed.items()}
    return attack_values("placebo", SummaryCell("", people, figures))


def test_a_median_of_three_is_somebodys_value_and_one_of_four_is_not() -> None:
    three = attack(3, median=54)
    assert three.outsider is not None
    assert (three.outsider.answer, three.outsider.probability) == ("54", pytest.approx(1 / 3))
    four = attack(4, median=54)  # either of the middle two knows the other's
    assert four.outsider is None
    assert four.advantage == pytest.approx(1 / 3)
    assert attack(105, median=54).advantage == pytest.approx(1 / 104)


def test_of_several_values_one_that_is_printed_is_guessed() -> None:
    found = attack(3, q1=12, median=31, q3=40)  # as R has it, the least is -7
    assert found.outsider is not None
    assert found.outsider.answer in ("12", "31", "40")


def test_a_mean_of_two_tells_each_the_other_and_one_of_three_nothing() -> None:
    two = attack(2, mean=50)
    assert two.outsider is None
    assert two.participant is not None
    assert two.participant.probability == 1
    assert attack(3, mean=50).advantage == 0


def test_quartiles_that_are_equal_are_the_value_of_all_between_them() -> None:
    found = attack(105, q1=0, median=0, q3=0)
    assert found.outsider is not None  # of ranks 26 to 80, as SPSS computes them
    assert (found.outsider.answer, found.outsider.probability) == ("0", pytest.approx(55 / 105))


def test_a_mean_that_is_the_least_value_is_everybodys() -> None:
    found = attack(40, least=3, mean=3)
    assert found.outsider is not None
    assert found.outsider.probability == 1


def test_a_mean_with_its_deviation_gives_two_people_away() -> None:
    found = attack(2, mean=50, sd=0)
    assert found.outsider is not None
    assert (found.outsider.answer, found.outsider.probability) == ("50", 1)
    assert attack(2, mean=50, sd=2).advantage == 1  # who knows one knows the other
    assert attack(5, mean=50, sd=2).advantage == 0


def test_rounded_figures_are_attacked_within_their_rounding() -> None:
    tenth = Fraction(1, 10)
    printed = {
        name: Statistic(Fraction(value), tenth)
        for name, value in {"mean": "4.3", "least": "4", "median": "4", "most": "5"}.items()
    }  # exactly, it is 13 / 3
    found = attack_values("placebo", SummaryCell("", 3, printed))
    assert found.fits
    assert found.outsider is not None
    assert found.outsider.probability == pytest.approx(2 / 3)


def test_figures_that_nobody_can_have_are_said_to_be_so() -> None:
    assert not attack(2, median=5, mean=8).fits
