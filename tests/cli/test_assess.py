"""anonymizer assess as a user meets it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from anonymizer import assess
from anonymizer.assessment import Statement
from anonymizer.attackers.disclosure import parse_disclosing
from anonymizer.attackers.scenario import Scenario
from anonymizer.data.files import specs_folder
from anonymizer.data.staging import PRIVATE
from anonymizer.demo import population, register
from anonymizer.demo.example import ATTACKERS
from anonymizer.demo.example import POLICY as DEMO_POLICY
from tests.wards import SCENARIO, patients, write_files

TABLES = "values", "records", "known_sets", "combinations", "risk_by_columns"
"""What is longer than the JSON has it."""
STATEMENT = """
[sensitive]
diagnosis = ["asthma"]

[[source]]
name = "news"
keys = ["age", "sex", "zip"]
p = 0.9
"""
SOURCES = """
disclosure = { age = 0.2, sex = 0.7 }

[[source]]
name = "Twitter"
usage = 0.19

[[source]]
name = "Facebook"
usage = 0.58
disclosure = { zip = 0.1 }
"""


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    policy = write_files(tmp_path)
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    (tmp_path / "statement.toml").write_text(STATEMENT)
    (tmp_path / "sources.toml").write_text(SOURCES)
    return policy


def ask(ward: Path, *names: str) -> list[object]:
    """Ask the questions of the ward's files by their names."""
    return [word for name in names for word in (f"--{name}", ward.parent / f"{name}.toml")]


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_three_questions_have_one_page_and_one_json_without_raw_values(ward: Path, run) -> None:
    frame = patients()
    frame.loc[0, "age"] = 97  # nobody else is so old
    write_files(ward.parent, frame)
    out, cells = ward.parent / "out", ward.parent / "cells.csv"
    questions = ask(ward, "statement", "scenario", "sources")
    status, output, errors = run("assess", ward, *questions, "--out", out, "--small-cells", cells)
    assert (status, errors) == (1, "")  # the statement's threshold is not met
    for words in ("NOT", "a person's risk", "A random person is re-identified"):
        assert words in output
    found = json.loads((out / "assessment.json").read_text(encoding="utf-8"))
    assert found["passes"] is False
    assert found["findings"]["sources"][0]["name"] == "news"
    assert found["scenarios"][0]["name"] == "scenario"
    assert found["disclosure"]["subsets"] == 8
    assert found["records"] == found["disclosure"]["records"] == 120
    assert {path.suffix for path in out.iterdir()} == {".html", ".json", ".csv"}
    assert {f"{name}.csv" for name in TABLES} == {n for n in names_in(out) if n.endswith(".csv")}
    assert cells.read_text().startswith("source,age,sex,zip,people\n")
    assert cells.stat().st_mode & 0o777 == PRIVATE
    values = pd.read_csv(out / "values.csv", dtype=str)
    assert values["people"].astype(int)[~values["pooled"].eq("True")].min() >= 5
    assert "97" not in set(values["value"])
    page = (out / "assessment.html").read_text(encoding="utf-8")
    assert "Patient " not in page
    assert not re.search(r"\b97</t[dh]>|“97”|= 97<", page)
    named = found["findings"]["sources"][0]["rarity"]["key_values"]
    assert all(value["people"] >= 5 for value in named if value["value"] is not None)


@pytest.mark.slow
def test_where_nothing_is_asked_it_is_the_worst_case(ward: Path, run) -> None:
    out = ward.parent / "out"
    status, output, _ = run("assess", ward, "--json", "--out", out, "--population", 5000)
    assert status == 0
    (worst,) = json.loads(output)["scenarios"]
    assert worst["name"] == "worst-case"
    assert worst["scenario"]["population"] == 5000
    assert json.loads(output)["passes"] is None


