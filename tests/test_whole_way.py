"""A risk model or a measure of somebody else is one class and one line; the rest works as with ours."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import ClassVar

import pytest

from anonymizer import (
    Policy,
    PolicyError,
    Problem,
    anonymize,
    explain,
    frontier,
    make_manifest,
    verify,
)
from anonymizer.frontiers.frontier import Frontier
from anonymizer.report.explanation import render_page as explanation_page
from anonymizer.report.frontier import draw_all
from anonymizer.report.frontier import render_page as frontier_page
from anonymizer.report.solution import PROVEN, describe_proof
from anonymizer.risk import MODELS, Inputs, KAnonymity, ModelKind, RiskModel
from anonymizer.risk.parsing import parse_model, print_model
from anonymizer.risk.sizes import Sizes
from anonymizer.search import Status
from anonymizer.utility import MEASURES
from tests.exhaustive import search_exhaustively
from tests.own import OWN_MODELS, OwnK, OwnL, OwnMeasure, OwnSpread, Undeclared, WrongWay
from tests.snippets import Run
from tests.wards import MODELS as BUILT_IN
from tests.wards import policy_with, write_files, write_more

OURS = {
    "k-anonymity": ('model = "k-anonymity"\nk = 3', (2, 3, 8)),
    "k-map with a table": (BUILT_IN["k-map with a table"], (2, 6, 60)),
    "k-map estimated": (BUILT_IN["k-map estimated"], (2, 5, 90)),
    "average": (BUILT_IN["average"], (0.5, 0.15, 0.05)),
    "strict-average": (BUILT_IN["strict-average"], (0.5, 0.2, 0.05)),
    "sample-uniqueness": (BUILT_IN["sample-uniqueness"], (0.2, 0.05, 0.0)),
    "p-uniqueness": (BUILT_IN["p-uniqueness"], (0.3, 0.01, 0.0)),
    "expected-uniques": ('model = "expected-uniques"\npeople = 2\npopulation = 5000', (50, 2, 0.0)),
    "overall": (BUILT_IN["overall"], (0.2, 0.05, 0.04)),
    "nrf": (BUILT_IN["nrf"], (0.5, 0.03, 0.0)),
    "two": (BUILT_IN["two"], (2, 3, 8)),
}
"""The [[risk]] part of a policy, and values of the parameter that a frontier varies."""


def toml_of(model: RiskModel) -> str:
    """Write a model as the [[risk]] part of a policy."""
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in print_model(model).items())


OF_VALUES = OwnSpread("diagnosis", 2)
CASES = {
    **OURS,
    **{model.name: (toml_of(model), values) for model, values in OWN_MODELS},
    OF_VALUES.name: (toml_of(OF_VALUES), (1, 2, 4)),
}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line for each model and measure."""
    for model in (*(model for model, _ in OWN_MODELS), OF_VALUES, Undeclared(3), WrongWay(3)):
        monkeypatch.setitem(MODELS, model.name, type(model))
    monkeypatch.setitem(MEASURES, OwnMeasure.name, OwnMeasure)


def problem_of(folder: Path, risk: str, more: str = "") -> Problem:
    write_more(folder)
    return Problem.read(None, write_files(folder, policy=policy_with(risk) + more))


def assert_each_point_is_what_a_single_run_finds(found: Frontier, problem: Problem) -> None:
    assert not found.infeasible
    assert not found.unknown
    place = next(i for i, model in enumerate(problem.models) if model.parameters)
    for point in found.points:
        models = [*problem.models]
        models[place] = found.parameter.at(models[place], point.value)
        alone = anonymize(problem.with_models(*models))
        exact = all(model.exact for model in models)
        assert alone.status is point.status is (Status.OPTIMAL if exact else Status.FEASIBLE)
        assert (point.quality, point.scheme) == (alone.quality, alone.scheme)
        assert point.evaluation.suppressed_records == alone.suppressed
        assert point.profile == alone.after
        assert point.gap == alone.gap == 0


