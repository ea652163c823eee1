"""reproduce as a user meets it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer.cli import reproduce
from anonymizer.errors import DataError
from anonymizer.hierarchy import load_hierarchy
from experiments.datasets import spec_of
from experiments.prasser2016.releases import columns_of
from tests import command


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the command line and return exit status, output and errors."""

    def call(*arguments: object) -> tuple[int, str, str]:
        status = command.run(monkeypatch, *arguments)
        output, errors = capsys.readouterr()
        said = isinstance(status, str)
        return (1, output, f"{errors}{status}") if said else (status, output, errors)

    return call


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Write a data set with ADULT's columns and few records, of which few differ."""
    random = np.random.default_rng(3)
    columns = {}
    for name in columns_of("adult"):
        leaves = load_hierarchy(spec_of("adult", name)).leaves
        columns[name] = random.choice(leaves[: 4 if name == "age" else 1], 120)
    folder = tmp_path / "data" / "adult"
    folder.mkdir(parents=True)
    pd.DataFrame(columns).to_csv(folder / "data.csv", sep=";", index=False)
    return tmp_path


def test_without_a_name_all_are_listed(run) -> None:
    status, output, _ = run("reproduce")
    assert status == 0
    assert [line.split()[0] for line in output.splitlines()] == list(reproduce.EXPERIMENTS)


@pytest.mark.parametrize("name", reproduce.EXPERIMENTS)
def test_every_listed_experiment_can_be_loaded(name: str) -> None:
    assert callable(reproduce.load_experiment(name))


def test_mistakes_are_one_sentence(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, _, errors = run("reproduce", "prasser")
    assert status == 2
    assert errors == "error: there is no experiment 'prasser'; did you mean 'prasser2016'?\n"
    status, _, errors = run("reproduce", "nrf", "--data", tmp_path)
    assert (status, errors) == (2, "error: nrf reads no data sets of yours; leave --data out.\n")
    status, _, errors = run("reproduce", "prasser2016", "--data", tmp_path, "--out", tmp_path / "o")
    assert status == 2
    assert errors.splitlines()[-1].startswith("error: none of the data sets asked for (")
    assert not (tmp_path / "o").exists()
    monkeypatch.setattr(reproduce, "ROOT", tmp_path)
    status, _, errors = run("reproduce", "prasser2016")
    assert status == 2
    assert errors.startswith("error: the experiments are not part of the installed package; run ")
    assert len(errors.splitlines()) == 1


def test_it_runs_on_what_it_is_given_and_says_what_it_could_not_run(run, small: Path) -> None:
    status, output, errors = run(
        "reproduce", "prasser2016", "--data", small / "data", "--out", small / "out"
    )
    assert status == 1  # these are not the paper's records, so the cells are not the paper's
    assert "Table 2, k-anonymity, k = 5, ADULT" in errors
    assert output.startswith("Tables 2 and 3: ")
    absent = [line for line in errors.splitlines() if line.startswith("not run: ")]
    assert [line.split()[2] for line in absent] == ["CUP,", "FARS,", "ATUS,", "IHIS,"]
    assert {path.name for path in (small / "out").iterdir()} == {
        "README.md", "table_1.csv", "tables_2_and_3.csv", "figure_6.csv", "figure_6_lines.csv",
        "figure_6.png", "figure_6.svg", "tables_2_and_3_measures.csv", "safe_harbor.csv",
        "order.csv", "printed.csv", "expected_uniques.csv",
    }  # fmt: skip
    page = (small / "out" / "README.md").read_text(encoding="utf-8")
    assert "CUP, FARS, ATUS and IHIS could not be run" in page
    assert "| ADULT | 30,162 | 120 |" in page


@pytest.mark.parametrize("name", [n for n, how in reproduce.WITH_DATA.items() if how == "needs"])
def test_without_its_data_an_experiment_is_one_sentence(run, name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    status, _, errors = run("reproduce", name, "--data", tmp_path, "--out", out)
    assert status == 2
    assert errors.startswith("error: ")
    assert str(tmp_path) in errors
    assert "--data" in errors
    assert len(errors.splitlines()) == 1
    assert not out.exists()


def test_all_of_them_go_on_and_say_at_the_end_what_was_left_out(
    run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran = []

    def load(name: str):
        def main(words: list[str]) -> None:
            ran.append((name, "--data" in words))
            if name == "proofs":
                raise DataError("no data is at hand.")
            if name == "survey":
                sys.exit("a figure")

        return main

    monkeypatch.setattr(reproduce, "load_experiment", load)
    status, _, errors = run("reproduce", "all", "--data", tmp_path, "--out", tmp_path / "out")
    assert ran == [(name, name in reproduce.WITH_DATA) for name in reproduce.EXPERIMENTS]
    assert status == 1
    assert "proofs: left out: no data is at hand." in errors.splitlines()
    assert errors.splitlines()[-2].startswith("survey: differs from the paper")
