"""k-map by sampling weights: found, released, verified, and refused in one sentence."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anonymizer import (
    AnonymizerWarning,
    DataError,
    PolicyError,
    anonymize,
    make_manifest,
    verify,
)
from anonymizer.estimators.survey import large_enough, rarities
from anonymizer.problem import Problem
from anonymizer.risk import KMap

AGES = {"builder": "intervals", "domain": [20, 79], "widths": [10, 30]}
POLICY: dict[str, Any] = {
    "data": {"weight": "w"},
    "attributes": {
        "age": {"role": "quasi", "hierarchy": AGES},
        "sex": {"role": "quasi", "hierarchy": {"F": "*", "M": "*"}},
        "w": {"role": "removed", "reason": "tells the stratum"},
    },
    "risk": [{"model": "k-map", "k": 5, "estimator": "survey"}],
}  # fmt: skip


def survey(rows: int = 150) -> pd.DataFrame:
    random = np.random.default_rng(8)
    return pd.DataFrame({
        "age": random.integers(20, 80, rows),
        "sex": random.choice(["F", "M"], rows),
        "w": random.choice([1.5, 4.0, 60.0, 900.0], rows),
    })  # fmt: skip


def with_keys(**changes: Any) -> dict[str, Any]:
    return {**POLICY, **changes}


def test_classes_that_are_kept_are_large_enough_by_their_weights() -> None:
    problem = Problem.read(survey(), POLICY)
    solution = anonymize(problem)
    assert solution.status == "optimal"
    table = survey()
    table["class"] = table["age"].map(solution_label(solution, "age")) + "|"
    table["class"] += table["sex"].map(solution_label(solution, "sex"))
    labels, _ = pd.factorize(table["class"])
    rarity = rarities(1 / table["w"].to_numpy(), 5, 0.1)
    ones = np.ones(len(table), np.int64)
    passes = large_enough(labels, rarity, ones, labels.max() + 1, 5)
    assert solution.suppressed == int((~passes[labels]).sum())
    assert len(solution.to_frame()) == int(passes[labels].sum())
    assert "w" not in solution.to_frame().columns


def solution_label(solution: Any, name: str) -> Any:
    """What a value becomes."""
    level = solution.scheme[name]
    if name == "age":
        return lambda value: str((value - 20) // (1, 10, 30, 60)[level])
    return lambda value: "*" if level else value


def test_it_is_verified_with_the_original_alone() -> None:
    frame = survey()
    solution = anonymize(frame, POLICY)
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    claim = f"{solution.problem.models[0]} holds"
    alone = {check.claim: check.passed for check in verify(released, POLICY, manifest).checks}
    assert alone[claim] is None
    found = verify(released, POLICY, manifest, against=frame)
    assert found.passed
    assert {check.claim: check.passed for check in found.checks}[claim]


def test_a_weight_that_is_kept_is_warned_of() -> None:
    attributes = {**POLICY["attributes"], "w": {"role": "insensitive"}}
    with pytest.warns(
        AnonymizerWarning, match="'w' is the sampling weight and is released as it is"
    ):
        Problem.read(survey(), with_keys(attributes=attributes))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Problem.read(survey(), POLICY)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": {}}, '"survey" needs sampling weights; name their column as data.weight'),
        ({"data": {"weight": "v"}}, "data.weight names 'v', which is not a column"),
        ({"data": {"weight": "sex"}}, "data.weight names 'sex', which is generalized"),
        (
            {"risk": [{"model": "k-map", "k": 5, "estimator": "survey", "population": 1000}]},
            "leave out population",
        ),
        (
            {"risk": [{"model": "k-map", "k": 5, "population": 1000, "weight": "w"}]},
            'weight is for the estimator "survey"',
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Problem.read(survey(), with_keys(**changes))


@pytest.mark.parametrize("weight", ["x", None, 0.0, -2.0, np.inf])
def test_a_cell_that_is_no_weight_is_one_sentence(weight: Any) -> None:
    frame = survey().astype({"w": object})
    frame.loc[3, "w"] = weight
    with pytest.raises(DataError, match="column 'w': 1 of its values"):
        Problem.read(frame, POLICY)


def test_people_with_several_rows_have_no_rule() -> None:
    frame = survey().assign(id=[f"p{row // 2}" for row in range(150)])
    attributes = {**POLICY["attributes"], "id": {"role": "identifying"}}
    with pytest.raises(PolicyError, match="counts each row as a person, and 'id' says"):
        Problem.read(frame, with_keys(data={"weight": "w", "id": "id"}, attributes=attributes))


def test_the_model_says_what_it_rests_on() -> None:
    model = KMap(5, estimator="survey", weight="w", significance=0.05)
    assert str(model) == "k-map with k = 5 in the population, by weights, at a significance of 0.05"
    assert model.inputs.columns == ("w",)


def test_a_policy_of_a_survey_is_read_from_its_file(tmp_path: Path, run) -> None:
    survey().to_csv(tmp_path / "survey.csv", index=False)
    (tmp_path / "policy.toml").write_text("""
[data]
path = "survey.csv"
weight = "w"
[attributes]
age = { role = "quasi", hierarchy = { builder = "intervals", domain = [20, 79], widths = [10, 30] } }
sex = { role = "quasi", hierarchy = { F = "*", M = "*" } }
w = { role = "removed", reason = "tells the stratum" }
[[risk]]
model = "k-map"
k = 5
estimator = "survey"
significance = 0.05
""")
    out = tmp_path / "out"
    assert run("run", tmp_path / "policy.toml", "--out", out)[0] == 0
    status, printed, _ = run(
        "verify",
        out / "release.csv",
        tmp_path / "policy.toml",
        "--against",
        tmp_path / "survey.csv",
    )
    assert status == 0, printed
