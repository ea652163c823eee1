from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from anonymizer.attack.statement import Statement
from anonymizer.cli import main
from tests.wards import write_files

STATEMENT = """
[[source]]
name = "news"
keys = ["age", "sex", "zip"]
p = 0.9
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["anonymizer", "steward", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return int(left.value.code or 0), *capsys.readouterr()

    return call


def write(tmp_path: Path, statement: str = STATEMENT) -> tuple[Path, Path]:
    (tmp_path / "statement.toml").write_text(statement)
    return write_files(tmp_path), tmp_path / "statement.toml"


def test_a_risk_above_the_threshold_is_exit_status_1_and_a_report(tmp_path: Path, run):
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    status, output, errors = run(
        *write(tmp_path), "--out", out, "--small-cells", tmp_path / "cells.csv"
    )
    assert (status, errors) == (1, "")
    assert "NOT" in output
    assert {path.name for path in out.iterdir()} == {"steward.html", "steward.json"}
    assert not json.loads((out / "steward.json").read_text())["passes"]
    assert (tmp_path / "cells.csv").read_text().startswith("source,age,sex,zip,people\n")


def test_what_is_acceptable_is_exit_status_0(tmp_path: Path, run):
    pytest.importorskip("matplotlib")
    files = write(tmp_path, STATEMENT.replace("0.9", "0.1"))
    status, output, _ = run(*files, "--out", tmp_path / "out", "--json")
    assert status == 0
    result = json.loads(output)
    assert result["passes"]
    assert result["files"]["report"].endswith("steward.html")


def test_bad_input_is_exit_status_2_and_leaves_nothing(tmp_path: Path, run):
    files = write(tmp_path, STATEMENT.replace("0.9", "1.9").replace("zip", "zipp"))
    status, _, errors = run(*files, "--out", tmp_path / "out")
    assert status == 2
    assert "source.0.p: 1.9 is no share of people" in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "out").exists()


def test_an_input_is_never_overwritten(tmp_path: Path, run):
    files = write(tmp_path, STATEMENT + "threshold = 1.0\n")
    status, _, errors = run(
        *files, "--small-cells", tmp_path / "policy.toml", "--out", tmp_path / "o"
    )
    assert status == 2
    assert "would be overwritten" in errors
    assert not (tmp_path / "o").exists()


def test_the_example_can_be_printed_and_read(tmp_path: Path, run):
    status, output, _ = run("--example")
    assert status == 0
    Statement(**tomllib.loads(output))
