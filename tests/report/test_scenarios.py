"""The tables, pictures and page of scenarios."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from anonymizer import Assessment, Policy, assess
from anonymizer.data.staging import Staging
from anonymizer.knowledge.exposure import MEASURES
from anonymizer.report.assessment import make_page, make_tables, write_assessment
from anonymizer.report.page import share
from anonymizer.report.scenarios import draw_distribution, draw_heatmaps, scenario_grid
from tests.assessment import patients

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def assessment() -> Assessment:
    names = ["voter-registration", "social-media"]
    return assess(patients.draw(300, seed=1), patients.policy(), names)


def test_every_record_has_its_risks_in_the_order_of_the_rows(assessment: Assessment) -> None:
    records = make_tables(assessment)["records"]
    assert records["row"].tolist() == list(range(1, 301))
    risk = assessment.scenarios[0]
    for measure in MEASURES:
        column = records[f"{risk.name} {measure}"]
        assert sorted(column) == pytest.approx(sorted(risk.risks(measure)))
        assert column.mean() == pytest.approx(risk.mean(measure))


def test_quartiles_are_those_of_the_records(assessment: Assessment) -> None:
    table = make_tables(assessment)["scenarios"].set_index(["scenario", "measure"])
    for risk in assessment.scenarios:
        for measure in MEASURES:
            row = table.loc[(risk.name, measure)]
            expected = np.quantile(risk.reductions(measure), [0.25, 0.5, 0.75])
            found = [row["reduction_q1"], row["reduction_median"], row["reduction_q3"]]
            np.testing.assert_allclose(found, expected)


def test_people_with_several_rows_have_one_worst_case_in_tables_json_and_page() -> None:
    frame = pd.DataFrame({"who": list("aaabc"), "sex": list("FFFMM")})
    sex = {"role": "quasi", "hierarchy": {"F": "*", "M": "*"}}
    policy = Policy(
        attributes={"who": {"role": "identifying"}, "sex": sex},
        risk=[{"model": "k-anonymity", "k": 2}],
        data={"id": "who"},
    )
    found = assess(frame, policy, ["worst-case"])
    (risk,), (described,) = found.scenarios, found.describe()["scenarios"]
    assert described["worst_case"]["prosecutor"]["mean"] == pytest.approx(1 / 3)  # a of a, b, c
    rows = make_tables(found)["scenarios"].set_index("measure")
    for measure in MEASURES:
        for part in ("risk", "worst_case", "reduction"):
            for key, value in described[part][measure].items():
                written = rows.loc[measure, f"{part}_{key}"]
                assert written == pytest.approx(value, nan_ok=True) or value is None
        assert risk.worst_mean(measure) == pytest.approx(described["worst_case"][measure]["mean"])


def test_the_values_of_an_attribute_share_the_mean(assessment: Assessment) -> None:
    values = make_tables(assessment)["values"]
    for (name, _), rows in values.groupby(["scenario", "attribute"]):
        (risk,) = [risk for risk in assessment.scenarios if risk.name == name]
        assert rows["records"].sum() == 300
        mean = (rows["overall_mean"] * rows["records"]).sum() / 300
        assert mean == pytest.approx(risk.mean())


def test_what_drives_the_risk_is_what_would_be_gone_without_it(assessment: Assessment) -> None:
    drivers = make_tables(assessment)["drivers"]
    assert set(drivers["scenario"]) == {"voter-registration", "social-media"}
    gone = (drivers["overall"] - drivers["overall_without"]) / drivers["overall"]
    np.testing.assert_allclose(drivers["share_of_risk"], gone)
    assert (drivers["overall_without"] <= drivers["overall"] + 1e-12).all()


def test_pictures_have_a_panel_for_each_measure_and_scenario(assessment: Assessment) -> None:
    panels = [axes for axes in draw_heatmaps(assessment.scenarios).axes if axes.get_title()]
    assert [axes.get_title() for axes in panels] == 2 * [
        "journalist",
        "prosecutor",
        "marketer",
        "overall",
    ]
    (axes,) = draw_distribution(assessment.scenarios).axes
    assert axes.get_xlabel()
    assert len(axes.get_legend().get_texts()) == 4


def test_the_page_says_what_for_whom_and_why(assessment: Assessment) -> None:
    page = make_page(assessment)
    for words in ("What the risk is.", "For whom.", "Why.", "What to keep in mind"):
        assert words in page
    assert "the voter list of the state" in page
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>|data:image[^\"]*", "", page))
    assert "exact given uS: summed over all" in text
    assert "exact for" not in text
    assert not re.search(r"\bnan\b|None|\bUndefined\b", text)
    assert "http" not in page.replace("http://www.w3.org", "")  # it stands alone


def test_every_estimate_is_shown_with_its_interval(assessment: Assessment) -> None:
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>|data:image[^\"]*", "", make_page(assessment)))
    shown = "".join(render_text(scenario_grid(assessment.scenarios)))
    for risk in assessment.scenarios:
        overall, journalist = risk.interval(), risk.interval("journalist")
        assert overall.low < risk.mean() < overall.high
        assert f"{share(overall.low)} to {share(overall.high)}" in text
        assert f"{share(journalist.low)} to {share(journalist.high)}" in text
        assert f"({overall.low:.4f} to {overall.high:.4f})" in shown
    sets = make_tables(assessment)["known_sets"]
    for end, compare in (("low", np.less_equal), ("high", np.greater_equal)):
        assert compare(sets[f"unique_in_population_{end}"], sets["unique_in_population"]).all()
    rows = make_tables(assessment)["scenarios"]
    assert (rows["risk_mean_low"] <= rows["risk_mean"] + 1e-15).all()
    assert (rows["risk_mean_high"] >= rows["risk_mean"] - 1e-15).all()


def render_text(shown: object) -> str:
    console = Console(width=200, file=io.StringIO())
    console.print(shown)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_files_appear_together(assessment: Assessment, tmp_path: Path) -> None:
    with Staging(tmp_path / "out") as staging:
        written = write_assessment(assessment, staging)
        assert not (tmp_path / "out" / "assessment.html").exists()
    assert all(Path(path).is_file() for path in written.values())
    assert {"heatmaps.svg", "distribution.svg"} <= {p.name for p in (tmp_path / "out").iterdir()}
    assert len(pd.read_csv(tmp_path / "out" / "records.csv")) == 300


def test_the_risks_of_single_records_are_for_their_owner_alone(
    assessment: Assessment, tmp_path: Path
) -> None:
    with Staging(tmp_path / "out") as staging:
        write_assessment(assessment, staging)
    assert (tmp_path / "out" / "records.csv").stat().st_mode & 0o777 == 0o600


def test_a_table_of_one_record_has_a_page_too() -> None:
    frame = patients.draw(1, seed=2)
    assert "1 records" in make_page(assess(frame, patients.policy(), ["worst-case"]))


def test_the_terminal_shows_every_scenario(assessment: Assessment) -> None:
    assert scenario_grid(assessment.scenarios).row_count == 2
