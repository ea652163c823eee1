from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels.entropy import bits, sum_entropy
from anonymizer.lattice import Lattice
from tests.oracle import Problem
from tests.strategies import microdata_of, problems


def bits_of(values: list[str]) -> float:
    """Ask each record how many bits its value takes."""
    return sum(math.log2(len(values) / values.count(value)) for value in values)


@given(problems(max_attributes=3, ranges=False))
def test_the_bits_of_selected_rows_are_those_counted_record_by_record(problem: Problem) -> None:
    microdata = microdata_of(problem.rows, problem.trees)
    selected = np.arange(microdata.distinct, dtype=np.int32)[::2]
    chosen = set(np.flatnonzero(np.isin(microdata.tuple_of_row, selected)).tolist())
    found = microdata.sum_entropy(selected, microdata.lattice)
    for a, tree in enumerate(problem.trees):
        for level in range(problem.high[a] + 1):
            values = [tree[row[a]][level] for i, row in enumerate(problem.rows) if i in chosen]
            assert found[a, level] == pytest.approx(bits_of(values), abs=1e-11)


def test_levels_outside_the_box_are_not_summed() -> None:
    tree = {"a": ("a", "x", "*"), "b": ("b", "y", "*")}
    microdata = microdata_of([("a",), ("b",)], [tree])
    both = np.arange(2, dtype=np.int32)
    assert microdata.sum_entropy(both, Lattice((1,), (1,))).tolist() == [[0.0, 2.0, 0.0]]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.integers(0, 17))
def test_what_is_left_out_leaves_the_fewest_bits(records: list[int], exempt: int) -> None:
    most = max(1, sum(records))
    least = min(
        bits(np.array([n - less for n, less in zip(records, taken, strict=True)]))
        for taken in itertools.product(*(range(n + 1) for n in records))
        if sum(taken) == min(exempt, sum(records))
    )
    places = len(records)
    found = sum_entropy(
        np.arange(places, dtype=np.int32),
        np.arange(places, dtype=np.uint8)[np.newaxis],
        np.array(records, np.int32),
        np.arange(places)[np.newaxis],
        np.array([0, places]),
        np.array([0]),
        np.array([0]),
        exempt,
    )
    assert found[0, 0] == pytest.approx(least, abs=1e-12 * most)
