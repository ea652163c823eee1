"""nrf and published as a user meets them: real files, exit statuses, one-sentence errors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer.cli import main

SOURCES = """
disclosure = { age = 0.2, sex = 0.7 }

[[sources]]
name = "Twitter"
usage = 0.19

[[sources]]
name = "Facebook"
usage = 0.58
disclosure = { zip = 0.1 }
"""
CHARACTERISTICS = "characteristic,treatment,placebo\nDiabetes,40,21\nHydroxychloroquine,1,0\n"
CURVES = {
    f"risk_by_{name}.{kind}" for name in ("records", "sources", "size") for kind in ("png", "svg")
}


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
def people(tmp_path: Path) -> Path:
    random = np.random.default_rng(5)
    columns = {"age": random.integers(20, 90, 300), "sex": random.choice(["f", "m"], 300)}
    frame = pd.DataFrame({**columns, "zip": random.integers(100, 140, 300), "name": "x"})
    frame.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "sources.toml").write_text(SOURCES)
    return tmp_path


def test_nrf_writes_the_risk_and_the_curves(people: Path, run) -> None:
    pytest.importorskip("matplotlib")
    out = people / "out"
    status, output, errors = run(
        "nrf", people / "people.csv", people / "sources.toml", "--out", out
    )
    assert (status, errors) == (0, "")
    assert "Risk of a random person" in output
    assert "age, sex, zip" in output
    assert {path.name for path in out.iterdir()} == CURVES | {"nrf.json"}
    written = json.loads((out / "nrf.json").read_text())
    assert written["records"] == 300
    assert written["subsets"] == 8
    assert [row["sources"] for row in written["by_sources"]] == [
        ["Twitter"],
        ["Facebook"],
        ["Twitter", "Facebook"],
    ]


def test_nrf_prints_one_json_object(people: Path, run) -> None:
    arguments = (people / "people.csv", people / "sources.toml", "--json", "--most", "2")
    status, output, _ = run("nrf", *arguments)
    found = json.loads(output)
    assert status == 0
    assert len(found["most_dangerous"]) == 2
    assert "files" not in found
    half = json.loads(run("nrf", *arguments, "--e-uniqueness", "0.5")[1])
    assert half["individual_risk"] == pytest.approx(found["individual_risk"] / 2, rel=0.01)


def test_nrf_counts_an_external_table(people: Path, run) -> None:
    external = pd.read_csv(people / "people.csv").head(100)
    pd.concat([external, external]).to_csv(people / "doubled.csv", index=False)
    arguments = (people / "people.csv", people / "sources.toml", "--json", "--external")
    found = json.loads(run("nrf", *arguments, people / "doubled.csv")[1])
    assert found["individual_risk"] == 0  # whoever is found outside is found twice


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("0.19", "1.9"), "usage: 1.9 is no probability"),
        (lambda text: text.replace("zip", "zap"), "no column 'zap'; did you mean 'zip'?"),
        (lambda text: text.replace("[[", "["), "not valid TOML"),
    ],
)
def test_nrf_says_what_is_wrong_and_leaves_nothing(people: Path, run, change, message: str) -> None:
    (people / "sources.toml").write_text(change(SOURCES))
    arguments = (people / "people.csv", people / "sources.toml", "--out", people / "out")
    status, output, errors = run("nrf", *arguments)
    assert (status, output) == (2, "")
    assert message in errors
    assert "Traceback" not in errors
    assert not (people / "out").exists()


def test_nrf_suspects_the_delimiter(people: Path, run) -> None:
    (people / "other.csv").write_text("age;sex;zip\n1;f;101\n")
    errors = run("nrf", people / "other.csv", people / "sources.toml")[2]
    assert "Is the delimiter ';' rather than ','?" in errors


def test_nrf_refuses_more_than_twenty_attributes(people: Path, run) -> None:
    names = [f"a{i}" for i in range(22)]
    pd.DataFrame({name: [1, 2] for name in names}).to_csv(people / "wide.csv", index=False)
    rates = "\n".join(f"{name} = 0.1" for name in names)
    (people / "wide.toml").write_text(
        f'[disclosure]\n{rates}\n[[sources]]\nname = "a"\nusage = 1\n'
    )
    status, _, errors = run("nrf", people / "wide.csv", people / "wide.toml")
    assert status == 2
    assert "22 attributes have 4,194,304 subsets" in errors
    assert "Leave out attributes" in errors


def test_published_writes_the_coloured_table(tmp_path: Path, run) -> None:
    table = tmp_path / "table.csv"
    table.write_text(CHARACTERISTICS)
    arguments = (table, "--arms", 228, 105, "--out", tmp_path / "out")
    status, output, errors = run("published", *arguments)
    assert (status, errors) == (0, "")
    assert "l = 1.000 under PDP" in output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "published.html",
        "published.json",
    }
    page = (tmp_path / "out" / "published.html").read_text()
    assert "Who has it is in the treatment arm for certain: 1 of 1." in page
    assert "Rows that break" not in page


def test_published_fails_where_a_row_breaks_the_chosen_l(tmp_path: Path, run) -> None:
    table = tmp_path / "table.csv"
    table.write_text(CHARACTERISTICS)
    status, output, _ = run("published", table, "--arms", 228, 105, "--pdp", 1.2, "--json")
    assert status == 1
    assert json.loads(output)["broken"] == {"Hydroxychloroquine": ["pdp"]}
    status, output, _ = run("published", table, "--arms", 228, 105, "--pdp", 1.2)
    assert status == 1
    assert "1 of 2 rows break the chosen l." in output
    assert run("published", table, "--arms", 228, 105, "--pfdptc", 1.2)[0] == 0


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (CHARACTERISTICS, (), "give them with --arms"),
        (
            CHARACTERISTICS,
            ("--arms", 30, 105),
            "row 1: 'Diabetes' has 40 people in the treatment arm",
        ),
        (CHARACTERISTICS, ("--arms", 228, 105, "--pdp", 3), "l for PDP is 3"),
        (CHARACTERISTICS + "bad,x,1\n", ("--arms", 228, 105), "row 3: 'x' is no count"),
    ],
)
def test_published_says_what_is_wrong_and_leaves_nothing(
    tmp_path: Path, run, text: str, options, message: str
) -> None:
    table = tmp_path / "table.csv"
    table.write_text(text)
    status, output, errors = run("published", table, *options, "--out", tmp_path / "out")
    assert (status, output) == (2, "")
    assert message in errors
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["nrf", "published"])
def test_help_shows_an_example(run, command: str) -> None:
    status, output, _ = run(command, "--help")
    assert status == 0
    assert f"Example: anonymizer {command}" in output
