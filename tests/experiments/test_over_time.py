"""Quarterly releases: what is committed keeps the promise, and a part comes out again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer.register.promise import ABSENT, by_intersection, exposed
from experiments.datasets import RESULTS
from experiments.over_time import __main__ as over_time
from experiments.over_time.__main__ import BESIDE, main


def test_with_a_register_nobody_is_among_fewer_and_without_one_somebody_is() -> None:
    table = pd.read_csv(RESULTS / "over_time" / "releases.csv")
    kept = table["way"] == BESIDE
    assert set(table["data"]) == {"demo register", "ADULT"}
    assert (table[kept][["by intersection", "with subtraction", "alone"]] == 0).all(axis=None)
    later = table[~kept & (table["quarter"] > 1)]
    assert (later["with subtraction"] > 0).all()
    assert (later["with subtraction"] >= later["by intersection"]).all()


def test_to_intersect_alone_finds_no_more_than_to_subtract_too() -> None:
    random = np.random.default_rng(1)
    classes = random.choice([ABSENT, 0, 1], size=(40, 3))
    for k in (2, 3, 4):
        assert not (by_intersection(classes, k) & ~exposed(classes, k)).any()
    left = np.array([[0, 0], [0, 0], [0, ABSENT]])
    assert by_intersection(left, 2).tolist() == [False, False, False]
    assert exposed(left, 2).tolist() == [False, False, True]


@pytest.mark.slow
def test_a_small_version_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_time, "QUARTERS", 2)
    monkeypatch.setattr(over_time, "TURNOVERS", (0.05,))
    main(["--quick", "--out", str(tmp_path), "--data", str(tmp_path)])
    assert "# Four quarterly releases" in (tmp_path / "README.md").read_text()