@pytest.mark.parametrize("case", CASES)
def test_a_frontier_is_at_each_threshold_what_a_single_run_finds(tmp_path: Path, case: str) -> None:
    risk, values = CASES[case]
    problem = problem_of(tmp_path, risk)
    found = frontier(problem, values=values)
    assert [point.value for point in found.points] == list(values)
    assert_each_point_is_what_a_single_run_finds(found, problem)
    qualities = [point.quality for point in found.points]
    assert qualities == sorted(qualities, reverse=True)
    assert qualities[0] > qualities[-1]
    usual = frontier(problem)
    assert usual.points


@pytest.mark.parametrize("case", CASES)
def test_a_release_is_explained_verified_and_described(tmp_path: Path, case: str) -> None:
    problem = problem_of(tmp_path, CASES[case][0])
    solution = anonymize(problem)
    assert solution.status is Status.OPTIMAL
    exhaustive = search_exhaustively(problem.evaluator, problem.lattice)
    assert exhaustive.best is not None
    assert solution.quality == exhaustive.best.quality
    assert solution.after.records == solution.records - solution.suppressed
    assert PROVEN[ModelKind.of(problem.models)] in describe_proof(solution)
    told = explain(solution)
    assert told.now.meets
    assert told.blocking, "there is a tighter value that the release does not meet"
    for blocking in told.blocking:
        assert blocking.classes > 0
        assert blocking.parameter in {p.name for m in problem.models for p in m.parameters}
    assert "the release reaches" in explanation_page(told)
    released = solution.to_frame()
    manifest = json.loads(json.dumps(make_manifest(solution, released)))
    verification = verify(released, problem.policy, manifest, against=problem.table)
    assert verification.passed, verification.failures


@pytest.mark.parametrize("case", sorted(CASES)[::3])
def test_a_frontier_is_reported(tmp_path: Path, case: str) -> None:
    risk, values = CASES[case]
    found = frontier(problem_of(tmp_path, risk), values=values)
    page = frontier_page(found)
    assert f">{found.parameter.name}</th>" in page
    assert draw_all(found).count("<circle") == len(found.points)
    assert json.loads(json.dumps(found.describe()))["parameter"] == found.parameter.name
    assert verify_point(found)


def verify_point(found: Frontier) -> bool:
    """Make the release of the last point, and verify it under the policy with its threshold."""
    picked = found.pick(found.points[-1].value)
    released = picked.to_frame()
    return verify(released, picked.release.policy, make_manifest(picked, released)).passed


@pytest.mark.parametrize("model", [model for model, _ in OWN_MODELS], ids=str)
def test_a_policy_names_a_model_and_is_written_back(tmp_path: Path, model: RiskModel) -> None:
    policy = Policy.read(write_files(tmp_path, policy=policy_with(toml_of(model))))
    assert policy.load_models() == (model,)
    assert parse_model(policy.describe()["risk"][0]) == model


def test_what_tightens_upwards_loses_more_with_every_step(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, toml_of(OwnL(2)))
    mine = frontier(problem, values=[2, 3, 8])
    theirs = frontier(problem.with_models(KAnonymity(2)), values=[2, 3, 8])
    assert [p.quality for p in mine.points] == [p.quality for p in theirs.points]
    assert len({p.quality for p in mine.points}) == 3


def test_a_model_with_a_field_k_that_declares_nothing_is_told_what_to_declare(
    tmp_path: Path,
) -> None:
    problem = problem_of(tmp_path, toml_of(Undeclared(3)))
    message = "'undeclared', declares no parameter to vary; put another model first, or declare its"
    with pytest.raises(PolicyError, match=message):
        frontier(problem, values=[2, 3])
    solution = anonymize(problem)
    assert solution.quality == anonymize(problem.with_models(KAnonymity(3))).quality
    assert explain(solution).blocking == ()


