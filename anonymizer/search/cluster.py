"""Cluster: the jobs of a search done by other processes, on this machine or elsewhere, through joblib.

The search alone decides on the boxes, their order and the incumbent, in the same way for any number of
workers. Only where a job is done, and how many go into one message, follows from what it has been
measured to cost. So result, proof and every count are the same wherever it runs.
"""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonymizer.errors import AnonymizerWarning, ClusterError, shorten
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.kernels.compilation import working_seconds
from anonymizer.search.backends import ActiveBackend
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.jobs import Job, read_job, write_job
from anonymizer.search.limits import LimitReached, StopReason, Usage
from anonymizer.search.params import SearchParams
from anonymizer.search.shipment import Shipment, find_table

PAYS = 4.0
"""A round is sent where it is expected to cost so many times what sending has been measured to cost."""
FIRST_OVERHEAD = 0.05
"""Seconds that sending a round is assumed to cost before it has been measured."""
TRIES = 4
"""How many times a round is sent in all, when workers die on it, before the cluster counts as lost."""
GRACE = 2.0
"""Seconds that a round may go on after a limit or Ctrl-C, before what is not done is left open."""
POLL = 0.05
"""Seconds between two looks at the limits while a round is under way."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a worker sends back."""

    seconds: tuple[float, ...] = ()
    """What each item took."""
    results: tuple[Any, ...] | None = None
    """None where the worker could not do it."""
    lacks_table: bool = False
    refusal: str | None = None
    """Why no worker like this one can help."""
    failure: str | None = None
    """What kind of error came up."""


def work(key: str, shipment: Shipment | None, message: bytes, home: int) -> bytes:
    """Do a job in a worker, with the table it keeps or is given; return a reply in bytes."""
    ignore_interrupts(home)
    try:
        table = find_table(key, shipment)
        if table is None:
            return pickle.dumps(Reply(lacks_table=True))
        job, items = read_job(message, table)
        seconds, results = [], []
        for item in items:
            started = time.perf_counter()
            results.append(job(item))
            seconds.append(time.perf_counter() - started)
        return pickle.dumps(Reply(tuple(seconds), tuple(results)), pickle.HIGHEST_PROTOCOL)
    except ClusterError as error:
        return pickle.dumps(Reply(refusal=str(error)))
    except Exception as error:  # the search does it itself, and then sees what is wrong
        return pickle.dumps(Reply(failure=type(error).__name__))


def ignore_interrupts(home: int) -> None:
    """Leave Ctrl-C to the process that searches; a terminal sends it to its workers, too."""
    if os.getpid() != home and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@dataclass(slots=True)
class Traffic:
    """What a search has sent and received."""

    rounds: int = 0
    messages: int = 0
    tables: int = 0
    """How many times the table was sent."""
    bytes_sent: int = 0
    bytes_received: int = 0
    tries: int = 0
    """Rounds that were sent once more."""
    failures: int = 0
    """Rounds of which a part had to be done here, as a worker could not."""


