from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anonymizer import (
    Hierarchy,
    KAnonymity,
    Policy,
    PolicyError,
    anonymize,
    verify,
    write_release,
)
from anonymizer.data.csv import CsvTable
from anonymizer.data.engines.opening import open_files
from anonymizer.data.pandas import FrameTable
from anonymizer.data.selection import Subset, take_members, whole_of
from anonymizer.data.table import read_columns
from anonymizer.errors import DataError
from anonymizer.problem import Problem
from anonymizer.risk import KMap

ROWS = 300
PEOPLE = pd.DataFrame(
    {
        "zip": [str(row * row % 7) for row in range(ROWS)],
        "sex": ["F" if row % 5 < 2 else "M" for row in range(ROWS)],
        "studied": ["yes" if row * row % 11 < 3 else "no" for row in range(ROWS)],
        "illness": ["flu" if row % 2 else "cold" for row in range(ROWS)],
    },
    dtype=object,
)
MEMBERS = PEOPLE[PEOPLE["studied"] == "yes"].reset_index(drop=True)
ZIP = Hierarchy.from_rows("zip", [(str(z), f"area {z // 3}", "*") for z in range(7)])
SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
SUBSET = {"subset": "studied", "member": "yes"}


@pytest.fixture(autouse=True)
def own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "state"))


def policy_of(risk: dict[str, Any], **parts: Any) -> Policy:
    return Policy(
        attributes={
            "zip": {"role": "quasi", "hierarchy": ZIP},
            "sex": {"role": "quasi", "hierarchy": SEX},
            "studied": {"role": "insensitive"},
            "illness": {"role": "sensitive"},
        },
        risk=[
            {"model": "k-anonymity", "k": 2},
            {"model": "delta-presence", "maximum": 0.34, "minimum": 0.1, **risk},
        ],
        **{"release": {"suppression_limit": 1.0}, **parts},
    )


def test_members_are_the_rows_with_the_value() -> None:
    subset = take_members(FrameTable(PEOPLE), "studied", "yes")
    assert subset.rows == len(MEMBERS)
    mine, theirs = (read_columns(each, list(PEOPLE)) for each in (subset, FrameTable(MEMBERS)))
    for name, column in mine.items():
        texts = [column.texts[code] for code in column.codes]
        assert texts == [theirs[name].texts[code] for code in theirs[name].codes]
    assert whole_of(subset) is subset.origin
    assert subset.digest() == FrameTable(PEOPLE).digest()


def test_a_subset_gives_what_its_members_give_beside_the_population() -> None:
    alone = anonymize(MEMBERS, policy_of({"population_table": PEOPLE}))
    subset = anonymize(PEOPLE, policy_of(SUBSET))
    assert (subset.scheme, subset.loss, subset.suppressed) == (
        alone.scheme,
        alone.loss,
        alone.suppressed,
    )
    assert 0 < subset.suppressed < subset.records == len(MEMBERS)
    assert subset.after == alone.after
    released = subset.to_frame()
    assert set(released["studied"]) == {"yes"}
    names = list(released)
    assert sorted(released[names].itertuples(index=False)) == sorted(
        alone.to_frame()[names].itertuples(index=False)
    )


@pytest.mark.parametrize("layers", [False, True])
def test_a_release_of_a_subset_is_verified_with_the_original_alone(
    tmp_path: Path, layers: bool
) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    policy = policy_of(SUBSET, release={"layers": layers})
    files = write_release(anonymize(tmp_path / "people.csv", policy), tmp_path / "out")
    found = verify(files["release"], policy)
    assert not found.failures
    assert not found.passed
    assert verify(files["release"], policy, against=tmp_path / "people.csv").passed
    more = pd.concat([PEOPLE, PEOPLE[PEOPLE["studied"] == "no"]])
    assert not verify(files["release"], policy, against=more).passed


def test_other_models_are_asked_of_the_whole_table_again() -> None:
    problem = Problem.read(PEOPLE, policy_of(SUBSET))
    assert isinstance(problem.table, Subset)
    alone = problem.with_models(KAnonymity(2))
    assert (alone.microdata.records, alone.microdata.population) == (ROWS, None)
    again = alone.with_models(*problem.models)
    assert again.microdata.records == len(MEMBERS)
    assert again.evaluate((1, 1)).loss == problem.evaluate((1, 1)).loss


@pytest.mark.parametrize(
    ("risk", "parts", "sentence"),
    [
        ({**SUBSET, "member": "ja"}, {}, "no row has 'ja' in column 'studied', which marks"),
        ({**SUBSET, "subset": "sex"}, {}, "no row has 'yes' in column 'sex'"),
        (
            {"subset": "sex", "member": "F"},
            {},
            "'sex', which marks the research subset, is a quasi",
        ),
        (SUBSET, {"data": {"sample": 0.5}}, "policy: data.sample and a research subset"),
    ],
)
def test_a_subset_that_cannot_be_taken_is_refused_in_a_sentence(
    risk: dict[str, Any], parts: dict[str, Any], sentence: str
) -> None:
    with pytest.raises((DataError, PolicyError), match=re.escape(sentence)):
        Problem.read(PEOPLE, policy_of(risk, **parts))


def test_a_subset_counts_rows_so_people_with_several_rows_are_refused() -> None:
    policy = Policy(
        data={"id": "who"},
        attributes={
            "who": {"role": "identifying"},
            "sex": {"role": "quasi", "hierarchy": SEX},
            "studied": {"role": "insensitive"},
        },
        risk=[{"model": "delta-presence", "maximum": 0.5, **SUBSET}],
    )
    with pytest.raises(PolicyError, match=r"data\.id and a research subset"):
        Problem.read(PEOPLE[["sex", "studied"]].assign(who="a"), policy)


def test_one_population_is_named_for_all_models() -> None:
    problem = Problem.read(PEOPLE, policy_of(SUBSET))
    with pytest.raises(PolicyError, match="two population tables are given"):
        problem.with_models(*problem.models, KMap(2, population_table=PEOPLE))


def test_a_subset_is_not_taken_in_an_engine(tmp_path: Path) -> None:
    for number in range(2):
        PEOPLE.to_csv(tmp_path / f"{number}.csv", index=False)
    with pytest.raises(DataError, match="cannot be taken from a table that stays in an engine"):
        take_members(open_files(tmp_path, None, None, None), "studied", "yes")
    assert isinstance(take_members(CsvTable(tmp_path / "0.csv"), "studied", "yes"), Subset)
