"""Hierarchies written where they are used."""

from __future__ import annotations

import pytest

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Builder, Hierarchy
from anonymizer.hierarchy.inline import cut, make_inline


def test_a_table_from_value_to_group_is_a_hierarchy_with_a_top() -> None:
    made = make_inline({"NO": "Europe", 7: "Asia"})
    assert isinstance(made, Hierarchy)
    assert list(made.rows()) == [("NO", "Europe", "*"), ("7", "Asia", "*")]


def test_defects_of_a_table_are_said_as_those_of_a_file() -> None:
    with pytest.raises(HierarchyError, match="row 2 has 3 cells"):
        make_inline({"a": ["x", "y"], "b": "x", "c": ["x", "y"]})


@pytest.mark.parametrize("groups", [None, {}, {"x": "y"}, [["x"]]])
def test_a_group_is_a_name(groups: object) -> None:
    with pytest.raises(HierarchyError, match="the groups of 'a' are not names"):
        make_inline({"a": groups})


def test_the_domain_of_cut_points_reaches_beyond_them_by_the_widest_interval() -> None:
    assert cut([18, 40, 65])["domain"] == [-7, 89]
    assert cut([[10, 20, 30], [20]])["bounds"] == [[10, 20, 30], [20]]
    assert cut([0.5, 1.5])["domain"] == [-0.5, 2.5]


def test_cut_points_have_open_ends() -> None:
    ages, doses = make_inline([18, 40, 65]), make_inline([[2.5, 5.0], [5.0]])
    assert isinstance(ages, Builder)
    assert isinstance(doses, Builder)
    assert ages.build("age").labels[1] == ("< 18", "18-39", "40-64", "65+")
    assert doses.build("dose").labels[1:3] == (("< 2.5", "[2.5, 5)", ">= 5"), ("< 5", ">= 5"))


@pytest.mark.parametrize("points", [[3, 1], ["a"], [True, "x"], [[1], "b"]])
def test_other_lists_are_not_cut_points(points: list[object]) -> None:
    with pytest.raises(HierarchyError):
        make_inline(points)


def test_an_empty_list_of_cut_points_is_refused_in_one_sentence() -> None:
    with pytest.raises(HierarchyError, match="cut points are rising numbers"):
        make_inline([[]])
