from __future__ import annotations

import pytest
from hypothesis import given

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Defect, Hierarchy, check_rows

from .trees import tree_rows

Rows = list[tuple[str, ...]]
DEFECTS: dict[str, tuple[Rows, Defect]] = {
    "empty": (
        [],
        Defect(
            "error",
            "x",
            None,
            None,
            "the hierarchy has no rows; write one row for each value, "
            "from the value itself to the top.",
        ),
    ),
    "ragged": (
        [("a", "*"), ("b", "*"), ("c",)],
        Defect(
            "error",
            "x",
            3,
            "c",
            "row 3 has 1 cell where most rows have 2; give every row one cell for each level.",
        ),
    ),
    "duplicate": (
        [("a", "*"), ("b", "*"), ("a", "*")],
        Defect("error", "x", 3, "a", "row 3: 'a' already has row 1; keep one of them."),
    ),
    "two parents": (
        [("a", "g", "A"), ("b", "g", "B"), ("c", "h", "B")],
        Defect(
            "error",
            "x",
            2,
            "g",
            "row 2: 'g' at level 1 belongs to 'B', but to 'A' in row 1; give it one parent.",
        ),
    ),
    "a group split by blanks": (
        [("a", "g", "*"), ("b", "g ", "*"), ("c", "g", "*")],
        Defect(
            "error",
            "x",
            2,
            "g ",
            "row 2: 'g ' at level 1 differs from 'g' only by blanks, so they are two groups; "
            "write both alike.",
        ),
    ),
    "blanks": (
        [(" a", "*"), ("b", "*")],
        Defect(
            "warning",
            "x",
            1,
            " a",
            "row 1: ' a' at level 0 has blanks around it, which count when values are compared; "
            "remove them unless the data has them too.",
        ),
    ),
    "a decimal point": (
        [("34", "*"), ("34.0", "*")],
        Defect(
            "warning",
            "x",
            2,
            "34.0",
            "row 2: '34.0' and '34' are one value written in two ways, yet two leaves; "
            "keep the one the data has.",
        ),
    ),
    "leading zeros": (
        [("7", "*"), ("8", "*"), ("007", "*")],
        Defect(
            "warning",
            "x",
            3,
            "007",
            "row 3: '007' and '7' are one value written in two ways, yet two leaves; "
            "keep the one the data has.",
        ),
    ),
    "a level that merges nothing": (
        [("a", "A", "*"), ("b", "B", "*")],
        Defect(
            "warning",
            "x",
            None,
            None,
            "level 1 merges nothing: it has 2 values, as many as level 0; leave it out.",
        ),
    ),
}


@pytest.mark.parametrize("kind", DEFECTS)
def test_each_kind_of_defect_is_found_with_its_row_value_and_remedy(kind: str) -> None:
    rows, defect = DEFECTS[kind]
    assert defect in check_rows(rows, "x")


@pytest.mark.parametrize("kind", DEFECTS)
def test_errors_and_only_errors_keep_rows_from_becoming_a_hierarchy(kind: str) -> None:
    rows, defect = DEFECTS[kind]
    if defect.severity == "warning":
        assert Hierarchy.from_rows("x", rows).size == len(rows)
    else:
        with pytest.raises(HierarchyError):
            Hierarchy.from_rows("x", rows)


@given(tree_rows())
def test_a_tree_has_no_errors(rows: Rows) -> None:
    assert [defect for defect in check_rows(rows) if defect.severity == "error"] == []


def test_defects_of_different_kinds_are_found_together() -> None:
    rows = [
        ("a", "g", "A"),
        ("a", "g", "A"),
        ("b", "g", "B"),
        ("c", "*"),
        (" d", "h", "B"),
        ("e", "i", "B"),
    ]
    assert [(defect.severity, defect.row) for defect in check_rows(rows)] == [
        ("error", 4),
        ("error", 2),
        ("error", 3),
        ("warning", 5),
    ]


def test_a_second_parent_is_reported_once_however_many_rows_have_it() -> None:
    rows = [("a", "g", "A"), *((str(number), "g", "B") for number in range(5))]
    assert len(check_rows(rows)) == 1


def test_several_values_at_the_top_are_legal() -> None:
    assert check_rows([("a", "A"), ("b", "A"), ("c", "C")]) == []


def test_a_defect_prints_its_severity_first() -> None:
    assert str(DEFECTS["duplicate"][1]).startswith("error: row 3")


def test_a_hundred_thousand_bad_leaves_are_each_found() -> None:
    bad = [(f" {number}", f"{number % 7}", f"{number % 3}") for number in range(100_000)]
    found = check_rows(bad)
    assert sum(defect.severity == "warning" for defect in found) >= 100_000  # blanks around each
