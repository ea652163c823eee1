"""A search on other processes: the same result, proof and counts, whoever does the work or dies at it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizer import AnonymizerWarning, ClusterError
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.frontiers.sweep import AtThreshold, Sweep, SweepEvaluator
from anonymizer.search import (
    Limits,
    Progress,
    SearchParams,
    SearchResult,
    Status,
    StopReason,
    cluster,
    search,
)
from anonymizer.search.backends import ActiveBackend
from anonymizer.search.cluster import Cluster, Traffic, work
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.jobs import BoundBox, EvaluateScheme
from anonymizer.search.limits import LimitReached, Usage
from anonymizer.search.shipment import TABLES
from tests.oracle import Problem
from tests.search.clusters import LEFT, KillsOnce, Waits, local_dask
from tests.search.test_boxes import essence, medium
from tests.search.test_subtree_bounds import wide
from tests.strategies import evaluator_of, lattice_of, problems

pytestmark = pytest.mark.xdist_group("cluster")

EVALUATIONS = SearchParams(boxes_work=10**18, batch_size=12, sent_after=0)
"""Every round is sent, and boxes are bounded by evaluations alone."""
SUBTREES = SearchParams(large_lattice=0, sent_after=0, max_stale_kicks=2)
"""Every round is sent, from local search to subtree bounds."""


def summary(found: SearchResult) -> tuple[object, ...]:
    """All that must not depend on who did the work."""
    return essence(found.best), found.status, found.stopped, found.proof, found.gap


def solve(problem: Problem, **options: Any) -> SearchResult:
    return search(evaluator_of(problem), lattice_of(problem), **options)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Cluster]:
    """List the clusters that searches start, to see what they sent."""
    started: list[Cluster] = []
    make = Cluster.__init__

    def noting(self: Cluster, *arguments: Any) -> None:
        make(self, *arguments)
        started.append(self)

    monkeypatch.setattr(Cluster, "__init__", noting)
    return started


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    with local_dask() as client:
        yield client


@pytest.fixture(params=["loky", pytest.param("dask", marks=pytest.mark.soak)])
def processes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Two worker processes, behind each backend that is at hand."""
    if request.param == "dask":
        request.getfixturevalue("dask")
    with joblib.parallel_config(request.param, n_jobs=2):
        yield


@pytest.mark.slow
def test_result_proof_and_counts_are_the_same_in_two_processes(
    processes: None, sent: list[Cluster]
) -> None:
    for problem, params in ((medium(), EVALUATIONS), (wide(), SUBTREES)):
        with joblib.parallel_config("sequential"):
            alone, threads = solve(problem, params=params), solve(problem, params=params, workers=2)
        assert not sent
        elsewhere = solve(problem, params=params)
        assert summary(elsewhere) == summary(alone) == summary(threads)
        traffic = sent.pop().traffic
        assert traffic.rounds > 3
        assert traffic.messages > traffic.rounds  # rounds were divided
        assert traffic.bytes_sent > 0 < traffic.bytes_received


def test_one_loky_worker_is_this_process(sent: list[Cluster]) -> None:
    with joblib.parallel_config("loky", n_jobs=1):
        found = solve(medium(), params=EVALUATIONS)
    assert summary(found) == summary(solve(medium(), params=EVALUATIONS))
    assert not sent


@pytest.mark.slow
def test_the_table_is_sent_once_and_not_with_every_message(
    processes: None, sent: list[Cluster]
) -> None:
    solve(medium(), params=EVALUATIONS)
    (mine,) = sent
    assert mine.shipment is not None
    table = mine.shipment.size
    assert mine.traffic.bytes_sent - mine.traffic.tables * table < table
    assert (
        mine.traffic.tables <= 2
    )  # a worker that had nothing to do in the first round asks for it


@pytest.mark.slow
def test_a_short_search_is_sent_nowhere(processes: None, sent: list[Cluster]) -> None:
    found = solve(medium())
    assert found.status is Status.OPTIMAL
    assert [each.traffic for each in sent] == [Traffic()]


def deadly(problem: Problem, flag: Path) -> Evaluator:
    model = KillsOnce(problem.k, flag=str(flag), home=os.getpid())
    return replace(evaluator_of(problem), models=[model])


