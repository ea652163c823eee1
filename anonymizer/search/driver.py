"""search: find the best scheme of a lattice, and prove that it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.kernels.compilation import working_seconds
from anonymizer.lattice import Lattice
from anonymizer.search.backends import active_backend
from anonymizer.search.bounding import raise_bound
from anonymizer.search.branch_and_bound import BranchAndBound, OnProgress, RunAll
from anonymizer.search.checkpoint import Checkpoint
from anonymizer.search.cluster import start_cluster
from anonymizer.search.incumbent import find_incumbent
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.limits import Clock, LimitReached, Limits, StopReason, Usage
from anonymizer.search.params import SearchParams
from anonymizer.search.result import SearchResult
from anonymizer.search.screening import explore


def search(
    evaluator: Evaluator,
    lattice: Lattice,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
    workers: int = 1,
    on_progress: OnProgress | None = None,
    clock: Clock = working_seconds,
    resume: Checkpoint | None = None,
    known: Iterable[Evaluation] = (),
    params: SearchParams = SearchParams(),  # noqa: B008 - a frozen value
) -> SearchResult:
    """Find the best scheme of a lattice and prove that it is.

    The result is the same for any number of workers and any `params`. Workers are threads, or those of
    a `joblib.parallel_config` around the call. When a limit is reached or the user interrupts, it is
    the best so far with the bound proven until then, and a checkpoint to `resume` from. The default
    clock stands still while kernels are compiled. Schemes whose evaluation is `known` already are not
    evaluated again.
    """
    usage = Usage(limits, clock)
    with Interrupt() as interrupt, running(evaluator, params, workers, usage, interrupt) as run_all:
        state = BranchAndBound(evaluator, lattice, usage, params, run_all, on_progress, interrupt)
        return run(state, resume, known)


def run(
    state: BranchAndBound, resume: Checkpoint | None = None, known: Iterable[Evaluation] = ()
) -> SearchResult:
    """Run a search until it is complete or stopped."""
    state.add_known(known)
    try:
        if resume is None:
            find_incumbent(state)
        else:
            state.resume(resume)
        raise_bound(state)
        explore(state)
        stopped = StopReason.COMPLETE
    except LimitReached as limit:
        stopped = limit.reason
    return state.result(stopped)


@contextmanager
def running(
    evaluator: Evaluator, params: SearchParams, workers: int, usage: Usage, interrupt: Interrupt
) -> Iterator[RunAll]:
    """Run jobs on joblib's active backend, or else in threads."""
    active = active_backend(workers)
    if not active.processes:
        with in_threads(active.workers) as run_all:
            yield run_all
        return
    with (
        in_threads(workers) as here,
        start_cluster(active, evaluator, params, here, usage, interrupt) as cluster,
    ):
        yield cluster


@contextmanager
def in_threads(workers: int) -> Iterator[RunAll]:
    """Run jobs one after another, or in threads: the kernels release Python's lock."""
    if workers == 1:
        yield lambda job, *items: list(map(job, *items))
        return
    with ThreadPoolExecutor(workers) as pool:
        yield lambda job, *items: list(pool.map(job, *items))
