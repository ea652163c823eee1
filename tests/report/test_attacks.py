"""Attacks on the page and on the terminal: every figure with its interval, and no single person."""

from __future__ import annotations

from anonymizer.attacks.result import Attack, Attacks, skip
from anonymizer.estimators.proportions import Rate
from anonymizer.report.attacks import render_page, render_text, row, value_of, verdict
from anonymizer.report.provenance import Provenance
from anonymizer.report.sections import FigureTable
from tests.report.terminal import on_terminal

AHEAD = Attack(
    "linkability", "Can they?", Rate(50, 100), Rate(10, 100), "others", {"expected": 4.5}
)
EVEN = Attack("membership inference", "Do they?", Rate(10, 100), Rate(10, 100), "others")
ALONE = Attack("downcoding", "Will they?", Rate(0, 20), Rate(0, 20), "nobody")
LEFT = skip("composition", "With another?", "no earlier release is given.")
ATTACKS = Attacks((AHEAD, EVEN, ALONE, LEFT), 1_000, 900, 3)


def test_the_verdict_names_what_succeeds_beyond_its_baseline() -> None:
    assert verdict(ATTACKS) == "1 of 3 attacks succeed beyond their baseline: linkability"
    none = Attacks((EVEN, LEFT), 1_000, 900, 3)
    assert verdict(none) == "none of 1 attacks succeeds beyond its baseline"


def test_a_row_has_success_baseline_and_excess_with_intervals() -> None:
    name, excess, of_excess, success, between, baseline = row(AHEAD)
    assert (name, success, baseline, excess) == ("linkability", "50.0 %", "10.0 %", "40.0 %")
    assert between == "40.4 % to 59.6 %"
    assert of_excess.startswith("27.")


def test_the_names_of_attacks_are_whole_in_the_picture_and_figures_stand_on_the_right() -> None:
    name = "singling out, multivariate"
    tried = Attack(name, "Can they?", Rate(0, 20), Rate(0, 20), "nobody")
    assert f">{name}</text>" in render_page(Attacks((tried,), 10, 9, 3), Provenance(made=None))
    assert FigureTable(("attack", "baseline"), (("a", "none"), ("b", "1 %"))).numeric == (
        False,
        True,
    )


def test_a_page_says_what_was_tried_and_what_was_not() -> None:
    page = render_page(ATTACKS, Provenance(made=None))
    for part in (
        "<p>Gain of 40.0 percentage points over the baseline (95 % interval 27.",
        "it succeeds in 50.0 % of 100 attempts, the baseline in 10.0 % of 100 attempts: others.",
        "Not tried: no earlier release is given.",
        "expected",
        "1,000 records of the original, 900 released rows",
        "<svg",
    ):
        assert part in page


def test_the_terminal_has_the_table_and_what_was_not_tried() -> None:
    text = on_terminal(render_text(ATTACKS), 200)
    assert "linkability: gain of 40.0 percentage points over the baseline (95 % interval" in text
    assert "membership inference: gain of 0 percentage points" in text
    assert "composition: not tried: no earlier release is given." in text
    assert "Other figures" not in text


def test_figures_of_every_kind_are_written() -> None:
    assert value_of({"age": {"cells": 2, "narrowed": 1}}) == "age: cells: 2, narrowed: 1"
    assert value_of(None) == "none"
    assert value_of(1234.5678) == "1235"
    assert value_of(12_000) == "12,000"
