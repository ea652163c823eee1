from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anonymizer.attackers.external import level_of, load_externals, match_columns, to_leaves
from anonymizer.attackers.statement import Statement
from anonymizer.data.column import Column
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import DataError, HierarchyError
from anonymizer.hierarchy import Hierarchy
from tests.assessment.tables import frame_of

AGE = Hierarchy.from_rows(
    "age", [("31", "30-39", "*"), ("38", "30-39", "*"), ("45", "40-49", "*")], "age.csv"
)


def test_the_level_of_a_column_is_the_finest_that_knows_its_values():
    assert level_of(AGE, ["31", "45", ""], "here") == 0
    assert level_of(AGE, ["30-39"], "there") == 1
    assert level_of(AGE, ["*"], "there") == 2


@pytest.mark.usefixtures("values_shown")
def test_values_of_no_single_level_are_named():
    with pytest.raises(
        HierarchyError, match=r"voters.csv: column 'age' has values that no single .*: '30-39'; "
    ):
        level_of(AGE, ["31", "38", "30-39"], "voters.csv")


def test_leaves_stand_for_the_values_of_a_level():
    column = Column(np.array([0, 1, 2]), ("40-49", "30-39", ""))
    leaves = to_leaves(AGE, 1, column)
    assert [leaves.texts[code] for code in leaves.codes] == ["45", "31", ""]
    assert to_leaves(AGE, 0, column) is column


def test_an_external_table_without_a_common_key_is_refused():
    external = FrameTable(frame_of([("x", "y")]))
    with pytest.raises(DataError, match=r"no column in common with the keys 'age', 'sex'"):
        match_columns(["age", "sex"], external, {})
    with pytest.raises(DataError, match=r"no column for the key 'sex'; leave it out"):
        match_columns(["a", "sex"], external, {})
    assert match_columns(["age"], external, {"age": "b"}) == {"age": "b"}


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("age,age,sex,who\n31,31,F,1", "voters.csv: column 'age' occurs twice; rename one."),
        ("age,sex,who,who\n31,F,1,1", "voters.csv: column 'who' occurs twice; rename one."),
        ("age;sex;who\n31;F;1", r"Is the delimiter ';' rather than ','\? Name its columns"),
    ],
)
def test_a_header_that_cannot_be_read_is_one_sentence(tmp_path: Path, header: str, message: str):
    (tmp_path / "voters.csv").write_text(f"{header}\n")
    source = {"name": "v", "keys": ["age", "sex"], "table": "voters.csv", "id": "who"}
    if ";" in header:
        load_externals(Statement(source=[source], folder=tmp_path))  # found
    source["delimiter"] = ","
    with pytest.raises(DataError, match=message):
        load_externals(Statement(source=[source], folder=tmp_path))
