"""Prasser et al. 2016 again: the tables agree with the paper, the curves keep up with ARX."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.errors import DataError
from anonymizer.estimators.derived_k import derived_k
from experiments.datasets import RESULTS, path_of
from experiments.prasser2016 import frontier, paper
from experiments.prasser2016.findings import Findings
from experiments.prasser2016.frontier import Point, arx_curves, compare, irregular, zero_line
from experiments.prasser2016.order import compare as compare_orders
from experiments.prasser2016.page import write_page
from experiments.prasser2016.printed import printed_table
from experiments.prasser2016.releases import load
from experiments.prasser2016.tables import contradictions, quality_tables, supported_people
from tests.shared import ABSENT, REFERENCE, arx_uniqueness

pytestmark = pytest.mark.slow

WRITTEN = RESULTS / "prasser2016"
CONTRADICTED = {(2, "adult", f"k-map, {city}") for city in paper.POPULATIONS}


@pytest.fixture(scope="module")
def written() -> Findings:
    """Read what the experiment wrote."""
    tables = (
        pd.read_csv(WRITTEN / f"{name}.csv")
        for name in (
            "tables_2_and_3",
            "tables_2_and_3_measures",
            "safe_harbor",
            "table_1",
            "figure_6",
            "figure_6_lines",
            "expected_uniques",
            "order",
        )
    )
    return Findings(
        {name: paper.RECORDS[name] for name in ("adult", "cup", "fars")}, ("atus", "ihis"), *tables
    )


@pytest.mark.parametrize("name", ["adult", "cup", "fars"])
def test_every_cell_agrees_to_the_printed_digit_unless_the_paper_contradicts_itself(
    name: str,
) -> None:
    path = path_of(name)
    if path is None:
        pytest.skip(f"{ABSENT}: no {name}/data.csv")
    cells = quality_tables([load(name, path)], lambda _: None)
    assert len(cells) == 12
    differing = cells[~cells["agrees"]]
    keys = set(differing[["table", "data", "model"]].itertuples(index=False, name=None))
    assert keys == {key for key in CONTRADICTED if key[1] == name}
    for number, elsewhere in contradictions(cells).items():
        assert f"{cells.loc[number, 'quality']:.1f} {cells.loc[number, 'paper']}" == "83.8 83.3"
        assert "strict-average, k' = 2, average 20% in Table 2" in elsewhere


def test_the_paper_s_figures_are_those_of_the_reference() -> None:
    file = REFERENCE / "prasser2016_tables.csv"
    if not file.is_file():
        pytest.skip(ABSENT)
    with file.open(newline="") as lines:
        for row, line in zip(paper.ROWS, csv.DictReader(lines), strict=True):
            assert row.table == int(line["table"])
            assert row.risk["model"] == line["model"]
            assert row.printed == {name: float(line[name.upper()]) for name in paper.RECORDS}


def test_the_curves_of_arx_are_those_of_the_reference() -> None:
    if not arx_uniqueness():
        pytest.skip(ABSENT)
    known = arx_curves().set_index(["data", "population", "threshold"])["ARX quality"]
    people = {str(size): city for city, size in paper.POPULATIONS.items()}
    theirs = {
        (o.dataset, people[o.parameters["population"]], float(o.parameters["threshold"])): o.loss
        for o in arx_uniqueness()
    }
    assert len(known) == len(theirs) == 63
    for key, loss in theirs.items():
        assert known[key] == pytest.approx(100 * (1 - loss))


def test_no_point_is_below_arx_s_but_where_arx_leaves_the_model(written: Findings) -> None:
    assert len(written.curves) == 63
    assert compare(written.curves).value_counts().to_dict() == {
        "the same": 40,
        "above": 15,
        "below": 8,
    }
    assert set(written.behind["data"]) == {"cup"}
    assert written.behind["why"].str.contains("ARX's solution has risk .* > .*alpha = 0").all()
    assert written.faults == irregular(written.curves) == []


def test_the_page_is_what_the_tables_say(written: Findings) -> None:
    assert (WRITTEN / "README.md").read_text(encoding="utf-8") == write_page(written)
    page = write_page(written)
    assert "33 of 36 cells agree" in page
    assert "| k-map, Houston | 33%-50% | (20%-50%) | **83.8** | **83.3** | 88.6 | 88.6 |" in page


def test_every_printed_number_has_a_verdict(written: Findings) -> None:
    printed = printed_table(written)
    verdicts = printed["verdict"].value_counts().to_dict()
    assert verdicts == {"reproduced": 60, "not to be had": 31, "contradicted": 8}
    kept = pd.read_csv(WRITTEN / "printed.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(printed.astype(str), kept.astype(str))
    assert "at most 16.2 are possible (ADULT)" in write_page(written)


def test_a_limit_on_expected_uniques_is_met_and_no_order_has_a_better_optimum(
    written: Findings,
) -> None:
    limited = written.expected[written.expected["model"] == "expected-uniques"]
    assert (limited["expected"] <= limited["limit"]).all()
    assert (limited["low"] <= limited["expected"]).all()
    assert (limited["expected"] <= limited["high"]).all()
    assert written.orders["same"].all()
    assert written.orders["proven"].all()
    cup = written.expected.query("data == 'cup' and population == 'USA'").set_index("model")
    assert cup.loc["p-uniqueness", "sample uniques"] == 54_753
    assert round(cup.loc["p-uniqueness", "expected"]) == 594


def test_the_order_to_the_letter_finds_the_same_optimum() -> None:
    path = path_of("adult")
    if path is None:
        pytest.skip(f"{ABSENT}: no adult/data.csv")
    assert compare_orders(load("adult", path), 1, 0.1)["same"]


def test_every_model_protects_as_table_1_says_on_the_data_where_it_is_weakest(
    written: Findings,
) -> None:
    worst = written.attackers.groupby("model")[["prosecutor", "journalist", "marketer"]].max()
    assert worst.loc["k-anonymity"].max() <= 0.2
    assert worst.loc["k-map", "prosecutor"] == 0.5
    assert worst.loc["k-map", ["journalist", "marketer"]].max() <= 0.2
    assert 0.2 < worst.loc["strict-average", "journalist"] <= 0.5
    assert worst.loc["p-uniqueness", "prosecutor"] == 1
    assert worst["marketer"].max() <= 0.2
    zero = written.attackers[written.attackers["parameters"] == "0"]
    assert zero["prosecutor"].max() == 0.5
    unknown = written.attackers[written.attackers.isna().any(axis=1)]
    assert set(unknown["data"] + " " + unknown["model"]) == {"cup none"}  # every record is unique


def test_a_difference_without_a_reason_is_a_fault(written: Findings) -> None:
    quality = written.quality.copy()
    quality.loc[quality.index[0], "agrees"] = (
        False  # 5-anonymity: a strict average has that release
    )
    assert contradictions(quality)[0] == [
        "strict-average, k' = 5, average 10% in Table 3",
    ]
    quality.loc[0, "scheme"] = "another"
    changed = replace(written, absent=(), quality=quality)
    assert [fault.split(":")[0] for fault in changed.faults] == [
        "Table 2, k-anonymity, k = 5, ADULT"
    ]
    assert "**Not explained:**" in write_page(changed)


def test_a_curve_that_falls_behind_or_rises_is_a_fault(written: Findings) -> None:
    curves = written.curves.copy()
    place = curves.index[(curves["data"] == "adult") & (curves["threshold"] == 1e-4)][0]
    curves.loc[place, "quality"] -= 1.0
    behind = replace(written, absent=(), curves=curves)
    assert any("where ARX reaches" in fault for fault in behind.faults)
    curves.loc[place, "quality"] += 12.0
    assert irregular(curves) == [
        "adult, Houston: rises with a stricter threshold",
        "adult, 0.0001: rises with a smaller population",
    ]


@given(st.integers(1, 40), st.integers(100, 10_000), st.integers(10_000, 500_000))
def test_a_class_passes_k_map_up_to_the_k_it_supports(
    records: int, sample: int, population: int
) -> None:
    supported = supported_people(records, sample, population)
    below = np.unique(np.linspace(1, supported, 5).astype(int))
    assert all(derived_k(int(k), paper.SIGNIFICANCE, sample, population) <= records for k in below)
    if supported < population:
        assert derived_k(supported + 1, paper.SIGNIFICANCE, sample, population) > records


def test_the_line_is_the_highest_threshold_without_uniques(monkeypatch: pytest.MonkeyPatch) -> None:
    def curve(_data: object, _population: int, thresholds: list[float]) -> list[Point]:
        return [Point(t, 90.0, 0, int(t > 3e-6), 0.0) for t in thresholds]

    monkeypatch.setattr(frontier, "curve", curve)
    points = curve(None, 1, list(paper.THRESHOLDS))
    line = zero_line(None, 1, points)  # type: ignore[arg-type]
    assert 3e-6 / 10**0.1 <= line <= 3e-6
    assert zero_line(None, 1, points[:2]) == 1e-7  # type: ignore[arg-type]
    assert math.isnan(zero_line(None, 1, points[-2:]))  # type: ignore[arg-type]


def test_a_file_of_another_data_set_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("age;sex\n1;f\n")
    with pytest.raises(DataError, match="a file of ADULT has the columns 'age', 'education'") as e:
        load("adult", tmp_path / "data.csv")
    assert "\n" not in str(e.value)
