"""A policy put to linked tables: given by name or found, checked, and refused in one sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anonymizer import AnonymizerError, DataError, Policy, PolicyError, Problem, assess
from anonymizer.problem.study import StudyProblem
from tests.clinic import NAMES, POLICY, Frames, frames, write_clinic


def test_tables_are_found_or_given_by_name_and_are_the_same(tmp_path: Path) -> None:
    policy = write_clinic(tmp_path)
    found = StudyProblem.read(None, policy)
    given = StudyProblem.read(frames(), policy)
    some = StudyProblem.read({"patient": frames()["patient"]}, policy)
    other = StudyProblem.read({"someone": frames()["patient"]}, policy)
    assert [part.name for part in found.parts] == list(NAMES)
    assert [part.name for part in other.parts] == ["someone", *NAMES[1:]]
    for problem in (given, some, other):
        high = problem.lattice.high
        assert high == found.lattice.high
        assert problem.evaluator.evaluate(high).loss == found.evaluator.evaluate(high).loss
    assert found.kept_columns == ("arm", "drug.dose")


def test_levels_and_weights_of_every_table_count(tmp_path: Path) -> None:
    text = POLICY.replace(
        'hierarchy = "code.csv"', 'hierarchy = "code.csv", max_level = 1, weight = 2'
    )
    problem = StudyProblem.read(None, write_clinic(tmp_path, text))
    at = problem.study.attributes.index("diagnosis.code")
    assert problem.lattice.high[at] == 1
    assert problem.evaluator.cover.weights[at] == 2 * problem.evaluator.cover.weights[0]


def test_other_questions_refuse_linked_tables(tmp_path: Path) -> None:
    policy = write_clinic(tmp_path)
    for ask in (Problem.read, assess):
        with pytest.raises(PolicyError, match="links 'visit', 'diagnosis', 'drug' to the people"):
            ask(None, policy)


def spoiled(name: str, change: Any) -> Frames:
    """The study with one table changed."""
    found = frames()
    return {**found, name: change(found[name])}


BAD: dict[str, tuple[Any, str]] = {
    "orphan": (
        lambda: spoiled("drug", lambda f: f.assign(who=["nobody", *f["who"][1:]])),
        "row 1 belongs to nobody: its 'who' is in no row of table 'patient'",
    ),
    "key twice": (
        lambda: spoiled("visit", lambda f: f.assign(visit_id=["V00001", *f["visit_id"][1:]])),
        "rows 1 and 2 have the same key in column 'visit_id'",
    ),
    "person twice": (
        lambda: spoiled("patient", lambda f: pd.concat([f, f.iloc[:1]])),
        "have the same id in column 'pid'",
    ),
    "missing id": (
        lambda: spoiled("drug", lambda f: f.assign(who=[None, *f["who"][1:]])),
        "row 1 has no 'who', so it is not known whose it is",
    ),
    "no rows": (lambda: spoiled("drug", lambda f: f.iloc[:0]), "the table has no rows"),
    "no role": (
        lambda: spoiled("drug", lambda f: f.assign(note="x")),
        "no role in the policy for 'note'",
    ),
    "two strangers": (
        lambda: {**frames(), "lab": frames()["drug"]},
        "'patient', 'lab' are no tables of .tables., and one alone can be that of the people",
    ),
    "not by name": (lambda: frames()["patient"], "the policy has linked tables; give them by name"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(tmp_path: Path, name: str) -> None:
    make, sentence = BAD[name]
    with pytest.raises(DataError, match=sentence) as found:
        StudyProblem.read(make(), write_clinic(tmp_path))
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("k = 3", "k = 61", "k = 61 is larger than the table, which has 60 people"),
        ('path = "drug.csv"', "", "tables.drug.path is missing, and no data was given"),
        (
            "power = 2",
            'power = 2\n[utility]\nmeasure = "precision"',
            "is not one for linked tables",
        ),
        ('"patient.csv"', '"visit.csv"', "'visit' is the people table by its file, and a table of"),
        ("dose = { role", "dosis = { role", "no column 'dosis'"),
    ],
)
def test_a_policy_that_does_not_fit_is_one_sentence(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    assert old in POLICY
    policy = write_clinic(tmp_path, POLICY.replace(old, new))
    with pytest.raises(AnonymizerError, match=sentence):
        StudyProblem.read(None, policy)


def test_columns_that_are_kept_and_give_another_away_are_refused(tmp_path: Path) -> None:
    told = frames()["diagnosis"].assign(text=lambda f: f["code"] + " in words")
    text = POLICY.replace("\ncode = {", '\ntext = { role = "insensitive" }\ncode = {')
    with pytest.raises(PolicyError, match="text"):
        StudyProblem.read(None, write_clinic(tmp_path, text, diagnosis=told))


def test_a_default_role_is_of_one_table(tmp_path: Path) -> None:
    text = POLICY.replace('path = "drug.csv"', 'path = "drug.csv"\ndefault_role = "removed"')
    noted = frames()["drug"].assign(note="x")
    problem = StudyProblem.read(None, write_clinic(tmp_path, text, drug=noted))
    assert problem.parts[3].columns == ("who", "name", "dose")
    assert problem.policy.describe()["tables"]["drug"]["attributes"]["note"]["role"] == "removed"
    assert Policy.of(tomllib.loads(text)).tables["drug"].default_role == "removed"
