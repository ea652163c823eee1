"""The decision page: what it says, what it says loudly, and that it stays within six sheets."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anonymizer.decision.authorities import Authority, outlines
from anonymizer.decision.context import Context
from anonymizer.decision.decision import ReleaseDecision, decide
from anonymizer.decision.sensitivity import Turning
from anonymizer.report.decision import (
    NOT_STATED,
    PROBABILITIES,
    QUESTIONS,
    named_sections,
    render_decision,
    verdict_of,
)
from anonymizer.report.decision_findings import NO_ANALYSIS, NO_ATTACKS, turning_row
from anonymizer.report.provenance import Provenance, provenance_of
from anonymizer.risk.assumption import Unit
from tests.decision.test_decision import decision_of, make, policy_of

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
SCRIPT = "<script>window.ran=1</script>"
ATTACKS: dict[str, Any] = {
    "attacks": [
        {
            "name": SCRIPT,
            "question": "q",
            "success": {"value": 0.25, "low": 0.2, "high": 0.3},
            "baseline": {"value": 0.05, "low": 0.0, "high": 0.1},
            "excess": {"value": 0.2, "low": 0.1, "high": 0.3},
        },
        {"name": "membership", "question": "q", "skipped": "no targets"},
        {"name": "large", "success": {"value": 10**400, "low": float("nan"), "high": 1e308}},
        {"name": "odd", "success": None, "baseline": None, "excess": {"value": None}},
    ]
}
EVIDENCE: dict[str, Any] = {
    "analyses": [
        {"name": "stay", "kind": "linear", "figure": "overlap", "value": 0.9, "original": None}
    ]
}


def page_of(decision: ReleaseDecision) -> str:
    return render_decision(decision, Provenance(made=None, digests={"release (SHA-256)": "abc"}))


def test_what_is_not_stated_or_not_tried_is_said_loudly(tmp_path: Path) -> None:
    page = page_of(decision_of(tmp_path))
    loud = re.findall(r'<(?:span|p) class="missing">(.*?)</', page)
    columns = 2  # age and illness: the policy has no reason for their roles
    beside_the_threshold = 2  # what is acceptable, and why
    assert loud.count(NOT_STATED) == len(QUESTIONS) + beside_the_threshold + columns
    assert {NO_ANALYSIS, NO_ATTACKS} <= set(loud)
    assert "Not stated, and to be stated before a decision: who releases the data" in page


def test_what_is_stated_tried_and_repeated_is_shown(tmp_path: Path) -> None:
    chances = dict.fromkeys(("acceptable", *PROBABILITIES), 0.3)
    context = Context(
        **dict.fromkeys(QUESTIONS, "x") | {"release_model": "enclave", "controls": []} | chances
    )
    released, table, policy = make(tmp_path)
    attributes = {
        name: each.model_copy(update={"reason": f"why {name}"})
        for name, each in policy.attributes.items()
    }
    explained = policy.model_copy(update={"attributes": attributes})
    made = decide(released, explained, table, None, context, ATTACKS, EVIDENCE)
    page = page_of(made)
    assert 'class="missing"' not in page
    assert "why age" in page
    assert "1 of 3 attacks gain something beyond chance; the most is 20.0 percentage" in page
    assert "Not known: large and odd." in page
    assert "nothing binds them" in page
    assert "this release is not public" in page
    gain = (
        "Gain of 20.0 percentage points over the baseline (95 % interval 10.0 to 30.0): it succeeds"
    )
    assert f"{gain} in 25.0 %, the baseline in 5.0 %." in page
    assert "Gain over the baseline not known: it succeeds in not known" in page
    assert "Not tried: membership." in page
    assert "overlap" in page
    assert SCRIPT not in page


def test_every_column_model_and_stated_figure_is_on_the_page(tmp_path: Path) -> None:
    made = decision_of(tmp_path)
    page = page_of(made)
    for name in ("age", "sex", "removed: name", "illness", "k-anonymity with k = 3", "p of list"):
        assert name in page
    for digest in ("abc", made.manifest["anonymizer"]):
        assert digest in page


@pytest.mark.parametrize("authority", Authority)
def test_every_section_stands_under_the_headings_of_an_authority_or_after_them(
    tmp_path: Path, authority: Authority
) -> None:
    made = decision_of(tmp_path)
    nowhere = Provenance(made=None)
    page = render_decision(made, nowhere, authority)
    titles = [section.title for section in named_sections(made, nowhere).values()]
    headings = [heading.heading for heading in outlines()[authority].parts]
    found = re.findall(r"<h2>(.*?)</h2>", page)
    assert found == [*map(str, headings), "What these headings do not ask for", "Decision"]
    below = re.findall(r"<h3>(.*?)</h3>", page)
    assert sorted(set(below)) == sorted(set(titles) & set(below))
    context = titles[0]
    assert set(titles) - set(below) <= {context}
    for question in QUESTIONS.values():
        assert f">{question}</th>" in page
    assert "no authority has approved it" in page


def test_an_outline_names_sections_and_keys_that_there_are(tmp_path: Path) -> None:
    keys = named_sections(decision_of(tmp_path), Provenance(made=None)).keys()
    known = {*keys, *(f"context.{key}" for key in QUESTIONS)}
    assert set(outlines()) == set(Authority)
    for outline in outlines().values():
        assert {each for part in outline.parts for each in part.sections} <= known


def test_the_threshold_is_derived_and_a_release_above_it_does_not_hold(tmp_path: Path) -> None:
    bound = {"release_model": "agreement", "acceptable": 0.1, "attempt": 0.2, "breach": 0.3}
    made = decision_of(tmp_path, context=Context(**bound, acquaintance=0.1))
    page = page_of(made)
    assert "The threshold that follows is 33.3 %" in page
    assert made.acceptable
    doubted = decision_of(
        tmp_path, context=Context(**bound)
    )  # who does not say is held to the worst
    assert not doubted.acceptable
    assert "ABOVE it" in page_of(doubted)
    assert next(verdict_of(doubted)) == "THE RELEASE DOES NOT HOLD: the threshold of the context."


def test_the_record_has_criteria_versions_and_the_digest_of_the_proof(tmp_path: Path) -> None:
    made = decision_of(tmp_path)
    manifest = {**made.manifest, "proof_file": {"name": "proof.json.gz", "sha256": "dd"}}
    found = replace(made, manifest=manifest)
    assert "proof file proof.json.gz (SHA-256)" in page_of(found)
    assert "none was written" in page_of(made)
    record = found.describe()
    assert [each["model"] for each in record["criteria"]["models"]] == ["k-anonymity", "sources"]
    provenance = provenance_of(policy_of(), made.solution.release.table)
    assert record["criteria"]["policy"] == provenance.digests["policy (SHA-256)"]
    assert record["versions"]["proof_file"]["sha256"] == "dd"
    assert record["versions"]["output"] == made.manifest["output"]


def test_a_release_that_does_not_hold_is_the_first_thing_said(tmp_path: Path) -> None:
    released, table, policy = make(tmp_path)
    path = released.parent / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "suppressed": 1}))
    made = decide(released, policy, table)
    assert next(verdict_of(made)).startswith("THE RELEASE DOES NOT HOLD: ")
    assert 'class="verdict no"' in page_of(made)


def test_no_cell_of_a_person_is_on_the_page(tmp_path: Path) -> None:
    page = page_of(decision_of(tmp_path))
    assert not re.search(r"\bN\d+\b", page)


@pytest.mark.parametrize(
    ("lowest", "highest", "row"),
    [
        (None, 0.3, ("f", "0.2", "any", "0.3", "50.0 % higher")),
        (None, 0.2, ("f", "0.2", "any", "0.2", "not at all")),
        (None, 0.8, ("f", "0.2", "any", "0.8", "4 times as high")),
        (None, None, ("f", "0.2", "any", "any", "any amount")),
    ],
)
def test_how_far_a_figure_may_be_wrong_is_said(
    lowest: float | None, highest: float | None, row: tuple[str, ...]
) -> None:
    turning = Turning("m", "f", Unit.PROBABILITY, 0.2, True, lowest, highest)
    assert turning_row(turning) == row


def test_a_figure_that_does_not_hold_as_stated_says_so() -> None:
    turning = Turning("m", "f", Unit.PEOPLE, 2000, False, None, None)
    assert turning_row(turning)[-1] == "the policy is not met as stated"


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt-get install chromium")
def test_a_browser_prints_it_on_at_most_six_pages_and_a_phone_shows_it(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    long = dict.fromkeys(QUESTIONS, "a long statement of what is so, and why " * 4)
    context = Context(**long | {"release_model": "public", "controls": ["no linkage"] * 5})
    released, table, policy = make(tmp_path, policy_of())
    many = {"attacks": ATTACKS["attacks"] * 10}
    made = decide(
        released, policy, table, None, context, many, {"analyses": EVIDENCE["analyses"] * 20}
    )
    path = tmp_path / "decision.html"
    path.write_text(
        render_decision(made, provenance_of(policy, made.solution.release.table, released))
    )
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate("window.ran") is None
        printed = page.pdf(prefer_css_page_size=True)
        browser.close()
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) <= 6
