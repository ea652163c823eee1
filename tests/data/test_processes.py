from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from anonymizer.data.processes import Signals, belongs_to_the_dead, machine, owner_mark, started


def test_a_number_that_another_process_has_now_is_not_taken_for_its_owner() -> None:
    mine = os.getpid()
    assert not belongs_to_the_dead(f"{owner_mark()}-abc")
    assert not belongs_to_the_dead(f"{machine()}-{mine}-0-abc")  # when it began is not known
    if started(mine) is not None:
        assert belongs_to_the_dead(f"{machine()}-{mine}-{started(mine) - 1}-abc")  # type: ignore[operator]


def test_a_process_that_is_no_more_is_dead_even_before_its_parent_knows() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    mark = f"{machine()}-{process.pid}-{started(process.pid) or 0}-abc"
    assert not belongs_to_the_dead(mark)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, but still on the books
    assert belongs_to_the_dead(mark)
    process.wait()
    assert belongs_to_the_dead(mark)


def test_what_bears_no_mark_belongs_to_nobody_known() -> None:
    for mark in (
        "",
        "abc",
        f"{machine()}-abc",
        f"{machine()}-1-x-abc",
        "elsewhere-999999999-1-abc",
    ):
        assert not belongs_to_the_dead(mark)


def test_a_signal_waits_until_what_must_not_be_interrupted_is_done() -> None:
    done = []

    def work() -> None:
        with Signals(lambda: None).waiting():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("after the signal")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["after the signal"]
