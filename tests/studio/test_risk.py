from __future__ import annotations

import pytest

from anonymizer.studio.risk import SIZES


def test_the_curve_agrees_with_the_risk_profile(studio):
    found, solution = studio.ask("risk"), studio.session.solution()
    for when, profile in (("before", solution.before), ("after", solution.after)):
        for threshold, share in profile.prosecutor.above.items():
            size = round(1 / float(threshold))
            assert size in SIZES
            at = next(each for each in found["curve"] if each["risk"] == pytest.approx(1 / size))
            assert at[when] == pytest.approx(share)


def test_what_is_kept_and_how_far_it_singles_out_is_said(studio):
    [found] = studio.ask("risk")["kept"]
    [table] = found["figures"]
    assert [row[0]["text"] for row in table["rows"]] == ["diagnosis"]
    assert found["sentences"][0]["text"].startswith("0 % of the people")
    studio.ask("role", revision=studio.revision, column="patient_id", role="insensitive")
    studio.settle()
    [found] = studio.ask("risk")["kept"]
    assert found["sentences"][0]["text"].startswith("100 % of the people")
    assert any("patient_id" in said["text"] for said in found["sentences"][1:])
    assert {said["tone"] for said in found["sentences"][1:]} == {"bad"}


def test_the_risk_and_what_drives_it_are_the_sections_of_the_reports(studio):
    sections = studio.ask("risk")["sections"]
    assert [each["title"] for each in sections] == ["Risk", "What drives the risk"]
    before = studio.session.solution().before
    [table, *_] = sections[0]["figures"]
    assert [cell["text"] for cell in table["rows"][0]][:2] == ["records", f"{before.records:,}"]
    for each in sections:
        [picture] = each["pictures"]
        assert picture["chart"].startswith("<svg")
        assert 'style="' not in picture["chart"]
