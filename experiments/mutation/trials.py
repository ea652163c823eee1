"""Trials: the tests that call a mutant, each mutant in a process of its own that is forked for it.

A child puts the mutant's code into the functions that are loaded already. So nothing is imported or
compiled twice, and no file is changed. What modules made when they were imported stays as it was.
"""

from __future__ import annotations

import functools
import gc
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from experiments.mutation.mutants import ROOT, Mutant
from tests.durations import processor_seconds

BUDGET = 10.0
"""Processor seconds of tests that a mutant is put to, the cheapest first."""
PATIENCE = 4.0
"""How many times as much processor time a mutant may take."""
WAITING = 120
"""Seconds in which a mutant that is not stuck uses some processor time, even on a loaded machine."""
FATES = {0: "survived", 1: "killed", 3: "invalid", 4: "stuck"}
Called = set[tuple[str, str]]


@dataclass
class Trials:
    """A pytest plugin: runs the tests once to see what they call, then once for each mutant."""

    mutants: Sequence[Mutant]
    tell: Callable[[Mutant, str], None]
    """Told what became of a mutant: killed, survived, timeout, stuck, no test, or invalid."""
    seconds: dict[str, float] = field(default_factory=dict)
    called: dict[str, Called] = field(default_factory=dict)

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:  # noqa: ARG002
        """Let property tests stop at the first failure."""
        from hypothesis import Phase, settings  # pytest wants to be the first to import it

        few = settings(settings.default, phases=[Phase.explicit, Phase.generate], database=None)
        settings.register_profile("mutation", few)
        settings.load_profile("mutation")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take the place of the loop that runs every test."""
        if session.testsfailed:
            raise session.Interrupted("the tests cannot be collected")
        # what fails once may have met a limit in seconds on a loaded machine
        items = [item for item in session.items if self.passes(item) or self.passes(item)]
        for item in {*session.items} - {*items}:
            print(f"left out, for it fails without any mutant: {item.nodeid}", flush=True)
        clear_caches()
        for mutant in self.mutants:
            self.tell(mutant, self.fate(mutant, items))
        return True

    def passes(self, item: pytest.Item) -> bool:
        """Run a test on the code as it is, and keep what it calls and costs."""
        clear_caches()  # what was returned before would hide a call
        started, called = processor_seconds(), self.called.setdefault(item.nodeid, set())
        with calls_kept(called):
            passed = run(item)
        self.seconds[item.nodeid] = processor_seconds() - started
        return passed

    def fate(self, mutant: Mutant, items: Sequence[pytest.Item]) -> str:
        """Run the tests that call a mutant's function until one fails."""
        path = str(ROOT / mutant.path)
        called = [item for item in items if (path, mutant.function) in self.called[item.nodeid]]
        chosen, spent = [], 0.0
        for item in sorted(called, key=lambda item: self.seconds[item.nodeid]):
            # the frozen figures are dear, and see what no test of the room does
            if spent < BUDGET or item.nodeid.startswith("tests/frozen/"):
                chosen.append(item)
                spent += self.seconds[item.nodeid]
        return try_in_child(mutant, chosen, spent) if chosen else "no test"


def try_in_child(mutant: Mutant, items: Sequence[pytest.Item], spent: float) -> str:
    """Fork, put the mutant in, and run tests; the exit status says what became of it."""
    child = os.fork()
    if child == 0:
        status = 3
        try:
            limit = int(PATIENCE * spent) + 10
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            end_when_stuck()
            silence()
            if put_in(mutant):
                status = 0 if all(run(item) for item in items) else 1
        except BaseException:
            status = 1 if status == 0 else status
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return FATES.get(status, "timeout")


def end_when_stuck() -> None:
    """End this process once it waits for what never comes; a slow machine is no reason."""
    used = processor_seconds()

    def look(*_: object) -> None:
        nonlocal used
        if processor_seconds() - used < WAITING / 10_000:
            os._exit(4)
        used = processor_seconds()

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, WAITING, WAITING)


def run(item: pytest.Item) -> bool:
    """Run a test by itself, set up and torn down."""
    item._initrequest()  # type: ignore[attr-defined]
    item.session._setupstate.stack.clear()
    example = getattr(item, "dtest", None)
    names = {} if example is None else dict(example.globs)
    reports = runtestprotocol(item, log=False, nextitem=None)
    if example is not None:  # an example forgets all names once it has run
        example.globs.update(names)
    return not any(report.failed for report in reports)


@contextmanager
def calls_kept(called: Called) -> Iterator[None]:
    """Keep which functions of the package are called."""
    package = str(ROOT / "anonymizer")

    def trace(frame: FrameType, *_: Any) -> None:
        code = frame.f_code
        if code.co_filename.startswith(package):
            called.add((code.co_filename, code.co_qualname.split(".<locals>")[0]))

    before = sys.gettrace()
    sys.settrace(trace)
    threading.settrace(trace)  # studio and searches call from threads of their own
    try:
        yield
    finally:
        sys.settrace(before)
        threading.settrace(before)


def put_in(mutant: Mutant) -> bool:
    """Give loaded functions the mutant's code; False where no function has changed."""
    path = str(ROOT / mutant.path)
    codes = {}
    for code in all_codes(compile(mutant.tree(), path, "exec", dont_inherit=True)):
        codes[code.co_qualname, code.co_firstlineno] = code
    found = False
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == path:
            old = function.__code__
            new = codes.get((old.co_qualname, old.co_firstlineno))
            if new is not None and new != old:
                function.__code__ = new
                found = True
    return found


def all_codes(code: CodeType) -> Iterator[CodeType]:
    """List a code object and all inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from all_codes(constant)


def clear_caches() -> None:
    """Forget what functions of the package and its tests returned before."""
    for each in gc.get_objects():
        if isinstance(each, functools._lru_cache_wrapper) and is_ours(each.__module__):
            each.cache_clear()


def is_ours(module: str | None) -> bool:
    """Whether a module is of the package or its tests."""
    return (module or "").startswith(("anonymizer", "tests"))


def silence() -> None:
    """Send what a child prints nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


def try_mutants(
    mutants: Iterable[Mutant], tests: Sequence[str], tell: Callable[[Mutant, str], None]
) -> int:
    """Put mutants to some tests; return how many tests there are."""
    trials = Trials(list(mutants), tell)
    options = ["-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    pytest.main([*options, *tests], plugins=[trials])
    return len(trials.seconds)
