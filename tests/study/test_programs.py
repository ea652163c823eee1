"""Integer programs of a class, against all ways to drop events."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.study.programs import ClassProgram, Known, KnownSets

TUPLES = 3
PEOPLE = st.lists(
    st.lists(st.integers(0, TUPLES - 1), max_size=3).map(lambda each: tuple(sorted(each))),
    min_size=1,
    max_size=4,
)
COSTS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.7]), min_size=TUPLES, max_size=TUPLES)


def parts(events: Known) -> list[Known]:
    return [
        some for size in range(len(events) + 1) for some in itertools.combinations(events, size)
    ]


@given(st.data(), PEOPLE, COSTS, st.integers(1, 3), st.integers(1, 3))
def test_what_is_lost_is_the_least_of_all_ways(
    data: st.DataObject, people: list[Known], costs: list[float], k: int, depth: int
) -> None:
    groups = np.array(data.draw(st.lists(st.integers(0, 1), min_size=TUPLES, max_size=TUPLES)))
    own = data.draw(st.lists(st.integers(0, depth), min_size=len(people), max_size=len(people)))
    budgets = np.array([max(own), data.draw(st.integers(0, 2))])
    knowledge = KnownSets(groups, budgets, depth, k)
    found = ClassProgram(people, own, knowledge).solve(dict(enumerate(costs)))
    assert found.kept is not None
    left = [tuple(itertools.compress(e, m)) for e, m in zip(people, found.kept, strict=True)]
    assert not ClassProgram(left, own, knowledge).unsure
    whole = sum(costs[event] for events in people for event in events)
    worth = [
        sum(costs[event] for events in kept for event in events)
        for kept in itertools.product(*map(parts, people))
        if not ClassProgram(list(kept), own, knowledge).unsure
    ]
    lost = whole - sum(costs[event] for events in left for event in events)
    assert lost == pytest.approx(whole - max(worth), abs=1e-9)
    assert found.bound == pytest.approx(lost, abs=1e-4)
    assert found.bound <= lost + 1e-9
