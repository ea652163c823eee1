"""Ctrl-C ends a search between two evaluations, with the best so far."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from anonymizer.search import Progress, SearchResult, Status, StopReason
from tests.search.test_boxes import essence, medium, solve


@pytest.fixture
def handler() -> Iterator[object]:
    """Install a handler of our own, as a program around the search may."""

    def ours(*_: object) -> None:
        raise AssertionError("the signal reached the outer handler")

    before = signal.signal(signal.SIGINT, ours)
    yield ours
    signal.signal(signal.SIGINT, before)


def interrupt_after(evaluations: int, times: int = 1) -> object:
    def on_progress(progress: Progress) -> None:
        if progress.proof.evaluated == evaluations:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)

    return on_progress


@pytest.mark.parametrize("evaluations", [1, 4])
def test_ctrl_c_returns_the_best_so_far(handler: object, evaluations: int) -> None:
    problem = medium()
    found = solve(problem, on_progress=interrupt_after(evaluations))
    assert (found.status, found.stopped) == (Status.FEASIBLE, StopReason.INTERRUPTED)
    assert found.proof.evaluated == evaluations
    assert found.best is not None
    assert found.gap is not None
    assert found.gap > 0
    assert found.proof.bound <= solve(problem).proof.bound
    assert signal.getsignal(signal.SIGINT) is handler


def test_ctrl_c_while_boxes_are_open_loses_none_of_them(handler: object) -> None:
    problem = medium()
    optimum = solve(problem)
    assert optimum.best is not None
    last = optimum.proof.evaluated - 1
    for evaluations in (last // 2, last * 3 // 4, last):
        found = solve(problem, on_progress=interrupt_after(evaluations))
        assert found.proof.bound <= optimum.best.loss
        assert found.proof.open >= 0


def test_a_second_ctrl_c_interrupts_at_once(handler: object) -> None:
    with pytest.raises(KeyboardInterrupt):
        solve(medium(), on_progress=interrupt_after(2, times=2))
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_search_without_ctrl_c_puts_the_handler_back(handler: object) -> None:
    solve(medium())
    assert signal.getsignal(signal.SIGINT) is handler


def test_an_error_in_a_callback_puts_the_handler_back(handler: object) -> None:
    def fail(_: Progress) -> None:
        raise RuntimeError("no screen")

    with pytest.raises(RuntimeError, match="no screen"):
        solve(medium(), on_progress=fail)
    assert signal.getsignal(signal.SIGINT) is handler


def test_it_runs_outside_the_main_thread(handler: object) -> None:
    found: list[SearchResult] = []
    thread = threading.Thread(target=lambda: found.append(solve(medium())))
    thread.start()
    thread.join()
    assert essence(found[0].best) == essence(solve(medium()).best)
