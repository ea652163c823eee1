"""How alike rows of a group are, beside the obvious way to count it."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data.column import Column
from anonymizer.data.opening import open_table
from anonymizer.data.table import read_columns
from anonymizer.problem.groups import (
    EXPECTED,
    collisions,
    groups_of,
    is_derived,
    likeness,
    sizes_of,
)

TABLES = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from(["", "a", "b", "c"])), min_size=40, max_size=120
)


def coded(texts: list[str]) -> Column:
    return read_columns(open_table({"x": texts}), ["x"])["x"]


def columns(rows: list[tuple[int, str]]) -> tuple[Column, Column]:
    return coded([f"P{who}" for who, _ in rows]), coded([text for _, text in rows])


@given(TABLES)
def test_likeness_is_the_share_of_differences_that_are_missing_where_groups_are_pairs(
    rows: list[tuple[int, str]],
) -> None:
    pairs = [(number // 2, text) for number, (_, text) in enumerate(rows[: len(rows) // 2 * 2])]
    who, other = columns(pairs)
    texts = [text for _, text in pairs if text]
    total = len(texts) * (len(texts) - 1)
    chance = sum(a != b for i, a in enumerate(texts) for j, b in enumerate(texts) if i != j)
    both = [(a[1], b[1]) for a, b in zip(pairs[::2], pairs[1::2], strict=True) if a[1] and b[1]]
    found = likeness(groups_of(who), other)
    if not total or len(both) * chance / total < EXPECTED:
        assert found is None
    else:
        differ = sum(a != b for a, b in both) / len(both)
        assert found == pytest.approx(1 - differ / (chance / total))


@given(TABLES)
def test_collisions_are_the_rows_that_repeat_a_value_inside_their_group(
    rows: list[tuple[int, str]],
) -> None:
    who, other = columns(rows)
    by_group = defaultdict(list)
    for group, text in rows:
        by_group[group].append(text)
    inside = 0
    for texts in by_group.values():
        there = [text for text in texts if text]
        if len(texts) > 1:
            inside += len(there) - len(set(there))
    assert collisions(groups_of(who), other)[0] == inside


@given(st.lists(st.integers(1, 9), min_size=2))
def test_sizes_count_the_rows_of_each_value_but_missing_cells(counts: list[int]) -> None:
    texts = [f"v{at}" for at, count in enumerate(counts) for _ in range(count)]
    sizes = sizes_of(coded([*texts, "", ""]))
    assert sorted(sizes.counts.tolist()) == sorted(counts)
    assert sizes.repeated == sum(count > 1 for count in counts)
    mean = sum(counts) / len(counts)
    assert sizes.skew == pytest.approx(sum(n * n for n in counts) / sum(counts) / mean)


def test_an_age_group_and_a_logarithm_are_derived_from_an_age_and_a_sex_is_not() -> None:
    ages = [age for age in range(20, 80) for _ in range(3)]
    sexes = np.random.default_rng(1).choice(["f", "m"], 80).tolist()
    who = groups_of(coded([str(age) for age in ages]))
    assert is_derived(who, coded([f"{age // 10}0s" for age in ages]))
    assert is_derived(who, coded([f"{np.log(age):.6f}" for age in ages]))
    assert not is_derived(who, coded([sexes[age] for age in ages]))


def test_of_a_large_table_whole_groups_are_looked_at() -> None:
    column = coded([f"P{row % 5_000}" for row in range(20_000)])
    groups = groups_of(column)
    assert 2_000 <= groups.rows.size <= 4_000
    assert set(np.bincount(groups.group).tolist()) == {4}
