from __future__ import annotations

import inspect
import random
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from anonymizer.kernels.compilation import Stopwatch, working_seconds
from anonymizer.layers.optimize import Watch
from anonymizer.risk import Average, KAnonymity, RiskModel
from anonymizer.search import Limits, StopReason, search
from anonymizer.search.limits import LimitReached, Usage
from tests.oracle import Problem
from tests.strategies import evaluator_of, lattice_of

FOUR = {leaf: (leaf, "ab" if leaf in "ab" else "cd", "*") for leaf in "abcd"}
TWO = {leaf: (leaf, "*") for leaf in "ab"}


class Ticks:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def reason_of(usage: Usage) -> StopReason | None:
    try:
        usage.check_time()
        usage.check_evaluations()
    except LimitReached as limit:
        return limit.reason
    return None


def test_a_limit_is_reached_when_all_of_it_is_used() -> None:
    clock = Ticks()
    usage = Usage(Limits(seconds=10, evaluations=5), clock)
    usage.evaluations, usage.partitions, clock.now = 1, 3, 9.0
    assert (usage.time_share, usage.evaluation_share) == (0.9, 0.8)
    assert (usage.seconds_left, usage.evaluations_left) == (1.0, 1)
    assert reason_of(usage) is None
    clock.now = 10.0
    assert reason_of(usage) is StopReason.TIME
    clock.now, usage.partitions = 0.0, 4
    assert reason_of(usage) is StopReason.EVALUATIONS


def test_without_limits_none_is_reached() -> None:
    clock = Ticks()
    usage = Usage(Limits(), clock)
    usage.evaluations, clock.now = 10**9, 1e9
    assert (usage.time_share, usage.evaluation_share) == (0.0, 0.0)
    assert usage.seconds_left is usage.evaluations_left is None
    assert reason_of(usage) is None


@pytest.mark.parametrize("limits", [Limits(seconds=0), Limits(evaluations=0), Limits(seconds=1e-9)])
def test_no_limit_is_reached_before_anything_was_done(limits: Limits) -> None:
    clock = Ticks()
    usage = Usage(limits, clock)
    clock.now = 99.0
    assert reason_of(usage) is None
    usage.evaluations = 1
    assert reason_of(usage) is not None


def many_attributes(attributes: int, rows: int = 60) -> Problem:
    """People whom hundreds of attributes tell apart, three levels each."""
    random_ = random.Random(1)
    values = tuple(tuple(random_.choices("abcd", (4, 3, 2, 1), k=attributes)) for _ in range(rows))
    return Problem(values, (FOUR,) * attributes, k=3)


def many_levels(levels: int, rows: int = 300) -> Problem:
    """People with one attribute of very many levels and two of two."""
    random_ = random.Random(2)

    def path(leaf: int) -> tuple[str, ...]:
        merged = (150 * level // levels for level in range(1, levels - 1))
        return str(leaf), *(f"<{least}" if leaf < least else str(leaf) for least in merged), "*"

    tree = {str(leaf): path(leaf) for leaf in range(150)}
    values = tuple((str(random_.randrange(150)), *random_.choices("ab", k=2)) for _ in range(rows))
    return Problem(values, (tree, *(TWO,) * 2), k=5)


@pytest.mark.soak
@pytest.mark.parametrize("models", [[KAnonymity(5)], [Average(0.1)]])
@pytest.mark.parametrize(("make", "count"), [(many_attributes, 300), (many_levels, 5000)])
def test_a_time_limit_holds_with_many_attributes_or_levels(
    make: Callable[[int], Problem], count: int, models: list[RiskModel]
) -> None:
    # in the time of this process, so that others on the machine do not matter
    clock, seconds = time.process_time, 2.0
    compiling, timed = Limits(evaluations=300), Limits(seconds=seconds)
    for problem, limits in ((many_attributes(12), compiling), (make(count), timed)):
        evaluator = replace(evaluator_of(problem), models=models)
        lattice = lattice_of(problem)
        evaluator.evaluate(lattice.high)
        started = clock()
        found = search(evaluator, lattice, limits, clock=clock)
        spent = clock() - started
    assert spent < 1.1 * seconds + 1
    assert found.stopped in (StopReason.TIME, StopReason.COMPLETE)
    assert found.gap == 0 or found.stopped is StopReason.TIME


@pytest.mark.parametrize("stands_still", [True, False])
def test_a_search_does_not_count_the_time_in_which_kernels_are_compiled(stands_still: bool) -> None:
    clock = Ticks()
    watch = Stopwatch(clock)

    def compile_for_an_hour(_: object) -> None:
        watch.on_start(None)
        clock.now += 3600
        watch.on_end(None)

    problem = many_attributes(8)
    given = watch.working_seconds if stands_still else clock
    found = search(
        evaluator_of(problem), lattice_of(problem), Limits(seconds=1),
        on_progress=compile_for_an_hour, clock=given,
    )  # fmt: skip
    assert clock.now >= 3600
    assert found.stopped is (StopReason.COMPLETE if stands_still else StopReason.TIME)


def test_searches_and_layers_use_the_clock_that_stands_still_unless_told() -> None:
    assert inspect.signature(search).parameters["clock"].default is working_seconds
    assert Watch(None).clock is working_seconds
