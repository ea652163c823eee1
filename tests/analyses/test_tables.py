"""Marginals, two-way tables, queries and subgroups, each against a count by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from anonymizer import evidence
from anonymizer.analyses.pair import Pair
from anonymizer.analyses.queries import condition_of
from tests.analyses.people import people, release


def distance(before: pd.Series, after: pd.Series) -> float:
    return float((before / before.sum()).sub(after / after.sum(), fill_value=0).abs().sum() / 2)


def spread_towns(released: pd.DataFrame) -> pd.DataFrame:
    """Each released record as half a record of each of the two towns that its region covers."""
    halves = {"north": ["A", "B"], "south": ["C", "D"]}
    return released.assign(town=released["town"].map(halves)).explode("town").assign(weight=0.5)


def test_the_distance_of_a_column_is_the_total_variation_of_its_spread_values() -> None:
    frame = people(100)
    solution = release(frame, [{"name": "m", "kind": "marginals"}], (2, 0, 1), k=12)
    found = {row.column: row for row in evidence(solution)["m"].rows}
    halves = spread_towns(solution.to_frame())
    expected = distance(frame["town"].value_counts(), halves.groupby("town")["weight"].sum())
    assert solution.suppressed > 0
    assert found["town"].distance == pytest.approx(expected)
    assert (found["town"].values_before, found["town"].values_after) == (4, 2)


def test_the_distance_of_a_table_is_the_total_variation_of_its_spread_cells() -> None:
    frame = people(100)
    stated = {"name": "t", "kind": "two-way", "columns": ["town", "ill"]}
    solution = release(frame, [stated], (2, 0, 1), k=12)
    (row,) = evidence(solution)["t"].rows
    halves = spread_towns(solution.to_frame())
    before = frame.groupby(["town", "ill"]).size()
    assert row.distance == pytest.approx(
        distance(before, halves.groupby(["town", "ill"])["weight"].sum())
    )


def test_a_query_is_answered_by_the_share_of_a_value_that_it_asks_for() -> None:
    frame = people(100)
    solution = release(frame, [], (1, 0, 1), k=2)
    pair = Pair(solution)
    for one, other in itertools.product(range(5), range(5, 10)):
        asked, answered = condition_of("age", pair)((one, other))
        low, high = sorted((frame["age"][one], frame["age"][other]))
        assert asked.tolist() == frame["age"].between(low, high).astype(float).tolist()
        for age, share in zip(frame["age"], answered, strict=True):
            ten = range(age // 10 * 10, age // 10 * 10 + 10)
            assert share == pytest.approx(np.mean([low <= each <= high for each in ten]))
        asked, answered = condition_of("town", pair)((one, other))
        region = "AB" if frame["town"][one] in "AB" else "CD"
        assert answered.tolist() == (0.5 * frame["town"].isin([*region])).tolist()
        assert asked.tolist() == (frame["town"] == frame["town"][one]).astype(float).tolist()


def test_queries_about_columns_that_are_kept_err_only_by_what_is_suppressed() -> None:
    stated = {"name": "q", "kind": "queries", "columns": ["stay", "ill"], "queries": 30}
    assert evidence(release(people(), [stated], (2, 1, 2)))["q"].value == 0
    errors = evidence(release(people(100), [stated], (2, 0, 1), k=12))["q"]
    assert errors.value is not None
    assert errors.value > 0
    assert sum(row.queries for row in errors.rows[1:]) == errors.rows[0].queries == 30


def test_a_subgroup_has_its_own_suppressed_share_and_loss() -> None:
    frame = people(100)
    stated = {"name": "s", "kind": "subgroups", "columns": ["sex"]}
    solution = release(frame, [stated], (1, 0, 1), k=4)
    everybody, *rows = evidence(solution)["s"].rows
    released = solution.to_frame()
    assert (everybody.records, everybody.suppressed) == (100, solution.suppressed)
    cell = (9 / 59 + 0 + 1 / 3) / 3  # ten of sixty ages, the sex itself, two of four towns
    for row in rows:
        there = int((frame["sex"] == row.value).sum())
        left = int((released["sex"] == row.value).sum())
        assert (row.records, row.suppressed) == (there, there - left)
        assert row.loss == pytest.approx((left * cell + (there - left)) / there)
    assert evidence(solution)["s"].value == max(row.share for row in (everybody, *rows))
