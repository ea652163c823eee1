"""Histograms of classes against counting by hand."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels import histograms as kernels


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[int], list[bool], int]:
    """Draw tuples with labels, and pairs of a tuple and a value with their records."""
    values, classes = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    labels = draw(st.lists(st.integers(0, classes - 1), min_size=1, max_size=12))
    tuples = [t for t in range(len(labels)) for _ in range(draw(st.integers(1, 3)))]
    of_pair = [draw(st.integers(0, values - 1)) for _ in tuples]
    records = [draw(st.integers(1, 4)) for _ in tuples]
    chosen = [draw(st.booleans()) for _ in range(classes)]
    return labels, tuples, of_pair, records, chosen, values


@given(drawn=pairs())
def test_values_are_counted_alike_in_cells_and_by_sorting(
    drawn: tuple[list[int], list[int], list[int], list[int], list[bool], int],
) -> None:
    labels, tuples, of_pair, records, chosen, values = drawn
    expected: Counter[tuple[int, int]] = Counter()
    for at, value, count in zip(tuples, of_pair, records, strict=True):
        if chosen[labels[at]]:
            expected[labels[at], value] += count
    number = np.where(chosen, np.cumsum(chosen) - 1, -1)
    given_pairs = (
        np.array(labels, np.int32),
        np.array(tuples, np.int32),
        np.array(of_pair, np.int32),
        np.array(records),
    )
    for starts, found, counts in (
        kernels.count_values(*given_pairs, np.array(chosen), values),
        kernels.count_in_cells(*given_pairs, number, values),
        kernels.count_sorted(*given_pairs, number, values),
    ):
        classes = np.repeat(np.arange(len(chosen)), np.diff(starts))
        entries = zip(classes.tolist(), found.tolist(), counts.tolist(), strict=True)
        assert [*entries] == [(c, v, n) for (c, v), n in sorted(expected.items())]


COUNTS = st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=5), min_size=1, max_size=4)


@given(classes=COUNTS, least=st.integers(1, 4))
def test_figures_of_a_class_are_those_of_their_definitions(
    classes: list[list[int]], least: int
) -> None:
    starts = np.cumsum([0, *map(len, classes)])
    counts = np.array([count for each in classes for count in each])
    for c, each in enumerate(classes):
        total = sum(each)
        entropy = -sum(n / total * math.log(n / total) for n in each)
        assert kernels.entropies(starts, counts)[c] == pytest.approx(entropy, abs=1e-12)
        tail = sum(sorted(each, reverse=True)[least - 1 :])
        expected = max(each) / tail if tail else math.inf
        assert kernels.tail_ratios(starts, counts, least)[c] == pytest.approx(expected)
        assert kernels.sum_entries(starts, counts)[c] == total


FOUR = st.lists(
    st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any), min_size=1, max_size=6
)
SHARES = st.lists(st.integers(1, 9), min_size=4, max_size=4).map(lambda n: np.array(n) / sum(n))


def listed(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """List the values that occur in each class."""
    starts = np.cumsum([0, *(sum(n > 0 for n in row) for row in rows)])
    values = [value for row in rows for value, n in enumerate(row) if n]
    return starts, np.array(values, np.int32), np.array([n for row in rows for n in row if n])


@given(
    rows=FOUR,
    shares=SHARES,
    factor=st.floats(1.05, 4),
    judged=st.integers(0, 4),
    needs=st.booleans(),
)
def test_shares_outside_of_limits_are_those_whose_ratio_is(
    rows: list[list[int]], shares: np.ndarray, factor: float, judged: int, needs: bool
) -> None:
    weights = np.where(np.arange(4) < judged, shares, np.inf)
    least = np.where(np.isfinite(weights), weights / factor, 0.0)
    parts = (*listed(rows), np.array([sum(row) for row in rows]))
    needed = judged if needs else 0
    found = kernels.outside_shares(*parts, least, weights * factor, needed)
    for c, row in enumerate(rows):
        ratios = [n / sum(row) / shares[v] for v, n in enumerate(row[:judged]) if n]
        if any(math.isclose(r, limit) for r in ratios for limit in (factor, 1 / factor)):
            continue
        outside = any(r > factor or r < 1 / factor for r in ratios)
        assert found[c] == (outside or len(ratios) < needed)


@given(rows=FOUR, shares=SHARES, limit=st.floats(0, 1))
def test_a_distance_is_whole_below_a_limit_and_above_it_where_it_is_not(
    rows: list[list[int]], shares: np.ndarray, limit: float
) -> None:
    parts, groups = listed(rows), np.array([[0, 1, 2, 3], [4, 4, 5, 5]])
    by_group = np.array([*shares, shares[:2].sum(), shares[2:].sum()])
    for distances, ground in (
        (kernels.grouped_distances, (groups, by_group)),
        (kernels.ordered_distances, (np.array([2, 0, 3, 1]), shares)),
    ):
        whole = distances(*parts, *ground, np.inf)
        found = distances(*parts, *ground, limit)
        assert (found <= whole + 1e-12).all()
        assert ((found > limit - 1e-12) | (np.abs(found - whole) < 1e-12)).all()
        assert ((whole <= limit + 1e-12) | (found > limit - 1e-12)).all()
