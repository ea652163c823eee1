"""Which of joblib's backends a search runs on, and what is said where one cannot be had."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import joblib
import pytest

from anonymizer.errors import ClusterError
from anonymizer.search import backends
from anonymizer.search.backends import BACKENDS, DaskWatch, active_backend, use_backend
from tests.search.clusters import local_dask


def test_without_a_context_the_workers_are_threads() -> None:
    assert (active_backend(3).workers, active_backend(3).processes) == (3, False)


def test_without_joblib_they_are_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "joblib")
    assert not active_backend(1).processes
    assert "joblib" not in sys.modules


@pytest.mark.parametrize(
    ("given", "workers", "processes"),
    [
        ({"backend": "loky", "n_jobs": 2}, 2, True),
        ({"backend": "loky", "n_jobs": 1}, 3, False),  # joblib itself would stay in this process
        ({"backend": "loky"}, 3, False),
        ({"backend": "threading", "n_jobs": 2}, 2, False),
        ({"backend": "threading"}, 3, False),
        ({"backend": "sequential"}, 3, False),
        ({"n_jobs": 2}, 2, False),  # threads are the default
    ],
)
def test_a_context_says_where_and_with_how_many_workers(
    given: dict[str, Any], workers: int, processes: bool
) -> None:
    with joblib.parallel_config(**given):
        active = active_backend(3)
    assert (active.workers, active.processes) == (workers, processes)


def nested() -> tuple[int, bool]:
    active = active_backend(1)
    return active.workers, active.processes


def test_inside_a_worker_of_joblibs_a_search_stays_where_it_is() -> None:
    with joblib.parallel_config("threading", n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(nested)() for _ in range(2))
    assert found == [(1, False)] * 2


def test_dask_counts_its_workers_and_takes_no_more_than_asked_for() -> None:
    with local_dask(3, processes=False):
        for n_jobs, workers in ((None, 3), (-1, 3), (2, 2), (9, 3)):
            with joblib.parallel_config("dask", n_jobs=n_jobs):
                active = active_backend(1)
                assert (active.workers, active.processes) == (workers, True)
                assert not active.on_this_machine


def test_a_cluster_without_workers_is_an_error() -> None:
    with (
        local_dask(0, processes=False),
        joblib.parallel_config("dask", wait_for_workers_timeout=0.1),
        pytest.raises(ClusterError, match=r"^the cluster has no worker, .*; start some, or"),
    ):
        active_backend(1)


def test_a_scheduler_that_is_gone_or_has_no_workers_is_noticed() -> None:
    time, client = [0.0], SimpleNamespace(status="running", nthreads=lambda: {"a": 1})
    watch = DaskWatch(client, lambda: time[0])
    time[0] = 100.0
    watch()
    client.nthreads = dict
    time[0] = 100.0 + backends.NO_WORKER_SECONDS
    watch()
    time[0] += backends.LOOK_SECONDS
    with pytest.raises(ConnectionError, match="Dask has no worker"):
        watch()
    client.status = "closed"
    with pytest.raises(ConnectionError, match="the connection to Dask's scheduler is closed"):
        watch()


@pytest.mark.parametrize("name", ["loky", "threading"])
def test_a_backend_is_used_by_its_name(name: str) -> None:
    with use_backend(name, 2):
        active = active_backend(1)
    assert (active.workers, active.processes) == (2, name == "loky")
    assert not active_backend(1).processes


def test_dask_is_started_on_this_machine_or_found_by_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dask = pytest.importorskip("dask", reason="dask is not installed")
    with local_dask(2, processes=False) as client:
        monkeypatch.setitem(dask.config.config, "scheduler-address", client.scheduler.address)
        with use_backend("dask"):
            assert active_backend(1).workers == 2
    monkeypatch.setitem(dask.config.config, "scheduler-address", "tcp://127.0.0.1:9")
    monkeypatch.setitem(dask.config.config["distributed"]["comm"]["timeouts"], "connect", "0.2s")
    with pytest.raises(ClusterError, match="no Dask scheduler answers there"), use_backend("dask"):
        pass


@pytest.mark.parametrize(
    ("name", "module", "sentence"),
    [
        ("ray", "ray", "needs packages that are not there; run pip install joblib ray"),
        (
            "spark",
            "joblibspark",
            "needs packages that are not there; run pip install joblib joblibs",
        ),
        ("dask", "dask", r"pip install 'anonymizer\[dask\]'"),
    ],
)
def test_a_backend_whose_packages_are_not_there_says_what_to_install(
    name: str, module: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ClusterError, match=sentence), use_backend(name):
        pass


def test_a_backend_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ClusterError, match=r"no backend 'dusk'; did you mean 'dask'\?"):
        use_backend("dusk").__enter__()
    assert set(BACKENDS) == {"threading", "loky", "dask", "ray", "spark"}
