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
