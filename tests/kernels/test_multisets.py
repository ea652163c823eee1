"""Multisets of events, against counting them in dictionaries."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels import multisets
from anonymizer.kernels.multisets import number_of_sets, peel_classes, peel_sets

LISTS = st.lists(st.lists(st.integers(0, 5), max_size=5), min_size=1, max_size=25)


def naive(people: list[list[int]], classes: list[int], depth: int, k: int) -> list[bool]:
    """Drop whoever has a set that too few have, until nobody has."""
    sets = [
        {tuple(sorted(some)) for size in range(depth + 1) for some in combinations(events, size)}
        for events in people
    ]
    kept = [True] * len(people)
    while True:
        support = Counter(
            (classes[p], each) for p in range(len(people)) if kept[p] for each in sets[p]
        )
        left = [
            there and all(support[classes[p], each] >= k for each in sets[p])
            for p, there in enumerate(kept)
        ]
        if left == kept:
            return kept
        kept = left


def peeled(
    people: list[list[int]], classes: list[int], depth: int, k: int, types: int
) -> list[bool]:
    order = np.argsort(classes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(classes))])
    first = np.concatenate([[0], np.cumsum([len(events) for events in people])])
    events = np.array([each for events in people for each in events], np.int32)
    kept = np.ones(len(people), np.bool_)
    own, groups = np.full(len(people), max(depth, 0)), np.zeros(types, np.int64)
    assert peel_classes(
        order, starts, first, events, groups, np.array([0]), own, depth, k, kept
    ) == -1  # fmt: skip
    return kept.tolist()


@given(st.data(), LISTS, st.integers(1, 4), st.integers(1, 4))
def test_people_with_rare_sets_go_until_there_are_none(
    data: st.DataObject, people: list[list[int]], depth: int, k: int
) -> None:
    classes = [data.draw(st.integers(0, 1)) for _ in people]
    assert peeled(people, classes, depth, k, 6) == naive(people, classes, depth, k)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_many_types_and_long_lists_are_hashed_in_a_table_that_grows(depth: int) -> None:
    random = np.random.default_rng(depth)
    length = 40 if depth < 3 else 12
    people = [random.zipf(1.3, length).clip(1, 3_000).tolist() for _ in range(150)]
    classes = [0] * 150
    assert peeled(people, classes, depth, 2, 3_001) == naive(people, classes, depth, 2)


@given(LISTS, st.integers(1, 3))
def test_a_depth_below_0_asks_for_equal_lists(people: list[list[int]], k: int) -> None:
    same = Counter(tuple(sorted(events)) for events in people)
    expected = [same[tuple(sorted(events))] >= k for events in people]
    assert peeled(people, [0] * len(people), -1, k, 6) == expected


@given(st.data(), st.integers(1, 4))
def test_owners_of_sets_that_too_few_have_go(data: st.DataObject, k: int) -> None:
    sets = data.draw(st.lists(st.sets(st.integers(0, 6), max_size=4), min_size=1, max_size=12))
    owned = [{each for each in some if data.draw(st.booleans())} for some in sets]
    weights = [data.draw(st.integers(1, 3)) for _ in sets]
    kept = [True] * len(sets)
    while True:
        support = Counter(
            {n: sum(w for s, w, there in zip(sets, weights, kept, strict=True) if there and n in s)
             for n in range(7)}
        )  # fmt: skip
        left = [
            there and all(support[n] >= k for n in own)
            for there, own in zip(kept, owned, strict=True)
        ]
        if left == kept:
            break
        kept = left
    begin = np.concatenate([[0], np.cumsum([len(some) for some in sets])])
    flat = np.array([each for some in sets for each in some], np.int64)
    mine = np.array(
        [each in own for some, own in zip(sets, owned, strict=True) for each in some], np.bool_
    )
    assert peel_sets(begin, flat, mine, np.array(weights), 7, k).tolist() == kept


def test_somebody_with_too_many_sets_is_named() -> None:
    events = np.zeros(2_000, np.int32) + np.arange(2_000, dtype=np.int32)
    assert number_of_sets(2_000, 3) > multisets.MOST_SETS
    given = (
        np.array([0]),
        np.array([0, 1]),
        np.array([0, 2_000]),
        events,
        np.zeros(2_000, np.int64),
    )
    kept = np.ones(1, np.bool_)
    assert peel_classes(*given, np.array([0]), np.array([3]), 3, 1, kept) == 0
