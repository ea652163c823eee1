"""The widest searches in threads, in processes (loky) and on Dask, and what a larger cluster could reach.

Every search of a table stops after the same effort, so that all of them must come to the same bound and
gap. What a larger cluster could reach is simulated from one recorded run: nobody has measured it.
"""

from __future__ import annotations

import heapq
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import joblib

from anonymizer.problem import Problem
from anonymizer.search import Limits, SearchParams, SearchResult
from anonymizer.search.backends import active_backend, start_dask
from anonymizer.search.cluster import PAYS, Cluster
from anonymizer.search.driver import run, running
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.jobs import Job
from anonymizer.search.limits import Usage
from anonymizer.search.state import State
from experiments.benchmark.clock import best_of
from experiments.benchmark.wide import wide_policy, wide_register
from experiments.benchmark.wide_searches import Setting, columns_of
from experiments.datasets import path_of

SIMULATED = (1, 2, 4, 8, 16, 64)
BATCHES = (16, 128)
"""Boxes of a round: as usual, and as many as a large cluster needs."""
TRAFFIC = ("rounds sent", "messages", "bytes sent", "bytes received", "table bytes", "overhead s")
WARM_UP = 500
"""An effort by which all kernels are compiled."""
RunAll = Callable[[Job, Sequence[Any]], list[Any]]


@dataclass(frozen=True)
class Wide:
    """A table, and after how many evaluations and partitions every search of it stops."""

    name: str
    problem: Problem
    effort: int


def tables() -> Iterator[Wide]:
    """Read the widest tables that are at hand."""
    register = Problem.read(wide_register(100_000, seed=1), wide_policy())
    yield Wide("register", register, 60_000)
    for name, effort in (("creditcard", 120_000), ("mach2019", 80_000)):
        if path_of(name):
            setting = Setting(name, columns_of(name), aggregate="geometric")
            yield Wide(name, Problem.read(None, setting.policy), effort)


@contextmanager
def dask_workers(workers: int) -> Iterator[None]:
    """Search on so many processes of Dask's on this machine."""
    with start_dask(workers) as given, joblib.parallel_config("dask", n_jobs=workers, **given):
        yield


PLACES: dict[tuple[str, int], Callable[[], Any]] = {
    ("threads", 1): nullcontext,
    ("threads", 2): lambda: joblib.parallel_config("threading", n_jobs=2),
    ("loky", 1): lambda: joblib.parallel_config("loky", n_jobs=1),
    ("loky", 2): lambda: joblib.parallel_config("loky", n_jobs=2),
    ("dask", 1): lambda: dask_workers(1),
    ("dask", 2): lambda: dask_workers(2),
}


