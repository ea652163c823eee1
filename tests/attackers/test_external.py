from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.attackers.disclosed import assess_disclosure
from anonymizer.attackers.disclosure import Disclosing, Source, parse_disclosing
from anonymizer.attackers.external import level_of, load_externals, match_columns, to_leaves
from anonymizer.attackers.statement import Statement
from anonymizer.data.column import Column
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import AnonymizerWarning, DataError, HierarchyError
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
    source = {"name": "v", "keys": ["age", "sex"], "path": "voters.csv", "id": "who"}
    if ";" in header:
        load_externals(Statement(source=[source], folder=tmp_path))  # found
    source["delimiter"] = ","
    with pytest.raises(DataError, match=message):
        load_externals(Statement(source=[source], folder=tmp_path))


# --- two tables, without a statement

AGES = Hierarchy.from_rows("age", [(str(a), f"{a // 10}0s", "*") for a in range(20, 50)])
RATES = {"age": 0.4, "sex": 0.3}
SOURCES = (Source("forum", 1.0, RATES),)


def write(folder: Path, frame: pd.DataFrame) -> Disclosing:
    frame.to_csv(folder / "profiles.csv", sep=";", index=False)
    keys = {
        "disclosure": RATES,
        "source": [{"name": "forum", "usage": 1.0}],
        "external": {"path": "profiles.csv", "delimiter": ";", "names": {"age": "age_group"}},
    }
    return parse_disclosing(keys, folder=folder)


def draw(rows: int, seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {"age": random.integers(20, 50, rows).astype(str), "sex": random.choice(["F", "M"], rows)}
    )


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 99))
def test_a_coarser_table_is_compared_on_its_level(
    tmp_path_factory: pytest.TempPathFactory, ours: int, theirs: int, seed: int
) -> None:
    mine, other = draw(ours, seed), draw(theirs, seed + 1)
    coarse = [frame.assign(age=frame["age"].str[0] + "0s") for frame in (mine, other)]
    if any(set(coarse[0][name]).isdisjoint(coarse[1][name]) for name in RATES):
        return
    asked = write(tmp_path_factory.mktemp("e"), coarse[1].rename(columns={"age": "age_group"}))
    risk = assess_disclosure(mine, asked, hierarchies={"age": AGES})
    expected = assess_disclosure(coarse[0], SOURCES, coarse[1])
    assert risk.uniqueness.unique.tolist() == expected.uniqueness.unique.tolist()
    assert risk.person_risks == pytest.approx(expected.person_risks)
    # and the other way round: ours is the coarser one
    again = assess_disclosure(coarse[0], SOURCES, other, hierarchies={"age": AGES})
    assert again.person_risks == pytest.approx(expected.person_risks)


def test_a_table_without_the_column_or_on_no_level_is_one_sentence(tmp_path: Path) -> None:
    mine = draw(5, 1)
    with pytest.raises(DataError, match="has no column for the key 'age'"):
        assess_disclosure(mine, write(tmp_path, mine), hierarchies={"age": AGES})
    mixed = mine.assign(age_group=["20s", "31", "20", "40s", "22"]).drop(columns="age")
    with pytest.raises(HierarchyError, match="no single level of its hierarchy"):
        assess_disclosure(mine, write(tmp_path, mixed), hierarchies={"age": AGES})


def test_values_that_are_never_the_same_are_a_warning_and_no_safety() -> None:
    mine = draw(5, 1)
    other = mine.assign(sex=mine["sex"].str.lower())
    with pytest.warns(AnonymizerWarning, match="no value of 'sex' occurs in both tables"):
        risk = assess_disclosure(mine, SOURCES, other)
    both = risk.uniqueness.number(["age", "sex"])
    assert risk.unique_outside[both] == 1.0