class Cluster:
    """Runs the jobs of one search: here while they are cheap, elsewhere where that pays."""

    def __init__(
        self,
        active: ActiveBackend,
        evaluator: Evaluator,
        params: SearchParams,
        here: Callable[..., list[Any]],
        usage: Usage,
        interrupt: Interrupt,
        folder: Path,
    ) -> None:
        self.active, self.evaluator, self.params, self.here = active, evaluator, params, here
        self.usage, self.interrupt, self.folder = usage, interrupt, folder
        self.started = working_seconds()
        self.traffic = Traffic()
        self.costs: dict[type, float] = {}
        """Seconds of a unit of each kind of job, as last measured."""
        self.overhead = FIRST_OVERHEAD
        self.shipment: Shipment | None = None
        self.parallel: Any = None

    def __call__(self, job: Job, items: Sequence[Any]) -> list[Any]:
        """Do a job for each of some items; the results are in the order of the items."""
        if self.pays(job, len(items)):
            return self.send(job, items)
        started = time.perf_counter()
        results = self.here(job, items)
        self.learn(job, len(items), time.perf_counter() - started)
        return results

    def pays(self, job: Job, items: int) -> bool:
        """Whether to send a round: not where it is short, and not before the search has taken a while."""
        if items < 2 or not job.portable:
            return False
        after = self.params.sent_after
        if after and working_seconds() - self.started < after:
            return False
        return not after or self.expect(job, items) >= PAYS * self.overhead

    def expect(self, job: Job, items: int) -> float:
        """Return how many seconds a job is expected to take for so many items, one after another."""
        return self.costs.get(type(job), 0.0) * job.units * items

    def learn(self, job: Job, items: int, seconds: float) -> None:
        """Take in what a job has cost."""
        if items:
            self.costs[type(job)] = seconds / (job.units * items)

    def send(self, job: Job, items: Sequence[Any]) -> list[Any]:
        """Have a job done by the workers, in tasks that take longer than their messages."""
        each = self.expect(job, 1)
        fair = -(-len(items) // self.active.workers)
        size = max(1, min(fair, int(self.overhead / each) if each else 1))
        parts = [items[start : start + size] for start in range(0, len(items), size)]
        started, new = time.perf_counter(), self.shipment is None
        replies = self.exchange([write_job(job, part) for part in parts])
        elapsed = time.perf_counter() - started
        seconds = [each for reply in replies for each in reply.seconds]
        self.learn(job, len(items), sum(seconds))
        if seconds and not new:
            ideal = max(sum(seconds) / self.active.workers, *seconds)
            self.overhead = (self.overhead + max(0.0, elapsed - ideal)) / 2
        self.traffic.rounds += 1
        return [
            result
            for part, reply in zip(parts, replies, strict=True)
            for result in (self.here(job, part) if reply.results is None else reply.results)
        ]

    def exchange(self, messages: list[bytes]) -> list[Reply]:
        """Send messages and return the replies; workers without the table get it and try again."""
        new = self.shipment is None
        if self.shipment is None:
            self.shipment = self.pack()
        replies = self.deliver(messages, with_table=new)
        while lacking := [at for at, reply in enumerate(replies) if reply.lacks_table]:
            again = self.deliver([messages[at] for at in lacking], with_table=True)
            for at, reply in zip(lacking, again, strict=True):
                replies[at] = reply
        if refused := next((reply.refusal for reply in replies if reply.refusal), None):
            raise ClusterError(refused)
        if failed := next((reply.failure for reply in replies if reply.failure), None):
            self.warn_of_failure(failed)
        return replies

    def pack(self) -> Shipment:
        """Write the table for the workers: into a file, if they can read it there."""
        if self.active.on_this_machine:
            return Shipment.in_file(self.evaluator, self.params, self.folder / "table")
        return Shipment.of(self.evaluator, self.params)

    def deliver(self, messages: list[bytes], with_table: bool) -> list[Reply]:
        """Send messages, again if workers die, and return what the workers answer."""
        assert self.shipment is not None
        # where a file is costs nothing to say; a worker that was started anew needs it
        shipment = self.shipment if with_table or self.active.on_this_machine else None
        calls = [(self.shipment.key, shipment, message, os.getpid()) for message in messages]
        answers: list[bytes] = self.call_until_done(calls)
        traffic = self.traffic
        traffic.messages += len(messages)
        traffic.bytes_sent += sum(map(len, messages))
        traffic.bytes_received += sum(map(len, answers))
        if with_table:  # mapped or scattered: it is one for all workers
            traffic.tables += 1
            traffic.bytes_sent += self.shipment.size
        return [pickle.loads(answer) for answer in answers]

    def warn_of_failure(self, kind: str) -> None:
        """Say once that a worker could not do its part."""
        if not self.traffic.failures:
            warnings.warn(
                f"a worker could not do its part of the search ({kind}), which is done here instead; "
                "give workers as much memory as this process has, and the same packages.",
                AnonymizerWarning,
                stacklevel=2,
            )
        self.traffic.failures += 1

    def call_until_done(self, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Have calls made by the workers; a worker that dies is a round made again."""
        for attempt in range(1, TRIES + 1):
            try:
                return self.call_all(calls)
            except LimitReached:
                raise
            except (
                Exception
            ) as error:  # whatever a backend raises: the jobs' own errors come as replies
                self.close()
                self.check_there(error, last=attempt == TRIES)
                self.traffic.tries += 1
        raise AssertionError

    def check_there(self, error: Exception, last: bool) -> None:
        """Stop the search if the cluster is not there after an error, or has failed too often."""
        try:
            self.active.watch()()
        except ConnectionError as gone:
            raise self.lost(gone) from error
        if last or isinstance(error, ConnectionError):
            raise self.lost(error) from error

    def call_all(self, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Make calls in the workers, from a thread, so that limits and Ctrl-C are seen meanwhile."""
        from joblib import Parallel, delayed

        if self.parallel is None:
            parallel = Parallel(
                self.active.workers, self.active.backend, batch_size=1, pre_dispatch="all"
            )
            self.parallel = parallel.__enter__()
        call = Call(self.parallel, [delayed(work)(*arguments) for arguments in calls])
        watch, over_since = self.active.watch(), 0.0
        while not call.wait(POLL):
            watch()
            if (reason := self.stop_reason()) is None:
                continue
            over_since = over_since or time.monotonic()
            if time.monotonic() > over_since + GRACE:
                self.parallel = None  # the thread still waits for it
                raise LimitReached(reason)
        return call.result()

    def stop_reason(self) -> StopReason | None:
        """Return why the search has to stop, or None."""
        if self.interrupt.requested:
            return StopReason.INTERRUPTED
        left = self.usage.seconds_left
        return StopReason.TIME if left is not None and left <= 0 else None

    def lost(self, error: Exception) -> LimitReached:
        """Warn that the cluster went away, and return what stops the search."""
        reason = shorten(f"{type(error).__name__}: {error}", 200)
        warnings.warn(
            f"the cluster went away ({reason}), so the search stopped with the best so far, its gap and "
            "a checkpoint; resume it on a cluster that is there, or without a backend.",
            AnonymizerWarning,
            stacklevel=2,
        )
        return LimitReached(StopReason.CLUSTER)

    def close(self) -> None:
        """Let go of the workers."""
        parallel, self.parallel = self.parallel, None
        if parallel is not None:
            with suppress(Exception):  # of a cluster that is gone nothing has to be freed
                parallel.__exit__(None, None, None)


class Call(threading.Thread):
    """One call of joblib's, in a thread of its own; where it never returns, the process can still end."""

    def __init__(self, parallel: Any, calls: list[Any]) -> None:
        super().__init__(daemon=True)
        self.parallel, self.calls = parallel, calls
        self.found: list[Any] | None = None
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        """Make the call."""
        try:
            self.found = self.parallel(self.calls)
        except BaseException as error:
            self.error = error

    def wait(self, seconds: float) -> bool:
        """Wait for a while; return whether the call has ended."""
        self.join(seconds)
        return not self.is_alive()

    def result(self) -> list[Any]:
        """Return what the call returned, or raise what it raised."""
        if self.error is not None and not isinstance(self.error, Exception):
            raise RuntimeError(f"{type(self.error).__name__} in a worker") from self.error
        if self.error is not None:
            raise self.error
        assert self.found is not None
        return self.found


@contextmanager
def start_cluster(
    active: ActiveBackend,
    evaluator: Evaluator,
    params: SearchParams,
    here: Callable[..., list[Any]],
    usage: Usage,
    interrupt: Interrupt,
) -> Iterator[Cluster]:
    """Run the jobs of a search on a backend, and leave no file behind."""
    with tempfile.TemporaryDirectory(prefix="anonymizer-") as folder:
        cluster = Cluster(active, evaluator, params, here, usage, interrupt, Path(folder))
        try:
            yield cluster
        finally:
            cluster.close()
