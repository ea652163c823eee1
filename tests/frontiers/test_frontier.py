from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import Policy, anonymize
from anonymizer import problem as problem_module
from anonymizer.data.coded import CodedTable
from anonymizer.errors import InfeasibleError, PolicyError
from anonymizer.frontiers.frontier import Frontier, Tracker, frontier
from anonymizer.frontiers.points import Point, Stage, mark_dominated
from anonymizer.frontiers.sweep import Sweep
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk import (
    Average,
    KAnonymity,
    KMap,
    Overall,
    PUniqueness,
    RiskModel,
    SampleUniqueness,
    StrictAverage,
)
from anonymizer.search import Status, search
from anonymizer.solution.manifest import make_manifest
from anonymizer.verification.verification import verify
from tests.oracle import Problem
from tests.own import OwnK, OwnL, OwnMost, OwnShare, OwnThreshold
from tests.risk.test_contract import SCENARIO
from tests.strategies import evaluator_of, lattice_of, names_of, problems
from tests.wards import patients, write_files

SHARES = st.lists(
    st.sampled_from([0.0, 0.01, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0]), min_size=1, max_size=5
)
KS = st.lists(st.integers(1, 8), min_size=1, max_size=5)


def track(problem: Problem, models: list[RiskModel], values: list[float]) -> Tracker:
    evaluator = evaluator_of(problem)
    names = names_of(problem.trees)
    policy = Policy(
        attributes={
            name: {"role": "quasi", "hierarchy": column.hierarchy}
            for name, column in zip(names, evaluator.microdata.columns, strict=True)
        },
        risk=models,
    )
    put = problem_module.Problem(
        policy,
        CodedTable({}),
        evaluator.microdata,
        lattice_of(problem),
        tuple(models),
        evaluator.measure,
        evaluator.suppression_limit,
    )
    tracker = Tracker(put, Sweep.of(models, values), {}, None)
    tracker.run()
    return tracker


@pytest.mark.slow
@settings(max_examples=60)
@pytest.mark.parametrize(
    ("models", "values"),
    [
        ([KAnonymity(2)], KS),
        ([KMap(k=2, population=200)], KS),
        ([Average(0.1)], SHARES),
        ([StrictAverage(k=2, threshold=0.1)], SHARES),
        ([SampleUniqueness(0.1)], SHARES),
        ([PUniqueness(0.1, population=400)], SHARES),
        ([SampleUniqueness(0.3), KAnonymity(2)], SHARES),
        ([KAnonymity(2), Average(0.3)], KS),
        ([StrictAverage(k=2, threshold=0.5), OwnMost(4)], SHARES),
        ([Overall(0.1, SCENARIO)], SHARES),
        ([OwnL(2)], KS),
        ([OwnK(2)], KS),
        ([OwnMost(2)], KS),
        ([OwnMost(2), Average(0.3)], KS),
        ([OwnL(2), OwnMost(4), SampleUniqueness(0.2)], KS),
        ([OwnThreshold(0.1)], SHARES),
        ([OwnShare(0.1)], SHARES),
    ],
    ids=lambda case: " ".join(model.name for model in case) if isinstance(case, list) else "",
)
@given(data=st.data(), problem=problems(max_attributes=3))
def test_one_pass_finds_what_a_search_at_each_threshold_finds(
    models: list[RiskModel],
    values: st.SearchStrategy[list[float]],
    data: st.DataObject,
    problem: Problem,
) -> None:
    tracker = track(problem, models, data.draw(values))
    points = {point.value: point for point in tracker.points}
    for value, versions in zip(tracker.sweep.thresholds, tracker.sweep.models, strict=True):
        alone = search(replace(evaluator_of(problem), models=versions), lattice_of(problem))
        if alone.best is None:
            assert value in tracker.infeasible
            continue
        point = points[value]
        assert point.evaluation.scheme == alone.best.scheme
        assert point.evaluation.loss == alone.best.loss
        assert point.evaluation.suppressed_records == alone.best.suppressed_records
        assert point.status is alone.status
        assert point.gap == 0
    assert len(points) + len(tracker.infeasible) == len(tracker.sweep)


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy.read(write_files(tmp_path))


