"""Backends of joblib: which one is active, with how many workers, and how to start one by its name.

joblib is imported only where somebody asks for it: without, there is no active backend.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from anonymizer.errors import ClusterError, suggest_name

NO_WORKER_SECONDS = 60.0
"""So long a Dask cluster may be without any worker before it counts as lost."""
LOOK_SECONDS = 2.0
"""Between two looks at whether a cluster is there."""


@dataclass(frozen=True, eq=False)
class ActiveBackend:
    """The backend of a `joblib.parallel_config` around a search."""

    backend: Any
    """joblib's own object; None where the policy's number of threads counts."""
    workers: int
    processes: bool
    """Whether the workers are other processes than this one."""

    @property
    def on_this_machine(self) -> bool:
        """Whether workers can read a file that is written here."""
        return self.name in ("LokyBackend", "MultiprocessingBackend")

    @property
    def name(self) -> str:
        """What joblib calls it."""
        return type(self.backend).__name__

    def watch(self) -> Callable[[], None]:
        """Return what raises a ConnectionError once the cluster is not there any more."""
        if self.name == "DaskDistributedBackend":
            return DaskWatch(self.backend.client)
        return lambda: None


class DaskWatch:
    """Looks now and then at whether a Dask cluster is there; joblib would wait for ever."""

    def __init__(self, client: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self.client, self.clock = client, clock
        self.looked = self.last_seen = clock()

    def __call__(self) -> None:
        """Raise a ConnectionError if the scheduler, or every worker, is gone."""
        if self.client.status != "running":
            raise ConnectionError(f"the connection to Dask's scheduler is {self.client.status}")
        now = self.clock()
        if now < self.looked + LOOK_SECONDS:
            return
        self.looked = now
        if self.client.nthreads():
            self.last_seen = now
        elif now > self.last_seen + NO_WORKER_SECONDS:
            raise ConnectionError("Dask has no worker")


def active_backend(workers: int) -> ActiveBackend:
    """Return what a search is to run on: the active backend, or so many threads."""
    threads = ActiveBackend(None, workers, False)
    if "joblib" not in sys.modules:
        return threads
    from joblib.parallel import SequentialBackend, ThreadingBackend, get_active_backend

    # without a context, or with a number of jobs alone, joblib too would take what is preferred
    backend, n_jobs = get_active_backend(prefer="threads")[0], get_active_backend()[1]
    if isinstance(backend, SequentialBackend | ThreadingBackend):
        return ActiveBackend(None, count_workers(backend, n_jobs), False) if n_jobs else threads
    found = ActiveBackend(backend, count_workers(backend, n_jobs), True)
    # joblib would run it in this process
    return threads if found.on_this_machine and found.workers == 1 else found


def count_workers(backend: Any, n_jobs: int | None) -> int:
    """Return how many workers there are, of those that were asked for."""
    wanted = backend.default_n_jobs if n_jobs is None else n_jobs
    try:
        found = int(backend.effective_n_jobs(wanted))
    except (OSError, TimeoutError) as error:
        raise ClusterError(
            "the cluster has no worker, or does not answer; start some, or search without a backend."
        ) from error
    return max(1, min(found, wanted) if wanted > 0 else found)


@contextmanager
def start_dask(workers: int | None) -> Iterator[dict[str, Any]]:
    """Connect to the scheduler of $DASK_SCHEDULER_ADDRESS, or start workers on this machine."""
    dask, distributed = import_module("dask"), import_module("distributed")
    if address := dask.config.get("scheduler-address", None):
        try:
            client = distributed.Client(address)
        except OSError as error:
            raise ClusterError(
                f"{address}: no Dask scheduler answers there ({error}); correct "
                "DASK_SCHEDULER_ADDRESS, or unset it to start workers on this machine."
            ) from error
        with client:
            yield {"client": client}
        return
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield {"client": client}


@contextmanager
def start_ray(_: int | None) -> Iterator[dict[str, Any]]:
    """Register Ray, which connects to $RAY_ADDRESS or starts on this machine."""
    from ray.util.joblib import register_ray

    register_ray()
    yield {}


@contextmanager
def start_spark(_: int | None) -> Iterator[dict[str, Any]]:
    """Register Spark, which takes the session that its own configuration describes."""
    from joblibspark import register_spark

    register_spark()
    yield {}


BACKENDS: dict[str, tuple[Callable[[int | None], Any], str]] = {
    "threading": (lambda _: nullcontext({}), "joblib"),
    "loky": (lambda _: nullcontext({}), "joblib"),
    "dask": (start_dask, "'anonymizer[dask]'"),
    "ray": (start_ray, "joblib ray"),
    "spark": (start_spark, "joblib joblibspark"),
}
"""How each backend is started, and what to install for it."""


@contextmanager
def use_backend(name: str | None, workers: int | None = None) -> Iterator[None]:
    """Start a backend by its name, and let searches run on it; without a number, on all workers.

    Without a name, nothing changes.
    """
    if name is None:
        yield
        return
    if name not in BACKENDS:
        raise ClusterError(f"there is no backend {name!r}; {suggest_name(name, [*BACKENDS])}")
    start, package = BACKENDS[name]
    with ExitStack() as stack:
        try:
            from joblib import parallel_config

            given = stack.enter_context(start(workers))
        except ImportError as error:
            raise ClusterError(
                f"the backend {name!r} needs packages that are not there; run pip install {package}."
            ) from error
        stack.enter_context(parallel_config(name, n_jobs=workers or -1, **given))
        yield
