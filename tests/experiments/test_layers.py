"""The experiment of layers on a part of ADULT."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from experiments.datasets import path_of
from experiments.layers.__main__ import main

pytestmark = pytest.mark.slow

needs_adult = pytest.mark.skipif(path_of("adult") is None, reason="ADULT is not at hand")


@needs_adult
def test_a_part_of_adult_is_written_with_bound_and_picture(tmp_path: Path) -> None:
    main(["--quick", "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "comparison.csv")
    assert (table["bound"] <= table["loss"]).all()
    assert (table["loss"] < table["loss of one scheme"]).all()
    curve = pd.read_csv(tmp_path / "number_of_layers.csv")
    assert curve["quality"].is_monotonic_increasing
    assert (tmp_path / "number_of_layers.png").stat().st_size > 10_000
