"""The experiment of evidence on a part of the demo register."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from experiments.evidence import __main__ as experiment

pytestmark = pytest.mark.slow


@pytest.mark.soak
def test_a_part_of_the_register_is_measured_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiment, "KS", (5,))
    monkeypatch.setattr(experiment, "adult", lambda *_: iter(()))
    experiment.main(["--quick", "--out", str(tmp_path)])
    regressions = pd.read_csv(tmp_path / "regression.csv")
    assert regressions["model"].unique().tolist() == ["k = 5", "sources"]
    assert regressions["overlap"].between(0, 1).all()
    predictions = pd.read_csv(tmp_path / "prediction.csv")
    assert predictions["accuracy"].between(0, 1).all()
    assert (tmp_path / "evidence.png").stat().st_size > 10_000