def test_a_statement_that_is_met_is_exit_status_0(ward: Path, run) -> None:
    (ward.parent / "statement.toml").write_text(STATEMENT.replace("0.9", "0.1"))
    out = ward.parent / "out"
    status, output, _ = run("assess", ward, *ask(ward, "statement"), "--out", out, "--json")
    assert status == 0
    result = json.loads(output)
    assert result["passes"]
    assert result["scenarios"] == []
    assert result["disclosure"] is None
    assert names_in(out) == {"assessment.html", "assessment.json"}
    assert "What could be done" not in (out / "assessment.html").read_text()


@pytest.mark.parametrize("kind", ["scenario", "statement", "sources"])
def test_an_example_can_be_printed_and_read(run, kind: str) -> None:
    status, output, _ = run("assess", "--example", kind)
    assert status == 0
    keys = tomllib.loads(output)
    read = {"scenario": Scenario.parse, "statement": Statement.model_validate}
    assert read.get(kind, parse_disclosing)(keys)


def test_help_shows_examples(run) -> None:
    status, output, _ = run("assess", "--help")
    assert status == 0
    assert "anonymizer assess policy.toml --scenario voter.toml" in " ".join(output.split())


@pytest.mark.slow
def test_a_release_answers_all_questions_too(ward: Path, run) -> None:
    folder = ward.parent
    before = assess(None, ward, folder / "scenario.toml").scenarios[0].mean()
    assert run("run", ward, "--out", folder / "release")[0] == 0
    released = folder / "release" / "release.csv"  # without the column of names
    questions = [*ask(ward, "statement", "scenario", "sources"), "--data", released]
    status, output, errors = run("assess", ward, *questions, "--out", folder / "after", "--json")
    found = json.loads(output)
    smallest = found["findings"]["sources"][0]["rarity"]["smallest_cell"]
    assert smallest >= 3  # the policy's k
    assert (status, errors) == (int(0.9 / smallest > 0.2), "")
    assert found["disclosure"]["individual_risk"] == 0  # nobody is unique
    (after,) = found["scenarios"]
    assert after["method"] == "exact given u_S"
    assert after["risk"]["overall"]["mean"] < before
    assert after["worst_case"]["marketer"]["maximum"] <= 1 / 3 + 1e-12
    assert all(Path(path).is_file() for path in found["files"].values())


@pytest.mark.slow
def test_the_voter_list_on_the_built_in_register_ends_with_a_page(tmp_path: Path, run) -> None:
    patients = register(population(20_000), size=2000)
    patients.to_csv(tmp_path / "register.csv", index=False)
    text = DEMO_POLICY.replace("hierarchies/", f"{specs_folder() / 'demo'}/")
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    voters = ATTACKERS / "voter.toml"
    out = tmp_path / "out"
    status, _, errors = run("assess", tmp_path / "policy.toml", "--scenario", voters, "--out", out)
    assert (status, errors) == (0, "")
    page = (out / "assessment.html").read_text(encoding="utf-8")
    assert "The attacker learns age, sex, zip from the voter list" in " ".join(page.split())
    values = pd.read_csv(out / "values.csv", dtype={"value": str})
    children = values[(values["attribute"] == "age") & values["value"].isin(["3", "12"])]
    assert children["overall_mean"].max() < 0.001  # they are not on the list


@pytest.mark.slow
def test_a_shipped_scenario_is_fitted_to_the_table(ward: Path, run) -> None:
    status, output, _ = run(
        "assess",
        ward,
        "--scenario",
        "social-media",
        "--column",
        "year_of_birth=age",
        "--column",
        "race=zip",
        "--constant",
        "state=TN",
        "--parameter",
        "p_m=[0.2,0.8]",
        "--json",
        "--out",
        ward.parent / "out",
    )
    assert status == 0
    (found,) = json.loads(output)["scenarios"]
    assert [g["attributes"] for g in found["scenario"]["learned"]] == [["sex"], ["zip"], ["age"]]
    assert found["scenario"]["p_m"] == [0.2, 0.8]
    assert found["lowest_risk"]["overall"]["mean"] < found["risk"]["overall"]["mean"]
    page = (ward.parent / "out" / "assessment.html").read_text(encoding="utf-8")
    assert "At their lower ends the average is" in page


