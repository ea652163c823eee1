"""External tables with other names and other levels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.attackers.disclosed import assess_disclosure
from anonymizer.attackers.disclosure import Disclosing, Source, parse_disclosing
from anonymizer.errors import AnonymizerWarning, DataError, HierarchyError
from anonymizer.hierarchy import Hierarchy

AGE = Hierarchy.from_rows("age", [(str(a), f"{a // 10}0s", "*") for a in range(20, 50)])
RATES = {"age": 0.4, "sex": 0.3}
SOURCES = (Source("forum", 1.0, RATES),)


def write(folder: Path, frame: pd.DataFrame) -> Disclosing:
    frame.to_csv(folder / "profiles.csv", sep=";", index=False)
    keys = {
        "disclosure": RATES,
        "sources": [{"name": "forum", "usage": 1.0}],
        "external": {"table": "profiles.csv", "delimiter": ";", "columns": {"age": "age_group"}},
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
    risk = assess_disclosure(mine, asked, hierarchies={"age": AGE})
    expected = assess_disclosure(coarse[0], SOURCES, coarse[1])
    assert risk.uniqueness.unique.tolist() == expected.uniqueness.unique.tolist()
    assert risk.person_risks == pytest.approx(expected.person_risks)
    # and the other way round: ours is the coarser one
    again = assess_disclosure(coarse[0], SOURCES, other, hierarchies={"age": AGE})
    assert again.person_risks == pytest.approx(expected.person_risks)


def test_a_table_without_the_column_or_on_no_level_is_one_sentence(tmp_path: Path) -> None:
    mine = draw(5, 1)
    with pytest.raises(DataError, match="has no column for the key 'age'"):
        assess_disclosure(mine, write(tmp_path, mine), hierarchies={"age": AGE})
    mixed = mine.assign(age_group=["20s", "31", "20", "40s", "22"]).drop(columns="age")
    with pytest.raises(HierarchyError, match="no single level of its hierarchy"):
        assess_disclosure(mine, write(tmp_path, mixed), hierarchies={"age": AGE})


def test_values_that_are_never_the_same_are_a_warning_and_no_safety() -> None:
    mine = draw(5, 1)
    other = mine.assign(sex=mine["sex"].str.lower())
    with pytest.warns(AnonymizerWarning, match="no value of 'sex' occurs in both tables"):
        risk = assess_disclosure(mine, SOURCES, other)
    both = risk.uniqueness.number(["age", "sex"])
    assert risk.unique_outside[both] == 1.0
