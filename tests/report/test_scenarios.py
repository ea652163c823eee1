"""What scenarios mean for a table, on the page, on the terminal and as tables."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from anonymizer import Assessment, Policy, PolicyError, Problem, anonymize, assess
from anonymizer.attackers.catalogue import load_scenario
from anonymizer.attackers.exposure import MEASURES
from anonymizer.attackers.network import to_network
from anonymizer.data.staging import Staging
from anonymizer.report.assessment import make_page, make_tables, summarize, write_assessment
from anonymizer.report.page import share
from anonymizer.report.scenarios import (
    LEAST,
    at_least,
    describe_node,
    draw_distribution,
    draw_network,
    driver_rows,
    scenarios_section,
)
from anonymizer.risk import Overall, Scenario
from tests.assessment import patients


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
    for risk in assessment.scenarios:
        for measure, found in risk.describe()["reduction"].items():
            expected = np.quantile(risk.reductions(measure), [0.25, 0.5, 0.75])
            np.testing.assert_allclose([found["q1"], found["median"], found["q3"]], expected)


def test_people_with_several_rows_have_one_worst_case_in_json_terminal_and_page() -> None:
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
    for measure in MEASURES:
        assert risk.worst_mean(measure) == pytest.approx(described["worst_case"][measure]["mean"])
    page, shown = make_page(found), terminal(found)
    assert share(risk.worst_mean()) in page
    assert share(risk.worst_mean()) in shown
    assert share(0.6) not in page + shown  # the mean over the five records


def test_tables_for_machines_count_people_with_their_highest_risk() -> None:
    frame = pd.DataFrame(
        {"who": list("aaabcdefghij") * 2, "sex": list("FMFFFFFFMMMM") + list("FFFFFFFFMMMM")}
    )
    sex = {"role": "quasi", "hierarchy": {"F": "*", "M": "*"}}
    policy = Policy(
        attributes={"who": {"role": "identifying"}, "sex": sex},
        risk=[{"model": "k-anonymity", "k": 2}],
        data={"id": "who"},
    )
    found = assess(frame, policy, ["worst-case"])
    (risk,), tables = found.scenarios, make_tables(found)
    assert risk.number_of_people == 10
    # six have an F, five an M; a has both, and is easier to find by the M; every other match is confirmed
    mean = 0.5 * (5 / 6 + 5 / 5) / 10
    assert risk.mean() == pytest.approx(mean)
    (known,) = tables["known_sets"].to_dict("records")
    assert (known["overall"], known["share_of_risk"]) == pytest.approx((mean, 1.0))
    values = tables["values"].set_index("value")
    assert values["people"].to_dict() == {"F": 6, "M": 5}
    assert values["overall_mean"].to_dict() == pytest.approx({"F": 0.5 / 6, "M": 0.5 / 5})
    (driver,) = risk.worst.drivers
    assert driver.marketer == pytest.approx(1 / 10)  # without it everybody is one of ten


def test_the_values_of_an_attribute_share_the_mean(assessment: Assessment) -> None:
    values = make_tables(assessment)["values"]
    for (name, _), rows in values.groupby(["scenario", "attribute"]):
        (risk,) = [risk for risk in assessment.scenarios if risk.name == name]
        assert rows["people"].sum() == 300
        mean = (rows["overall_mean"] * rows["people"]).sum() / 300
        assert mean == pytest.approx(risk.mean())


def test_what_drives_the_risk_is_what_would_be_gone_without_it(assessment: Assessment) -> None:
    for risk in assessment.scenarios:
        for row in driver_rows(risk):
            gone = (row["overall"] - row["overall_without"]) / row["overall"]
            assert row["share_of_risk"] == pytest.approx(gone)
            assert row["overall_without"] <= row["overall"] + 1e-12


def test_a_curve_falls_from_everybody_and_is_the_share_with_at_least_that_risk() -> None:
    points = dict(at_least(np.array([0.0, 0.001, 0.5, 1.0])))
    assert points[LEAST] == 0.75
    assert points[1.0] == 0.25
    assert list(points.values()) == sorted(points.values(), reverse=True)


def test_every_scenario_has_a_line_of_its_own_and_one_for_the_worst_case(
    assessment: Assessment,
) -> None:
    drawn = ElementTree.fromstring(draw_distribution(assessment.scenarios))
    lines = list(drawn.iter("polyline"))
    assert len(lines) == 4
    assert len({line.attrib["stroke"] for line in lines}) == 2


def test_the_network_has_a_box_for_every_variable(assessment: Assessment) -> None:
    scenario = assessment.scenarios[0].scenario
    drawn = ElementTree.fromstring(draw_network(scenario))
    assert len(list(drawn.iter("rect"))) == len(to_network(scenario))
    assert len(list(drawn.iter("line"))) == to_network(scenario).number_of_edges()


def test_the_page_says_what_for_whom_and_why(assessment: Assessment) -> None:
    page = make_page(assessment)
    for words in ("What the risk is.", "For whom.", "Why.", "What to keep in mind"):
        assert words in page
    assert "the voter list of the state" in page
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>|data:image[^\"]*", "", page))
    assert "exact given u_S: summed over all" in text
    assert "exact for" not in text
    assert not re.search(r"\bnan\b|None|\bUndefined\b", text)
    assert "http" not in page.replace("http://www.w3.org", "")  # it stands alone


def test_every_estimate_is_shown_with_its_interval(assessment: Assessment) -> None:
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>|data:image[^\"]*", "", make_page(assessment)))
    shown = terminal(assessment)
    for risk in assessment.scenarios:
        overall, journalist = risk.interval(), risk.interval("journalist")
        assert overall.low < risk.mean() < overall.high
        assert f"{share(overall.low)} to {share(overall.high)}" in text
        assert f"{share(journalist.low)} to {share(journalist.high)}" in text
        assert f"{share(overall.low)} to {share(overall.high)}" in shown
    sets = make_tables(assessment)["known_sets"]
    for end, compare in (("low", np.less_equal), ("high", np.greater_equal)):
        assert compare(sets[f"unique_in_population_{end}"], sets["unique_in_population"]).all()


def terminal(assessment: Assessment) -> str:
    console = Console(width=200, file=io.StringIO())
    console.print(summarize(assessment))
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_files_appear_together(assessment: Assessment, tmp_path: Path) -> None:
    with Staging(tmp_path / "out") as staging:
        written = write_assessment(assessment, staging)
        assert not (tmp_path / "out" / "assessment.html").exists()
    assert all(Path(path).is_file() for path in written.values())
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
    (figures,) = scenarios_section(assessment.scenarios).figures
    assert [row[0] for row in figures.rows] == [risk.name for risk in assessment.scenarios]


def test_what_a_node_says() -> None:
    group = {"attributes": ["age", "sex"], "by": ["state", "sex"], "default": 0.1}
    assert describe_node(group) == "age\nsex\nknown: by state and sex"
    account = {"meaning": "account found", "layer": -1, "probability": [0.1, 0.2]}
    assert describe_node(account) == "account found: 0.1 to 0.2"
    profile = {"attributes": ["age"], "column": "told", "cause": "account"}
    assert describe_node(profile) == "age\nknown then: column told"
    assert describe_node({"meaning": "presence disclosed", "layer": 1, "table": {(): 0.5}}) == (
        "presence disclosed\n0.5"
    )


def test_a_population_that_nobody_stated_is_asked_for_and_counts_as_the_table() -> None:
    frame, policy = patients.draw(120, seed=6), patients.policy()
    asked = assess(frame, policy, "worst-case")
    assert "NOT STATED: of how many people the table is a sample." in make_page(asked)
    assert "NOT STATED" in terminal(asked)
    (risk,) = asked.scenarios
    exposure = risk.exposure
    np.testing.assert_allclose(exposure.measure("journalist"), exposure.measure("prosecutor"))
    scenario = load_scenario("worst-case", population=5000)
    stated = assess(frame, policy, scenario)
    assert "NOT STATED" not in make_page(stated)
    assert (stated.scenarios[0].exposure.overall <= exposure.overall + 1e-12).all()
    table = Scenario.parse(load_scenario("worst-case").describe())
    assert not table.is_stated
    with pytest.raises(
        PolicyError, match="population: nobody stated it; give the number of people"
    ):
        anonymize(Problem.read(frame, policy).with_models(Overall(0.1, table)))
