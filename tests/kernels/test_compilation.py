"""Compilation: how long it took, and who is told."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from numba import config, njit

from anonymizer.kernels.compilation import (
    Stopwatch,
    compiled_seconds,
    is_compiled,
    kernel,
    while_compiling,
    working_seconds,
)


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_clock_stands_still_while_kernels_are_compiled() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    clock.now = 5.0
    assert (watch.working_seconds(), watch.seconds()) == (5.0, 0.0)
    watch.on_start(None)
    clock.now = 25.0
    assert (watch.working_seconds(), watch.seconds()) == (5.0, 20.0)
    watch.on_end(None)
    clock.now = 26.0
    assert (watch.working_seconds(), watch.seconds()) == (6.0, 20.0)


def test_a_kernel_compiled_inside_another_counts_once() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    watch.on_start(None)
    clock.now = 1.0
    watch.on_start(None)
    clock.now = 3.0
    watch.on_end(None)
    clock.now = 4.0
    watch.on_end(None)
    assert (watch.working_seconds(), watch.seconds()) == (0.0, 4.0)


def test_compilation_is_counted_and_told_and_calls_are_not() -> None:
    @njit
    def triple(x):  # type: ignore[no-untyped-def]
        return 3 * x

    told: list[str] = []
    before = compiled_seconds()
    with while_compiling(lambda: told.append("compiling")):
        assert triple(2) == 6
        compiled = compiled_seconds()
        assert triple(3) == 9
    assert compiled > before
    assert compiled_seconds() == compiled
    assert told == ["compiling"]
    assert triple(2.5) == 7.5  # compiled for another type, with nobody to tell
    assert told == ["compiling"]


def test_the_working_clock_never_goes_back() -> None:
    @njit
    def quadruple(x):  # type: ignore[no-untyped-def]
        return 4 * x

    times = [working_seconds()]
    thread = threading.Thread(target=quadruple, args=(1,))
    thread.start()
    while thread.is_alive():
        times.append(working_seconds())
    thread.join()
    times.append(working_seconds())
    assert times == sorted(times)


def test_a_kernel_is_compiled_once_it_has_been_called_or_its_code_is_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    def double(number):  # type: ignore[no-untyped-def]
        return 2 * number

    first = kernel(double)
    assert not is_compiled(first)
    assert first(2) == 4
    assert is_compiled(first)
    again = kernel(double)
    assert not again.signatures
    assert is_compiled(again)
