"""anonymizer attack as a user meets it: real files, exit statuses, one-sentence errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from anonymizer import anonymize, write_release
from tests.wards import write_files

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return Path(write_release(anonymize(None, write_files(tmp_path)), tmp_path / "out")["release"])


def options(release: Path) -> list[object]:
    folder = release.parents[1]
    return [release, "--against", folder / "patients.csv", "--policy", folder / "policy.toml"]


def test_attack_writes_a_page_and_its_figures(release: Path, run: Run) -> None:
    folder = release.parents[1] / "attacked"
    status, output, errors = run("attack", *options(release), "--out", folder)
    assert (status, errors) == (0, "")
    assert "attacks succeed beyond their baseline" in output
    assert "membership inference: gain of " in output
    assert "downcoding: not tried: all records have one scheme" in output
    assert {path.name for path in folder.iterdir()} == {"attacks.html", "attacks.json"}
    assert json.loads((folder / "attacks.json").read_text())["records"] == 120


def test_attack_prints_json_for_scripts_and_a_seed_repeats_it(release: Path, run: Run) -> None:
    arguments = [*options(release), "--json", "--seed", 7]
    one, other = (run("attack", *arguments)[1] for _ in range(2))
    assert one == other
    assert json.loads(one)["seed"] == 7


def test_attack_takes_all_that_attackers_may_have(release: Path, run: Run) -> None:
    folder = release.parents[1]
    people = pd.read_csv(folder / "patients.csv", sep=";", dtype=str)
    people.assign(member=["1", "0"] * 60).to_csv(folder / "people.csv", sep=";", index=False)
    more = [f"--{name}={folder / 'people.csv'}" for name in ("control", "population", "targets")]
    before = [f"--earlier={release}", f"--earlier-policy={folder / 'policy.toml'}"]
    against = f"--earlier-against={folder / 'patients.csv'}"
    status, output, _ = run(
        "attack", *options(release), *more, *before, against, "--people", 9, "--json"
    )
    assert status == 0
    found = {each["name"]: each for each in json.loads(output)["attacks"]}
    assert [name for name, each in found.items() if "skipped" in each] == ["downcoding"]
    assert "people.csv" in found["linkability"]["baseline_of"]
    assert found["membership inference"]["success"]["trials"] == 60
    assert found["composition"]["details"]["people"] == len(pd.read_csv(release, sep=";"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--people", 0], "error: people must be at least 1, got 0.\n"),
        (["--targets", "patients.csv"], "it has no column 'member'"),
        (["--manifest", "no.json"], "no.json: there is no such manifest"),
    ],
)
def test_a_mistake_is_one_sentence(
    release: Path, run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[object], message: str
) -> None:
    monkeypatch.chdir(release.parents[1])
    status, _, errors = run("attack", *options(release), *arguments)
    assert status == 2
    assert message in errors
    assert errors.count("\n") == 1
