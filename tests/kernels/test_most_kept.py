"""How many records can be kept, against all parts of small histograms."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.kernels import most_kept as kernels

COUNTS = st.lists(st.integers(1, 5), min_size=1, max_size=4)
SHARES = st.lists(st.integers(1, 5), min_size=4, max_size=4)
EVERY = np.ones(1, np.bool_)


def largest(counts: Sequence[int], passes: Callable[[Sequence[int]], bool]) -> int:
    """Try every part of a histogram."""
    parts = itertools.product(*(range(count + 1) for count in counts))
    return max((sum(part) for part in parts if sum(part) and passes(part)), default=0)


def parts_of(counts: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return one class as kernels read it."""
    return np.array([0, len(counts)]), np.arange(len(counts), dtype=np.int32), np.array(counts)


@settings(max_examples=150)
@given(counts=COUNTS, weights=SHARES, gain=st.sampled_from([1.1, 1.5, 2.0, 3.0]))
def test_no_part_with_every_value_below_its_cap_is_larger(
    counts: list[int], weights: list[int], gain: float
) -> None:
    caps = gain * np.array(weights) / sum(weights)
    found = kernels.most_under_caps(*parts_of(counts), EVERY, caps * (1 + 1e-9), 1.0)[0]
    below = [cap + 1e-12 for cap in caps.tolist()]
    best = largest(
        counts, lambda part: all(n <= c * sum(part) for n, c in zip(part, below, strict=False))
    )
    assert best <= found + 1e-6
    assert found <= sum(counts) + 1e-9


@settings(max_examples=150)
@given(counts=COUNTS, least=st.sampled_from([1.2, 1.7, 2.0, 2.6]))
def test_no_part_of_enough_entropy_is_larger(counts: list[int], least: float) -> None:
    def passes(part: Sequence[int]) -> bool:
        shares = [n / sum(part) for n in part if n]
        return -sum(p * math.log(p) for p in shares) >= math.log(least) - 1e-12

    starts, _, numbers = parts_of(counts)
    values = math.ceil(least)
    found = kernels.most_even(starts, numbers, EVERY, True, values, math.log(least))[0]
    assert largest(counts, passes) <= found + 1e-6


@settings(max_examples=150)
@given(counts=COUNTS, c=st.sampled_from([0.5, 1.0, 2.0]), least=st.integers(1, 3))
def test_no_part_with_enough_behind_the_most_frequent_is_larger(
    counts: list[int], c: float, least: int
) -> None:
    def passes(part: Sequence[int]) -> bool:
        ordered = sorted(part, reverse=True)
        return ordered[0] < c * sum(ordered[least - 1 :]) - 1e-12

    starts, _, numbers = parts_of(counts)
    found = kernels.most_even(starts, numbers, EVERY, False, least, c)[0]
    assert largest(counts, passes) <= found + 1e-6


@settings(max_examples=150)
@given(counts=COUNTS, weights=SHARES, limit=st.sampled_from([0.05, 0.2, 0.4]), data=st.data())
def test_no_part_within_a_distance_is_larger(
    counts: list[int], weights: list[int], limit: float, data: st.DataObject
) -> None:
    overall = np.array(weights) / sum(weights)
    order = np.array(data.draw(st.permutations(range(4))))
    by_rank = np.bincount(order, overall)

    def ordered(part: Sequence[int]) -> float:
        here = np.bincount(order[: len(part)], np.array(part) / sum(part), 4)
        return float(np.abs(np.cumsum(here - by_rank)).sum() / 3)

    pairs = data.draw(st.lists(st.integers(0, 1), min_size=4, max_size=4))
    groups = np.array([[0, 1, 2, 3], [4 + group for group in pairs]])
    shares = np.bincount(groups.ravel(), np.tile(overall, 2), 6)

    def over_tree(part: Sequence[int]) -> float:
        here = np.pad(np.array(part) / sum(part), (0, 4 - len(part)))
        both = np.bincount(groups.ravel(), np.tile(here, 2), 6)
        return float(np.abs(both - shares).sum() / 4)

    parts = (*parts_of(counts), EVERY)
    for found, distance in (
        (kernels.most_in_order(*parts, order, by_rank, limit + 1e-9)[0], ordered),
        (kernels.most_in_groups(*parts, groups, shares, limit + 1e-9)[0], over_tree),
    ):
        best = largest(counts, lambda part, far=distance: far(part) <= limit + 1e-12)  # type: ignore[misc]
        assert best <= found + 1e-6
