"""Linked tables on the command line: run, verify, and mistakes in one sentence each."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.clinic import NAMES, POLICY, frames, write_clinic
from tests.shared import ABSENT, DATA

SDTM = DATA / "studies" / "sdtm_ae"


def test_run_and_verify_work_together(tmp_path: Path, run) -> None:
    policy, out, keys = write_clinic(tmp_path), tmp_path / "out", tmp_path / "keys.csv"
    status, output, errors = run("run", policy, "--out", out, "--keys", keys)
    assert (status, errors) == (0, "")
    assert "people dropped with all their rows" in output
    assert "Promise: study with k = 3, power 2." in output
    assert "Columns that are released as they are, outside the promise: arm, drug.dose." in output
    for given in (out, out / "manifest.json", out / "patient.csv"):
        status, output, _ = run("verify", given, policy, "--against", tmp_path, "--keys", keys)
        assert status == 0, output
        assert "at least" in output


def test_json_has_the_fields_of_a_flat_table(tmp_path: Path, run) -> None:
    status, output, _ = run(
        "run", write_clinic(tmp_path), "--out", tmp_path / "out", "--seed", 3, "--json"
    )
    result = json.loads(output)
    assert status == 0
    assert result["scheme"].keys() >= {"sex", "diagnosis.code"}
    assert result["quality"] == 1 - result["loss"]
    assert result["records"] == 60
    assert result["tables"]["patient"]["released"] == 60 - result["suppressed"]
    assert set(result["files"]) == {*NAMES, "manifest"}
    assert result["seconds"].keys() >= {"read", "search", "write"}


def test_a_forged_folder_fails(tmp_path: Path, run) -> None:
    policy, out = write_clinic(tmp_path), tmp_path / "out"
    run("run", policy, "--out", out)
    (out / "drug.csv").write_text((out / "visit.csv").read_text())
    status, output, _ = run("verify", out, policy, "--json")
    assert status == 1
    assert not json.loads(output)["passed"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--resume",), "'--resume' looks at one table"),
        (("--explain", "--strict"), "'--explain', '--strict' looks at one table"),
        (("--proof",), "'--proof' looks at one table"),
    ],
)
def test_options_of_one_table_are_refused(
    tmp_path: Path, run, arguments: tuple[str, ...], sentence: str
) -> None:
    status, _, errors = run("run", write_clinic(tmp_path), "--out", tmp_path / "out", *arguments)
    assert status == 2
    assert sentence in errors
    assert len(errors.splitlines()) == 1


def test_commands_of_one_table_are_refused(tmp_path: Path, run) -> None:
    policy, out = write_clinic(tmp_path), tmp_path / "out"
    run("run", policy, "--out", out)
    for command in (("frontier", policy), ("assess", policy)):
        status, _, errors = run(*command)
        assert status == 2, command
        assert "links 'visit', 'diagnosis', 'drug' to the people" in errors
    status, _, errors = run("apply", policy, out / "manifest.json")
    assert status == 2
    assert "this is the manifest of linked tables" in errors
    flat = POLICY[: POLICY.index("[tables.visit]")] + '[[risk]]\nmodel = "k-anonymity"\nk = 2\n'
    (tmp_path / "flat.toml").write_text(flat)
    status, _, errors = run("run", tmp_path / "flat.toml", "--keys", "keys.csv")
    assert status == 2
    assert "--keys is for linked tables" in errors


def test_bad_input_is_one_sentence(tmp_path: Path, run) -> None:
    orphan = frames()["drug"].assign(who="nobody")
    circle = POLICY.replace('key = "visit_id"', 'key = "visit_id"\nparent = "visit"')
    for policy, changed, sentence in (
        (POLICY, {"drug": orphan}, "row 1 belongs to nobody"),
        (POLICY, {"drug": frames()["drug"].iloc[:0]}, "has no rows"),
        (circle, {}, "visit.parent leads back to 'visit'"),
        (POLICY.replace("power = 2", "power = -1"), {}, "power must be at least 0, got -1"),
    ):
        status, _, errors = run(
            "run", write_clinic(tmp_path, policy, **changed), "--out", tmp_path / "o"
        )
        assert status == 2
        assert sentence in errors
        assert len(errors.splitlines()) == 1
    assert not (tmp_path / "o").exists()


@pytest.mark.skipif(not SDTM.is_dir(), reason=ABSENT)
def test_a_trial_is_released_as_the_reference_has_it(tmp_path: Path, run) -> None:
    policy = write_trial(tmp_path)
    status, output, _ = run("run", policy, "--out", tmp_path / "out", "--json")
    result = json.loads(output)
    assert status == 0
    assert result["loss"] == pytest.approx(0.542456612302, abs=1e-9)
    assert result["suppressed"] == 56
    status, output, _ = run("verify", tmp_path / "out", policy, "--against", SDTM)
    assert status == 0, output


def write_trial(folder: Path) -> Path:
    """Write a policy for the trial of the reference, with k = 5 and power 2."""
    keys = json.loads((SDTM / "study.json").read_text())

    def columns(name: str) -> str:
        with (SDTM / f"{name}.csv").open(newline="") as file:
            header = next(csv.reader(file))
        return "\n".join(column(name, each) for each in header)

    def column(name: str, each: str) -> str:
        if each in keys["tables"][name]:
            return f'{each} = {{ role = "quasi", hierarchy = "{SDTM}/hierarchies/{each}.csv" }}'
        role = "identifying" if each == keys["id"] else "insensitive"
        return f'{each} = {{ role = "{role}" }}'

    path = folder / "trial.toml"
    path.write_text(
        f'[data]\npath = "{SDTM}/dm.csv"\nid = "usubjid"\n[attributes]\n{columns("dm")}\n'
        f'[tables.ae]\npath = "{SDTM}/ae.csv"\nid = "usubjid"\n[tables.ae.attributes]\n{columns("ae")}\n'
        '[[risk]]\nmodel = "study"\nk = 5\npower = 2\n'
    )
    return path
