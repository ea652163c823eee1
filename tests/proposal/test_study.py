"""Proposals for linked tables: what they write runs, and is verified."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from anonymizer.errors import PolicyError
from anonymizer.hierarchy import parse_spec
from anonymizer.policy import Policy, Role
from anonymizer.proposal.study import propose_study
from tests.proposal.standards import omop, sdtm, write
from tests.shared import ABSENT, DATA


@pytest.mark.parametrize("kind", ["csv", "parquet", "xpt"])
def test_a_folder_of_sdtm_is_released_and_verified(kind: str, tmp_path: Path, run) -> None:
    folder, out, policy = write(sdtm(), tmp_path / "trial", kind), tmp_path / "out", tmp_path / "p"
    status, said, _ = run("init", folder, "--study", "sdtm", "--out", policy)
    assert status == 0, said
    said = " ".join(said.split())
    assert "'DM' is the people table: each row is a person, named by 'USUBJID'." in said
    assert "AE: free text leaves, since it may name people: 'AETERM'." in said
    assert "DM: not known to the standard, and removed unless you give them a role: 'INVEST" in said
    assert "Left out: 'TRIALARMS', which SDTM does not know." in said
    status, output, _ = run("run", policy / "policy.toml", "--out", out, "--json")
    assert status == 0, output
    assert set(json.loads(output)["scheme"]) >= {
        "AGE",
        "SEX",
        "AE.AEDECOD",
        "AE.AESTDTC",
        "VS.VSDTC",
    }
    status, output, _ = run("verify", out, policy / "policy.toml", "--against", folder)
    assert status == 0, output


def test_sdtm_counts_from_the_start_of_treatment_and_groups_terms_by_body_system(
    tmp_path: Path,
) -> None:
    proposal = propose_study([write(sdtm(), tmp_path / "trial")], standard="sdtm")
    [_, ae, vs] = proposal.tables
    assert (ae.columns["AESTDTC"].since, vs.columns["VSDTC"].since) == ("RFSTDTC", "RFSTDTC")
    assert 'above = ["AEBODSYS"]' in str(ae.columns["AEDECOD"].spec)
    assert ae.columns["AEBODSYS"].role is ae.columns["AESTDY"].role is Role.REMOVED
    assert vs.columns["VSSTRESN"].role is Role.INSENSITIVE


def test_without_an_index_date_of_everybody_the_first_event_is_one(tmp_path: Path) -> None:
    tables = sdtm()
    tables["DM"].loc[3, "RFSTDTC"] = None
    proposal = propose_study([write(tables, tmp_path / "trial")], standard="sdtm")
    assert proposal.tables[1].columns["AESTDTC"].since == "first"


def test_a_folder_of_omop_is_released_and_verified(tmp_path: Path, run) -> None:
    folder, out, policy = write(omop(), tmp_path / "cdm"), tmp_path / "out", tmp_path / "p"
    status, said, _ = run("init", folder, "--study", "omop", "--out", policy)
    assert status == 0, said
    said = " ".join(said.split())
    assert "'condition_occurrence' belongs to 'visit_occurrence' by 'visit_occurrence_id'." in said
    assert "Left out: 'note', which OMOP does not know." in said
    read = Policy.read(policy / "policy.toml")
    assert read.tables["condition_occurrence"].parent == "visit_occurrence"
    assert read.tables["visit_occurrence"].key == "visit_occurrence_id"
    spec = (policy / "hierarchies/condition_occurrence/condition_concept_id.toml").read_text()
    assert "[groups.Condition]" in spec
    assert run("run", policy / "policy.toml", "--out", out)[0] == 0
    status, output, _ = run("verify", out, policy / "policy.toml", "--against", folder)
    assert status == 0, output


def database_of(tables: dict[str, pd.DataFrame], path: Path) -> Path:
    """Write tables into a DuckDB database."""
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("ibis")
    with duckdb.connect(str(path)) as there:
        for name, frame in tables.items():
            there.register("given", frame)
            there.execute(f'CREATE TABLE "{name}" AS SELECT * FROM given')
            there.unregister("given")
    return path


def test_a_database_of_omop_is_released_and_verified(tmp_path: Path, run) -> None:
    database, policy = database_of(omop(), tmp_path / "cdm.duckdb"), tmp_path / "p"
    status, said, errors = run("init", database, "--study", "omop", "--out", policy)
    assert status == 0, errors
    assert "'condition_occurrence' belongs to 'visit_occurrence'" in " ".join(said.split())
    text = (policy / "policy.toml").read_text()
    assert 'path = "../cdm.duckdb"\ntable = "person"' in text
    spec = (policy / "hierarchies/condition_occurrence/condition_concept_id.toml").read_text()
    assert "[groups.Condition]" in spec
    out = tmp_path / "out"
    assert run("run", policy / "policy.toml", "--out", out)[0] == 0
    status, output, _ = run("verify", out, policy / "policy.toml", "--against", database)
    assert status == 0, output
    assert run("init", tmp_path / "none.duckdb", "--out", tmp_path / "q")[0] == 2


def test_groups_of_terms_in_a_database_are_those_in_files(tmp_path: Path) -> None:
    database = database_of(sdtm(), tmp_path / "trial.duckdb")
    folder = write(sdtm(), tmp_path / "trial")
    trees = []
    for place in (database, folder):
        [_, ae, _] = propose_study([place], standard="sdtm").tables
        built = parse_spec(tomllib.loads(str(ae.columns["AEDECOD"].spec)), "AEDECOD")
        hierarchy = built.build("AEDECOD")
        trees.append({row[0]: row for row in hierarchy.rows()})
    assert trees[0] == trees[1]
    assert trees[0]["NAUSEA"][1:] == ("GUT", "*")


@pytest.mark.filterwarnings("ignore:.*only the year or the month")
@pytest.mark.skipif(not DATA.exists(), reason=ABSENT)
@pytest.mark.parametrize("name", ["sdtm", "omop2", "synthea", "eusilc"])
def test_what_is_written_for_the_shared_studies_runs(name: str, tmp_path: Path, run) -> None:
    folder = DATA / "studies" / name
    files = sorted(folder.glob("*.csv"))
    assert run("init", *files, "--out", tmp_path / "p")[0] == 0
    out = tmp_path / "out"
    policy = tmp_path / "p" / "policy.toml"
    assert run("run", policy, "--out", out, "--time-limit", "1")[0] == 0
    people = {"sdtm": "dm", "omop2": "person", "synthea": "patient", "eusilc": "household"}
    assert (out / f"{people[name]}.csv").exists()


def test_groups_of_terms_are_found_without_a_standard(tmp_path: Path) -> None:
    tables = {name: sdtm()[name] for name in ("DM", "AE")}
    tables["AE"] = tables["AE"].drop(columns=["AETERM", "AESTDY", "STUDYID", "DOMAIN"])
    [_, ae] = propose_study([write(tables, tmp_path / "trial")]).tables
    assert 'above = ["AEBODSYS"]' in str(ae.columns["AEDECOD"].spec)
    assert ae.columns["AEBODSYS"].role is Role.REMOVED
    assert ae.columns["AESTDTC"].since == "first"


@pytest.mark.parametrize(
    ("names", "standard", "sentence"),
    [
        (("AE", "VS"), "sdtm", "there is no table 'dm', in which SDTM has the people"),
        (
            ("DM", "TRIALARMS"),
            "sdtm",
            "there is no table of SDTM beside 'DM'; check what the files",
        ),
        (("DM",), None, "linked tables are two or more; name their folder"),
        (("DM", "AE"), "cdisc", "'cdisc' is no standard; use one of 'sdtm', 'omop'"),
        (("DM", "TRIALARMS"), None, "no column of one has all its values in a column of another"),
    ],
)
def test_what_is_no_study_is_a_sentence(
    names: tuple[str, ...], standard: str | None, sentence: str, tmp_path: Path
) -> None:
    folder = write({name: sdtm()[name] for name in names}, tmp_path / "trial")
    with pytest.raises(PolicyError) as error:
        propose_study([folder], standard=standard)
    assert sentence in str(error.value)


def test_options_of_one_table_are_refused_and_a_folder_of_parts_is_one_table(
    tmp_path: Path, run
) -> None:
    folder = write(sdtm(), tmp_path / "trial")
    status, _, errors = run(
        "init", folder, "--study", "sdtm", "--quasi", "AGE", "--out", tmp_path / "p"
    )
    assert status == 2
    assert "'--quasi' looks at one table" in errors
    parts = tmp_path / "parts"
    parts.mkdir()
    frame = pd.DataFrame({"age": [30, 40] * 20, "sex": ["f", "m"] * 20})
    for part in ("a", "b"):
        frame.to_csv(parts / f"{part}.csv", index=False)
    status, _, errors = run("init", parts / "a.csv", "--power", "2", "--out", tmp_path / "q")
    assert status == 2
    assert "--power is of linked tables" in errors