@pytest.mark.soak
def test_killing_a_worker_in_the_middle_changes_nothing_but_time(
    processes: None, tmp_path: Path, sent: list[Cluster]
) -> None:
    problem, flag = medium(), tmp_path / "killed"
    with joblib.parallel_config("sequential"):
        alone = solve(problem, params=EVALUATIONS)
    found = search(deadly(problem, flag), lattice_of(problem), params=EVALUATIONS)
    assert flag.exists()
    assert summary(found) == summary(alone)
    # loky gives up, and the round is sent again; Dask does by itself what it can
    assert sent[0].traffic.tries == 1 or sent[0].active.name == "DaskDistributedBackend"


def assert_can_be_resumed(found: SearchResult, problem: Problem) -> None:
    assert found.checkpoint is not None
    assert found.gap is not None
    assert found.gap > 0
    complete = solve(problem)
    again = solve(problem, resume=replace(found.checkpoint, basis=None))
    assert (essence(again.best), again.status) == (essence(complete.best), Status.OPTIMAL)
    assert found.proof.bound <= complete.proof.bound


@pytest.mark.parametrize("closed", ["client", "cluster"])
def test_a_dask_cluster_that_goes_away_leaves_the_best_so_far(closed: str, tmp_path: Path) -> None:
    problem, flag = medium(), tmp_path / "at work"
    evaluator = replace(evaluator_of(problem), models=[Waits(problem.k, flag=str(flag))])
    LEFT.clear()
    with local_dask(1, processes=False) as client, joblib.parallel_config("dask"):
        when_there(flag, client.close if closed == "client" else client.cluster.close)
        with pytest.warns(AnonymizerWarning, match=r"^the cluster went away \(.*Dask's scheduler"):
            found = search(evaluator, lattice_of(problem), params=EVALUATIONS)
        LEFT.set()
    assert (found.status, found.stopped) == (Status.FEASIBLE, StopReason.CLUSTER)
    assert_can_be_resumed(found, problem)


def when_there(flag: Path, act: Callable[[], object]) -> None:
    """Act in the background once a file is there."""

    def wait() -> None:
        while not flag.exists():
            threading.Event().wait(0.02)
        act()

    threading.Thread(target=wait, daemon=True).start()


def test_workers_that_die_again_and_again_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> None:
        raise OSError("no more workers")

    monkeypatch.setattr(Cluster, "call_all", die)
    with (
        joblib.parallel_config("loky", n_jobs=2),
        pytest.warns(AnonymizerWarning, match=r"went away \(OSError: no more workers\), so the"),
    ):
        found = solve(medium(), params=EVALUATIONS)
    assert found.stopped is StopReason.CLUSTER
    assert_can_be_resumed(found, medium())


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the worker's side run in this process: all is written and read, but nothing is sent."""

    def call_here(_: Cluster, calls: Sequence[tuple[Any, ...]]) -> list[bytes]:
        return [work(*call) for call in calls]

    monkeypatch.setattr(Cluster, "call_all", call_here)
    with joblib.parallel_config("loky", n_jobs=3):
        yield
    TABLES.clear()


@settings(max_examples=60)
@given(
    problem=st.one_of(problems(), problems(limits=True)),
    params=st.sampled_from([EVALUATIONS, SUBTREES]),
    limit=st.none() | st.integers(1, 60),
)
@example(problem=wide(), params=SUBTREES, limit=200)
def test_random_problems_come_out_alike(
    problem: Problem, params: SearchParams, limit: int | None
) -> None:
    limits = Limits(evaluations=limit)
    alone = solve(problem, params=params, limits=limits)
    with pytest.MonkeyPatch.context() as patch:
        for _ in in_process.__wrapped__(patch):  # type: ignore[attr-defined]
            elsewhere = solve(problem, params=params, limits=limits)
    assert summary(elsewhere) == summary(alone)
    assert elsewhere.checkpoint == alone.checkpoint


def test_a_threshold_of_a_frontier_has_its_boxes_bounded_elsewhere(
    in_process: None, sent: list[Cluster]
) -> None:
    def at_threshold() -> Any:
        evaluator = evaluator_of(wide())
        return AtThreshold.of(SweepEvaluator(evaluator, Sweep.of(evaluator.models, [2, 3])), 1)

    elsewhere = search(at_threshold(), lattice_of(wide()), params=SUBTREES)
    assert sent[0].traffic.rounds > 0
    assert set(sent[0].costs) == {BoundBox, EvaluateScheme}
    with joblib.parallel_config("sequential"):
        alone = search(at_threshold(), lattice_of(wide()), params=SUBTREES)
    assert summary(elsewhere) == summary(alone)


