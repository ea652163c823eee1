"""kernel: compile a function with numba, once for a machine.

What a first run compiles takes seconds on a machine that has not run the package before
(results/benchmark/first_run.csv). It is not what a time limit is for: `working_seconds` is a clock that
stands still meanwhile, and `while_compiling` says so.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from numba import njit
from numba.core.event import Listener, register

from anonymizer.kernels.code_cache import CodeCache


class Stopwatch(Listener):
    """Runs while kernels are compiled; what is read back from disk does not count."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.lock = clock, threading.Lock()
        self.compiling, self.started, self.finished = 0, 0.0, 0.0
        self.listeners: list[Callable[[], None]] = []

    def on_start(self, event: object) -> None:  # noqa: ARG002 - numba's signature
        """Begin; a kernel that another calls is compiled inside."""
        with self.lock:
            if self.compiling == 0:
                self.started = self.clock()
            self.compiling += 1
        for tell in self.listeners:
            tell()

    def on_end(self, event: object) -> None:  # noqa: ARG002 - numba's signature
        """End, with the last of those that are compiled."""
        with self.lock:
            self.compiling -= 1
            if self.compiling == 0:
                self.finished += self.clock() - self.started

    def seconds(self) -> float:
        """Return how long kernels have been compiled so far."""
        with self.lock:
            return self.finished + (self.clock() - self.started if self.compiling else 0.0)

    def working_seconds(self) -> float:
        """Return the time of a clock that stands still while kernels are compiled."""
        with self.lock:
            now = self.started if self.compiling else self.clock()
            return now - self.finished


STOPWATCH = Stopwatch()
register("numba:compile", STOPWATCH)


def compiled_seconds() -> float:
    """Return how long kernels have been compiled in this process."""
    return STOPWATCH.seconds()


def working_seconds() -> float:
    """Return the time of a clock that stands still while kernels are compiled."""
    return STOPWATCH.working_seconds()


@contextmanager
def while_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call a function whenever a kernel begins to be compiled."""
    STOPWATCH.listeners.append(tell)
    try:
        yield
    finally:
        STOPWATCH.listeners.remove(tell)


def kernel(function):
    """Compile a function when it is first called: serial, without Python's lock, kept on disk."""
    return keep_on_disk(njit(nogil=True)(function))


def inlined(function):
    """Compile a function as a part of each kernel that calls it.

    For steps that are called in one place or two: on their own they would be compiled once more, with all
    that they call. Loops over many tuples stay kernels.
    """
    return keep_on_disk(njit(nogil=True, inline="always")(function))


def is_compiled(compiled: Any) -> bool:
    """Whether a kernel has been compiled, in this process or earlier on this machine."""
    kept = compiled._cache
    return bool(compiled.signatures) or (isinstance(kept, CodeCache) and kept.holds_code())


def keep_on_disk(compiled):
    """Keep what is compiled, as njit(cache=True) does; see code_cache.py."""
    with suppress(RuntimeError):  # numba finds no folder to write to
        compiled._cache = CodeCache(compiled.py_func)
    return compiled


@contextmanager
def timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    """Note how long a phase takes, and apart from it how long kernels were compiled meanwhile."""
    started, compiled = working_seconds(), compiled_seconds()
    yield
    seconds[phase] = working_seconds() - started
    seconds["compile"] = seconds.get("compile", 0.0) + compiled_seconds() - compiled