@pytest.fixture
def found(policy: Policy) -> Frontier:
    return frontier(patients(), policy, [2, 3, 5, 8])


def test_quality_falls_as_k_rises_and_each_point_meets_its_k(found: Frontier) -> None:
    assert [point.value for point in found.points] == [2, 3, 5, 8]
    qualities = [point.quality for point in found.points]
    assert qualities == sorted(qualities, reverse=True)
    for point in found.points:
        assert point.profile.smallest_class >= point.value
        assert point.risk <= 1 / point.value
        assert point.status is Status.OPTIMAL


def test_a_release_can_be_made_from_any_point_and_verified(found: Frontier, policy: Policy) -> None:
    for k in (2, 5):
        solution = found.pick(k)
        alone_policy = policy.model_copy(update={"risk": (KAnonymity(k),)})
        alone = anonymize(patients(), alone_policy)
        assert (solution.scheme, solution.loss, solution.suppressed) == (
            alone.scheme,
            alone.loss,
            alone.suppressed,
        )
        released = solution.to_frame()
        assert verify(released, alone_policy, make_manifest(solution, released)).passed


def test_a_point_that_is_not_there_is_named_with_those_that_are(found: Frontier) -> None:
    with pytest.raises(PolicyError, match="no point at 4; there is one at 2, 3, 5, 8"):
        found.pick(4)


def test_all_figures_are_json_and_rows(found: Frontier) -> None:
    described = json.loads(json.dumps(found.describe()))
    assert [point["threshold"] for point in described["points"]] == [2, 3, 5, 8]
    rows = found.to_frame()
    assert rows["quality"].tolist() == [point.quality for point in found.points]
    assert {"level age", "level sex", "level zip"} <= set(rows)


def test_progress_names_the_threshold(policy: Policy) -> None:
    seen: list[Stage] = []
    frontier(patients(), policy, [2, 5], on_stage=seen.append)
    assert {stage.value for stage in seen} <= {2, 5}
    assert all(stage.of == 2 for stage in seen)


def test_several_populations_are_several_curves(policy: Policy) -> None:
    uniqueness = policy.model_copy(update={"risk": (PUniqueness(0.1, 10**5),)})
    found = frontier(patients(), uniqueness, [0.01, 0.001], populations=[10**4, 10**6])
    assert [(p.changes["population"], p.value) for p in found.points] == [
        (10**4, 0.01),
        (10**4, 0.001),
        (10**6, 0.01),
        (10**6, 0.001),
    ]
    picked = found.pick(0.01, population=10**6)
    assert picked.release.policy.load_models() == (PUniqueness(0.01, 10**6),)


def test_thresholds_that_cannot_be_met_are_listed(policy: Policy) -> None:
    strict = policy.with_release(suppression_limit=0.0)
    records = len(patients())
    found = frontier(patients(), strict, [2, records])
    assert [point.value for point in found.points] == [2, records]  # all in one class
    narrow = Policy(**{**dict(strict), "attributes": {
        name: (a if a.role != "quasi" else {**dict(a), "max_level": 0})
        for name, a in strict.attributes.items()
    }})  # fmt: skip
    with pytest.raises(InfeasibleError, match="no threshold of the frontier can be met"):
        frontier(patients(), narrow, [records])


def test_a_k_larger_than_the_table_is_an_error(policy: Policy) -> None:
    with pytest.raises(PolicyError, match=r"k = 1e\+06: k = 1000000 is larger than the table"):
        frontier(patients(), policy, [10**6])


def test_each_curve_has_the_risks_of_its_own_population(policy: Policy) -> None:
    uniqueness = policy.model_copy(update={"risk": (PUniqueness(0.1, 10**5),)})
    found = frontier(patients(), uniqueness, [0.01], populations=[200, 10**6])
    for each in found.points:
        assert each.profile == found.pick(0.01, **each.changes).after
    assert found.points[0].profile.journalist != found.points[1].profile.journalist
    with pytest.raises(PolicyError, match=r"several points at 0\.01; name one population"):
        found.pick(0.01)