def measure_clusters() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Search every table everywhere; return what was measured, and what was simulated from it."""
    measured, simulated, overhead = [], [], least_overhead()
    for wide in tables():
        timed_search(replace(wide, effort=WARM_UP))
        rows = [measure(wide, *place) for place in PLACES]
        same = {(row["effort"], row["loss"], row["bound"]) for row in rows}
        assert len(same) == 1, same
        measured += rows
        simulated += [row for batch in BATCHES for row in simulate(wide, batch, overhead)]
    return measured, simulated


def least_overhead(tasks: int = 16, repeats: int = 20) -> float:
    """Return the seconds of a round without work on Dask, the shortest of several.

    Other work on the machine makes most of them longer; a cluster's network may, too.
    """
    calls = [joblib.delayed(abs)(-1)] * tasks
    with dask_workers(2), joblib.Parallel(batch_size=1, pre_dispatch="all") as parallel:
        return best_of(repeats, lambda: parallel(calls))


def measure(wide: Wide, backend: str, workers: int) -> dict[str, Any]:
    """Search in threads, or twice elsewhere: the first time, processes start and get the table."""
    print(f"{wide.name}: {backend}, {workers} ...", file=sys.stderr)
    load = os.getloadavg()[0]
    with PLACES[backend, workers]():
        first, found, cluster = timed_search(wide)
        seconds = first
        if cluster is not None:
            seconds, found, cluster = timed_search(wide)
    return {
        "data": wide.name,
        "attributes": len(wide.problem.lattice.high),
        "distinct": wide.problem.microdata.distinct,
        "backend": backend,
        "workers": workers,
        "first s": round(first, 2),
        "seconds": round(seconds, 2),
        "effort": found.proof.effort,
        "loss": found.best and found.best.loss,
        "bound": found.proof.bound,
        "gap": found.gap,
        **traffic_of(cluster),
        "load": round(load, 1),
    }


def traffic_of(cluster: Cluster | None) -> dict[str, Any]:
    """Describe what a search has sent."""
    if cluster is None:
        return dict.fromkeys(TRAFFIC, 0)
    traffic, shipment = cluster.traffic, cluster.shipment
    return {
        "rounds sent": traffic.rounds,
        "messages": traffic.messages,
        "bytes sent": traffic.bytes_sent,
        "bytes received": traffic.bytes_received,
        "table bytes": 0 if shipment is None else shipment.size,
        "overhead s": round(cluster.overhead, 4),
    }


def timed_search(wide: Wide) -> tuple[float, SearchResult, Cluster | None]:
    """Search where the context says; return the seconds too, and what sent the jobs, if anything."""
    evaluator, params = wide.problem.evaluator, SearchParams()
    started, usage = time.perf_counter(), Usage(Limits(evaluations=wide.effort), time.monotonic)
    with (
        Interrupt() as interrupt,
        running(evaluator, params, active_backend(1).workers, usage, interrupt) as run_all,
    ):
        found = search_with(wide, params, run_all, usage, interrupt)
    cluster = run_all if isinstance(run_all, Cluster) else None
    return time.perf_counter() - started, found, cluster


def search_with(
    wide: Wide, params: SearchParams, run_all: RunAll, usage: Usage, interrupt: Interrupt
) -> SearchResult:
    """Search with something of our own that runs the jobs."""
    problem = wide.problem
    return run(State(problem.evaluator, problem.lattice, usage, params, run_all, None, interrupt))


@dataclass
class Recorder:
    """Runs jobs one after another, and notes what each took."""

    rounds: list[list[float]] = field(default_factory=list)

    def __call__(self, job: Job, items: Sequence[Any]) -> list[Any]:
        results, seconds = [], []
        for item in items:
            started = time.process_time()
            results.append(job(item))
            seconds.append(time.process_time() - started)
        self.rounds.append(seconds)
        return results


def simulate(wide: Wide, batch: int, overhead: float) -> list[dict[str, Any]]:
    """Record a search in one process, and add up what larger clusters would take for its rounds.

    Times are of the processor, so that other work on the machine does not count. A round is sent where
    it takes some times what sending was measured to take, and then costs that and its longest queue. That
    workers start and get the table is not counted.
    """
    recorder, params = Recorder(), replace(SearchParams(), subtree_batch_size=batch)
    usage = Usage(Limits(evaluations=wide.effort), time.monotonic)
    started = time.process_time()
    with Interrupt() as interrupt:
        found = search_with(wide, params, recorder, usage, interrupt)
    total = time.process_time() - started
    rest = total - sum(map(sum, recorder.rounds))
    rows = []
    for workers in SIMULATED:
        seconds = rest + sum(round_seconds(each, workers, overhead) for each in recorder.rounds)
        rows.append({
            "data": wide.name, "boxes of a round": batch, "workers": workers, "simulated": True,
            "seconds": round(seconds, 2), "speed-up": round(total / seconds, 2),
            "not divided s": round(rest, 2), "overhead s": round(overhead, 4), "gap": found.gap,
        })  # fmt: skip
    return rows


def round_seconds(items: Sequence[float], workers: int, overhead: float) -> float:
    """Return what a round takes: here, or sent to workers who take one item after another.

    >>> round_seconds([1.0, 1.0, 2.0], 2, overhead=0.5), round_seconds([0.1, 0.1], 2, overhead=0.5)
    (3.5, 0.2)
    """
    here = sum(items)
    if workers == 1 or len(items) < 2 or here < PAYS * overhead:
        return here
    queues = [0.0] * workers
    for seconds in items:
        heapq.heappush(queues, heapq.heappop(queues) + seconds)
    return overhead + max(queues)