def test_a_common_cause_is_on_the_page(ward: Path, run) -> None:
    columns = ("--column", "year_of_birth=age", "--column", "race=zip", "--constant", "state=TN")
    out = ward.parent / "out"
    status, _, _ = run("assess", ward, "--scenario", "social-media-account", *columns, "--out", out)
    assert status == 0
    page = (out / "assessment.html").read_text(encoding="utf-8")
    assert "the first name on Twitter (once the account is found)" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scenario", "voters"), "voters: this is neither a file nor a shipped scenario"),
        (("--scenario", "social-media"), "'race' is not a quasi-identifier"),
        (
            ("--scenario", "worst-case", "--population", "7"),
            "7 people are fewer than the table's 120",
        ),
        (("--scenario", "worst-case", "--population", "0"), "--population: 0 is too small"),
        (("--scenario", "social-media", "--column", "race"), "--column: 'race' has no '='"),
        (("--scenario", "social-media", "--column", "x=y"), "--column: no scenario speaks of 'x'"),
        (
            ("--scenario", "worst-case", "--parameter", "p_m=[0.8,0.2]"),
            "p_m: [0.8, 0.2] is upside down; write the lower number first.",
        ),
        (("--scenario", "worst-case", "--parameter", "p_m=x"), "which is not a number or a range"),
        (("--scenario", "worst-case", "--parameter", "q=1"), "'q' is not one of its parameters"),
        (("--scenario", "worst-case", "--scenario", "worst-case"), "two are called 'worst-case'"),
        (("--scenario", "worst-case", "--data", "nowhere.csv"), "there is no such file"),
        (("--small-cells", "cells.csv"), "--small-cells: the cells are those of a statement"),
        (("--e-uniqueness", "0.5"), "name the sources too"),
        (
            ("--statement", "none.toml"),
            "none.toml: there is no such statement file; check the path.",
        ),
        (("--sources", "none.toml"), "none.toml: there is no such sources file; check the path."),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing(ward: Path, run, arguments, message) -> None:
    out = ward.parent / "out"
    status, output, errors = run("assess", ward, *arguments, "--out", out)
    assert (status, output) == (2, "")
    assert errors.startswith("error: ")
    assert message in errors
    assert "Traceback" not in errors
    assert not out.exists()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("statement", STATEMENT.replace("0.9", "1.9"), "source.0.p: 1.9 is not a share of people"),
        (
            "statement",
            STATEMENT.replace("zip", "zap"),
            "'zap' is not a column; did you mean 'zip'?",
        ),
        ("statement", STATEMENT + 'path = "none.csv"', "with a table, 'p' is not estimated"),
        ("sources", SOURCES.replace("0.19", "1.9"), "usage: 1.9 is not a probability"),
        ("sources", SOURCES.replace("zip", "zap"), "no column 'zap'; did you mean 'zip'?"),
        ("sources", SOURCES.replace("[[", "["), "not valid TOML"),
        (
            "sources",
            "disclosure = {"
            + ", ".join(f"a{i} = 0.1" for i in range(22))
            + '}\n[[source]]\nname = "a"\nusage = 1',
            "22 attributes have 4,194,304 subsets",
        ),
    ],
)
def test_a_mistake_in_a_file_is_named_and_leaves_nothing(
    ward: Path, run, name: str, text: str, message: str
) -> None:
    wide = {f"a{i}": range(120) for i in range(22)} if "a21" in text else {}
    data = ward.parent / "wide.csv"
    patients().assign(**wide).to_csv(data, sep=";", index=False)
    (ward.parent / f"{name}.toml").write_text(text)
    out = ward.parent / "out"
    status, output, errors = run("assess", ward, *ask(ward, name), "--data", data, "--out", out)
    assert (status, output) == (2, "")
    assert message in errors
    assert "Traceback" not in errors
    assert not out.exists()


