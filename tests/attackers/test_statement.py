from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from anonymizer.assessment.protected import check_statement
from anonymizer.attackers.overlap import Overlap, Proportion
from anonymizer.attackers.statement import EXAMPLE, Statement
from anonymizer.errors import PolicyError
from anonymizer.policy import Policy
from tests.wards import write_files

SOURCE = {"name": "voters", "keys": ["age", "sex"]}


def faults_of(**keys) -> tuple[str, ...]:
    with pytest.raises(PolicyError) as error:
        Statement(**keys)
    return error.value.faults


def test_the_example_is_a_statement():
    statement = Statement(**tomllib.loads(EXAMPLE))
    register, newspapers, voters = statement.source
    assert statement.threshold_of(register) == 0.05
    assert statement.threshold_of(newspapers) == 0.2
    assert register.overlap() == ((Proportion(0.12),), (Proportion(1.0),))
    assert register.overlap(["state"]) == ((Proportion(0.12),), (Proportion(0.14),))
    assert newspapers.largest_overlap() == Overlap(p=0.3)
    assert voters.names == {"zip": "postcode"}
    assert statement.columns == (
        "age",
        "sex",
        "state",
        "year",
        "zip",
        "diagnosis",
        "readmitted",
        "patient_id",
    )


def test_all_faults_are_shown_together():
    faults = faults_of(
        source=[{**SOURCE, "p": -1, "q": 1.5, "treshold": 0.1, "attack": "rude"}],
        threshold="strict",
        sensetive={},
    )
    assert len(faults) == 6
    assert "source.0.p: -1 is not a share of people; use a number from 0 to 1." in faults
    assert "source.0.treshold: this key is unknown; did you mean 'threshold'?" in faults
    assert "sensetive: this key is unknown; did you mean 'sensitive'?" in faults
    assert any(
        fault.startswith("threshold: 'strict' is not a threshold; use 'general'")
        for fault in faults
    )


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ({"keys": ["age", "age"]}, "keys: listed more than once: 'age'; keep one of each"),
        (
            {"levels": {"agee": 1}},
            "levels: 'agee' is not a key of this source; did you mean 'age'?",
        ),
        ({"without": {"zip": {"q": 0.5}}}, "without: 'zip' is not a key of this source"),
        (
            {"p": {"by": "zip", "probabilities": {}, "default": 1}},
            "p: 'zip' is not a key of this source",
        ),
        ({"path": "v.csv", "p": 0.5}, "with a table, 'p' is not estimated; leave it out"),
        ({"names": {"age": "years"}}, "'names' is about a table; name it under 'path'"),
        ({"without": {"age": {"r": 1}}}, "this key is unknown; use one of 'p', 'q'."),
    ],
)
def test_what_is_said_of_a_source_must_fit_it(source, fault):
    (found,) = faults_of(source=[{**SOURCE, **source}])
    assert fault in found


def test_there_is_a_source_and_each_has_a_name_of_its_own():
    assert faults_of() == ("source: no source is given; add a [[source]] table for each.",)
    assert faults_of(source=[SOURCE, SOURCE]) == (
        "source: 'voters' is the name of two sources; rename one.",
    )


def test_sensitive_values_are_listed():
    statement = Statement(source=[SOURCE], sensitive={"hiv": "yes", "code": [1, 2]})
    assert statement.sensitive == {"hiv": ("yes",), "code": ("1", "2")}
    assert "list those that would do harm" in faults_of(source=[SOURCE], sensitive={"hiv": []})[0]


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path):
    with pytest.raises(PolicyError, match="there is no such statement file"):
        Statement.read(tmp_path / "absent.toml")
    path = tmp_path / "statement.toml"
    path.write_text("source = [")
    with pytest.raises(PolicyError, match="not valid TOML"):
        Statement.read(path)
    path.write_bytes(b"\xff")
    with pytest.raises(PolicyError, match="not UTF-8"):
        Statement.read(path)
    path.write_text("folder = 'x'")
    with pytest.raises(PolicyError, match="folder: this key is unknown"):
        Statement.read(path)
    path.write_text("id = 3")
    with pytest.raises(PolicyError, match="id: 3 is not a string; put it in quotes") as refused:
        Statement.read(path)
    assert str(refused.value).startswith(f"{path} has 2 defects:")


def test_names_that_are_not_columns_are_named_together(tmp_path: Path):
    policy = Policy.read(write_files(tmp_path))
    statement = Statement(
        source=[{"name": "a", "keys": ["agee", "name", "days"], "levels": {"days": 1}}],
        sensitive={"diagnoses": ["flu"]},
        id="name",
    )
    with pytest.raises(PolicyError) as error:
        check_statement(statement, policy)
    assert error.value.faults == (
        "source.0.keys: 'agee' is not a column; did you mean 'age'?",
        "source.0.levels: 'days' has no hierarchy in the policy; leave it out.",
        "source.0.keys: 'name' is the id; a key is known to others.",
        "sensitive: 'diagnoses' is not a column; did you mean 'diagnosis'?",
    )
    high = Statement(source=[{"name": "a", "keys": ["age"], "levels": {"age": 9}}], id="nam")
    with pytest.raises(PolicyError, match="'age' has levels 0 to 4, not 9") as error:
        check_statement(high, policy)
    assert "id: 'nam' is not a column; did you mean 'name'?" in error.value.faults


def test_most_is_more_than_half():
    expected = (
        "most: 0.4 is not most of a cell; use a number above 0.5 and up to 1, which is everyone."
    )
    assert faults_of(source=[SOURCE], most=0.4) == (expected,)


def test_an_id_of_a_source_is_about_its_table():
    (fault,) = faults_of(source=[SOURCE | {"id": "voter"}])
    assert fault.endswith("'id' is about a table; name it under 'path'.")
