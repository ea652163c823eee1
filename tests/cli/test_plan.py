"""assess --apply: the plan is carried out, and its release can be verified."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.wards import patients, write_files

STATEMENT = """
[outcome]
days = ["8"]

[[source]]
name = "list"
keys = ["age", "sex", "days"]
p = 0.6

[[source]]
name = "news"
keys = ["zip", "sex"]
"""


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    pytest.importorskip("matplotlib")
    (tmp_path / "statement.toml").write_text(STATEMENT)
    return write_files(tmp_path)


def test_the_plan_is_carried_out_and_verified(ward: Path, run) -> None:
    folder = ward.parent
    asked = ["assess", ward, "--statement", folder / "statement.toml", "--json"]
    status, output, _ = run(*asked, "--out", folder / "before")
    plan = json.loads(output)["findings"]["plan"]
    assert (status, plan["reason"]) == (1, None)
    status, output, _ = run(*asked, "--apply", "--out", folder / "done")
    assert status == 0
    found = json.loads(output)
    assert found["findings"]["plan"] == plan  # what is shown is what is done
    page = Path(found["files"]["page"]).read_text()
    assert "All sources together: " in page
    released = pd.read_csv(found["files"]["release"], sep=";")
    assert len(released) == len(patients()) - plan["dropped"]
    verified = "verify", found["files"]["release"], found["files"]["policy"]
    assert run(*verified, "--against", folder / "patients.csv")[0] == 0
    again = ["assess", found["files"]["policy"], "--data", found["files"]["release"]]
    again += ["--statement", folder / "statement.toml", "--out", folder / "after"]
    assert run(*again)[0] == 0


def test_small_cells_that_the_plan_leaves_are_exit_status_1(ward: Path, run) -> None:
    folder = ward.parent
    sensitive = '[sensitive]\ndiagnosis = ["flu", "asthma"]\n'
    (folder / "statement.toml").write_text(f"most = 0.51\n{sensitive}{STATEMENT}")
    asked = ["assess", ward, "--statement", folder / "statement.toml", "--json", "--apply"]
    status, output, _ = run(*asked, "--out", folder / "done")
    left = json.loads(output)["findings"]["plan"]["given_away"]
    assert status == (1 if any(left.values()) else 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--apply: the plan is that of a statement; add --statement."),
        (["p = 0.01"], "--apply: nobody is above a threshold, so there is no plan; release the"),
        (['keys = ["age", "name"]'], "--apply: there is no plan: statement: the key 'name' is"),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing(ward: Path, run, arguments, message) -> None:
    folder, stated = ward.parent, []
    if arguments:
        source = {"name": '"list"', "keys": '["age"]'}
        source |= dict(line.split(" = ") for line in arguments)
        lines = [f"{key} = {value}" for key, value in source.items()]
        (folder / "one.toml").write_text("\n".join(["[[source]]", *lines]))
        stated = ["--statement", folder / "one.toml"]
    asked = ["assess", ward, *stated, "--apply", "--out", folder / "done"]
    status, _, errors = run(*asked, *(["--small-cells", folder / "cells.csv"] if stated else []))
    assert status == 2
    assert errors.startswith(f"error: {message}")
    assert not (folder / "done").exists()
    assert not (folder / "cells.csv").exists()


def test_small_cells_without_a_plan_are_not_called_fit_for_release(ward: Path, run) -> None:
    folder = ward.parent
    stated = 'most = 0.6\n[sensitive]\ndiagnosis = ["flu", "asthma"]\n[[source]]\nname = "list"\n'
    keys = 'keys = ["sex", "days"]\np = 0.3\n'  # no cell has fewer than two
    (folder / "one.toml").write_text(stated + keys)
    asked = ["assess", ward, "--statement", folder / "one.toml", "--out", folder / "done"]
    status, output, _ = run(*asked, "--json")
    findings = json.loads(output)["findings"]
    assert (status, findings["plan"], findings["passes"]) == (1, None, False)
    status, _, errors = run(*asked, "--apply")
    told = findings["sources"][0]["given_away"]
    assert status == 2
    assert f"but small cells tell a sensitive value of {told} people; add a risk model" in errors


def test_what_people_disclose_is_not_made_acceptable_by_the_plan(ward: Path, run) -> None:
    folder = ward.parent
    disclosed = 'threshold = 0.01\n[[source]]\nname = "forum"\nusage = 1.0\n'
    (folder / "sources.toml").write_text(disclosed + "disclosure = { age = 0.9, zip = 0.9 }\n")
    asked = ["assess", ward, "--statement", folder / "statement.toml", "--apply"]
    asked += ["--out", folder / "done", "--sources", folder / "sources.toml"]
    status, output, _ = run(*asked, "--json")
    found = json.loads(output)
    assert found["findings"]["plan"]["reason"] is None
    assert (status, found["disclosure"]["passes"]) == (1, False)
