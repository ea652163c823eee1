from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.errors import PolicyError
from anonymizer.frontiers.sweep import Sweep, SweepEvaluator
from anonymizer.lattice import Scheme
from anonymizer.risk import Average, KAnonymity, KMap, Overall, PUniqueness, RiskModel
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.microdata import Microdata
from tests.oracle import Problem
from tests.own import OwnK, OwnL, OwnMost, OwnShare, Undeclared, WrongWay
from tests.risk.test_contract import SCENARIO
from tests.strategies import evaluator_of, problems


def test_values_go_from_the_loosest_to_the_tightest() -> None:
    assert Sweep.of([KAnonymity(5)], [7, 2, 3, 2]).thresholds == (2, 3, 7)
    assert Sweep.of([Average(0.1)], [0.05, 0.2]).thresholds == (0.2, 0.05)


def test_the_first_model_that_has_a_threshold_is_varied_and_the_others_stay() -> None:
    sweep = Sweep.of([KAnonymity(2), Average(0.1)], [3, 4])
    assert sweep.models == ((KAnonymity(3), Average(0.1)), (KAnonymity(4), Average(0.1)))


def test_usual_values_are_there_for_every_model() -> None:
    assert Sweep.of([KAnonymity(5)]).thresholds == tuple(range(2, 51))
    assert Sweep.of([PUniqueness(0.1, 10**6)]).thresholds[0] == 1e-2
    assert Sweep.of([PUniqueness(0.1, 10**6)]).thresholds[-1] == pytest.approx(1e-8)


def test_other_parameters_can_be_changed_too() -> None:
    sweep = Sweep.of([PUniqueness(0.1, 10)], [0.01], population=99)
    assert sweep.models == ((PUniqueness(0.01, 99),),)
    ((overall,),) = Sweep.of([Overall(0.1, SCENARIO)], [0.1], population=99).models
    assert overall.inputs.population.size == 99


def test_the_first_parameter_of_the_first_model_is_varied_in_its_own_direction() -> None:
    assert Sweep.of([OwnL(5), Undeclared(2)]).models[0] == (OwnL(2), Undeclared(2))
    with pytest.raises(PolicyError, match="'undeclared', declares no parameter to vary"):
        Sweep.of([Undeclared(2), OwnL(5)])  # no other model is varied in its place
    assert Sweep.of([OwnMost(5)], [3, 7]).models == ((OwnMost(7),), (OwnMost(3),))
    assert Sweep.of([OwnShare(0.5)], [0.2, 0.4]).thresholds == (0.4, 0.2)


def test_a_population_is_for_models_that_rest_on_its_size() -> None:
    with pytest.raises(
        PolicyError, match="k-anonymity with a population of 9: it does not rest on"
    ):
        Sweep.of([KAnonymity(2)], [2], population=9)


@pytest.mark.parametrize(
    ("models", "nested"),
    [
        ([KAnonymity(2)], True),
        ([OwnMost(2)], True),
        ([KAnonymity(2), Average(0.1), OwnK(2)], True),
        ([KAnonymity(2), KMap(2, population_table="people.csv")], False),
        ([KAnonymity(2), OwnMost(2)], False),
        ([Overall(0.1, SCENARIO)], True),
        ([KAnonymity(2), Overall(0.1, SCENARIO)], False),
    ],
    ids=lambda case: " ".join(model.name for model in case) if isinstance(case, list) else "",
)
def test_thresholds_are_taken_to_be_nested_only_where_all_models_allow(
    models: list[RiskModel], nested: bool
) -> None:
    assert Sweep.of(models).nested == nested


def test_a_tighter_value_that_suppresses_less_is_an_error() -> None:
    tree = {str(n): (str(n), "*") for n in range(4)}
    evaluator = evaluator_of(Problem((("0",),) * 3 + (("1",),) * 5, (tree,), k=1))
    shared = SweepEvaluator(evaluator, Sweep.of([WrongWay(2)], [2, 4]))
    assert shared.evaluate((0,), 1).suppressed_records == 0
    message = "suppresses 3 records with 4 and 0 with 2; correct its `parameters`"
    with pytest.raises(PolicyError, match=message):
        shared.evaluate((0,), 0)


@pytest.mark.parametrize(
    ("model", "values", "part"),
    [
        (KAnonymity(5), [0], "k = 0"),
        (KAnonymity(5), [2.5], "k = 2.5"),
        (Average(0.1), [1.5], "threshold = 1.5"),
        (KAnonymity(5), [], "no threshold"),
        (KAnonymity(5), [float("nan")], "must be a finite number"),
        (Average(0.1), [float("inf")], "must be a finite number"),
    ],
)
def test_a_value_that_does_not_fit_is_named(model: object, values: list[float], part: str) -> None:
    with pytest.raises(PolicyError, match=part):
        Sweep.of([model], values)  # type: ignore[list-item]


@settings(max_examples=100)
@given(
    problems(max_attributes=3),
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
    st.sampled_from([KAnonymity(1), KMap(k=1, population=10**6)]),
)
def test_all_least_sizes_at_once_are_each_by_itself(
    problem: Problem, ks: list[int], model: KAnonymity | KMap
) -> None:
    evaluator = evaluator_of(problem)
    sweep = Sweep.of([model], ks)
    shared = SweepEvaluator(evaluator, sweep)
    assert shared.least_sizes is not None
    for scheme in list(problem.schemes())[:20]:
        for place, alone in enumerate(shared.evaluators):
            together, expected = shared.evaluate(scheme, place), alone.evaluate(scheme)
            assert together.loss == expected.loss
            assert together.suppressed_records == expected.suppressed_records
            assert together.binding_records == expected.binding_records
            assert (together.feasible, together.finer_infeasible) == (
                expected.feasible,
                expected.finer_infeasible,
            )
            for a, level in enumerate(scheme):
                assert (together.terms[a, : level + 1] == expected.terms[a, : level + 1]).all()


@pytest.mark.parametrize(("model", "values"), [(KAnonymity(2), [2, 3]), (Average(0.5), [0.5, 0.2])])
def test_a_scheme_is_partitioned_once_for_all_thresholds(
    monkeypatch: pytest.MonkeyPatch, model: RiskModel, values: list[float]
) -> None:
    calls: list[Scheme] = []

    def counted(microdata: Microdata, scheme: Scheme) -> EquivalenceClasses:
        calls.append(scheme)
        return partition(microdata, scheme)

    monkeypatch.setattr("anonymizer.frontiers.sweep.partition", counted)
    tree = {str(n): (str(n), "*") for n in range(4)}
    evaluator = evaluator_of(Problem(tuple((str(n % 4),) for n in range(9)), (tree,), k=1))
    shared = SweepEvaluator(evaluator, Sweep.of([model], values))
    for place in (0, 1):
        shared.evaluate((0,), place)
    assert calls == [(0,)]


def test_classes_are_let_go_of_when_they_take_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anonymizer.frontiers.sweep.KEPT_BYTES", 1)
    tree = {str(n): (str(n), "*") for n in range(4)}
    evaluator = evaluator_of(Problem(tuple((str(n % 4),) for n in range(9)), (tree,), k=1))
    shared = SweepEvaluator(evaluator, Sweep.of([Average(0.5)], [0.5, 0.2]))
    found = [shared.evaluate((level,), place) for place in (0, 1) for level in (0, 1)]
    assert len(shared.kept) <= 1
    assert np.isfinite([each.loss for each in found]).all()
