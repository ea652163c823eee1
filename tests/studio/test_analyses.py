from __future__ import annotations

from typing import Any

import pytest

from anonymizer import compare
from anonymizer.analyses import regression
from anonymizer.analyses.evidence import evidence_of
from anonymizer.errors import ReleaseError
from anonymizer.studio.analyses import describe_evidence
from anonymizer.studio.worker import Cancelled

LINEAR = {"name": "older", "kind": "linear", "formula": "age ~ sex"}
MARGINALS = {"name": "columns", "kind": "marginals"}


def evidence(studio: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Ask for the stated analyses, and wait for what is told of them."""
    with monkeypatch.context() as patch:
        heard = studio.hear("evidence", patch)
        studio.ask("evidence", revision=studio.revision)
        return heard.get(timeout=60)


def test_stated_analyses_have_the_figures_of_evidence_original_beside_release(studio, monkeypatch):
    assert evidence(studio, monkeypatch)["results"] == []
    state = studio.change("analysis", value=[MARGINALS])
    assert "# A policy with comments." in state["text"]
    studio.settle()
    studio.change("analysis", 1, value=LINEAR)
    studio.settle()
    found = evidence(studio, monkeypatch)
    expected = evidence_of(studio.session.solution())
    assert [each["name"] for each in found["results"]] == ["columns", "older"]
    for each, result in zip(found["results"], expected.results, strict=True):
        assert result.value is not None
        assert each["release"] == f"{result.value:.4g}"
        assert each["figure"] == result.figure
    assert found["results"][1]["pictures"][0]["chart"].startswith("<svg")
    assert 'style="' not in found["results"][1]["pictures"][0]["chart"]
    studio.ask("release", revision=studio.revision)
    studio.settle()
    page = studio.client.get("/api/page/decision.html").text
    assert "NO ANALYSIS WAS REPEATED" not in page


def test_without_the_extra_one_sentence_says_what_to_install(studio, monkeypatch):
    def absent(*_: Any) -> Any:
        raise ReleaseError("a regression needs statsmodels; install it.")

    studio.change("analysis", value=[LINEAR])
    studio.settle()
    monkeypatch.setitem(evidence_of.__globals__["RUNS"], "linear", absent)
    assert regression.run_linear is not absent
    assert evidence(studio, monkeypatch)["error"] == "a regression needs statsmodels; install it."


def test_an_analysis_that_is_wrong_is_refused_and_nothing_is_written(studio):
    before = studio.ask("state")["text"]
    wrong = {**LINEAR, "formula": "age ~"}
    changes = [{"path": ["analysis"], "value": [wrong]}]
    found = studio.post("change", revision=studio.revision, changes=changes)
    assert found.status_code == 422
    assert "formula" in found.json()["error"]
    assert studio.ask("state")["text"] == before


def test_analyses_that_nobody_waits_for_are_given_up(studio):
    studio.change("analysis", value=[MARGINALS])
    studio.settle()

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        describe_evidence(studio.session.solution(), stop)


def test_columns_and_subgroups_are_those_of_the_comparison(studio):
    found, comparison = studio.ask("utility"), compare(studio.session.solution())
    assert {each["name"] for each in found["columns"]} == {c.name for c in comparison.columns}
    assert found["suppressed"] == comparison.share
    assert all('style="' not in each["chart"] for each in found["columns"])
