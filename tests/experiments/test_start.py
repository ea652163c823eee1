"""The experiment of the start on a few small tables; the tables of others are not shipped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.start import __main__ as experiment

pytestmark = pytest.mark.slow

ROWS = 240


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A panel, a cross-section, and a table that is too small."""
    random = np.random.default_rng(8)
    people = ROWS // 6
    panel = pd.DataFrame(
        {
            "nr": np.repeat(random.permutation(10_000)[:people], 6),
            "year": np.tile(range(2001, 2007), people),
            "born": np.repeat(random.integers(1940, 1980, people), 6),
            "region": np.repeat(random.choice(["n", "s", "w"], people), 6),
            "wage": random.lognormal(2, 0.4, ROWS).round(2),
        }
    )
    cross = pd.DataFrame(
        {
            "age": random.integers(18, 80, ROWS),
            "sex": random.choice(["f", "m"], ROWS),
            "school": random.integers(8, 18, ROWS),
            "score": random.normal(50, 9, ROWS).round(1),
        }
    )
    place = tmp_path / "data" / "made"
    place.mkdir(parents=True)
    panel.to_csv(place / "panel.csv")
    cross.to_csv(place / "cross.csv")
    cross.head(20).to_csv(place / "small.csv")
    return tmp_path / "data"


@pytest.mark.soak
def test_every_table_runs_and_verifies_and_no_class_has_fewer_people(
    folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    experiment.main([str(folder), "--out", str(out), "--seconds", "2"])
    rows = pd.read_csv(out / "tables.csv").set_index("table")
    assert rows.index.tolist() == ["made/cross", "made/panel"]
    assert rows["fault"].isna().all()
    assert rows["verified"].all()
    assert rows["said"].all()
    assert rows["smallest"].min() >= 5
    assert rows.loc["made/panel", "id"] == "nr"
    counts = pd.read_csv(out / "summary.csv").set_index("count")["value"]
    assert counts["with a class below 5 people"] == 0
    assert counts["with more than 5 % dropped"] == 0


def test_without_the_tables_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    experiment.main([])
    assert "skipped: the tables are not here" in capsys.readouterr().err
