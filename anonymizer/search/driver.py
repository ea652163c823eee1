"""search: find the best scheme of a lattice, and prove that it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from anonymizer.evaluation.evaluate import Evaluation, Evaluator, SchemeEvaluator
from anonymizer.kernels.compilation import is_compiled, working_seconds
from anonymizer.kernels.finishing import finish_groups
from anonymizer.lattice import Lattice
from anonymizer.search.backends import active_backend
from anonymizer.search.boxes import Boxes
from anonymizer.search.checkpoint import Checkpoint
from anonymizer.search.cluster import start_cluster
from anonymizer.search.incumbent import find_incumbent
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.limits import Clock, LimitReached, Limits, StopReason, Usage
from anonymizer.search.params import SearchParams
from anonymizer.search.result import SearchResult
from anonymizer.search.screening import BATCHES, Screening, can_screen
from anonymizer.search.state import OnProgress, RunAll, State
from anonymizer.search.subtree import Subtree


def search(
    evaluator: SchemeEvaluator,
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
        state = State(evaluator, lattice, usage, params, run_all, on_progress, interrupt)
        return run(state, resume, known)


def run(
    state: State, resume: Checkpoint | None = None, known: Iterable[Evaluation] = ()
) -> SearchResult:
    """Run a search until it is complete or stopped."""
    state.add_known(known)
    try:
        if resume is None:
            find_incumbent(state)
        else:
            state.resume(resume)
        prove(state)
        stopped = StopReason.COMPLETE
    except LimitReached as limit:
        stopped = limit.reason
    return state.result(stopped)


def prove(state: State) -> None:
    """Close every open box, by the engine that is likely to take least time.

    Boxes serve any model and measure. Compiled subtree bounds are worth their compiling in a large
    lattice, or once boxes have taken long; where they say too little, boxes do the rest. Screening
    looks at many schemes at a time where evaluations decide few, once it is compiled or likely to
    save as much.
    """
    boxes = Boxes(state)
    if can_screen(state):
        while state.open:
            before, spent = state.unevaluated, state.usage.evaluations
            boxes.run(BATCHES)
            spent = state.usage.evaluations - spent
            few = before - state.unevaluated < state.params.least_decided * spent
            if few and pays_to_screen(state):
                Screening(state).run()
        return
    while state.undecided and not pays_to_compile(state):
        boxes.next()
    if state.undecided and (engine := Subtree.of(state)) is not None:
        engine.run()
    boxes.run()


def pays_to_compile(state: State) -> bool:
    """Whether subtree bounds are likely to save more time than it takes to compile them."""
    if state.evaluator.microdata is None:
        return False
    return state.large or tuples_passed(state) >= state.params.boxes_work


def pays_to_screen(state: State) -> bool:
    """Whether screening is compiled, or likely to save more time than that takes."""
    return is_compiled(finish_groups) or tuples_passed(state) >= state.params.unscreened_work


def tuples_passed(state: State) -> int:
    """Return how many tuples evaluations have passed over."""
    assert state.evaluator.microdata is not None  # others have no kernels to compile
    return state.usage.evaluations * state.evaluator.microdata.distinct


@contextmanager
def running(
    evaluator: SchemeEvaluator,
    params: SearchParams,
    workers: int,
    usage: Usage,
    interrupt: Interrupt,
) -> Iterator[RunAll]:
    """Run jobs on joblib's active backend, or else in threads."""
    active = active_backend(workers)
    if not (active.processes and isinstance(evaluator, Evaluator)):
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
