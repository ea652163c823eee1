from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.test_frontier import run
from tests.wards import POLICY, write_files

ANALYSES = """
[[analysis]]
name = "days"
kind = "linear"
formula = "days ~ age + sex"

[[analysis]]
name = "counts"
kind = "queries"
queries = 20
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_files(tmp_path, policy=POLICY + ANALYSES)


def test_the_analyses_of_a_release_are_written_and_printed(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = policy.parent
    assert run(monkeypatch, "run", policy, "--out", folder / "release") == 0
    capsys.readouterr()
    arguments = (
        "evidence", folder / "release" / "release.csv", "--against", folder / "patients.csv",
        "--policy", policy, "--out", folder / "out",
    )  # fmt: skip
    assert run(monkeypatch, *arguments) == 0
    assert "mean overlap of the 95 % intervals" in capsys.readouterr().out
    assert run(monkeypatch, *arguments, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in printed["analyses"]] == ["days", "counts"]
    names = {path.name for path in (folder / "out").iterdir()}
    assert names == {
        "evidence.json", "evidence.html", "evidence.csv", "evidence-days-1.svg",
    }  # fmt: skip
    assert "Patient 1" not in (folder / "out" / "evidence.html").read_text()


def test_a_release_that_was_changed_is_refused_and_nothing_is_written(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = policy.parent
    assert run(monkeypatch, "run", policy, "--out", folder / "release") == 0
    released = folder / "release" / "release.csv"
    pd.read_csv(released, sep=";", dtype=str).iloc[1:].to_csv(released, sep=";", index=False)
    out = folder / "out"
    assert run(monkeypatch, "evidence", released, "--policy", policy, "--out", out) == 2
    error = capsys.readouterr().err
    assert "not what its scheme makes of the original" in error
    assert "Traceback" not in error
    assert not out.exists()


def test_the_page_of_a_run_has_the_analyses(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = policy.parent / "out"
    assert run(monkeypatch, "run", policy, "--out", out, "--explain", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["evidence"]["analyses"][0]["name"] == "days"
    assert "days (linear)" in (out / "explanation.html").read_text()


def test_an_analysis_that_cannot_be_made_does_not_undo_a_release(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    policy.write_text(policy.read_text().replace("days ~ age + sex", "diagnosis ~ age"))
    out = policy.parent / "out"
    assert run(monkeypatch, "run", policy, "--out", out, "--explain", "--json") == 0
    assert "evidence" not in json.loads(capsys.readouterr().out)
    assert "Not measured: " in (out / "explanation.html").read_text()
    assert (out / "release.csv").is_file()


def test_a_frontier_shows_an_analysis_as_its_utility(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = policy.parent / "out"
    arguments = ("frontier", policy, "--at", "2", "--at", "3", "--out", out)
    assert run(monkeypatch, *arguments, "--utility", "days", "--pick", "3", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["figures"]["days"].startswith("days: mean overlap")
    assert all(0 <= point["figures"]["days"] <= 1 for point in printed["points"])
    assert (out / "release.csv").is_file()
    assert run(monkeypatch, *arguments, "--utility", "dys") == 2
    assert "there is no analysis 'dys'; did you mean 'days'?" in capsys.readouterr().err
