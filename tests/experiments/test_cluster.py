"""The benchmark of clusters: what is simulated, and that what is committed agrees with itself."""

from __future__ import annotations

import joblib
import pandas as pd
import pytest

from experiments.benchmark.cluster import (
    Recorder,
    Wide,
    round_seconds,
    simulate,
    timed_search,
)
from experiments.benchmark.wide import wide_policy, wide_register
from experiments.datasets import RESULTS
from experiments.parallel import run_settings

pytestmark = pytest.mark.slow

FOLDER = RESULTS / "benchmark"


def test_a_round_takes_its_longest_queue_and_its_message() -> None:
    assert round_seconds([1.0, 1.0, 2.0], 2, overhead=0.5) == 3.5
    assert round_seconds([1.0, 1.0, 2.0], 64, overhead=0.5) == 2.5
    assert round_seconds([1.0, 1.0, 2.0], 1, overhead=0.5) == 4.0
    assert round_seconds([0.1, 0.1], 2, overhead=0.5) == 0.2  # not sent
    assert round_seconds([9.0], 2, overhead=0.5) == 9.0


@pytest.fixture(scope="module")
def small() -> Wide:
    from anonymizer.problem import Problem

    problem = Problem.read(wide_register(300), wide_policy())
    return Wide("small", problem, 200)


def test_more_workers_are_simulated_to_take_no_longer(small: Wide) -> None:
    rows = pd.DataFrame(simulate(small, 16, overhead=1e-6))
    assert rows["seconds"].is_monotonic_decreasing
    assert rows["simulated"].all()


def test_a_recorder_runs_jobs_as_they_are() -> None:
    recorder = Recorder()
    assert recorder(abs, [-1, 2]) == [1, 2]  # type: ignore[arg-type]
    assert [len(each) for each in recorder.rounds] == [2]


def test_a_search_stops_after_its_effort(small: Wide) -> None:
    _, found, cluster = timed_search(small)
    assert cluster is None
    assert found.proof.effort >= small.effort or found.checkpoint is None


def test_committed_searches_agree_whichever_backend() -> None:
    rows = pd.read_csv(FOLDER / "cluster.csv")
    assert set(zip(rows["backend"], rows["workers"], strict=True)) == {
        (backend, workers) for backend in ("threads", "loky", "dask") for workers in (1, 2)
    }
    for _, mine in rows.groupby("data"):
        assert len(mine[["effort", "loss", "bound", "gap"]].drop_duplicates()) == 1
    assert pd.read_csv(FOLDER / "cluster_simulated.csv")["simulated"].all()


def test_settings_come_back_in_their_order() -> None:
    settings = [(number, 7) for number in range(20)]
    expected = [divmod(*setting) for setting in settings]
    assert list(run_settings(divmod, settings)) == expected
    with joblib.parallel_config("threading", n_jobs=3):
        assert list(run_settings(divmod, settings)) == expected
