"""A register on the command line, and runs that use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.register.releases import frame_of, people

POLICY = """
[data]
path = "QUARTER.csv"
id = "id"

[attributes]
id = { role = "identifying" }
value = { role = "quasi", hierarchy = { a1 = "a", a2 = "a", b1 = "b", b2 = "b" } }
note = { role = "insensitive" }

[[risk]]
model = "k-anonymity"
k = 2

[release]
register = "register"
"""
JUNE = people(["a1", "a1", "a1", "b1", "b1", "b1"])
JULY = {name: value for name, value in JUNE.items() if name != "p2"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two quarters, with a policy each and a key of their own."""
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "state"))
    for name, table in (("june", JUNE), ("july", JULY)):
        frame_of(table).to_csv(tmp_path / f"{name}.csv", index=False)
        (tmp_path / f"{name}.toml").write_text(POLICY.replace("QUARTER", name), encoding="utf-8")
    return tmp_path


def test_a_register_is_begun_used_checked_and_forgotten(folder: Path, run) -> None:
    register = folder / "register"
    status, _, errors = run("run", folder / "june.toml", "--out", folder / "june")
    assert status == 2
    assert "there is no register; `anonymizer register begin" in errors
    assert not (folder / "june").exists()
    assert run("register", "begin", register)[0] == 0
    for name in ("june", "july"):
        status, output, errors = run("run", folder / f"{name}.toml", "--out", folder / name)
        assert (status, errors) == (0, "")
    assert "Beside 1 earlier release of 6 people" in output
    shown = json.loads(run("register", "show", register, "--json")[1])
    assert [each["people"] for each in shown["releases"]] == [6, shown["releases"][1]["people"]]
    june, july = folder / "june" / "manifest.json", folder / "july" / "manifest.json"
    status, output, _ = run("register", "check", register, june, july)
    assert status == 0
    assert "july" in output
    july.write_text(july.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    status, output, _ = run("register", "check", register, july)
    assert status == 1
    assert "NOT in the register" in output
    status, output, _ = run("register", "forget", register, 1)
    assert status == 0
    assert "no longer safe beside it" in " ".join(output.split())
    assert "forgotten on" in run("register", "show", register)[1]


def test_without_manifests_it_says_what_it_cannot_tell(folder: Path, run) -> None:
    run("register", "begin", folder / "register")
    status, output, _ = run("register", "check", folder / "register")
    assert status == 0
    assert "only be told by their manifests" in " ".join(output.split())


@pytest.mark.parametrize("option", ["--explain", "--resume"])
def test_what_looks_at_one_release_alone_is_refused_before_the_search(
    folder: Path, run, option: str
) -> None:
    run("register", "begin", folder / "register")
    status, _, errors = run("run", folder / "june.toml", "--out", folder / "june", option)
    assert status == 2
    assert f"{option} looks at one release alone" in errors
    assert not (folder / "june").exists()
