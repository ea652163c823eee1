"""How far stated figures may be wrong: bisection against a scan of all values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import Policy, Solution, anonymize
from anonymizer.attackers.scenario import Scenario
from anonymizer.attackers.statement import Statement
from anonymizer.decision.sensitivity import find_turnings, last, meets_with
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk.assumption import Unit

AGE = Hierarchy.from_rows("age", [(str(a), f"{a // 10}0s", "*") for a in range(20, 60)])
SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])


def people(rows: int = 150, seed: int = 3) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    ages = random.integers(20, 60, rows).astype(str)
    return pd.DataFrame({"age": ages, "sex": random.choice(["F", "M"], rows)})


def solve(*risk: dict[str, Any], release: dict[str, Any] | None = None) -> Solution:
    attributes = {
        "age": {"role": "quasi", "hierarchy": AGE, "max_level": 0},  # the verdict is close
        "sex": {"role": "quasi", "hierarchy": SEX},
    }
    return anonymize(people(), Policy(attributes=attributes, risk=risk, release=release or {}))


def sources() -> dict[str, Any]:
    statement = Statement(
        source=[
            {"name": "list", "keys": ["age", "sex"], "p": 0.3, "q": 0.5, "threshold": 0.05},
            {
                "name": "paper",
                "keys": ["sex"],
                "p": {"by": "sex", "probabilities": {"F": 0.4}, "default": 0.2},
            },
        ]
    )
    return {"model": "sources", "statement": statement}


def overall() -> dict[str, Any]:
    scenario = Scenario.parse(
        {
            "population": 2000,
            "p_m": 0.2,
            "p_fm": [0.1, 0.5],
            "p_c": 0.3,
            "p_cu": 0.1,
            "learned": [{"attributes": ["age", "sex"], "probability": 0.4}],
        }
    )
    return {"model": "overall", "scenario": scenario, "threshold": 0.05, "statistic": "maximum"}


def test_a_figure_that_is_stated_as_it_is_changes_nothing() -> None:
    for risk in (sources(), overall(), {"model": "k-map", "k": 5, "population": 2000}):
        solution = solve(risk)
        (model,) = solution.problem.models
        assert model.assumptions()
        for assumption in model.assumptions():
            assert meets_with(solution, 0, assumption.changed(assumption.value))


@pytest.mark.parametrize("risk", [sources(), overall()], ids=["sources", "overall"])
def test_the_turning_point_of_a_probability_is_the_one_a_scan_finds(risk: dict[str, Any]) -> None:
    solution = solve(risk)
    (model,) = solution.problem.models
    found = find_turnings(solution)
    assert any(turning.highest is not None for turning in found)
    assert any(turning.highest is None for turning in found)
    for turning, assumption in zip(found, model.assumptions(), strict=True):
        if turning.unit is Unit.PEOPLE:
            continue
        values = np.linspace(turning.stated, 1.0, 40)
        met = [meets_with(solution, 0, assumption.changed(float(value))) for value in values]
        assert met == sorted(met, reverse=True)
        if turning.highest is None:
            assert all(met)
        else:
            step = values[1] - values[0]
            assert abs(values[sum(met) - 1] - turning.highest) <= step


def test_the_least_population_is_the_one_a_scan_finds() -> None:
    solution = solve({"model": "p-uniqueness", "threshold": 0.02, "population": 4000})
    (model,) = solution.problem.models
    (turning,) = find_turnings(solution)
    (assumption,) = model.assumptions()
    assert turning.holds
    for end, beyond in ((turning.lowest, 0.97), (turning.highest, 1.03)):
        if end is not None:
            assert meets_with(solution, 0, assumption.changed(end))
            assert not meets_with(solution, 0, assumption.changed(end * beyond))
    assert turning.lowest is not None or turning.highest is not None


def test_the_overlap_of_one_source_is_changed_in_proportion_and_no_other() -> None:
    (model,) = solve(sources()).problem.models
    assumption = next(each for each in model.assumptions() if each.name == "p of paper")
    assert assumption.value == 0.4
    first, second = assumption.changed(0.8).statement.source
    assert first == model.statement.source[0]
    assert second.p.default == pytest.approx(0.4)
    assert second.p.of(["F", "M"]).tolist() == pytest.approx([0.8, 0.4])


def test_what_counts_people_rests_on_nothing_that_is_stated() -> None:
    assert find_turnings(solve({"model": "k-anonymity", "k": 3})) == ()


def test_of_layers_nothing_is_found() -> None:
    layers = {"layers": True}
    assert find_turnings(solve({"model": "k-anonymity", "k": 3}, release=layers)) == ()


def test_a_figure_that_the_model_refuses_does_not_pass() -> None:
    solution = solve({"model": "k-map", "k": 5, "population": 2000})
    (assumption,) = solution.problem.models[0].assumptions()
    with pytest.raises(ValueError, match="larger than the population"):
        assumption.changed(1)


@given(st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=200)
def test_what_is_reported_is_met_and_close_to_the_turning_point(stated: float, turn: float) -> None:
    if stated > turn:
        return
    found = last(lambda value: value <= turn, stated, 1.0)
    if turn >= 1.0 or stated == 1.0:
        assert found is None
    else:
        assert found is not None
        assert stated <= found <= turn
        assert turn - found <= 1 / 4096
