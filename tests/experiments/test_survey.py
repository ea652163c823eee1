"""k-map by sampling weights: what is committed keeps its significance, and a part comes out again."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from anonymizer.estimators.survey import LOOKED_AT
from experiments.datasets import RESULTS
from experiments.survey import __main__ as survey
from experiments.survey.__main__ import main, worst_cases


def test_no_case_exceeds_its_significance() -> None:
    table = pd.read_csv(RESULTS / "survey" / "worst.csv")
    assert table["k"].max() == LOOKED_AT
    assert (table["worst"] <= table["significance"] + 1e-12).all()
    again = pd.DataFrame(worst_cases(5))
    pd.testing.assert_frame_equal(again, table.iloc[: len(again)], rtol=1e-12)


def test_in_no_population_more_small_classes_pass_than_stated() -> None:
    table = pd.read_csv(RESULTS / "survey" / "drawn.csv")
    assert (table["by weights: passes"] <= table["significance"]).all()
    assert (table["interval holds"] >= 0.95).all()
    assert (table["sum of weights: passes"] > table["significance"]).any()
    assert (table["one fraction: passes"] > table["significance"]).any()


def test_a_small_version_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "PEOPLE", 3_000)
    main(["--out", str(tmp_path), "--draws", "1", "--most", "4"])
    assert "k-map by sampling weights" in (tmp_path / "README.md").read_text()