def test_the_risk_in_a_population_table_is_one_over_the_people_who_match(policy: Policy) -> None:
    people = patients(2000, seed=9)
    mapped = policy.model_copy(update={"risk": (KMap(k=2, population_table=people),)})
    found = frontier(patients(), mapped, [2, 20, 60])
    for each in found.points:
        assert each.risk <= 1 / each.value
    assert not found.points[-1].dominated


def test_what_was_not_found_in_time_is_not_called_impossible(policy: Policy) -> None:
    attributes = {
        name: (a if a.role != "quasi" else {**dict(a), "max_level": int(name != "age")})
        for name, a in policy.attributes.items()
    }
    limited = Policy(
        **{**dict(policy), "attributes": attributes, "risk": (PUniqueness(0.0, 10**5),)}
    ).with_release(suppression_limit=0.0)
    found = frontier(patients(), limited, [0.1, 0.0], evaluations=1)
    assert ([value for value, _ in found.unknown], found.infeasible) == ([0.0], ())
    with pytest.raises(InfeasibleError, match="there may be one: raise the limit"):
        frontier(patients(), limited, [0.0], evaluations=1)


def test_a_lattice_too_large_to_list_has_a_frontier_too() -> None:
    rows = [("F", "*"), ("M", "*")]
    names = [f"a{i}" for i in range(21)]  # so many schemes that subtrees are bounded
    attributes = {
        name: {"role": "quasi", "hierarchy": Hierarchy.from_rows(name, rows)} for name in names
    }
    policy = Policy(
        attributes=attributes,
        risk=[{"model": "k-anonymity", "k": 2}],
    )
    draws = np.random.default_rng(1).choice(["F", "M"], (60, 21))
    table = pd.DataFrame(draws, columns=names)
    found = frontier(table, policy, [2, 3], evaluations=300)
    assert [point.value for point in found.points] == [2, 3]
    for point in found.points:
        assert 0 < point.gap < 1
        assert point.quality > 0


def test_ctrl_c_ends_the_sweep_and_keeps_what_was_found(policy: Policy) -> None:
    average = policy.model_copy(update={"risk": (Average(0.1),)})
    reached: list[float] = []

    def interrupt(stage: Stage) -> None:
        reached.append(stage.value)
        if stage.place == 1:
            signal.raise_signal(signal.SIGINT)

    found = frontier(patients(), average, [0.9, 0.3, 0.2, 0.1], on_stage=interrupt)
    assert [value for value, _ in found.unknown][-1] == 0.1
    assert len(found.points) + len(found.unknown) == 4
    assert 0.1 not in reached
    assert found.points[0].status is Status.OPTIMAL


def test_usual_thresholds_that_do_not_fit_a_small_table_are_left_out(policy: Policy) -> None:
    found = frontier(patients(20), policy)
    assert [each.value for each in found.points][-1] == 20


def point(risk: float, loss: float, **changes: int) -> Point:
    """A point with nothing but what decides whether it is dominated."""
    evaluation = type("E", (), {"quality": 1 - loss, "loss": loss})()
    return Point(0.0, changes, risk, evaluation, {}, *[None] * 4)  # type: ignore[arg-type]


def test_a_point_is_beaten_by_one_with_no_more_risk_and_no_less_quality() -> None:
    points = [point(0.5, 0.1), point(0.4, 0.1), point(0.2, 0.3), point(0.2, 0.3), point(0.3, 0.4)]
    assert [p.dominated for p in mark_dominated(points)] == [True, False, False, False, True]


def test_points_of_different_populations_do_not_beat_each_other() -> None:
    points = [point(0.5, 0.1, population=1), point(0.4, 0.1, population=2)]
    assert not any(p.dominated for p in mark_dominated(points))
