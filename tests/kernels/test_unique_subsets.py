from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels.unique_subsets import JOINED, MANY, drop_bit, settle

WORDS = st.integers(0, 63)


@st.composite
def sorted_tuples(draw: st.DrawFn):
    """Distinct keys of one to three words with few bits set, sorted, and a state for each."""
    words = draw(st.integers(1, 3))
    bits = draw(st.lists(st.tuples(st.integers(0, words - 1), WORDS), min_size=1, max_size=6))
    keys = set()
    for chosen in draw(st.lists(st.sets(st.sampled_from(bits)), max_size=40)):
        key = [0] * words
        for word, bit in chosen:
            key[word] |= 1 << bit
        keys.add(tuple(key))
    states = draw(
        st.lists(
            st.builds(lambda d, e: d + 4 * e, st.integers(0, 2), st.integers(0, 2)),
            min_size=len(keys),
            max_size=len(keys),
        )
    )
    return words, sorted(keys), states, draw(st.sampled_from(bits))


def join(states: list[int]) -> int:
    return min(MANY, sum(s % 4 for s in states)) + 4 * min(MANY, sum(s // 4 for s in states))


@given(sorted_tuples())
def test_dropping_a_bit_is_what_grouping_without_it_gives(drawn) -> None:
    words, keys, states, (word, bit) = drawn
    groups: dict[tuple[int, ...], list[int]] = {}
    for key, state in zip(keys, states, strict=True):
        without = list(key)
        without[word] &= ~(1 << bit)
        groups.setdefault(tuple(without), []).append(state)
    array = np.array(keys, np.uint64).reshape(-1, words)
    new_keys, new_states = drop_bit(array, np.array(states, np.uint8), word, bit)
    assert [tuple(map(int, key)) for key in new_keys] == sorted(groups)
    assert new_states.tolist() == [join(groups[key]) for key in sorted(groups)]


def alone(states: list[int]) -> list[int]:
    """Count the states that are one record of ours, those that theirs have, and those just once."""
    theirs = [state // 4 for state in states if state % 4 == 1]
    return [len(theirs), sum(n > 0 for n in theirs), sum(n == 1 for n in theirs)]


@given(sorted_tuples())
def test_what_is_by_itself_is_settled_and_where_nobody_is_alone_nothing_stays(drawn) -> None:
    words, keys, states, (word, bit) = drawn
    groups: dict[tuple[int, ...], list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault((*key[:word], key[word] >> bit), []).append(place)
    settled = [states[places[0]] for places in groups.values() if len(places) == 1]
    stay = [
        place
        for places in groups.values()
        if len(places) > 1 and any(states[each] % 4 == 1 for each in places)
        for place in places
    ]
    array = np.array(keys, np.uint64).reshape(-1, words)
    counts = np.zeros(3, np.int64)
    new_keys, new_states = settle(array, np.array(states, np.uint8), word, bit, counts)
    assert [tuple(map(int, key)) for key in new_keys] == [keys[place] for place in sorted(stay)]
    assert new_states.tolist() == [states[place] for place in sorted(stay)]
    assert counts.tolist() == alone(settled)


def test_two_or_more_stay_two_or_more() -> None:
    assert JOINED[1, 1] == JOINED[1, 2] == JOINED[2, 2] == MANY
    assert JOINED[1, 4] == 5
    assert JOINED[9, 5] == MANY + 4 * MANY
