"""People with several rows, against sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.table.people import People

pytestmark = pytest.mark.quick

tables = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 5)), min_size=1, max_size=30)


def people_of(rows: list[tuple[int, int]]) -> tuple[People, list[set[int]], int]:
    """The people of rows (person, tuple), and the tuples of each person."""
    numbers = {person: number for number, person in enumerate(sorted({p for p, _ in rows}))}
    tuples = 1 + max(t for _, t in rows)
    person = np.array([numbers[p] for p, _ in rows], np.int64)
    found = People.of_rows(person, np.array([t for _, t in rows], np.int32), tuples)
    shown = [{t for p, t in rows if numbers[p] == number} for number in range(len(numbers))]
    return found, shown, tuples


@given(tables, st.data())
def test_a_class_counts_each_of_its_people_once(rows, data) -> None:
    people, shown, tuples = people_of(rows)
    labels = data.draw(st.lists(st.integers(0, 3), min_size=tuples, max_size=tuples))
    sizes = people.class_sizes(np.array(labels, np.int32), 4)
    expected = [sum(label in {labels[t] for t in own} for own in shown) for label in range(4)]
    assert sizes.tolist() == expected


@given(tables, st.data())
def test_people_are_present_with_any_of_their_tuples(rows, data) -> None:
    people, shown, tuples = people_of(rows)
    present = data.draw(st.lists(st.booleans(), min_size=tuples, max_size=tuples))
    assert people.present(np.array(present)) == sum(any(present[t] for t in own) for own in shown)
    assert people.number == len(shown)


@given(tables, st.data())
def test_people_are_left_until_their_last_tuple_goes(rows, data) -> None:
    people, shown, tuples = people_of(rows)
    turns = data.draw(st.lists(st.integers(0, 4), min_size=tuples, max_size=tuples))
    left = people.left_after(np.array(turns, np.int64), 4)
    expected = [sum(max(turns[t] for t in own) >= cut for own in shown) for cut in range(5)]
    assert left.tolist() == expected


@given(tables, st.data())
def test_the_highest_value_of_everybody(rows, data) -> None:
    people, shown, tuples = people_of(rows)
    values = data.draw(st.lists(st.integers(0, 9), min_size=tuples, max_size=tuples))
    highest, counts = people.highest(np.array(values, np.float64))
    assert sorted(np.repeat(highest, counts).tolist()) == sorted(
        max(values[t] for t in own) for own in shown
    )


@given(tables, st.data())
def test_everybody_counts_once_where_their_value_is_highest_in_all_and_in_each_class(
    rows, data
) -> None:
    people, shown, tuples = people_of(rows)
    values = data.draw(st.lists(st.integers(0, 3), min_size=tuples, max_size=tuples))
    labels = data.draw(st.lists(st.integers(0, 2), min_size=tuples, max_size=tuples))
    expected = [min(own, key=lambda t: (-values[t], t)) for own in shown]
    at = people.at_highest(np.array(values, np.float64))
    assert at.tolist() == [expected.count(t) for t in range(tuples)]
    found = people.highest_in_classes(np.array(values, np.float64), np.array(labels))
    pairs = [
        (label, max(values[t] for t in own if labels[t] == label))
        for own in shown
        for label in {labels[t] for t in own}
    ]
    repeated = zip(*(np.repeat(each, found[2]).tolist() for each in found[:2]), strict=True)
    assert sorted(repeated) == sorted(pairs)


def test_people_with_the_same_tuples_are_one_history() -> None:
    rows = [(person, t) for person in range(1000) for t in (0, 1)] + [(1000, 2)]
    people, _, _ = people_of(rows)
    assert people.of_history.tolist() == [1000]
    assert people.of_tuple.tolist() == [0, 0, 1]
