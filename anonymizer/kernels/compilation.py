"""kernel: compile a function with numba, once for a machine, whatever state the cache on disk is in.

Compilation takes half a minute on a machine that has not run the package before. It is not what a time
limit is for: `working_seconds` is a clock that stands still meanwhile, and `while_compiling` says so.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from numba import njit
from numba.core.caching import FunctionCache
from numba.core.event import Listener, register

from anonymizer.errors import AnonymizerWarning


class GuardedCache(FunctionCache):
    """Compiled code kept on disk; what cannot be read back is compiled again.

    A run that was killed, a full disk or two processes at once may leave a file cut short.
    """

    warned = False

    def load_overload(self, sig, target_context):
        """Return compiled code, or None where there is none that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a broken pickle raises
            self.discard()
            return None

    def save_overload(self, sig, data):
        """Keep compiled code; where that fails, the run goes on without."""
        try:
            super().save_overload(sig, data)
        except Exception as error:
            self.discard()
            self.warn(error)

    def discard(self):
        """Forget what is kept of this function."""
        try:
            self.flush()
        except OSError as error:
            self.warn(error)

    def warn(self, error):
        """Say once where compiled code cannot be kept."""
        if not GuardedCache.warned:
            GuardedCache.warned = True
            reason = getattr(error, "strerror", None) or error
            warnings.warn(
                f"{self.cache_path}: compiled code cannot be kept there ({reason}), so every run "
                "compiles anew; free some space, or set NUMBA_CACHE_DIR to a folder that can be written.",
                AnonymizerWarning,
                stacklevel=2,
            )


class Stopwatch(Listener):
    """Runs while kernels are compiled; what is read back from disk does not count."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.lock = clock, threading.Lock()
        self.compiling, self.started, self.finished = 0, 0.0, 0.0
        self.told: list[Callable[[], None]] = []

    def on_start(self, event: object) -> None:  # noqa: ARG002 - numba's signature
        """Begin; a kernel that another calls is compiled inside."""
        with self.lock:
            if self.compiling == 0:
                self.started = self.clock()
            self.compiling += 1
        for tell in self.told:
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
    """Have somebody told whenever a kernel begins to be compiled."""
    STOPWATCH.told.append(tell)
    try:
        yield
    finally:
        STOPWATCH.told.remove(tell)


def kernel(function):
    """Compile a function when it is first called: serial, without Python's lock, kept on disk."""
    compiled = njit(nogil=True)(function)
    with suppress(RuntimeError):  # numba finds no folder to write to
        # what njit(cache=True) does, with the guard
        compiled._cache = GuardedCache(function)  # type: ignore[attr-defined]
    return compiled
