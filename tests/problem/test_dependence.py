"""Which columns follow from others, and which only seem to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data.column import Column
from anonymizer.data.opening import open_table
from anonymizer.data.table import read_columns
from anonymizer.problem.dependence import (
    Dependence,
    DependenceKind,
    count_exceptions,
    find_dependences,
    find_revealed,
    longest_rise,
)

SEEDS = st.integers(0, 2**32 - 1)


def code(columns: Mapping[str, Any]) -> dict[str, Column]:
    frame = pd.DataFrame(columns).astype(str)
    return read_columns(open_table(frame), tuple(frame.columns))


def days(numbers: np.ndarray) -> list[str]:
    return [(date(1950, 1, 1) + timedelta(int(n))).isoformat() for n in numbers]


def make_table(seed: int, rows: int = 300) -> dict[str, Any]:
    """Make columns that nothing relates, of few values and of many."""
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(18, 90, rows),
        "amount": rng.lognormal(8, 1, rows).round(2),
        "group": rng.choice(list("abcd"), rows, p=[0.5, 0.2, 0.2, 0.1]),
        "day": days(rng.integers(0, 20_000, rows)),
        "stay": rng.integers(0, 30, rows),
        "laboratory": rng.normal(100, 15, rows).round(1),
        "code": rng.integers(0, rows, rows),
        "rare": rng.random(rows) < 0.02,
    }


@given(seed=SEEDS)
def test_independent_columns_follow_from_nothing(seed: int) -> None:
    assert find_dependences(code(make_table(seed))) == []


@given(seed=SEEDS)
def test_functions_of_a_column_are_found_and_named(seed: int) -> None:
    table = make_table(seed)
    left = [(date.fromisoformat(day) + timedelta(int(n))).isoformat()
            for day, n in zip(table["day"], table["stay"], strict=True)]  # fmt: skip
    columns = {
        **table,
        "square": table["age"] ** 2,
        "decade": table["age"] // 10,
        "log": np.log(table["amount"]),
        "label": [f"group {each}" for each in table["group"]],
        "is_a": table["group"] == "a",
        "left": left,
        "both": table["age"] + table["code"],
    }
    found = set(find_dependences(code(columns)))
    assert found >= {
        Dependence("square", ("age",), DependenceKind.SQUARE),
        Dependence("age", ("square",), DependenceKind.CODE),
        Dependence("decade", ("age",), DependenceKind.FUNCTION),
        Dependence("log", ("amount",), DependenceKind.LOGARITHM),
        Dependence("label", ("group",), DependenceKind.CODE),
        Dependence("is_a", ("group",), DependenceKind.FUNCTION),
        Dependence("both", ("age", "code"), DependenceKind.SUM),
    }
    assert Dependence("stay", ("left", "day"), DependenceKind.DIFFERENCE) in found
    assert not any(each.on == ("decade",) and each.column == "age" for each in found)


def test_years_between_two_dates_follow_from_them() -> None:
    rng = np.random.default_rng(3)
    born, seen = rng.integers(0, 15_000, 400), rng.integers(20_000, 25_000, 400)
    age = ((seen - born) / 365.25).astype(int)
    found = find_dependences(code({"born": days(born), "seen": days(seen), "age": age}))
    assert found == [Dependence("age", ("born", "seen"), DependenceKind.DIFFERENCE)]


def test_one_record_in_a_hundred_may_be_wrong_but_not_one_in_ten() -> None:
    rng = np.random.default_rng(4)
    ward = rng.integers(0, 20, 2_000)
    for share, holds in ((0.005, True), (0.1, False)):
        house = np.where(rng.random(2_000) < share, rng.integers(0, 6, 2_000), ward % 6)
        found = find_dependences(code({"ward": ward, "house": house}))
        assert found == ([Dependence("house", ("ward",), DependenceKind.FUNCTION)] if holds else [])


def test_plain_correlation_is_no_dependence() -> None:
    rng = np.random.default_rng(5)
    height = rng.normal(170, 10, 3_000).round(1)
    weight = (height * 0.9 - 80 + rng.normal(0, 1.5, 3_000)).round(1)
    tall = height + rng.normal(0, 3, 3_000) > 180
    assert find_dependences(code({"height": height, "weight": weight, "tall": tall})) == []


def test_a_sorted_table_makes_no_dependence() -> None:
    frame = pd.DataFrame(make_table(6, 2_000)).sort_values(["group", "age"])
    assert find_dependences(code({name: frame[name].tolist() for name in frame})) == []


def test_a_person_with_several_rows_counts_once() -> None:
    rng = np.random.default_rng(7)
    person = np.repeat(np.arange(200), 8)
    columns = code({
        "person": person,
        "weight": rng.normal(70, 10, 200).round(4)[person],
        "zip": rng.integers(0, 40, 200)[person],
    })  # fmt: skip
    whose = columns.pop("person")
    assert find_dependences(columns) != []  # each weight is in eight rows
    assert find_dependences(columns, whose) == []


def test_dummies_and_differences_reveal_together() -> None:
    table = make_table(8, 1_000)
    columns = {
        **table,
        **{f"is_{each}": table["group"] == each for each in "abc"},
        "both": table["age"] + table["stay"],
    }
    kept = ["rare", "is_a", "is_b", "is_c", "both", "stay"]
    found = find_revealed(code(columns), kept, ["group", "age", "laboratory"])
    assert set(found) == {
        Dependence("group", ("is_a", "is_b", "is_c"), DependenceKind.TOGETHER),
        Dependence("age", ("both", "stay"), DependenceKind.DIFFERENCE),
    }


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), min_size=1, max_size=40))
def test_exceptions_are_those_who_differ_from_most(pairs: list[tuple[int, int]]) -> None:
    groups: dict[int, Counter[int]] = defaultdict(Counter)
    for one, other in pairs:
        groups[one][other] += 1
    expected = sum(sum(counts.values()) - max(counts.values()) for counts in groups.values())
    one, other = np.array(pairs).T
    assert count_exceptions(one, other) == expected


@given(st.lists(st.integers(0, 6), max_size=9))
def test_the_longest_rise_is_that_of_all_subsequences(values: list[int]) -> None:
    rising = (
        len(some)
        for size in range(len(values) + 1)
        for some in combinations(values, size)
        if list(some) == sorted(some)
    )
    assert longest_rise(np.array(values, float)) == max(rising)


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_few_rows_show_nothing(rows: int) -> None:
    columns = {"age": list(range(rows)), "square": [n * n for n in range(rows)]}
    assert find_dependences(code(columns)) == []
