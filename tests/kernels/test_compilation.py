"""Compiled code on disk: whatever state it is in, a kernel runs."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from numba import njit

from anonymizer.kernels.compilation import (
    Stopwatch,
    compiled_seconds,
    while_compiling,
    working_seconds,
)

SCRIPT = """
import sys, warnings
sys.path.insert(0, {folder!r})
warnings.simplefilter("always")
import doubling
print(doubling.double(21))
"""

MODULE = """
from anonymizer.kernels.compilation import kernel

@kernel
def double(x):
    return 2 * x
"""


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "doubling.py").write_text(MODULE)
    code = SCRIPT.format(folder=str(folder))
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**ENV, **environment}
    )


ENV = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}


def cached(folder: Path) -> list[Path]:
    return sorted((folder / "__pycache__").glob("doubling.double*.nb[ic]"))


def test_compiled_code_is_kept(tmp_path: Path) -> None:
    assert run(tmp_path).stdout == "42\n"
    assert [path.suffix for path in cached(tmp_path)] == [".nbc", ".nbi"]


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"\x80\x04\x95"], ids=["empty", "text", "cut"]
)
@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
def test_a_corrupt_cache_is_made_again(tmp_path: Path, kind: str, content: bytes) -> None:
    run(tmp_path)
    (broken,) = [path for path in cached(tmp_path) if path.suffix == kind]
    broken.write_bytes(content)
    again = run(tmp_path)
    assert (again.stdout, again.stderr) == ("42\n", "")
    assert run(tmp_path).stdout == "42\n"


def test_a_cache_that_cannot_be_written_is_one_warning(tmp_path: Path) -> None:
    run(tmp_path)
    for path in cached(tmp_path):
        path.unlink()
        path.mkdir()  # as root, permissions stop nobody; a folder in the way does
    found = run(tmp_path)
    assert found.stdout == "42\n"
    assert found.stderr.count("compiled code cannot be kept there") == 1


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
