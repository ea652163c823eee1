from __future__ import annotations

from typing import Any

import pytest

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Builder, Explicit, Ordered


def test_nested_groups_are_levels() -> None:
    nested = Explicit(groups={"A": {"x": [1, 2], "y": [3]}, "B": {"z": [4]}})
    assert nested.build("n").labels == (("1", "2", "3", "4"), ("x", "y", "z"), ("A", "B"), ("*",))


def test_values_alone_go_straight_to_the_top() -> None:
    assert list(Explicit(values=("a", (1, 2))).rows()) == [("a", "*"), ("1", "*"), ("2", "*")]


def test_a_range_among_ordered_values_stands_for_all_its_numbers() -> None:
    builder = Ordered(values=(51, (0, 1), 52), sizes=(2,))
    assert [row[:2] for row in builder.rows()] == [
        ("51", "51 to 0"),
        ("0", "51 to 0"),
        ("1", "1 to 52"),
        ("52", "1 to 52"),
    ]


def test_ordered_groups_count_what_the_level_below_has() -> None:
    builder = Ordered(values=((1, 7),), sizes=((1, 4, 2), 2), labels=(("a", "b", "c"), ("d", "e")))
    assert [row[1:3] for row in builder.rows()] == [
        ("a", "d"),
        *[("b", "d")] * 4,
        *[("c", "e")] * 2,
    ]


FAULTS: list[tuple[type[Builder], dict[str, Any], str]] = [
    (Explicit, {}, "path: give exactly one of `values`, `groups` and `path`."),
    (
        Explicit,
        {"values": ("a",), "groups": {"g": ["b"]}},
        "path: give exactly one of `values`, `groups` and `path`.",
    ),
    (Explicit, {"values": "a"}, "values: 'a' is not a list; write it as [ ... ]."),
    (
        Explicit,
        {"groups": ("a",)},
        "groups: ('a',) is not a table; write it as name = value.",
    ),
    (Explicit, {"groups": {"g": "a"}}, "groups.g: 'a' is not a list; write it as [ ... ]."),
    (
        Explicit,
        {"groups": {"g": []}},
        "groups.g: this is empty; name at least one.",
    ),
    (
        Explicit,
        {"groups": {"g": ["a"], "h": ["b", "a"]}},
        "groups: listed more than once: 'a'; keep one of each.",
    ),
    (
        Explicit,
        {"groups": {"g": ["a"], "h": {"i": ["b"]}}},
        "groups: 'h.i' lies deeper than 'g'; nest all lists equally deep.",
    ),
    (
        Explicit,
        {"groups": {"A": {"g": ["a"]}, "B": {"g": ["b"]}}},
        "groups: 'g' is in 'B' and in 'A'; give each group a name of its own.",
    ),
    (
        Ordered,
        {"values": ()},
        "values: this is empty; name at least one.",
    ),
    (
        Ordered,
        {"values": ((4, 2),)},
        "values.0: 4 is above 2; write it as [lowest, highest].",
    ),
    (
        Ordered,
        {"values": ("a", "b"), "sizes": 2},
        "sizes: 2 is not a list; write it as [ ... ].",
    ),
    (
        Ordered,
        {"values": ("a", "b"), "sizes": (0,)},
        "sizes.0: 0 is too small; use 1 or more.",
    ),
    (
        Ordered,
        {"values": ("a", "b"), "sizes": ((1, 2),)},
        "sizes: level 1 merges 3 of 2 values; merge all.",
    ),
    (
        Ordered,
        {"values": ("a", "b"), "sizes": (2,), "labels": (("x", "y"),)},
        "labels: level 1 has 2 names for 1 groups; name each one.",
    ),
    (
        Ordered,
        {"values": ("a", "b"), "sizes": (1,), "labels": (("x", "x"),)},
        "labels.0: listed more than once: 'x'; keep one of each.",
    ),
    (
        Ordered,
        {"values": ("a", "b"), "labels": (("x", "y"),)},
        "labels: there are more lists than levels in `sizes`; leave out the rest.",
    ),
    (
        Ordered,
        {"values": ("a", "b"), "labels": ("x",)},
        "labels.0: 'x' is not a list; write it as [ ... ].",
    ),
]


@pytest.mark.parametrize(("builder", "keys", "message"), FAULTS)
def test_a_fault_names_the_key_the_value_and_the_remedy(
    builder: type[Builder], keys: dict[str, Any], message: str
) -> None:
    with pytest.raises(HierarchyError) as caught:
        builder(**keys)
    assert caught.value.faults == (message,)


def test_groups_nested_without_end_are_refused() -> None:
    groups: dict[str, Any] = {"g": ["a"]}
    for _ in range(100_000):
        groups = {"g": groups}
    with pytest.raises(HierarchyError, match="groups: the groups are nested more than 100 deep"):
        Explicit(groups=groups)


def test_faults_in_several_groups_are_shown_together() -> None:
    with pytest.raises(HierarchyError) as caught:
        Explicit(groups={"A": {"g": "a", "h": [True]}, "B": {"i": []}})
    assert caught.value.faults == (
        "groups.A.g: 'a' is not a list; write it as [ ... ].",
        "groups.A.h.0: True is not a value; write text in quotes, a number or a range [2, 4].",
        "groups.B.i: this is empty; name at least one.",
    )


def test_values_that_are_not_listed_are_covered_only_where_stated() -> None:
    flat = Explicit(values=("f", "m"), unlisted=True).build("sex").with_values(["x"])
    assert list(flat.rows())[-1] == ("x", "*")
    assert flat.extent == 2
    assert Explicit(values=("f", "m")).build("sex").with_values(["x"]).size == 2


def test_a_value_that_is_not_listed_has_no_place_where_there_are_groups() -> None:
    with pytest.raises(HierarchyError, match="unlisted: nothing says which group they belong to"):
        Explicit(groups={"north": ["NO", "SE"], "south": ["IT"]}, unlisted=True)


def test_ranges_of_large_numbers_have_few_values() -> None:
    built = Explicit(values=((9_000_000, 9_000_002),)).build("number")
    assert built.leaves == ("9000000", "9000001", "9000002")
