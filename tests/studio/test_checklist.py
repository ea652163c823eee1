"""What is to be settled before a release, and where."""

from __future__ import annotations

from typing import Any

import pytest

from anonymizer.decision.context import EXAMPLE
from tests.studio.conftest import Asking

PANELS = {"start", "hierarchies", "explore", "rows", "utility", "risk", "release"}


def checks(studio: Asking) -> list[dict[str, Any]]:
    studio.settle()
    found: list[dict[str, Any]] = studio.ask("checklist")["checks"]
    return found


def state_of(studio: Asking, panel: str, words: str) -> str:
    [found] = [each for each in checks(studio) if words in each["said"] and each["panel"] == panel]
    return str(found["state"])


def test_what_must_be_fixed_comes_first_and_every_condition_has_its_panel(studio):
    studio.change("data", "rows_are_people", value=None)
    found = checks(studio)
    order = ["fix", "decide", "fine"]
    states = [each["state"] for each in found]
    assert states == sorted(states, key=order.index)
    assert set(states) == set(order)
    assert {each["panel"] for each in found} <= PANELS


def test_who_is_a_person_must_be_said(studio):
    assert state_of(studio, "start", "Each row is a person") == "fine"
    studio.change("data", "rows_are_people", value=None)
    assert state_of(studio, "start", "who is a person") == "fix"
    studio.ask("person", revision=studio.revision, column="patient_id")
    assert state_of(studio, "start", "'patient_id' tells whose each row is") == "fine"


def test_a_warning_is_to_be_decided_and_never_denied(studio):
    studio.session.engine.notes.append("A warning.")
    assert state_of(studio, "start", "A warning.") == "decide"
    assert not any("no warning" in each["said"].lower() for each in checks(studio))


def test_columns_that_single_people_out_are_to_be_decided(studio):
    assert state_of(studio, "risk", "1 column is kept") == "fine"
    studio.ask("role", revision=studio.revision, column="patient_id", role="insensitive")
    assert state_of(studio, "risk", "2 columns are kept") == "decide"


def test_a_release_without_a_suppression_limit_is_to_be_decided(studio):
    assert state_of(studio, "explore", "are suppressed") == "fine"
    studio.change("release", "suppression_limit", value=1.0)
    assert state_of(studio, "explore", "are suppressed") == "decide"


def test_a_column_that_says_nothing_any_more_is_to_be_decided(studio):
    studio.change("attributes", "sex", "min_level", value=1)
    assert state_of(studio, "explore", "say the same of 'sex'") == "decide"


@pytest.mark.parametrize(
    ("text", "state"), [(None, "decide"), ("organization = 5", "fix"), (EXAMPLE, "fine")]
)
def test_the_context_of_the_decision_is_stated_or_to_be_stated(studio, text, state):
    if text is not None:
        studio.session.folder.context.write_text(text, encoding="utf-8")
    words = "cannot be read" if state == "fix" else "who releases what"
    assert state_of(studio, "release", words) == state


def test_a_release_with_its_context_stated_is_verified(studio):
    studio.session.folder.context.write_text(EXAMPLE, encoding="utf-8")
    studio.ask("release", revision=studio.revision)
    studio.settle()
    assert studio.session.engine.told["released"]["passed"]