def test_the_command_line_varies_the_first_model_and_no_other(tmp_path: Path, run: Run) -> None:
    risk = f"{toml_of(OF_VALUES)}\n\n[[risk]]\n{toml_of(KAnonymity(2))}"
    policy = write_files(tmp_path, policy=policy_with(risk))
    command = ("frontier", policy, "--at", "1..3", "--out", tmp_path / "out", "--json")
    status, out, errors = run(*command)
    assert status == 0, errors
    found = json.loads(out)
    assert (found["model"], found["parameter"]) == ("own-spread", "values")
    assert [point["threshold"] for point in found["points"]] == [1, 2, 3]
    policy.write_text(policy_with(risk.replace(toml_of(OF_VALUES), toml_of(Undeclared(3)))))
    status, out, errors = run(*command)
    assert (status, out) == (2, "")
    assert "'undeclared', declares no parameter to vary; put another model first" in errors
    assert "Traceback" not in errors


def test_a_model_that_does_not_declare_a_column_is_told_to(tmp_path: Path) -> None:
    @dataclasses.dataclass(frozen=True)
    class Silent(OwnSpread):
        name: ClassVar[str] = "silent"
        inputs: ClassVar[Inputs] = Inputs()

    problem = problem_of(tmp_path, toml_of(OwnL(2)))
    with pytest.raises(PolicyError, match=r"counts the values of 'days', and does not declare it"):
        anonymize(problem.with_models(Silent("days", 2)))
    found = frontier(problem.with_models(OwnSpread("days", 2)), values=[1, 2])
    assert [point.value for point in found.points] == [1, 2]


@pytest.mark.parametrize("limit", [1.0, 0.05, 0.0])
def test_a_direction_that_is_declared_the_wrong_way_is_an_error(
    tmp_path: Path, limit: float
) -> None:
    search = f"\n[release]\nsuppression_limit = {limit}\n"
    problem = problem_of(tmp_path, toml_of(WrongWay(3)), search)
    message = r"wrong-way declares that l tightens down, but the same scheme suppresses \d+ records"
    with pytest.raises(PolicyError, match=message):
        frontier(problem, values=[2, 3, 4, 30, 60])


def test_a_least_class_that_is_declared_wrongly_is_an_error(tmp_path: Path) -> None:
    @dataclasses.dataclass(frozen=True)
    class Smaller(OwnK):
        def asks(self, people: int) -> Sizes:  # noqa: ARG002
            return Sizes(self.k, only=True)

    problem = problem_of(tmp_path, toml_of(OwnK(2)))
    wrong = dataclasses.replace(problem, models=(Smaller(2),))
    with pytest.raises(PolicyError, match="own-k asks for nothing but a least class, but"):
        frontier(wrong, values=[2, 3])


def test_a_measure_of_its_own_works_like_ours(tmp_path: Path) -> None:
    measure = f'\n[utility]\nmeasure = "{OwnMeasure.name}"\n'
    problem = problem_of(tmp_path, 'model = "k-anonymity"\nk = 2', measure)
    assert problem.measure == OwnMeasure((1.0, 1.0, 1.0))
    solution = anonymize(problem)
    exhaustive = search_exhaustively(problem.evaluator, problem.lattice)
    assert exhaustive.best is not None
    assert 0 < solution.loss == exhaustive.best.loss < 1
    assert solution.status is Status.OPTIMAL
    found = frontier(problem, values=[2, 3, 5])
    assert_each_point_is_what_a_single_run_finds(found, problem)
    assert explain(solution).now.quality == solution.quality
    assert "the release reaches" in explanation_page(explain(solution))
    assert frontier_page(found)
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert manifest["attribute_loss"].keys() == {"age", "sex", "zip"}
    checks = verify(released, problem.policy, manifest, against=problem.table)
    assert checks.passed, checks.failures
    assert all(check.passed for check in checks.checks if "quality" in check.claim)
    assert problem.policy.describe()["utility"] == {"measure": OwnMeasure.name}
