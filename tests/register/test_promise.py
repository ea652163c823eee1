"""The promise over releases, against an attacker who intersects and subtracts what they know."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.register.promise import (
    ABSENT,
    by_intersection,
    exposed,
    number_histories,
    sharing,
    with_release,
)
from tests.register.oracle import Release, found

PEOPLE = ["A", "B", "C", "D", "E"]


def table_of(releases: Sequence[Release]) -> np.ndarray:
    """Return the class of everybody in each release."""
    names = sorted({name for release in releases for name in release.values()})
    return np.array(
        [
            [names.index(release[p]) if p in release else ABSENT for release in releases]
            for p in PEOPLE
        ],
        np.int64,
    ).reshape(len(PEOPLE), len(releases))


def exposed_names(releases: Sequence[Release], k: int) -> set[str]:
    """Name whoever the promise is broken for."""
    marks = exposed(table_of(releases), k)
    return {name for name, mark in zip(PEOPLE, marks, strict=True) if mark}


@pytest.mark.quick
def test_june_minus_july_is_whoever_left() -> None:
    june = {"A": "x", "B": "x", "C": "x"}
    july = {"A": "x", "B": "x"}
    assert exposed_names([june, july], 2) == {"C"}
    assert exposed_names([june], 2) == exposed_names([june, june], 2) == set()


@pytest.mark.parametrize("k", [2, 3])
def test_every_pair_of_small_releases_breaks_the_promise_where_an_attacker_finds_somebody(
    k: int,
) -> None:
    cells = [None, "x", "y"]
    for drawn in itertools.product(itertools.product(cells, repeat=2), repeat=3):
        releases = [
            {p: row[at] for p, row in zip(PEOPLE, drawn, strict=False) if row[at]} for at in (0, 1)
        ]
        assert bool(exposed_names(releases, k)) == bool(found(releases, k)), releases


releases = st.lists(
    st.dictionaries(st.sampled_from(PEOPLE), st.sampled_from("xyz")), min_size=2, max_size=4
)


@given(releases, st.integers(1, 4))
def test_whoever_knows_any_of_the_releases_finds_nobody_but_those_the_promise_is_broken_for(
    drawn: list[Release], k: int
) -> None:
    assert found(drawn, k) <= exposed_names(drawn, k)
    # all releases known are among the subsets, and tell most
    assert found(drawn, k) == exposed_names(drawn, k)


@given(releases)
def test_forgetting_a_release_leaves_nobody_among_fewer(drawn: list[Release]) -> None:
    before, after = sharing(table_of(drawn)), sharing(table_of(drawn[1:]))
    still = after > 0
    assert (after[still] >= before[still]).all()


def test_histories_are_numbered_from_one_and_nobody_released_has_none() -> None:
    classes = np.array([[0, 1], [ABSENT, ABSENT], [0, 1], [ABSENT, 1]])
    numbers = number_histories(classes)
    assert numbers[1] == 0
    assert sorted(set(numbers.tolist())) == [0, 1, 2]
    assert numbers[0] == numbers[2] != numbers[3]


def test_a_release_adds_its_classes_and_that_others_are_absent() -> None:
    nobody = np.empty((3, 0), np.int64)
    first = with_release(nobody, np.array([7, 7, 8]), np.array([True, True, False]))
    assert first.tolist() == [[7], [7], [ABSENT]]


@given(releases, st.integers(1, 4))
def test_to_intersect_alone_is_to_look_at_the_releases_that_somebody_was_in(
    drawn: list[Release], k: int
) -> None:
    expected = set()
    for target in PEOPLE:
        own = [release for release in drawn if target in release]
        others = [
            other
            for other in PEOPLE
            if all(release.get(other) == release[target] for release in own)
        ]
        if own and len(others) < k:
            expected.add(target)
    marks = by_intersection(table_of(drawn), k)
    assert {name for name, mark in zip(PEOPLE, marks, strict=True) if mark} == expected
