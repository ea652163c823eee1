from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from anonymizer import Policy, anonymize, assess
from anonymizer.attackers.catalogue import load_scenario
from anonymizer.studio.attackers import RISKS, Sight, attacker_of
from anonymizer.studio.worker import Cancelled
from tests import test_people

STATEMENT = """
threshold = "general"

[[source]]
name = "the gym's list"
keys = ["sex", "zip"]
attack = "systematic"
p = 0.5
q = 0.8
"""


def test_the_curve_of_a_shipped_scenario_is_that_of_assess(studio, monkeypatch):
    heard = studio.hear("attacked", monkeypatch)
    figures = {"p_m": 0.9, "p_c": 0.25}
    given = {"revision": studio.revision, "attacker": "worst-case", "asked": "this"}
    studio.ask("attack", **given, figures=figures)
    found = heard.get(timeout=60)
    assert found["asked"] == "this"
    folder = studio.session.folder.path
    policy = Policy.read(folder / "policy.toml")
    scenario = load_scenario("worst-case", parameters=figures)
    (risk,) = assess(folder / "patients.csv", policy, {"worst": scenario}).scenarios
    risks = risk.risks()
    assert found["before"]["mean"] == pytest.approx(float(risks.mean()))
    assert found["before"]["highest"] == pytest.approx(float(risks.max()))
    expected = [float((risks > each + 1e-9).mean()) for each in RISKS]
    assert found["before"]["above"] == pytest.approx(expected)
    assert found["after"]["mean"] < found["before"]["mean"]
    assert found["after"]["people"] == 400 - studio.session.solution().suppressed


def test_a_population_is_compared_with_the_people_of_the_table_and_not_with_its_rows():
    frame, keys = test_people.visits(), dict(test_people.policy(id="patient"))
    scenario = load_scenario("worst-case", population=100)
    assert 90 < scenario.population < len(frame)
    model = {"model": "overall", "threshold": 0.5, "scenario": scenario}
    solution = anonymize(frame, Policy(**{**keys, "risk": [model]}))
    assert attacker_of(solution, "model 0", {}, {}) == solution.problem.models[0]


def test_a_higher_probability_lowers_nobodys_risk(studio, monkeypatch):
    heard, means = studio.hear("attacked", monkeypatch), []
    for value in (0.0, 0.4, 1.0):
        given = {"revision": studio.revision, "attacker": "worst-case"}
        studio.ask("attack", **given, figures={"p_c": value})
        means.append(heard.get(timeout=60)["after"]["mean"])
    assert means == sorted(means)
    assert means[0] < means[-1]


def test_the_sources_of_the_policy_have_sliders_for_p_and_q(studio, monkeypatch):
    folder = studio.session.folder.path
    (folder / "statement.toml").write_text(STATEMENT, encoding="utf-8")
    model = {"model": "sources", "statement": "statement.toml", "threshold": 0.2}
    studio.change("risk", 1, value=model)
    studio.settle()
    heard = studio.hear("attacked", monkeypatch)
    first = studio.ask("attackers")["attackers"][0]
    names = ["p of the gym's list", "q of the gym's list"]
    assert [each["name"] for each in first["figures"]] == names
    assert [each["value"] for each in first["figures"]] == [0.5, 0.8]
    given = {"revision": studio.revision, "attacker": first["key"]}
    studio.ask("attack", **given, figures={names[0]: 1, names[1]: 1})
    found = heard.get(timeout=60)
    frame = studio.session.engine.table.read(["sex", "zip"]).to_pandas()
    alike = frame.groupby(["sex", "zip"])["sex"].transform("size").to_numpy()
    assert found["before"]["highest"] == pytest.approx(1 / alike.min())
    assert found["before"]["mean"] == pytest.approx(float(np.mean(1 / alike)))


def test_what_a_scenario_has_and_the_table_lacks_must_be_named(studio, monkeypatch):
    listed = {each["key"]: each for each in studio.ask("attackers")["attackers"]}
    assert listed["worst-case"]["lacks"] == []
    lacks = {each["attribute"]: each["choices"] for each in listed["social-media"]["lacks"]}
    assert {"year_of_birth", "race"} <= lacks.keys()
    given = {"revision": studio.revision, "attacker": "social-media"}
    refused = studio.post("attack", **given)
    assert refused.status_code == 422
    assert "year_of_birth" in refused.json()["error"]
    columns = {
        name: "age" if name == "year_of_birth" else choices[-1] for name, choices in lacks.items()
    }
    heard = studio.hear("attacked", monkeypatch)
    studio.ask("attack", **given, columns=columns)
    assert heard.get(timeout=60)["before"]["mean"] > 0
    assert studio.post("attack", revision=studio.revision, attacker="nobody").status_code == 422


def test_a_look_that_nobody_waits_for_is_given_up(studio):
    solution = studio.session.solution()
    model = attacker_of(solution, "worst-case", {}, {})
    sight = Sight(solution.problem.microdata)

    def stop() -> None:
        raise Cancelled

    sight.prepare(model, stop)
    with pytest.raises(Cancelled):
        sight.partitions.cells(frozenset({(0, 0)}))
    sight.prepare(model, lambda: None)
    assert sight.partitions.cells(frozenset({(0, 0)})).number > 1


def test_a_look_is_cancelled_by_the_button_and_says_so(studio, monkeypatch):
    heard, begun, stopped = (
        studio.hear("attacked", monkeypatch),
        threading.Event(),
        threading.Event(),
    )

    def endless(solution: Any, model: Any, sight: Any) -> Any:
        begun.set()
        assert stopped.wait(60)
        sight.partitions.cells(frozenset())  # where somebody who lost interest is noticed
        raise AssertionError("it went on")

    monkeypatch.setattr("anonymizer.studio.engine.attack", endless)
    studio.ask("attack", revision=studio.revision, attacker="worst-case")
    assert begun.wait(60)
    assert studio.ask("cancel") == {"stopped": True}
    stopped.set()
    assert heard.get(timeout=60)["error"] == "cancelled."
