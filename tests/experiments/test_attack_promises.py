"""The experiment on attacks: what it writes, and what is committed."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from experiments.attacks import __main__ as experiment
from experiments.running import files_of

pytestmark = pytest.mark.slow

RESULTS = Path(__file__).resolve().parents[2] / "results" / "attacks"
MODELS = {"k-anonymity", "k-map", "p-uniqueness", "overall", "sources", "distinct-l"}
FILES = {
    "README.md", "attacks.csv", "attacks.json", "attacks.png", "attacks.svg", "composition.csv",
    "downcoding.csv", "promises.csv", "releases.csv",
}  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attacks")
    experiment.main(["--quick", "--out", str(folder)])
    return folder


@pytest.mark.parametrize("committed", [False, True])
def test_every_model_and_the_tampered_release_are_attacked(written: Path, committed: bool) -> None:
    folder = RESULTS if committed else written
    assert {path.name for path in files_of(folder)} == FILES
    attacks = pd.read_csv(folder / "attacks.csv")
    assert {name.split()[0] for name in attacks["release"]} == MODELS
    assert attacks.groupby("release")["attack"].nunique().eq(7).all()
    assert (attacks["success_low"] <= attacks["success"]).all()
    assert (attacks["success"] <= attacks["success_high"]).all()
    assert "k-anonymity 5, tampered" in set(attacks["release"])


@pytest.mark.parametrize("committed", [False, True])
def test_tampering_shows_and_sound_k_anonymity_keeps_its_promise(
    written: Path, committed: bool
) -> None:
    promises = pd.read_csv((RESULTS if committed else written) / "promises.csv")
    promises = promises[~promises["promise"].str.startswith("(")]
    sound = promises[promises["release"].isin([f"k-anonymity {k}" for k in (2, 5, 10)])]
    assert (sound["verdict"] == "holds").all()
    tampered = promises[promises["release"] == "k-anonymity 5, tampered"]
    assert (tampered["verdict"] == "does not hold").sum() == 2


@pytest.mark.parametrize("committed", [False, True])
def test_the_page_and_the_json_have_the_figures_of_the_tables(
    written: Path, committed: bool
) -> None:
    folder = RESULTS if committed else written
    figures = json.loads((folder / "attacks.json").read_text())
    page = (folder / "README.md").read_text()
    for name in ("attacks", "promises", "composition", "downcoding", "releases"):
        table = pd.read_csv(folder / f"{name}.csv")
        assert len(figures[name]) == len(table)
    for row in figures["promises"]:
        assert row["promise"].removeprefix("(not promised) ") in page
    assert "does not hold" in page
