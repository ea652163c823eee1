"""One thread that works on the newest job, and drops a job that nobody waits for any longer."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Cancelled(Exception):  # noqa: N818 - not an error
    """The job is not wanted any more."""


class Job:
    """Something to do that can be given up between two steps."""

    def __init__(self, run: Callable[[Job], None]) -> None:
        self.run = run
        self.dropped = threading.Event()
        """Set when a newer job has come: nothing of this one is wanted."""
        self.stopped = threading.Event()
        """Set when the user has had enough: the best so far is wanted."""
        self.done = threading.Event()

    def check(self) -> None:
        """Raise Cancelled if the job is to be given up."""
        if self.dropped.is_set() or self.stopped.is_set():
            raise Cancelled


class Worker:
    """A thread that runs jobs, the newest first; older ones are dropped."""

    def __init__(self) -> None:
        self.condition = threading.Condition()
        self.waiting: Job | None = None
        self.current: Job | None = None
        self.closed = False
        self.thread = threading.Thread(target=self.loop, name="studio", daemon=True)
        self.thread.start()

    def submit(self, run: Callable[[Job], None]) -> Job:
        """Have a job done in place of all that was asked for before."""
        job = Job(run)
        with self.condition:
            for old in (self.waiting, self.current):
                if old is not None:
                    old.dropped.set()
            if self.waiting is not None:
                self.waiting.done.set()
            self.waiting = job
            self.condition.notify()
        return job

    def drop(self) -> None:
        """Drop all that was asked for."""
        with self.condition:
            for job in (self.waiting, self.current):
                if job is not None:
                    job.dropped.set()

    def stop(self) -> bool:
        """Let the job in work end with what it has; return whether there is one."""
        with self.condition:
            job = self.waiting or self.current
            if job is not None:
                job.stopped.set()
            return job is not None

    def close(self) -> None:
        """Drop everything and end the thread."""
        self.drop()
        with self.condition:
            self.closed = True
            self.condition.notify()

    def loop(self) -> None:
        """Run the newest job, again and again."""
        while True:
            with self.condition:
                self.condition.wait_for(lambda: self.waiting is not None or self.closed)
                if self.closed:
                    return
                self.current, self.waiting = self.waiting, None
            assert self.current is not None
            try:
                self.current.run(self.current)
            except Cancelled:
                pass
            finally:
                self.current.done.set()
                with self.condition:
                    self.current = None
