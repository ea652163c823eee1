"""The next tighter value of every parameter, for our models and for those of somebody else."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.evaluation.measurement import meets
from anonymizer.evaluation.suppression import suppress
from anonymizer.explanation.next_threshold import (
    Tightening,
    least_shown,
    most_people,
    round_numbers,
    tightenings,
)
from anonymizer.risk import (
    Average,
    Direction,
    KAnonymity,
    KMap,
    PUniqueness,
    Remaining,
    RiskModel,
    StrictAverage,
)
from anonymizer.table.classes import partition
from tests.oracle import Problem
from tests.own import OwnK, OwnL, OwnMost, OwnWeight, Undeclared
from tests.risk.test_contract import ALL, OWN, table_of
from tests.strategies import problems


def released(problem: Problem, scheme: tuple[int, ...], model: RiskModel) -> Remaining:
    microdata = table_of(problem)
    classes = partition(microdata, scheme)
    return Remaining(microdata, classes, suppress(microdata, classes, [model]).suppressed)


def is_met(remaining: Remaining, model: RiskModel) -> bool:
    return meets(remaining.microdata, remaining.classes, remaining.suppressed, [model])


@pytest.mark.parametrize("model", [*ALL, *OWN], ids=str)
@settings(max_examples=25)
@given(problem=problems(max_attributes=3, ranges=False), data=st.data())
def test_a_release_meets_what_it_reaches_and_not_the_next(
    model: RiskModel, problem: Problem, data: st.DataObject
) -> None:
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    remaining = released(problem, scheme, model)
    found = list(tightenings(remaining, model))
    assert {each.parameter.name for each in found} <= {p.name for p in model.parameters}
    for each in found:
        loosest = each.parameter.loosest_first([each.reached, each.tighter])
        assert loosest == [each.reached, each.tighter]
        assert each.parameter.value_of(each.model) == each.tighter
        assert not is_met(remaining, each.model)
        if each.parameter.limits_risk:
            assert each.reached == model.risk(remaining)
        else:
            assert is_met(remaining, each.parameter.at(model, each.reached))
        if each.parameter.whole:
            assert abs(each.tighter - each.reached) == 1


def by_hand(sizes: list[int], model: RiskModel) -> list[Tightening]:
    """Classes of these sizes, nothing suppressed."""
    values = [str(number) for number, size in enumerate(sizes) for _ in range(size)]
    tree = {value: (value, "*") for value in values}
    microdata = table_of(Problem(tuple((value,) for value in values), (tree,), k=1))
    classes = partition(microdata, (0,))
    return list(tightenings(Remaining(microdata, classes, np.zeros(len(sizes), bool)), model))


@pytest.mark.parametrize(
    ("model", "reached", "tighter"),
    [
        (KAnonymity(2), 5, 6),
        (OwnL(2), 5, 6),
        (OwnK(1), 2, 3),  # a class of five has two pairs
        (OwnMost(40), 9, 8),
        (OwnWeight(0.7), 2.0, 5.0),  # 0.4 times five is two
        (Average(0.9), 2 / 14, 0.1),
    ],
    ids=str,
)
def test_it_is_the_next_whole_or_round_number(
    model: RiskModel, reached: float, tighter: float
) -> None:
    (found,) = by_hand([5, 9], model)
    assert (found.reached, found.tighter) == (pytest.approx(reached), tighter)


def test_all_parameters_are_tightened_limits_on_classes_first() -> None:
    by_k, by_threshold = by_hand([5, 9], StrictAverage(k=2, threshold=0.9))
    assert (by_k.parameter.name, by_k.tighter) == ("k", 6)
    assert (by_threshold.parameter.name, by_threshold.tighter) == ("threshold", 0.1)


def test_a_value_that_the_model_does_not_take_is_not_proposed() -> None:
    assert by_hand([14], KAnonymity(2)) == []  # nobody is like more people than there are
    assert by_hand([5, 9], OwnMost(0)) == []
    assert by_hand([5, 9], Undeclared(2)) == []


def test_round_numbers_lie_on_one_side() -> None:
    up = list(itertools.islice(round_numbers(20, Direction.UP), 4))
    down = list(itertools.islice(round_numbers(20, Direction.DOWN), 4))
    assert (up, down) == ([50, 100, 200, 500], [10, 5, 2, 1])


def test_a_class_is_shown_if_all_models_together_show_it() -> None:
    assert least_shown([Average(0.1)], 100) is None
    assert least_shown([KAnonymity(1)], 100) is None
    assert least_shown([KAnonymity(3), Average(0.1), KMap(5, population=10**6)], 100) == 5
    assert least_shown([StrictAverage(k=4, threshold=0.1), OwnL(9)], 100) == 4


def test_the_most_people_that_can_be_asked_for_are_those_of_the_population() -> None:
    microdata = table_of(Problem((("x",),) * 5, ({"x": ("x", "*")},), k=1))
    assert most_people(microdata, KAnonymity(2)) == 5
    assert most_people(microdata, PUniqueness(0.1, 77)) == 77
    assert most_people(microdata, KMap(2, population_table="people.csv")) == 15
