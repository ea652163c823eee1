"""init on the command line: three commands from a raw table to a verified release."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer.errors import AnonymizerWarning
from anonymizer.proposal.choices import split_names
from tests.problem.test_person import visits
from tests.snippets import Run
from tests.tables import draw, write

SCREEN = 50
"""The lines of one screen."""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A raw table in the current folder."""
    monkeypatch.chdir(tmp_path)
    return write(draw("several rows for each person"), Path("visits.csv"), ",")


def test_three_commands_lead_from_a_table_to_a_verified_release(table: Path) -> None:
    for command in (
        f"init {table} --out init",
        "run init/policy.toml --out release",
        f"verify release/release.csv init/policy.toml --against {table}",
    ):
        words = [sys.executable, "-m", "anonymizer", *command.split()]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert "verified: every claim" in done.stdout


def test_the_terminal_shows_roles_and_figures_and_no_cell(table: Path, run: Run) -> None:
    status, out, errors = run("init", table, "--out", "init")
    assert status == 0
    assert "identifying, id" in out
    assert "next: anonymizer run init/policy.toml --out release" in out
    cells = {cell for line in table.read_text().splitlines()[1:] for cell in line.split(",")}
    shown = f"{out}{errors}"
    assert not [cell for cell in cells if len(cell) > 3 and cell in shown]


def test_the_options_decide_and_are_in_the_policy(table: Path, run: Run) -> None:
    names = ["--quasi", "sex,zip", "--identifying", "visit", "--sensitive", "diagnosis"]
    status, out, _ = run("init", table, "--out", "init", "--k", 3, *names, "--json")
    assert status == 0
    described = json.loads(out)
    assert described["k"] == 3
    policy = tomllib.loads(Path("init/policy.toml").read_text(encoding="utf-8"))
    assert policy["data"] == {"path": "../visits.csv", "id": "patient_id"}
    roles = {name: keys["role"] for name, keys in policy["attributes"].items()}
    assert roles["visit"] == "identifying"
    assert roles["sex"] == roles["zip"] == "quasi"
    assert policy["risk"] == [{"model": "k-anonymity", "k": 3}]
    assert sorted(described["files"]) == ["hierarchies", "page", "policy"]


def test_a_policy_that_is_there_stays(table: Path, run: Run) -> None:
    Path("init").mkdir()
    Path("init/policy.toml").write_text("mine")
    status, _, errors = run("init", table, "--out", "init")
    assert status == 2
    assert "init/policy.toml is there already" in errors
    assert Path("init/policy.toml").read_text() == "mine"
    assert not Path("init/hierarchies").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--quasi", "sexx"], "there is no column 'sexx'"),
        (["--k", "0"], "k must be at least 1, got 0."),
        (["--keep", "sex", "--quasi", "sex"], "two roles are given for 'sex'"),
    ],
)
def test_a_slip_is_one_sentence_and_leaves_nothing(
    options: list[str], sentence: str, table: Path, run: Run
) -> None:
    status, _, errors = run("init", table, "--out", "init", *options)
    assert status == 2
    assert sentence in errors
    assert not Path("init").exists()


def test_names_with_commas_are_taken_whole() -> None:
    assert split_names(["a, b", "c,d"], ["a, b", "c", "d"]) == ["a, b", "c", "d"]


@pytest.mark.parametrize("need", [[], ["--need", "age,diagnosis"], ["--need", "age,score"]])
def test_the_analyses_that_are_proposed_run_as_written(
    need: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(4)
    pd.DataFrame(
        {
            "age": random.integers(20, 80, 400),
            "sex": random.choice(["f", "m"], 400),
            "score": random.integers(0, 40, 400),
            "diagnosis": random.choice(["flu", "asthma"], 400),
        }
    ).to_csv("study.csv", index=False)
    assert run("init", "study.csv", "--rows-are-people", *need)[0] == 0
    policy = Path("proposal/policy.toml")
    lines = policy.read_text(encoding="utf-8").splitlines()
    at = lines.index("# [[analysis]]")
    bare = [line.removeprefix("# ").removeprefix("#") for line in lines[at:]]
    policy.write_text("\n".join([*lines[:at], *bare]), encoding="utf-8")
    assert run("run", policy, "--out", "release")[0] == 0
    status, out, errors = run(
        "evidence", "release/release.csv", "--against", "study.csv", "--policy", policy
    )
    assert status == 0, errors
    assert "distributions" in out


@pytest.mark.filterwarnings("ignore::anonymizer.AnonymizerWarning")
def test_sixty_columns_fit_one_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(5)
    columns = {f"measure_{at}": random.integers(0, 3 + at * 4, 300) for at in range(58)}
    frame = pd.DataFrame({"age": random.integers(20, 80, 300), "sex": ["f", "m"] * 150, **columns})
    frame.to_csv("wide.csv", index=False)
    status, out, errors = run("init", "wide.csv", "--rows-are-people")
    assert status == 0, errors
    assert len(out.splitlines()) <= SCREEN
    assert "measure_57" in out


@pytest.mark.parametrize("answer", [("--person", "who"), ("--rows-are-people",)])
def test_a_weak_sign_is_asked_about_once_and_each_answer_leads_to_a_verified_release(
    answer: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    visits(constant=1, timelike=False, shuffled=True).to_csv("t.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("always", AnonymizerWarning)
        status, _, said = run("init", "t.csv", "--out", "p")
    assert (status, "may tell whose each row is" in said) == (0, True)
    assert tomllib.loads(Path("p/policy.toml").read_text())["data"] == {"path": "../t.csv"}
    status, _, asked = run("run", "p/policy.toml", "--out", "r")
    assert status == 2
    assert "--person who or --rows-are-people" in asked
    assert run("run", "p/policy.toml", "--out", "r", *answer)[0] == 0
    status, out, _ = run("verify", "r/release.csv", "p/policy.toml", "--against", "t.csv", "--json")
    assert status == 0
    counted = [each["claim"] == "people were counted" for each in json.loads(out)["checks"]]
    assert any(counted) == (answer == ("--rows-are-people",))
