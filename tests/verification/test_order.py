"""The order of released rows: what a shuffle may look like, and what it may not."""

from __future__ import annotations

import numpy as np
import pytest

from anonymizer.verification.order import correlate, find_order, mean_places

pytestmark = pytest.mark.quick


def rows(count: int, alike: int = 1) -> np.ndarray:
    return np.arange(count) // alike


@pytest.mark.parametrize("alike", [1, 3])
@pytest.mark.parametrize("count", [40, 1000])
def test_an_order_that_was_kept_or_reversed_is_found(count: int, alike: int) -> None:
    original = rows(count, alike)
    assert find_order(original, original) is not None
    assert find_order(original[::-1], original) is not None


@pytest.mark.parametrize("count", [20, 40, 1000])
def test_two_rows_swapped_hide_nothing(count: int) -> None:
    released = rows(count)
    released[[2, count - 3]] = released[[count - 3, 2]]
    assert find_order(released, rows(count)) is not None


def test_a_rotated_table_is_found_by_its_neighbours() -> None:
    assert find_order(np.roll(rows(1000), 500), rows(1000)) is not None


def test_blocks_in_a_random_order_are_found_by_their_neighbours() -> None:
    blocks = np.random.default_rng(1).permutation(rows(1000).reshape(100, 10))
    assert "neighbours" in str(find_order(blocks.ravel(), rows(1000)))


@pytest.mark.parametrize("count", [11, 20, 100, 2000])
@pytest.mark.parametrize("alike", [1, 4])
def test_a_shuffle_is_not_called_an_order(count: int, alike: int) -> None:
    random = np.random.default_rng(count)
    for _ in range(200):
        assert find_order(random.permutation(rows(count, alike)), rows(count, alike)) is None


def test_few_different_rows_tell_nothing() -> None:
    assert find_order(rows(10), rows(10)) is None
    assert find_order(np.zeros(1000, np.int64), np.zeros(1000, np.int64)) is None


def test_rank_correlation_is_that_of_the_places() -> None:
    random = np.random.default_rng(0)
    original, released = random.permutation(50), random.permutation(50)
    places = mean_places(original)[released]
    expected = np.corrcoef(places, np.arange(50))[0, 1]
    assert correlate(places) == pytest.approx(expected)
