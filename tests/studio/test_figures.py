from __future__ import annotations

from typing import Any

import pytest

from anonymizer import compare
from anonymizer.analyses import regression
from anonymizer.analyses.evidence import evidence_of
from anonymizer.errors import ReleaseError
from anonymizer.report.comparison import comparison_sections
from anonymizer.report.evidence import result_section
from anonymizer.studio.figures import describe_evidence
from anonymizer.studio.worker import Cancelled

LINEAR = {"name": "older", "kind": "linear", "formula": "age ~ sex"}
MARGINALS = {"name": "columns", "kind": "marginals"}


def evidence(studio: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Ask for the stated analyses, and wait for what is told of them."""
    with monkeypatch.context() as patch:
        heard = studio.hear("evidence", patch)
        studio.ask("evidence", revision=studio.revision)
        return heard.get(timeout=60)


def said_in(section: dict[str, Any]) -> list[str]:
    """Return the sentences of a section."""
    return [each["text"] for each in section["sentences"]]


def test_stated_analyses_have_the_figures_of_evidence_original_beside_release(studio, monkeypatch):
    assert evidence(studio, monkeypatch)["results"] == []
    state = studio.change("analysis", value=[MARGINALS])
    assert "# A policy with comments." in state["text"]
    studio.settle()
    studio.change("analysis", 1, value=LINEAR)
    studio.settle()
    found = evidence(studio, monkeypatch)
    expected = evidence_of(studio.session.solution())
    titles = [each["title"] for each in found["results"]]
    assert titles == ["columns (marginals)", "older (linear)"]
    for each, result in zip(found["results"], expected.results, strict=True):
        assert said_in(each) == list(result_section(result).sentences)
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

    def stop(*_: Any) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        describe_evidence(studio.session.solution(), stop)


def test_what_is_left_is_said_as_in_the_report(studio):
    answer = studio.ask("utility")
    found = [*answer["sections"], answer["missing"]]
    sections = comparison_sections(compare(studio.session.solution()))
    for each, section in zip(found, sections, strict=True):
        assert (each["title"], said_in(each)) == (section.title, list(section.sentences))
        for table, figures in zip(each["figures"], section.figures, strict=True):
            assert [[cell["text"] for cell in row] for row in table["rows"]] == [
                list(row) for row in figures.rows
            ]
    pictures = [picture for each in found for picture in each["pictures"] + each["folded"]]
    assert pictures
    assert all('style="' not in picture["chart"] for picture in pictures)


def test_a_group_that_must_stay_is_kept_through_other_changes(studio):
    studio.change("keep", value=[{"where": "age >= 50", "at_least": 0.9}])
    state = studio.change("attributes", "sex", "min_level", value=1)
    assert 'keep = [{ where = "age >= 50", at_least = 0.9 }]' in state["text"]
    assert "# A policy with comments." in state["text"]
    studio.settle()
    [group] = studio.session.solution().groups
    assert (group.where, group.is_kept) == ("age >= 50", True)
