"""Progress in a notebook: a line after a second, renewed at most five times a second, gone at the end."""

from __future__ import annotations

import pytest
from numba import njit

from anonymizer.frontiers.points import Stage
from anonymizer.report.progress import COMPILING, progress_line
from anonymizer.search import Progress, Proof


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def progress(evaluated: int) -> Progress:
    return Progress(Proof(0.0, 100, evaluated), None, 1.0)


def test_a_line_is_shown_after_a_second_renewed_in_turn_and_emptied():
    clock, lines = Clock(), list[str]()
    with progress_line(clock, lines.append) as told:
        told(progress(1))
        assert lines == []
        for clock.now, evaluated in ((1.0, 2), (1.1, 3), (1.3, 4)):
            told(progress(evaluated))
    assert [line.split(",")[0] for line in lines] == ["2 evaluated", "4 evaluated", ""]


def test_a_quick_call_shows_nothing():
    lines = list[str]()
    with progress_line(Clock(), lines.append) as told:
        told(progress(1))
    assert lines == []


def test_a_frontier_says_at_which_threshold_it_is():
    clock, lines = Clock(), list[str]()
    with progress_line(clock, lines.append) as told:
        clock.now = 2.0
        told(Stage(5, 2, 9, progress(1)))
    assert lines[0].startswith("threshold 5 (3 of 9): 1 evaluated")


def test_compilation_is_told_at_once():
    @njit
    def half(x):
        return x / 2

    lines = list[str]()
    with progress_line(Clock(), lines.append):
        assert half(4.0) == 2
    assert lines == [COMPILING, ""]


def test_the_line_goes_when_the_call_fails():
    clock, lines = Clock(), list[str]()

    def fail():
        with progress_line(clock, lines.append) as told:
            clock.now = 2.0
            told(progress(1))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert lines[-1] == ""
