"""anonymizer assess as a user meets it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from anonymizer.cli import main
from anonymizer.demo import population, register
from anonymizer.demo.example import POLICY as DEMO_POLICY
from anonymizer.files import specs_folder
from tests.wards import SCENARIO, write_files

pytest.importorskip("matplotlib")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the command line and return exit status, output and errors."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["anonymizer", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return int(left.value.code or 0), *capsys.readouterr()

    return call


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    policy = write_files(tmp_path)
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    return policy


def test_page_tables_and_pictures_are_written(ward: Path, run) -> None:
    out = ward.parent / "out"
    scenario = ward.parent / "scenario.toml"
    arguments = ("--scenario", scenario, "--scenario", "worst-case", "--population", 100000)
    status, output, errors = run("assess", ward, *arguments, "--out", out)
    assert (status, errors) == (0, "")
    assert "120 records" in output
    assert {path.suffix for path in out.iterdir()} == {".html", ".csv", ".png", ".svg"}
    assert "For whom." in (out / "assessment.html").read_text(encoding="utf-8")


def test_json_has_the_risks_of_raw_and_released_table(ward: Path, run) -> None:
    folder = ward.parent
    scenario = ("--scenario", folder / "scenario.toml", "--json")
    status, output, _ = run("assess", ward, *scenario, "--out", folder / "raw")
    assert status == 0
    raw = json.loads(output)
    assert run("run", ward, "--out", folder / "release")[0] == 0
    data = folder / "release" / "release.csv"
    status, output, _ = run("assess", ward, *scenario, "--data", data, "--out", folder / "after")
    assert status == 0
    released = json.loads(output)
    (before,), (after,) = raw["scenarios"], released["scenarios"]
    assert before["method"] == after["method"] == "exact"
    assert after["risk"]["overall"]["mean"] < before["risk"]["overall"]["mean"]
    assert after["worst_case"]["marketer"]["maximum"] <= 1 / 3 + 1e-12  # the policy asks for k = 3
    assert all(Path(path).is_file() for path in released["files"].values())


def test_the_voter_list_on_the_built_in_register_ends_with_a_page(tmp_path: Path, run) -> None:
    patients = register(population(20_000), size=2000)
    patients.to_csv(tmp_path / "register.csv", index=False)
    text = DEMO_POLICY.replace("hierarchies/", f"{specs_folder() / 'demo'}/")
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    voters = specs_folder() / "demo" / "voter.toml"
    out = tmp_path / "out"
    status, _, errors = run("assess", tmp_path / "policy.toml", "--scenario", voters, "--out", out)
    assert (status, errors) == (0, "")
    page = (out / "assessment.html").read_text(encoding="utf-8")
    assert "The attacker learns <i>age, sex, zip</i> from the voter list" in " ".join(page.split())
    values = pd.read_csv(out / "values.csv", dtype={"value": str})
    children = values[(values["attribute"] == "age") & values["value"].isin(["3", "12"])]
    assert children["overall_mean"].max() < 0.001  # they are not on the list


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
        "--json",
        "--out",
        ward.parent / "out",
    )
    assert status == 0
    groups = json.loads(output)["scenarios"][0]["scenario"]["groups"]
    assert [group["attributes"] for group in groups] == [["sex"], ["zip"], ["age"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scenario", "voters"), "voters: this is no file and no shipped scenario"),
        (("--scenario", "social-media"), "'race' is no quasi-identifier"),
        (
            ("--scenario", "worst-case", "--population", "7"),
            "7 people are fewer than the table's 120",
        ),
        (("--scenario", "worst-case", "--population", "0"), "--population: 0 is too small"),
        (("--scenario", "social-media", "--column", "race"), "--column: 'race' has no '='"),
        (("--scenario", "social-media", "--column", "x=y"), "--column: no scenario speaks of 'x'"),
        (("--scenario", "worst-case", "--scenario", "worst-case"), "two are called 'worst-case'"),
        (("--scenario", "worst-case", "--data", "nowhere.csv"), "there is no such file"),
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


def test_what_is_read_is_never_overwritten(ward: Path, run) -> None:
    scenario = ward.parent / "scenario.toml"
    data = ward.parent / "records.csv"
    data.write_text((ward.parent / "patients.csv").read_text())
    arguments = ("--scenario", scenario, "--data", data, "--out", ward.parent)
    status, _, errors = run("assess", ward, *arguments)
    assert status == 2
    assert "would be overwritten" in errors
    assert data.read_text() == (ward.parent / "patients.csv").read_text()
