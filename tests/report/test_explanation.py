"""An explanation as a steward reads it: plain sentences, nothing that was suppressed, no markup."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import pandas as pd
import pytest

from anonymizer import Policy, anonymize, apply
from anonymizer.explanation.explanation import Explanation, RaisedLimit, explain
from anonymizer.hierarchy import Hierarchy
from anonymizer.report.explanation import render_page, render_text, sections
from anonymizer.report.suppression import raise_sentence
from anonymizer.report.words import join, quality_effect, records_effect, sentence
from tests.report.terminal import on_terminal
from tests.wards import MODELS, policy_with, write_files, write_more

TITLES = [
    "Where the release stands",
    "What drives the risk",
    "The cheapest next coarsening",
    "What stands in the way of a tighter threshold",
    "What more suppression would buy, and less would cost",
]


def text_of(told: Explanation, width: int = 10_000) -> str:
    return on_terminal(render_text(told), width)


def towns(names: tuple[str, str, str], column: str = "town", **release: float) -> Explanation:
    """Explain people of three towns, 50, 45 and 1 of them; the last is suppressed."""
    policy = Policy(
        attributes={
            column: {
                "role": "quasi",
                "hierarchy": Hierarchy.from_rows(column, [(name, "*") for name in names]),
            },
            "illness": {"role": "sensitive"},
        },
        risk=[{"model": "k-anonymity", "k": 3}],
        release=release,
    )
    people = [*[names[0]] * 50, *[names[1]] * 45, names[2]]
    illness = [*["flu"] * 95, "the mayor's illness"]
    frame = pd.DataFrame({column: people, "illness": illness})
    return explain(apply(frame, policy, {column: 0}))


def test_a_step_is_one_sentence_to_act_on() -> None:
    told = towns(("Bergen", "Cairo", "Atlantis"))
    (driver,) = told.drivers
    assert driver.coarser is not None
    cost = 100 * (told.now.quality - driver.coarser.after.quality)
    assert sentence(driver.coarser) == (
        "Coarsening town from level 0 to 1 would free 1 suppressed record, lower the highest risk from "
        "2.2 % to 1.0 %, lower the average risk from 2.1 % to 1.0 % and cost "
        f"{cost:.2f} points of quality."
    )


def test_the_terminal_says_what_the_figures_are() -> None:
    text = text_of(towns(("Bergen", "Cairo", "Atlantis")))
    assert "1 of 96 records suppressed (1.0 %)" in text
    assert "town drives most of the risk" in text
    assert "the k-anonymity risk from 1.0 % to 0 %" in text
    assert (
        "k-anonymity with k = 3: the release reaches k = 45. For k = 46 at the same levels, 1 class of "
        "45 records would have to go, 45 records in all." in text
    )
    assert "taken out: town 45." in text
    assert "1.0 % more of the records would buy nothing: the next class" in text
    assert "Keeping 1 of the suppressed records would" in text
    assert "raise the highest risk from 2.2 % to 100 %" in text
    assert "the policy would no longer be met" in text
    assert "The suppression limit is 100 %" in text


def test_no_value_of_a_suppressed_record_is_shown_anywhere() -> None:
    told = towns(("Bergen", "Cairo", "Atlantis"), suppression_limit=0.5)
    page, text, described = render_page(told), text_of(told), json.dumps(told.describe())
    for shown in (page, text, described):
        assert "Atlantis" not in shown
        assert "mayor" not in shown
    assert "Cairo" in page  # a released class of 45 may be shown
    assert "Cairo" in described


def test_labels_are_text_not_markup() -> None:
    told = towns(("[bold]a[/bold]", "<script>b</script>", "c"), column="[red]town[/red]")
    page = render_page(told)
    assert "<script>b" not in page
    assert "&lt;script&gt;b&lt;/script&gt;" in page
    assert "[red]town[/red] drives most of the risk" in text_of(told)


def test_the_page_stands_alone() -> None:
    page = render_page(towns(("Bergen", "Cairo", "Atlantis")))
    assert page.startswith("<!doctype html>")
    assert "http" not in page
    assert "<script" not in page
    for title in TITLES:
        assert f"<h2>{title}</h2>" in page


@pytest.mark.parametrize("model", MODELS)
def test_every_model_reads_well_at_80_columns(tmp_path: Path, model: str) -> None:
    write_more(tmp_path)
    policy = write_files(tmp_path, policy=policy_with(MODELS[model]))
    told = explain(anonymize(None, policy))
    text = text_of(told, width=80)
    assert [section.title for section in sections(told)] == TITLES
    assert all(len(line) <= 80 for line in text.splitlines())
    for word in ("None", "nan", "inf ", "[/"):
        assert word not in text
    for section in sections(told):
        assert all(line.endswith(".") and "  " not in line for line in section.sentences)
        for figures in section.figures:
            assert {len(row) for row in figures.rows} == {len(figures.header)}


@pytest.mark.parametrize("model", MODELS)
def test_the_risk_of_a_model_that_estimates_is_told_with_its_interval(
    tmp_path: Path, model: str
) -> None:
    write_more(tmp_path)
    told = explain(anonymize(None, write_files(tmp_path, policy=policy_with(MODELS[model]))))
    assert len(told.intervals) == len(told.now.risks)
    estimates = [name for name in told.names if name in ("p-uniqueness", "overall")]
    assert [name for name, i in zip(told.names, told.intervals, strict=True) if i] == estimates
    assert text_of(told).count("at 95 % confidence") == len(estimates)
    for described, interval in zip(told.describe()["intervals"], told.intervals, strict=True):
        assert described == (None if interval is None else asdict(interval))


def test_a_raised_limit_is_told_as_far_as_it_is_known() -> None:
    told = towns(("Bergen", "Cairo", "Atlantis"), suppression_limit=0.5)
    step = told.drivers[0].coarser
    cases = {
        RaisedLimit(0.51, False, False, None): "was not tried",
        RaisedLimit(0.51, True, False, None): "there may be one",
        RaisedLimit(0.51, True, True, None): "would not allow a better scheme",
    }
    for raised, words in cases.items():
        assert words in raise_sentence(replace(told, raised=raised))
    better = raise_sentence(replace(told, raised=RaisedLimit(0.51, True, True, step)))
    assert better.startswith("Raising the suppression limit to 51.0 % would allow a better scheme")
    assert "town at level 1" in better
    unproven = raise_sentence(replace(told, raised=RaisedLimit(0.51, True, False, step)))
    assert "cut short" in unproven


def test_a_risk_that_cannot_be_estimated_is_not_known() -> None:
    told = towns(("Bergen", "Cairo", "Atlantis"))
    unknown = replace(told.now, risks=(float("inf"),), meets=False)
    points = (*told.points[:1], replace(told.points[0], asked=0.01, after=unknown))
    text = text_of(replace(told, points=points))
    assert "not known" in text


def test_nothing_to_coarsen_and_nothing_to_suppress_is_said() -> None:
    told = towns(("Bergen", "Cairo", "Atlantis"))
    bare = replace(told, cheapest=(), blocking=(), pairs_tried=False)
    text = text_of(bare)
    assert "No coarsening that the policy allows lowers the risk or frees a record." in text
    assert "Single steps only were tried" in text
    assert "No class stands in the way" in text


def test_effects_in_words() -> None:
    assert records_effect(-1204) == "free 1,204 suppressed records"
    assert records_effect(1) == "suppress 1 more record"
    assert records_effect(0) == ""
    assert quality_effect(-0.006) == "cost 0.60 points of quality"
    assert quality_effect(0.006) == "gain 0.60 points of quality"
    assert quality_effect(-1e-9) == "leave the quality as it is"
    assert join(["a"]) == "a"


def test_a_step_is_said_in_words() -> None:
    told = towns(("A", "B", "C"))
    [driver] = told.drivers
    assert driver.out is not None
    row = next(row for figures in sections(told)[1].figures for row in figures.rows)
    assert re.fullmatch(r"1 fewer, \d+\.\d\d points lost", row[-1])
    assert "/" not in "".join(row)
