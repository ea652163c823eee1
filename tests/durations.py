"""A pytest plugin that says where processor time goes: `-p tests.durations --cpu-durations FILE`.

Counted are setup, call and teardown of each test, all threads, and the processes that the test started
and waited for. Processor time is the same on a loaded machine, wall time is not. FILE gets a line for
each test: seconds, how many of them compiled kernels, and its name. With `--one-of-each`, a test with
parameters runs with one of them.
"""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba.core import event

SHOWN = 25
"""How many files, and how many tests, the end of a run lists."""


class Compiling(event.Listener):
    """Adds up the processor seconds in which kernels are compiled."""

    def __init__(self) -> None:
        self.depth, self.since, self.seconds = 0, 0.0, 0.0

    def on_start(self, _: event.Event) -> None:
        """Look at the clock, unless it is a callee."""
        if self.depth == 0:
            self.since = time.process_time()
        self.depth += 1

    def on_end(self, _: event.Event) -> None:
        """Add what has gone by."""
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.process_time() - self.since


COMPILING = Compiling()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption(
        "--cpu-durations", type=Path, help="write processor seconds of each test to FILE"
    )
    parser.addoption("--one-of-each", action="store_true", help="run a test with one parameter")


def pytest_configure(config: pytest.Config) -> None:
    """Start anew; workers add to what the first process made."""
    file = config.getoption("cpu_durations")
    event.register("numba:compile", COMPILING)
    if file and not hasattr(config, "workerinput"):
        file.write_text("", encoding="utf-8")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the last of each test's parameters."""
    if config.getoption("one_of_each"):
        items[:] = {item.nodeid.split("[")[0]: item for item in items}.values()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write down what a test took; lines this short are written whole, whoever else writes."""
    start, compiled = processor_seconds(), COMPILING.seconds
    result = yield
    if file := item.config.getoption("cpu_durations"):
        spent = processor_seconds() - start, COMPILING.seconds - compiled
        with file.open("a", encoding="utf-8") as lines:
            lines.write(f"{spent[0]:.4f}\t{spent[1]:.4f}\t{item.nodeid}\n")
    return result


def processor_seconds() -> float:
    """Return what this process, and those it waited for, have used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """List the dearest files and functions."""
    file = config.getoption("cpu_durations")
    if not file or not file.exists():
        return
    for line in summary(file.read_text(encoding="utf-8")):
        terminalreporter.write_line(line)


def summary(text: str) -> list[str]:
    """Add up the lines by file and by function.

    >>> for line in summary("0.5\\t0.0\\ta.py::test_x[1]\\n1.0\\t0.7\\ta.py::test_x[2]\\n"):
    ...     print(line)
    1.5 processor seconds in 2 tests, 0.7 of them compiled kernels
    1.5  2  a.py
    1.5  2  a.py::test_x
    """
    rows = [line.split("\t", 2) for line in text.splitlines()]
    whole, compiled = (sum(float(row[at]) for row in rows) for at in (0, 1))
    found = [
        f"{whole:.1f} processor seconds in {len(rows)} tests, {compiled:.1f} of them compiled kernels"
    ]
    for separator in ("::", "["):
        tests = Counter(row[2].split(separator)[0] for row in rows)
        spent = dict.fromkeys(tests, 0.0)
        for seconds, _, name in rows:
            spent[name.split(separator)[0]] += float(seconds)
        dearest = sorted(spent, key=spent.__getitem__, reverse=True)[:SHOWN]
        found += [f"{spent[name]:.1f}  {tests[name]}  {name}" for name in dearest]
    return found
