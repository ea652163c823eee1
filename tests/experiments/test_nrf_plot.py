"""The curves of the risk over all subsets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anonymizer.attackers.disclosure import Source
from anonymizer.attackers.nrf import Reidentification
from anonymizer.attackers.unique_subsets import Uniqueness
from experiments.nrf.plot import DRAWINGS, chosen_sources, save
from experiments.nrf.sizes import means_by_size
from tests.report.test_nrf import make

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize("unique", [[0, 5, 2, 9], [0, 0, 0, 0]])
def test_a_curve_is_drawn_even_where_nobody_is_unique(name: str, unique, tmp_path: Path) -> None:
    for kind in ("png", "svg"):
        save(DRAWINGS[name](make(unique)), tmp_path / f"one.{kind}")
        assert (tmp_path / f"one.{kind}").stat().st_size > 1000


def test_the_same_figure_makes_the_same_file(tmp_path: Path) -> None:
    texts = []
    for _ in range(2):
        save(DRAWINGS["risk_by_size"](make([0, 5, 2, 9])), tmp_path / "size.svg")
        texts.append((tmp_path / "size.svg").read_bytes())
    assert texts[0] == texts[1]


def test_many_sources_leave_the_picture_readable() -> None:
    chosen = chosen_sources(make([0, 5, 2, 9], 15))
    assert len(chosen) <= 13
    assert len(chosen[-1]) == 15  # all together is always drawn


def test_means_by_size_are_over_all_subsets_of_the_size() -> None:
    counts = Uniqueness(("x", "y"), 10, 10, np.array([0, 5, 2, 9]))
    means = means_by_size(Reidentification(counts, (Source("all", 1.0, {"x": 0.5, "y": 0.2}),)))
    assert [mean.subsets for mean in means] == [1, 2, 1]
    assert [mean.d_uniqueness for mean in means] == pytest.approx([0, 0.35, 0.9])
    assert [mean.disclosure_likelihood for mean in means] == pytest.approx([0.4, 0.25, 0.1])
    assert [mean.probability for mean in means] == pytest.approx([0, 0.11, 0.09])
