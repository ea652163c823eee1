"""Rows with values of several levels: put together by levels, and compared where both have a value."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from anonymizer.attackers.cells import LabelMembers, alike, label_sides
from anonymizer.attackers.linked_table import ANY, joins

LABELS = st.lists(st.integers(0, 3), max_size=8).map(lambda found: np.array(found, np.int64))


def values(least: int, attributes: int = 2) -> st.SearchStrategy[np.ndarray]:
    """Draw rows with values of some attributes: an array row for each attribute."""
    shape = st.integers(0, 8).map(lambda rows: (attributes, rows))
    return arrays(np.int64, shape, elements=st.integers(least, 2))


@given(values(0))
def test_every_row_is_put_once_with_all_those_of_its_levels(levels: np.ndarray) -> None:
    found = [(mix.tolist(), rows.tolist()) for mix, rows in alike(levels)]
    assert sorted(row for _, rows in found for row in rows) == list(range(levels.shape[1]))
    for mix, rows in found:
        assert rows == [row for row, own in enumerate(levels.T.tolist()) if own == mix]


@given(values(0), values(0))
def test_labels_are_equal_exactly_where_the_values_are(
    mine: np.ndarray, theirs: np.ndarray
) -> None:
    here, there, number = label_sides(mine, theirs)
    rows, labels = [*mine.T.tolist(), *theirs.T.tolist()], [*here.tolist(), *there.tolist()]
    assert all(label < number for label in labels)
    for row, label in zip(rows, labels, strict=True):
        assert [other == row for other in rows] == [other == label for other in labels]


@given(values(ANY), values(ANY))
def test_an_open_value_matches_every_other(cells: np.ndarray, others: np.ndarray) -> None:
    found = [
        (int(mine[cell]), int(theirs[other]))
        for mine, theirs, cell_label, other_label, _ in joins(cells, others)
        for cell, label in enumerate(cell_label)
        for other in np.flatnonzero(other_label == label)
    ]
    expected = [
        (cell, other)
        for cell, own in enumerate(cells.T.tolist())
        for other, its in enumerate(others.T.tolist())
        if all(a == b or ANY in (a, b) for a, b in zip(own, its, strict=True))
    ]
    assert sorted(found) == expected


@given(LABELS)
def test_members_are_the_places_with_a_label(labels: np.ndarray) -> None:
    members = LabelMembers.of(labels, 4)
    for label in range(4):
        assert members[label].tolist() == np.flatnonzero(labels == label).tolist()