def test_a_worker_without_the_table_asks_for_it(in_process: None, sent: list[Cluster]) -> None:
    def forget(_: Progress) -> None:
        TABLES.clear()

    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:  # as over a network: no file that a worker could read
        patch.setattr(ActiveBackend, "on_this_machine", False)
        found = solve(medium(), params=EVALUATIONS, on_progress=forget)
    with joblib.parallel_config("sequential"):
        assert summary(found) == summary(solve(medium(), params=EVALUATIONS))
    assert sent[0].traffic.tables == sent[0].traffic.rounds > 1


def test_what_a_worker_cannot_do_is_done_here(
    in_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    with joblib.parallel_config("sequential"):
        alone = solve(medium(), params=EVALUATIONS)
    monkeypatch.setattr(cluster, "read_job", fail)
    with pytest.warns(AnonymizerWarning, match=r"could not do its part .*\(MemoryError\), which"):
        found = solve(medium(), params=EVALUATIONS)
    assert summary(found) == summary(alone)


def test_a_worker_that_refuses_is_an_error(
    in_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise ClusterError("a worker has another version; install the same.")

    monkeypatch.setattr(cluster, "find_table", refuse)
    with pytest.raises(ClusterError, match="another version"):
        solve(medium(), params=EVALUATIONS)


class Timed:
    """A cluster that sends nothing, with costs that a test sets."""

    def __init__(self, **params: Any) -> None:
        evaluator = evaluator_of(medium())
        self.job = EvaluateScheme(evaluator, 1.0)
        self.cluster = Cluster(
            ActiveBackend(None, 2, True),
            evaluator,
            SearchParams(**params),
            lambda job, items: [job(item) for item in items],
            Usage(Limits(), lambda: 0.0),
            Interrupt(),
            Path(),
        )
        self.sizes: list[int] = []

    def send(self, items: int, cost: float, overhead: float) -> list[int]:
        """Return how many items each message has."""
        self.cluster.costs[EvaluateScheme] = cost
        self.cluster.overhead = overhead
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.cluster, "exchange", self.note)
            self.cluster.send(self.job, [(0,) * 5] * items)
        return self.sizes

    def note(self, messages: Sequence[bytes]) -> list[cluster.Reply]:
        read = [cluster.read_job(message, self)[1] for message in messages]
        self.sizes = [len(items) for items in read]
        return [cluster.Reply((0.1,) * len(items), (None,) * len(items)) for items in read]

    @property
    def evaluator(self) -> Evaluator:
        return self.job.evaluator


def test_the_size_of_a_task_follows_the_measured_cost() -> None:
    assert Timed().send(16, cost=1.0, overhead=0.1) == [1] * 16
    assert Timed().send(16, cost=0.05, overhead=0.1) == [2] * 8
    assert Timed().send(16, cost=1e-6, overhead=0.1) == [8, 8]  # a fair share for each worker


def test_rounds_are_sent_where_they_cost_more_than_sending() -> None:
    timed = Timed(sent_after=1e-9)
    timed.cluster.overhead = 0.1
    timed.cluster.costs[EvaluateScheme] = 0.2
    assert timed.cluster.pays(timed.job, 4)
    assert not timed.cluster.pays(timed.job, 1)
    timed.cluster.costs[EvaluateScheme] = 0.01
    assert not timed.cluster.pays(timed.job, 4)
    assert not Timed(sent_after=1e9).cluster.pays(timed.job, 4)


@pytest.mark.parametrize("reason", [StopReason.INTERRUPTED, StopReason.TIME])
def test_a_round_that_never_ends_does_not_outlast_ctrl_c_or_a_time_limit(
    reason: StopReason, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "GRACE", 0.0)
    mine = Timed().cluster
    mine.parallel = lambda _: threading.Event().wait(30)
    mine.interrupt.requested = reason is StopReason.INTERRUPTED
    mine.usage = Usage(Limits(None if mine.interrupt.requested else 0.0), lambda: 1.0)
    with pytest.raises(LimitReached) as stopped:
        mine.call_all([])
    assert stopped.value.reason is reason
