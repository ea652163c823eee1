"""The experiment on NRF: what it writes, and what it takes from where."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from experiments.nrf import __main__ as nrf
from experiments.nrf.discharges import draw_discharges
from experiments.nrf.reconstruction import read_reconstruction
from experiments.running import files_of

pytestmark = pytest.mark.slow

RESULTS = Path(__file__).resolve().parents[2] / "results"


def test_the_tables_of_the_paper_are_the_committed_ones() -> None:
    paper = read_reconstruction()
    for name, rows in nrf.recompute(paper).items():
        with (RESULTS / "nrf" / f"{name}.csv").open(newline="") as file:
            committed = list(csv.DictReader(file))
        assert len(committed) == len(rows)
        for mine, theirs in zip(rows, committed, strict=True):
            assert list(mine) == list(theirs)
            for key, value in mine.items():
                if isinstance(value, float):
                    assert float(theirs[key]) == pytest.approx(value, rel=1e-5)


def test_the_page_says_what_the_tables_contradict() -> None:
    page = (RESULTS / "nrf" / "README.md").read_text()
    for part in (
        "equation 4 for one attribute",
        "at least 0.387",
        "they exceed it",
        "10 of 20 have",
    ):
        assert part in " ".join(page.split())


def test_discharges_are_the_same_every_time_and_of_the_declared_shape() -> None:
    drawn, again = draw_discharges(20_000), draw_discharges(20_000)
    assert drawn.columns == again.columns
    assert len(drawn.columns) == 16
    for name in drawn.columns:
        assert (drawn.cells[name][0] == again.cells[name][0]).all()
    women = drawn.cells["gender"][0].mean()
    assert women == pytest.approx(0.583, abs=0.02)
    assert drawn.cells["diabetes"][0].mean() == pytest.approx(0.176, abs=0.02)
    assert set(np.unique(drawn.cells["location"][0])) == set(range(42))


def test_a_quick_run_writes_all_files(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("matplotlib")
    paper = read_reconstruction()
    timing = [dict.fromkeys(TIMED, 1)]
    monkeypatch.setattr(nrf, "count", lambda *_: (timing, paper.least))
    nrf.main(["--quick", "--out", str(tmp_path)])
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {path.name for path in files_of(RESULTS / "nrf")}
    assert (tmp_path / "README.md").read_text().startswith("# The naive")


TIMED = (
    "table",
    "records",
    "attributes",
    "subsets",
    "distinct tuples",
    "threads",
    "seconds to read and aggregate",
    "seconds for all subsets",
    "seconds",
    "tables of the walk at most, MiB",
    "peak of the process, MiB",
    "load of the machine before",
)


def test_the_committed_timing_is_of_eight_million_records_and_all_subsets() -> None:
    with (RESULTS / "nrf" / "timing.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {tuple(row) for row in rows} == {TIMED}
    assert {(row["table"], int(row["threads"])) for row in rows} == {
        ("by state", 1),
        ("by state", 2),
        ("by small area", 2),
    }
    assert all(int(row["records"]) > 8_000_000 for row in rows)
    assert all(int(row["subsets"]) == 65_536 for row in rows)


def test_quick_needs_a_folder(capsys) -> None:
    with pytest.raises(SystemExit):
        nrf.main(["--quick"])
    assert "--out" in capsys.readouterr().err