def test_options_of_scenarios_need_one(ward: Path, run) -> None:
    arguments = (*ask(ward, "sources"), "--population", 5000, "--out", ward.parent / "out")
    status, _, errors = run("assess", ward, *arguments)
    assert status == 2
    assert "--population: it is about scenarios" in errors


def test_small_cells_overwrite_nothing(ward: Path, run) -> None:
    out = ward.parent / "out"
    status, _, errors = run(
        "assess", ward, *ask(ward, "statement"), "--small-cells", ward, "--out", out
    )
    assert status == 2
    assert "would be overwritten" in errors
    assert not out.exists()


def test_what_is_read_is_never_overwritten(ward: Path, run) -> None:
    scenario = ward.parent / "scenario.toml"
    data = ward.parent / "records.csv"
    data.write_text((ward.parent / "patients.csv").read_text())
    arguments = ("--scenario", scenario, "--data", data, "--out", ward.parent)
    status, _, errors = run("assess", ward, *arguments)
    assert status == 2
    assert "would be overwritten" in errors
    assert data.read_text() == (ward.parent / "patients.csv").read_text()


def test_a_threshold_on_the_risk_of_each_person_decides_the_exit_status(
    ward: Path, tmp_path: Path, run
) -> None:
    sources = tmp_path / "sources.toml"
    command = ("assess", ward, "--sources", sources, "--out", tmp_path / "out")
    risks = tmp_path / "risks.csv"
    status, output, _ = run(*command, "--json", "--person-risks", risks)
    assert status == 0
    disclosure = json.loads(output)["disclosure"]
    assert risks.stat().st_mode & 0o777 == PRIVATE
    written = pd.read_csv(risks)
    assert written["row"].tolist() == list(range(1, 121))
    assert written["risk"].max() == pytest.approx(disclosure["highest_risk"])
    assert written["risk"].mean() == pytest.approx(disclosure["individual_risk_exact"])
    highest = disclosure["highest_risk"]
    for threshold, expected in ((highest / 2, 1), (min(1, highest * 1.01), 0)):
        sources.write_text(f"threshold = {threshold}\n{SOURCES}")
        status, output, _ = run(*command, "--json")
        assert status == expected
        assert json.loads(output)["passes"] is (expected == 0)
    sources.write_text(f"threshold = {highest / 2}\n{SOURCES}")
    _, output, _ = run(*command)
    assert "people are above the threshold" in " ".join(output.split())
    assert "left out" in output
    assert "above the threshold" in (tmp_path / "out" / "assessment.html").read_text()
    assert len(pd.read_csv(tmp_path / "out" / "risk_by_columns.csv")) == 8


def test_sources_may_name_an_external_table_with_other_names_and_levels(
    ward: Path, tmp_path: Path, run
) -> None:
    frame = pd.read_csv(tmp_path / "patients.csv", sep=";", dtype=str).head(60)
    profiles = frame.assign(age_group=frame["zip"].str[:2] + "*")[["age_group", "age", "sex"]]
    profiles.to_csv(tmp_path / "profiles.csv", index=False)
    table = 'external = { path = "profiles.csv", names = { zip = "age_group" } }\n'
    (tmp_path / "sources.toml").write_text(table + SOURCES)
    command = ("assess", ward, *ask(ward, "sources"), "--out", tmp_path / "out")
    status, output, errors = run(*command, "--json")
    assert (status, errors) == (0, "")
    assert json.loads(output)["disclosure"]["records"] == 120
    status, _, errors = run(*command, "--person-risks", ward)
    assert status == 2
    assert "would be overwritten" in errors


def test_person_risks_need_sources(ward: Path, tmp_path: Path, run) -> None:
    out, risks = tmp_path / "out", tmp_path / "risks.csv"
    status, _, errors = run("assess", ward, "--person-risks", risks, "--out", out)
    assert status == 2
    assert "--person-risks: the risk is that through sources; add --sources." in errors
