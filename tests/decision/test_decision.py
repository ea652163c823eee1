"""What is put together for a decision: figures of the release that lies there, or a refusal."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from anonymizer import ReleaseError, anonymize, verify, write_release
from anonymizer.decision.context import Context
from anonymizer.decision.decision import ReleaseDecision, decide, read_figures
from anonymizer.policy import Policy, Role
from tests.decision.test_sensitivity import AGE, SEX, people, sources

ATTACK = {"name": "singling out", "success": {"value": 0.1, "low": 0.05, "high": 0.2}}


def policy_of(max_level: int = 0, **changes: object) -> Policy:
    keys: dict[str, object] = {
        "attributes": {
            "name": {"role": "identifying", "reason": "it names people"},
            "age": {"role": "quasi", "hierarchy": AGE, "max_level": max_level},
            "sex": {"role": "quasi", "hierarchy": SEX, "reason": "others can see it"},
            "illness": {"role": "sensitive"},
        },
        "risk": [{"model": "k-anonymity", "k": 3}, sources()],
    }
    return Policy(**{**keys, **changes})


def write_table(folder: Path) -> Path:
    frame = people()
    frame = frame.assign(
        name=[f"N{row}" for row in range(len(frame))], illness=["a", "b", "c"] * (len(frame) // 3)
    )
    frame.to_csv(folder / "table.csv", index=False)
    return folder / "table.csv"


def make(folder: Path, policy: Policy | None = None) -> tuple[Path, Path, Policy]:
    """Write a table and its release; return both and the policy."""
    table, policy = write_table(folder), policy or policy_of()
    files = write_release(anonymize(table, policy), folder / "release")
    return Path(files["release"]), table, policy


def decision_of(folder: Path, **given: object) -> ReleaseDecision:
    released, table, policy = make(folder)
    return decide(released, policy, table, **given)  # type: ignore[arg-type]


def test_the_figures_are_those_of_the_run(tmp_path: Path) -> None:
    made = decision_of(tmp_path)
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    found = made.describe()
    assert made.acceptable
    for key in ("quality", "records", "suppressed"):
        assert found[key] == manifest[key]
    assert json.loads(json.dumps(found["risk"])) == manifest["risk"]
    assert [risk.met for risk in made.risks] == [True, True]
    first = made.risks[0]
    assert first.initial == 1.0
    assert first.residual == made.highest <= 1 / 3
    assert {turning.figure for turning in made.turnings} >= {"p of list", "q of paper"}


def test_every_column_has_its_technique(tmp_path: Path) -> None:
    made = decision_of(tmp_path)
    found = {each.name: each for each in made.techniques}
    assert found["name"].role is Role.IDENTIFYING
    assert found["name"].values_after is None  # it is gone, and nobody counted it
    assert found["age"].level == made.solution.scheme["age"]
    assert found["age"].top == 2
    assert found["illness"].values_before == found["illness"].values_after == 3


def test_a_release_with_one_cell_changed_is_refused(tmp_path: Path) -> None:
    released, table, policy = make(tmp_path)
    frame = pd.read_csv(released, dtype=str)
    frame.loc[0, "illness"] = "b" if frame.loc[0, "illness"] != "b" else "c"
    frame.to_csv(released, index=False)
    with pytest.raises(ReleaseError, match="not what its scheme makes of the original"):
        decide(released, policy, table)


def test_a_release_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ReleaseError, match=r"nowhere\.csv: there is no such release; check the path"
    ):
        decide(tmp_path / "nowhere.csv", policy_of(), None)


def test_a_release_that_suppresses_too_little_for_the_policy_is_refused(tmp_path: Path) -> None:
    released, table, _ = make(tmp_path)
    with pytest.raises(ReleaseError, match="not what its scheme makes of the original"):
        decide(released, policy_of(risk=[{"model": "k-anonymity", "k": 30}]), table)


def test_a_manifest_whose_figures_are_wrong_is_not_acceptable(tmp_path: Path) -> None:
    released, table, policy = make(tmp_path)
    path = tmp_path / "release" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["quality"] = 0.99
    path.write_text(json.dumps(manifest))
    made = decide(released, policy, table)
    assert not made.acceptable
    assert made.verification.failures == verify(released, policy).failures


def test_the_figure_for_public_release_is_compared_with_the_highest_risk(tmp_path: Path) -> None:
    (tmp_path / "loose").mkdir()
    assert not decision_of(tmp_path / "loose").within_public_threshold
    (tmp_path / "tight").mkdir()
    risk = [{"model": "k-anonymity", "k": 12}]
    released, table, policy = make(tmp_path / "tight", policy_of(2, risk=risk))
    assert decide(released, policy, table, context=Context()).within_public_threshold


def test_a_release_in_layers_is_put_together_too(tmp_path: Path) -> None:
    risk, release = [{"model": "k-anonymity", "k": 3}], {"layers": True}
    released, table, policy = make(tmp_path, policy_of(risk=risk, release=release))
    made = decide(released, policy, table)
    assert made.acceptable
    assert made.turnings == ()
    assert made.risks[0].met is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        *(f'{{"attacks": {x}}}' for x in ("1", "[1]", "{}", '[{"a": NaN}]')),
        "[" * 9**5,
    ],
)
def test_figures_of_another_kind_are_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "attacks.json"
    path.write_text(text)
    with pytest.raises(ReleaseError, match="this is not what `anonymizer attack` writes"):
        read_figures(path, "attacks", "attack")


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "attacks.json"
    path.write_text(json.dumps({"attacks": [ATTACK]}))
    assert read_figures(path, "attacks", "attack") == {"attacks": [ATTACK]}
    with pytest.raises(ReleaseError, match="cannot be read"):
        read_figures(tmp_path, "attacks", "attack")


def test_a_class_of_eleven_is_what_the_figure_for_public_release_stands_for(tmp_path: Path) -> None:
    made = decision_of(tmp_path)
    for size, within in ((10, False), (11, True)):
        prosecutor = replace(made.solution.after.prosecutor, highest=1 / size)
        solution = replace(made.solution, after=replace(made.solution.after, prosecutor=prosecutor))
        assert replace(made, solution=solution).within_public_threshold is within
