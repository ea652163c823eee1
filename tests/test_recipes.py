"""The recipes for machines: what the page shows runs on a release that holds and one that does not."""

from __future__ import annotations

import csv
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.snippets import blocks_of
from tests.wards import write_files

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "pages" / "how-to" / "automate.md"
INSTALL = "pip install anonymizer"
"""The one step that is not run: it is installed already."""


@pytest.fixture
def project(tmp_path: Path, run: Callable[..., tuple[int, str, str]]) -> Path:
    """Make a folder with a policy, a release and all files of the page."""
    policy = write_files(tmp_path)
    assert run("run", policy, "--out", tmp_path / "release")[0] == 0
    (tmp_path / "patients.csv").rename(tmp_path / "discharges.csv")
    for block in blocks_of(PAGE.read_text(encoding="utf-8")):
        if block.title:
            (tmp_path / block.title).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
    return tmp_path


def tamper(project: Path) -> None:
    """Take the last row out of the release."""
    path = project / "release" / "release.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter=";"))
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows(rows[:-1])


def do(project: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command of the page with our `anonymizer` and `python`."""
    own = project / "bin"
    own.mkdir(exist_ok=True)
    for name, module in (("anonymizer", "-m anonymizer"), ("python", "")):
        (own / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module} "$@"\n')
        (own / name).chmod(0o755)
    path = f"{own}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        words, cwd=project, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def steps_of_action(project: Path) -> list[str]:
    yaml = pytest.importorskip("yaml")
    text = (project / ".github" / "workflows" / "releases.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(text)["jobs"]["verify"]["steps"]
    return [step["run"] for step in steps if "run" in step]


@pytest.mark.slow
def test_the_action_passes_a_release_that_holds_and_stops_another(project: Path) -> None:
    install, verify = steps_of_action(project)
    assert install == INSTALL
    as_github_does = ["bash", "-e", "-c", verify]
    assert do(project, as_github_does).returncode == 0
    tamper(project)
    found = do(project, as_github_does)
    assert found.returncode == 1
    assert "NOT verified" in found.stdout


@pytest.mark.slow
def test_the_hook_stops_a_commit(project: Path) -> None:
    program = Path(sys.executable).with_name("pre-commit")
    if not program.exists() or shutil.which("git") is None:
        pytest.skip("pre-commit or git is not installed")
    do(project, ["git", "init", "-q"])
    do(project, ["git", "add", "release", "policy.toml", ".pre-commit-config.yaml"])
    tamper(project)
    do(project, ["git", "add", "release"])
    found = do(project, [str(program), "run"])
    assert found.returncode == 1
    assert "releases hold what their manifests claim" in found.stdout
    assert "NOT verified" in found.stdout


@pytest.mark.slow
def test_the_warehouse_loads_what_holds_and_nothing_else(project: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    script = ["sh", "checks/load.sh"]
    assert do(project, script).returncode == 0
    with duckdb.connect(str(project / "warehouse.duckdb"), read_only=True) as warehouse:
        [[rows]] = warehouse.execute("SELECT count(*) FROM discharges").fetchall()
    manifest = json.loads((project / "release" / "manifest.json").read_text(encoding="utf-8"))
    assert rows == manifest["records"] - manifest["suppressed"]
    (project / "warehouse.duckdb").unlink()
    tamper(project)
    found = do(project, script)
    assert (found.returncode, "see verified.json" in found.stderr) == (1, True)
    (project / "release" / "manifest.json").unlink()
    found = do(project, script)
    assert (found.returncode, "could not be verified" in found.stderr) == (2, True)
    assert not (project / "warehouse.duckdb").exists()
