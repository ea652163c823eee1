"""Linked tables read: who is the parent of each row, and bad input in one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from anonymizer.data.pandas import FrameTable
from anonymizer.errors import DataError
from anonymizer.hierarchy import Hierarchy
from anonymizer.study.encoding import KeyedTable, encode_study

SEX = Hierarchy.from_rows("sex", [("f", "*"), ("m", "*")])
TERM = Hierarchy.from_rows(
    "term", [("rash", "skin", "*"), ("itch", "skin", "*"), ("flu", "lung", "*")]
)


def linked(
    name: str, columns: dict[str, list[Any]], hierarchies: list[Hierarchy], **keys: Any
) -> KeyedTable:
    return KeyedTable(name, FrameTable(pd.DataFrame(columns, dtype=object)), hierarchies, **keys)


def tables() -> dict[str, KeyedTable]:
    return {
        "dm": linked("dm", {"id": ["a", "b"], "sex": ["f", "m"]}, [SEX], id="id"),
        "ae": linked(
            "ae",
            {"id": ["b", "a", "b"], "no": [1, 2, 3], "term": ["flu", "rash", "itch"]},
            [TERM],
            id="id",
            key="no",
        ),
        "dose": linked("dose", {"no": [3, 3, 1]}, [], id="no", parent="ae"),
    }


def test_every_row_finds_its_parent_and_its_person() -> None:
    study = encode_study(list(tables().values()))
    assert study.attributes == ("sex", "ae.term")
    assert study.lattice.high == (1, 2)
    assert [table.parent for table in study.tables] == [None, 0, 1]
    assert [rows.tolist() for rows in study.person_of_row] == [[0, 1], [1, 0, 1], [1, 1, 1]]
    assert study.tables[2].parent_row is not None
    assert study.tables[2].parent_row.tolist() == [2, 2, 0]
    assert not study.is_flat


def test_a_parent_comes_before_its_children_however_they_are_given() -> None:
    given = tables()
    study = encode_study([given["dm"], given["dose"], given["ae"]])
    assert [table.name for table in study.tables] == ["dm", "ae", "dose"]


def frame(**columns: list[Any]) -> FrameTable:
    return FrameTable(pd.DataFrame(columns, dtype=object))


AE = {"no": [1, 2, 3], "term": ["flu", "rash", "itch"]}


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        (
            "ae",
            {"table": frame(id=["b", "x", "b"], **AE)},
            "row 2 belongs to nobody: its 'id' is in",
        ),
        ("ae", {"table": frame(id=["b", None, "b"], **AE)}, "row 2 has no 'id'"),
        ("dm", {"table": frame(id=["a", None], sex=["f", "m"])}, "row 2 has no 'id'"),
        ("dm", {"table": frame(id=["a", "a"], sex=["f", "m"])}, "rows 1 and 2 have the same id"),
        (
            "ae",
            {"table": frame(id=["b", "a", "b"], no=[1, 3, 3], term=AE["term"])},
            "rows 2 and 3 have the same key in column 'no'",
        ),
        ("ae", {"table": frame(id=[], no=[], term=[])}, "the table has no rows"),
        ("ae", {"parent": "dose"}, "form a cycle"),
        ("ae", {"parent": "dx"}, "its parent 'dx' is no table of the study; use one of"),
        ("ae", {"key": None}, "other tables belong to it, and it has no key"),
        ("ae", {"key": "numb"}, "column 'numb' is not in the table"),
        ("dm", {"parent": "ae"}, "has no parent; leave it out"),
        ("dose", {"name": "ae", "parent": None}, "two tables of the study have this name"),
        (
            "dm",
            {
                "table": frame(id=["a", "b"], **{"ae.term": ["f", "m"]}),
                "hierarchies": [replace(SEX, name="ae.term")],
            },
            "'ae.term' is called as a column of a child table is",
        ),
    ],
)
def test_bad_input_is_told_in_a_sentence(name: str, change: dict[str, Any], fault: str) -> None:
    given = tables()
    given[name] = replace(given[name], **change)
    with pytest.raises(DataError, match=fault) as told:
        encode_study(list(given.values()))
    assert str(told.value).count("\n") == 0
    assert "hidden" in str(told.value) or "'x'" not in str(told.value)


def test_a_study_without_tables_is_refused() -> None:
    with pytest.raises(DataError, match="no tables"):
        encode_study([])
