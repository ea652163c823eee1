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
        assert found[when]["highest"] == profile.prosecutor.highest


def test_what_is_kept_and_how_far_it_singles_out_is_said(studio):
    found = studio.ask("risk")
    assert [each["column"] for each in found["kept"]] == ["diagnosis"]
    assert found["unique_by_kept"] == 0
    studio.ask("role", revision=studio.revision, column="patient_id", role="insensitive")
    studio.settle()
    found = studio.ask("risk")
    assert found["unique_by_kept"] == 1
    assert any("patient_id" in text for text in found["warnings"])


def test_charts_hold_no_styles_of_their_own(studio):
    found = studio.ask("risk")
    for chart in (found["sizes"]["before"], found["sizes"]["after"], found["drivers"]):
        assert 'style="' not in chart
        assert chart.startswith("<svg")
