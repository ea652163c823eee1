from __future__ import annotations

from typing import Any

import pytest

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Priority
from anonymizer.solution.layered import ambiguous_labels


def test_the_least_important_values_merge_first() -> None:
    hierarchy = Priority(("a", "b", "c", "d"), keep=(2, 1)).build("x")
    assert hierarchy.labels[1] == ("a", "b", "other (2 values)")
    assert hierarchy.labels[2] == ("a", "other (3 values)")


def test_half_as_many_stay_at_each_level_unless_stated() -> None:
    assert [len(labels) for labels in Priority(tuple("abcdefgh")).build("x").labels] == [
        8,
        5,
        3,
        2,
        1,
    ]


def test_the_rest_is_called_otherwise_at_each_level() -> None:
    assert ambiguous_labels(Priority(tuple("abcdefgh")).build("x")) == []


def test_values_that_are_not_listed_are_covered_only_where_stated() -> None:
    assert Priority(("a", "b"), keep=(1,)).build("x").with_values(["new"]).size == 2
    grown = Priority(("a", "b"), keep=(1,), unlisted=True).build("x").with_values(["new"])
    assert list(grown.rows())[-1] == ("new", "other (1 value)", "*")
    assert grown.extent == 2


@pytest.mark.parametrize(
    ("keep", "message"),
    [((1, 2), "2 comes after 1; list the numbers from large to small"), ((3,), "keep fewer")],
)
def test_what_keeps_too_much_is_refused(keep: Any, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        Priority(("a", "b", "c"), keep=keep)
