"""How far columns single people out, against an obvious count."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data.column import Column
from anonymizer.proposal.figures import added_by_pairs, count, unique_share

LETTERS = st.sampled_from(["", "a", "b", "c", "d"])
ROWS = st.lists(
    st.tuples(LETTERS, LETTERS, LETTERS, st.sampled_from("xyzuvw")), min_size=1, max_size=30
)


def coded(texts: list[str]) -> Column:
    """A column of texts."""
    known = list(dict.fromkeys(texts))
    return Column(np.array([known.index(text) for text in texts], np.uint8), tuple(known))


def obvious_share(rows: list[tuple[str, ...]], whose: list[str]) -> float:
    """The share of people one of whose tuples nobody else has."""
    people = defaultdict(set)
    for row, person in zip(rows, whose, strict=True):
        people[row].add(person)
    alone = {person for row, person in zip(rows, whose, strict=True) if len(people[row]) == 1}
    return len(alone) / len(set(whose))


@given(ROWS, st.booleans())
def test_the_share_of_unique_people_is_the_obvious_one(
    rows: list[tuple[str, ...]], people: bool
) -> None:
    columns = [coded([row[at] for row in rows]) for at in range(3)]
    whose = [row[3] for row in rows] if people else [str(number) for number in range(len(rows))]
    person = coded(whose) if people else None
    for size in (1, 2, 3):
        for chosen in combinations(range(3), size):
            expected = obvious_share([tuple(row[at] for at in chosen) for row in rows], whose)
            assert unique_share([columns[at] for at in chosen], person) == pytest.approx(expected)


@given(ROWS)
def test_a_pair_adds_those_who_were_not_unique_by_the_other_alone(
    rows: list[tuple[str, ...]],
) -> None:
    columns = {name: coded([row[at] for row in rows]) for at, name in enumerate("abc")}
    alone = {name: unique_share([column], None) for name, column in columns.items()}
    added = added_by_pairs(columns, alone, None)
    for name in columns:
        others = [other for other in columns if other != name]
        gains = [unique_share([columns[name], columns[o]], None) - alone[o] for o in others]
        assert added[name] == pytest.approx(sum(gains) / 2)
        assert added[name] >= -1e-12


def test_missing_cells_are_counted_apart_from_values() -> None:
    figures = count(coded(["", "a", "", "b", "b"]), None)
    assert (figures.rows, figures.missing, figures.distinct, figures.unique) == (5, 2, 2, 0.2)
