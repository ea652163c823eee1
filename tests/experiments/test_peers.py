"""The experiment on peers, without installing any: what is read, counted and written."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Policy, anonymize
from experiments.datasets import RESULTS, ROOT, path_of
from experiments.peers import environments, judging, page, tables
from experiments.peers.__main__ import read_page
from experiments.peers.environments import Environment, ourselves
from experiments.peers.running import run_driver
from experiments.peers.searching import COLUMNS, Cell, mark_optima, search_all

pytestmark = pytest.mark.slow


def small(records: int = 80) -> tables.Table:
    """Draw a small table."""
    return tables.drawn(3, records)


def write_run(folder: Path, table: tables.Table, environment: Environment) -> list[Cell]:
    """Give one tool two tasks."""
    return list(search_all([table], [environment], [2, 4], [0.05], folder, 60))


# --- what was released ---


@pytest.mark.parametrize("limit", [0.0, 0.2])
def test_the_loss_of_released_cells_is_that_of_the_solution(limit: float) -> None:
    table = small()
    policy = Policy(
        attributes={n: {"role": "quasi", "hierarchy": h} for n, h in table.hierarchies.items()},
        risk=[{"model": "k-anonymity", "k": 4}],
        release={"suppression_limit": limit},
    )
    solution = anonymize(table.frame, policy)
    found = tables.describe_release(table, solution.to_frame())
    assert found["loss"] == pytest.approx(solution.loss, abs=1e-12)
    assert found["suppressed"] == solution.suppressed
    assert found["smallest_class"] >= 4


def test_what_each_level_costs_has_the_order_of_the_loss() -> None:
    table = small()
    costs = table.level_losses()
    schemes = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
    by_cost = [
        sum(costs[name][at] for name, at in zip(costs, scheme, strict=True)) / 3
        for scheme in schemes
    ]
    losses = []
    for scheme in schemes:
        cells = {
            name: table.frame[name].map({row[0]: row[at] for row in table.hierarchies[name].rows()})
            for name, at in zip(table.hierarchies, scheme, strict=True)
        }
        losses.append(tables.released_loss(table, pd.DataFrame(cells)))
    assert np.exp2(by_cost) - 1 == pytest.approx(losses)
    assert all(levels[0] == 0 and levels[-1] == pytest.approx(1) for levels in costs.values())


def test_cells_of_no_level_are_an_error() -> None:
    table = small()
    with pytest.raises(ValueError, match="'q0': no level has all of"):
        tables.level_of(table.hierarchies["q0"], ["a1", "*"])


# --- the tools ---


def test_our_own_driver_runs_as_the_peers_do(tmp_path: Path) -> None:
    cells = write_run(tmp_path, small(), ourselves())
    assert [cell.status for cell in cells] == ["found", "found"]
    assert all(cell.proven and cell.cpu_seconds and cell.peak_mib for cell in cells)
    assert all(cell.smallest_class >= cell.k for cell in cells)
    marked = mark_optima(cells)
    assert list(marked) == COLUMNS
    assert marked["optimal"].all()


def test_a_peer_that_cannot_be_installed_is_said_so_and_the_rest_goes_on(tmp_path: Path) -> None:
    absent = Environment("openmed", None, "`pip install openmed==3.1.0` failed: no such thing")
    cells = write_run(tmp_path, small(), absent)
    assert {cell.status for cell in cells} == {"not installed"}
    marked = mark_optima(cells)
    assert marked["optimal"].isna().all()
    assert "no such thing" in "\n".join(page.describe_refusals(marked))


def test_a_driver_that_does_not_finish_says_so_and_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "meter.py").write_text((environments.DRIVERS / "meter.py").read_text())
    (tmp_path / "run_anjana.py").write_text(
        "from meter import measure, read_job\n"
        "def forever():\n"
        "    while True: pass\n"
        "measure(read_job(), '1', forever)\n"
    )
    monkeypatch.setattr(environments, "DRIVERS", tmp_path)
    slow = Environment("anjana", ourselves().python)
    cells = list(search_all([small()], [slow], [2, 4], [0.0], tmp_path, 1))
    assert [cell.status for cell in cells] == ["not finished", "not tried"]
    assert cells[0].cpu_seconds == pytest.approx(1, abs=0.5)


def test_a_driver_that_dies_is_a_failure_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run_anjana.py").write_text("raise SystemExit('no such package')\n")
    monkeypatch.setattr(environments, "DRIVERS", tmp_path)
    found = run_driver(Environment("anjana", ourselves().python), {}, tmp_path, 10)
    assert found == {"status": "failed", "said": "no such package"}


# --- what pyCANON computes ---


@given(
    st.lists(
        st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any), min_size=1, max_size=5
    )
)
def test_its_formulas_are_those_of_its_source_written_out(counts: list[list[int]]) -> None:
    table = np.array(counts)[:, np.array(counts).any(axis=0)]
    found = judging.theirs_by_formula(table, ordered=False)
    total = table.sum()
    q = [column.sum() / total for column in table.T]
    p = [[n / row.sum() for n in row] for row in table]
    assert found["k"] == min(row.sum() for row in table)
    assert found["l"] == min(sum(n > 0 for n in row) for row in table)
    assert found["t"] == pytest.approx(
        max(sum(abs(a - b) for a, b in zip(row, q, strict=True)) / 2 for row in p)
    )
    assert found["beta"] == pytest.approx(
        max((a - b) / b for row in p for a, b in zip(row, q, strict=True))
    )
    assert found["delta"] == pytest.approx(
        max(abs(math.log(a / b)) for row in p for a, b in zip(row, q, strict=True) if a)
    )


# --- what is committed ---


def committed(name: str) -> pd.DataFrame:
    """Read a table of results/peers."""
    return pd.read_csv(RESULTS / "peers" / f"{name}.csv", keep_default_na=False)


def test_the_page_is_that_of_the_tables() -> None:
    text = (RESULTS / "peers" / "README.md").read_text(encoding="utf-8")
    assert read_page(RESULTS / "peers") == text


@pytest.mark.parametrize("place", ["README.md", "docs/pages/explanation/comparison.md"])
def test_the_documentation_quotes_the_table(place: str) -> None:
    assert page.quote(committed("peers")) in (ROOT / place).read_text(encoding="utf-8")


def test_no_tool_releases_less_loss_than_ours_and_all_keep_k() -> None:
    peers = committed("peers")
    found = peers[peers["status"] == "found"]
    ours = found[found["peer"] == "anonymizer"]
    assert len(ours) == len(peers[peers["peer"] == "anonymizer"])
    assert ours["optimal"].map(page.is_true).all()
    assert ours["proven"].map(page.is_true).all()
    assert (found["smallest_class"].astype(float) >= found["k"]).all()


def test_every_figure_of_pycanon_is_ours_or_explained() -> None:
    judged = committed("judged")
    assert (judged["same"].map(page.is_true) | judged["explained"].map(page.is_true)).all()
    broken = judged[(judged["limit"] != "") & ~judged["meets"].map(page.is_true)]
    assert broken["release"].str.endswith("reference = input").all()


@pytest.mark.skipif(path_of("adult") is None, reason="ADULT is not at hand")
def test_our_figures_of_a_release_are_those_that_are_committed() -> None:
    judged = committed("judged")
    promise = judging.PROMISES[3]
    solution = judging.release(promise)
    own = judged[judged["release"] == str(promise)].set_index("measure")
    for measure, (_, of_release) in judging.ours(solution, promise).items():
        assert float(own.loc[measure, "ours_of_release"]) == pytest.approx(of_release, abs=1e-8)


def test_drivers_import_nothing_of_ours_but_the_meter() -> None:
    for path in environments.DRIVERS.glob("*.py"):
        if path.stem != "run_anonymizer":
            assert "import anonymizer" not in path.read_text(encoding="utf-8")
            assert "from anonymizer" not in path.read_text(encoding="utf-8")
