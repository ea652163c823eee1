"""Attacks on the release, and what analyses keep at every threshold."""

from __future__ import annotations

import pytest

from anonymizer.analyses.frontier import with_analyses
from anonymizer.attacks.attack import ATTACKS, attack
from anonymizer.solution.manifest import make_manifest
from anonymizer.studio.outcomes import try_attacks
from anonymizer.studio.worker import Cancelled

LINEAR = {"name": "older", "kind": "linear", "formula": "age ~ sex"}


def test_attacks_are_those_of_the_command_and_stand_on_the_decision_page(studio):
    [before] = [e for e in studio.ask("checklist")["checks"] if "attack" in e["said"]]
    assert before["state"] == "decide"
    studio.ask("try-attacks", revision=studio.revision)
    studio.settle()
    solution, told = studio.session.solution(), studio.session.engine.told["attacks"]
    frame = solution.to_frame()
    found = attack(
        frame, solution.problem.policy, studio.session.engine.table,
        manifest=make_manifest(solution, frame),
    )  # fmt: skip
    assert told["tried"] == len(found.tried)
    assert told["ahead"] == [each.name for each in found.tried if each.exceeds]
    studio.ask("release", revision=studio.revision)
    studio.settle()
    page = studio.client.get("/api/page/decision.html").text
    assert "NO ATTACKS WERE TRIED" not in page


def test_attacks_are_forgotten_with_the_next_change(studio):
    studio.ask("try-attacks", revision=studio.revision)
    studio.settle()
    assert studio.session.engine.attacks is not None
    studio.change("risk", 0, "k", value=4)
    assert studio.session.engine.attacks is None
    assert "attacks" not in studio.session.engine.told


def test_attacks_say_how_far_they_are_and_are_given_up(studio):
    solution, table = studio.session.solution(), studio.session.engine.table
    heard = []

    def stop(name, share):
        heard.append((name, share))
        if len(heard) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        try_attacks(solution, table, stop)
    assert [name for name, _ in heard] == list(ATTACKS)[:3]
    assert [share for _, share in heard] == [at / len(ATTACKS) for at in range(3)]


def test_analyses_at_each_threshold_are_those_of_the_frontier(studio):
    pytest.importorskip("statsmodels")
    refused = studio.post("compare-thresholds", revision=studio.revision)
    assert (refused.status_code, refused.json()["error"][-1]) == (422, ".")
    studio.change("analysis", value=[LINEAR])
    studio.settle()
    studio.ask("compare-thresholds", revision=studio.revision)
    studio.settle()
    told = studio.session.engine.told["outcomes"]
    expected = with_analyses(studio.session.engine.frontier, ["older"])
    assert [each["value"] for each in told["points"]] == [p.value for p in expected.points]
    for each, point in zip(told["points"], expected.points, strict=True):
        assert each["outcomes"][0]["value"] == pytest.approx(point.figures["older"])
    assert told["analyses"][0]["figure"] == expected.figures["older"]
    assert told["analyses"][0]["chart"].count("<circle") == sum(
        point.figures["older"] is not None for point in expected.points
    )
    assert "results on the original" in told["given_away"]
