from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import (
    MISSING,
    Dates,
    Explicit,
    Hierarchy,
    Intervals,
    Ordered,
    Redaction,
)
from anonymizer.hierarchy.hierarchy import Growth

from .trees import tree_rows

Rows = list[tuple[str, ...]]
SIZES = [("S", "small", "*"), ("M", "large", "*"), ("L", "large", "*")]


@given(tree_rows())
def test_rows_come_back_as_they_went_in(rows: Rows) -> None:
    assert list(Hierarchy.from_rows("a", rows).rows()) == rows


@given(tree_rows())
def test_codes_index_labels_in_order_of_first_appearance(rows: Rows) -> None:
    hierarchy = Hierarchy.from_rows("a", rows)
    for level, column in enumerate(zip(*rows, strict=True)):
        assert hierarchy.labels[level] == tuple(dict.fromkeys(column))
        assert [hierarchy.labels[level][code] for code in hierarchy.codes[level]] == list(column)
    assert hierarchy.codes[0].tolist() == list(range(hierarchy.size))


@given(tree_rows())
def test_shares_equal_a_slow_count_of_leaves(rows: Rows) -> None:
    shares = Hierarchy.from_rows("a", rows).shares()
    for level in range(len(rows[0])):
        for leaf, row in enumerate(rows):
            covered = sum(other[level] == row[level] for other in rows)
            assert shares[level, leaf] == covered / len(rows)


def test_codes_are_small_integers_that_cannot_be_changed() -> None:
    hierarchy = Hierarchy.from_rows("size", SIZES)
    assert hierarchy.codes.dtype == np.int32
    assert hierarchy.codes.shape == (hierarchy.height, hierarchy.size) == (3, 3)
    with pytest.raises(ValueError, match="read-only"):
        hierarchy.codes[0, 0] = 1


def test_the_array_of_the_caller_stays_writable_and_apart() -> None:
    codes = np.array([[0, 1], [0, 0]], np.int32)
    hierarchy = Hierarchy("sex", (("Male", "Female"), ("*",)), codes)
    codes[0] = 7
    assert hierarchy.codes[0].tolist() == [0, 1]


def test_hierarchies_are_equal_by_content_whatever_their_file() -> None:
    one, two = Hierarchy.from_rows("size", SIZES, "a.csv"), Hierarchy.from_rows("size", SIZES)
    assert one == two
    assert hash(one) == hash(two)
    assert one != Hierarchy.from_rows("size", SIZES[:2])
    assert one != Hierarchy.from_rows("other", SIZES)
    assert one != "size"


def test_a_hierarchy_survives_pickling() -> None:
    hierarchy = Hierarchy.from_rows("size", SIZES)
    assert pickle.loads(pickle.dumps(hierarchy)) == hierarchy


def test_all_defects_are_said_in_one_message_that_names_the_file() -> None:
    rows = [("a", "x", "*"), ("a", "x", "*"), ("b", "*"), ("c", "x", "+")]
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_rows("letter", rows, "letter.csv")
    assert str(caught.value).splitlines() == [
        "letter.csv has 3 defects:",
        "  - row 3 has 2 cells where most rows have 3; give every row one cell for each level.",
        "  - row 2: 'a' already has row 1; keep one of them.",
        "  - row 4: 'x' at level 1 belongs to '+', but to '*' in row 1; give it one parent.",
    ]
    assert len(caught.value.faults) == 3


def test_a_single_defect_is_one_sentence() -> None:
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_rows("letter", [("a", "*"), ("a", "*")])
    assert (
        str(caught.value) == "hierarchy 'letter': row 2: 'a' already has row 1; keep one of them."
    )


def test_a_flood_of_defects_is_cut_short_with_their_number() -> None:
    with pytest.raises(HierarchyError, match=r"has 499 defects(.|\n)*and 399 more\.$"):
        Hierarchy.from_rows("letter", [("a", "*")] * 500)


def test_a_missing_leaf_stays_apart_until_a_single_top() -> None:
    rows = list(Hierarchy.from_rows("size", SIZES).with_missing().rows())
    assert rows == [*SIZES, (MISSING, MISSING, "*")]


def test_a_missing_leaf_stays_apart_for_good_where_the_top_has_several_values() -> None:
    rows = [("a", "A"), ("b", "B")]
    assert list(Hierarchy.from_rows("x", rows).with_missing().rows())[-1] == (MISSING, MISSING)


def test_a_missing_leaf_is_its_own_value_at_level_0_even_beside_a_single_leaf() -> None:
    assert Hierarchy.from_rows("x", [("a",)]).with_missing().leaves == ("a", MISSING)


def test_a_missing_leaf_joins_a_group_that_is_named_like_it() -> None:
    rows = [("a", MISSING, "A"), ("b", "b", "B")]
    assert list(Hierarchy.from_rows("x", rows).with_missing().rows())[-1] == (MISSING, MISSING, "A")


def test_a_missing_leaf_that_is_there_already_is_kept() -> None:
    hierarchy = Hierarchy.from_rows("x", [("a", "*"), (MISSING, "*")])
    assert hierarchy.with_missing() is hierarchy


@given(tree_rows())
def test_with_missing_adds_one_leaf_and_changes_no_other(rows: Rows) -> None:
    hierarchy = Hierarchy.from_rows("a", rows, "a.csv")
    wider = hierarchy.with_missing()
    assert list(wider.rows())[: len(rows)] == rows
    assert wider.size == len(rows) + (MISSING not in hierarchy.leaves)
    assert wider.source == "a.csv"


def test_only_hierarchies_of_numbers_dates_and_ordered_values_are_ordered() -> None:
    ordered = [
        Intervals((0, 9), widths=(5,)),
        Dates("2024-01-01", "2024-01-09", ("day", "month")),
        Ordered(values=("S", "M", "L")),
    ]
    assert all(builder.build("x").ordered for builder in ordered)
    assert all(builder.build("x").with_missing().ordered for builder in ordered)
    assert not Redaction(digits=2).build("x").ordered
    assert not Explicit(values=("a", "b")).build("x").ordered
    assert not Hierarchy.from_rows("x", [("1", "*"), ("2", "*")]).ordered


def test_a_rule_that_makes_no_new_labels_is_not_asked_what_one_covers() -> None:
    plain = Redaction(values=("J45",), unlisted=True).build("icd").growth
    assert plain is not None
    with pytest.raises(AssertionError, match="level 1: no new label 'K0' was to be expected"):
        Growth.cover_of(plain, 1, "K0")
