"""The figures that experiments compare with are committed, and are those of the reference."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from experiments.datasets import ROOT, figures_of
from tests.shared import ABSENT, REFERENCE

COPIES = {
    ("reference", "arx_optima.csv"): "arx_optima.csv",
    ("reference", "arx_uniqueness.csv"): "arx_uniqueness.csv",
    ("benchmark", "arx_sensitive.csv"): "arx_sensitive.csv",
    ("benchmark", "arx_wide.csv"): "arx_wide.csv",
    ("layers", "arx_local.csv"): "arx_local.csv",
    ("studies", "study.csv"): "study.csv",
    ("xia2021", "states.csv"): "facts/state_table.csv",
    ("nrf", "table_7.csv"): "facts/nrf_table7.csv",
    ("nrf", "table_8.csv"): "facts/nrf_table8.csv",
    ("nrf", "nhds2010_conditions.csv"): "facts/nhds2010_condition_prevalence.csv",
    ("simon2020", "sdcmicro.json"): "sdcmicro.json",
    ("xia2021", "marginals.json"): "facts/marginals.json",
    ("xia2021", "adult.json"): "facts/adult_conditionals.json",
    ("nrf", "reconstruction.json"): "facts/nrf_reconstruction.json",
    ("nrf", "nhds2010.json"): "facts/nhds2010_demographics.json",
}


def read(path: Path) -> object:
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def within(mine: object, theirs: object) -> bool:
    """Whether all of mine is in theirs, which may say more."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return all(key in theirs and within(mine[key], theirs[key]) for key in mine)
    if isinstance(mine, list) and isinstance(theirs, list):
        return len(mine) == len(theirs) and all(map(within, mine, theirs))
    return mine == theirs


@pytest.mark.skipif(not REFERENCE.is_dir(), reason=ABSENT)
@pytest.mark.parametrize("committed", COPIES)
def test_committed_figures_are_those_of_the_reference(committed: tuple[str, str]) -> None:
    mine, theirs = read(figures_of(*committed)), read(REFERENCE / COPIES[committed])
    if committed == ("simon2020", "sdcmicro.json"):
        mine.pop("package")
    assert mine
    assert within(mine, theirs)


def test_every_committed_figure_is_named_with_where_it_is_from() -> None:
    page = (ROOT / "experiments" / "FIGURES.md").read_text(encoding="utf-8")
    committed = {path for path in (ROOT / "experiments").glob("*/figures/*") if path.is_file()}
    assert len(committed) > len(COPIES)
    for path in committed:
        assert f"`{path.parent.parent.name}/{path.name}`" in page


def test_no_experiment_reads_figures_outside_the_repository() -> None:
    for path in (ROOT / "experiments").rglob("*.py"):
        if path.name != "datasets.py":
            assert '"shared"' not in path.read_text(encoding="utf-8"), path
