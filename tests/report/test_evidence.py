"""Evidence as a steward reads it: sentences, tables, files; nothing of a single person, no markup."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from anonymizer import Evidence, evidence
from anonymizer.data.staging import Staging
from anonymizer.errors import PolicyError
from anonymizer.report.evidence import (
    evidence_sections,
    not_measured,
    render_page,
    render_text,
    stage_evidence,
)
from tests.analyses.people import EVERY, STAY, people, release
from tests.report.terminal import on_terminal

NASTY = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def found() -> Evidence:
    return evidence(release(people(), EVERY, (1, 1, 1), k=3))


def text_of(told: Evidence) -> str:
    return on_terminal(render_text(told))


def test_every_analysis_has_a_section_whose_sentences_end_and_whose_rows_fit(
    found: Evidence,
) -> None:
    first, *others = evidence_sections(found)
    assert [row[0] for row in first.figures[0].rows] == [each["name"] for each in EVERY]
    assert [section.title for section in others] == [f"{e['name']} ({e['kind']})" for e in EVERY]
    for section in (first, *others):
        assert all(sentence.endswith(".") for sentence in section.sentences)
        for figures in section.figures:
            assert {len(row) for row in figures.rows} == {len(figures.header)}


def test_regressions_predictions_and_curves_have_pictures(found: Evidence) -> None:
    drawn = {section.title.split()[0] for section in evidence_sections(found) if section.pictures}
    assert drawn == {"stay", "ill", "hazard", "curves", "predicted"}


def test_what_would_be_concluded_otherwise_and_what_failed_is_said_first(found: Evidence) -> None:
    text = text_of(found)
    assert "conclude otherwise about sex: " in text
    assert "(lost)" in text
    assert "not possible" in text  # the curves by sex, which is gone
    assert "The release does not have all groups" in text
    assert "Karr" not in text


def test_names_and_values_that_look_like_markup_are_text() -> None:
    frame = people()
    frame["ward"] = [NASTY, "x", "x", "x"] * 100
    stated = {**STAY, "formula": "stay ~ ward"}
    page = render_page(evidence(release(frame, [stated])))
    assert NASTY not in page
    assert "&lt;script&gt;" in page
    assert "http" not in page


def test_the_files_hold_the_figures_and_each_picture_stands_alone(
    found: Evidence, tmp_path: Path
) -> None:
    with Staging(tmp_path / "out") as staging:
        files = stage_evidence(found, staging)
    assert all(Path(path).is_file() for path in files.values())
    told = json.loads(json.dumps(found.describe()))
    assert json.loads(Path(files["json"]).read_text(encoding="utf-8")) == told
    assert pd.read_csv(files["csv"])["name"].tolist() == [each["name"] for each in EVERY]
    assert found["stay"].to_frame()["term"].tolist() == [row.term for row in found["stay"].rows]
    picture = (tmp_path / "out" / "evidence-stay-1.svg").read_text()
    assert picture.startswith('<svg xmlns="http://www.w3.org/2000/svg"')


def test_why_nothing_was_measured_is_a_section() -> None:
    section = not_measured(PolicyError("policy: no."))
    assert section.sentences == ("Not measured: policy: no.",)
