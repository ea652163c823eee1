"""What a notebook shows of a value: a short line, figures and pictures, and no cell of a person."""

from __future__ import annotations

import pickle
import re
import sys
from types import SimpleNamespace

import pandas as pd
import pytest

from anonymizer import (
    Problem,
    anonymize,
    assess,
    attack,
    compare,
    evidence,
    explain,
    frontier,
    make_manifest,
    propose,
    verify,
)
from anonymizer.display import Displayed, in_notebook, shown
from tests.comparison.test_comparison import people, policy_of
from tests.report.test_comparison import NASTY, nasty_solution

pytestmark = pytest.mark.xdist_group("display")

ILLNESS = "an illness that a single person has"
IN_LAYERS = {"release": {"layers": True}}
ANALYSES = [
    {"name": "days", "kind": "linear", "formula": "days ~ sex + illness"},
    *({"name": kind, "kind": kind} for kind in ("marginals", "two-way", "queries", "subgroups")),
]
WITH_PICTURE = (
    "Solution",
    "layered Solution",
    "Frontier",
    "Assessment",
    "Explanation",
    "Attacks",
    "Comparison",
    "Evidence",
)


def make_values() -> dict[str, Displayed]:
    """Make one value of each kind that a notebook shows."""
    frame = people()
    frame.loc[7, "illness"] = ILLNESS
    policy = policy_of()
    problem = Problem.read(frame, policy)
    solution, layered = anonymize(problem), anonymize(frame, policy_of(**IN_LAYERS))
    released = solution.to_frame()
    return {
        "Policy": policy,
        "Proposal": propose(frame),
        "Problem": problem,
        "Solution": solution,
        "layered Solution": layered,
        "Frontier": frontier(problem, values=[2, 3, 5]),
        "layered Frontier": frontier(frame, policy_of(**IN_LAYERS), [2, 3]),
        "Explanation": explain(solution),
        "LayeredExplanation": explain(layered),
        "Verification": verify(released, policy, make_manifest(solution, released)),
        "Attacks": attack(released, policy, frame),
        "Assessment": assess(frame, policy, "worst-case"),
        "Comparison": compare(solution),
        "Evidence": evidence(anonymize(frame, policy_of(analysis=ANALYSES))),
    }


@pytest.fixture(scope="module")
def values() -> dict[str, Displayed]:
    return make_values()


KINDS = [
    "Policy", "Proposal", "Problem", "Solution", "layered Solution", "Frontier", "layered Frontier",
    "Explanation", "LayeredExplanation", "Verification", "Assessment", "Comparison",
    "Evidence",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_prompt_shows_one_short_line(values, kind):
    line = repr(values[kind])
    assert re.fullmatch(rf"{kind.split()[-1]}\([^\n]+\)", line)
    assert len(line) < 200


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_figures_without_scripts_or_requests(values, kind):
    html = values[kind]._repr_html_()
    assert html.lstrip().startswith('<div class="anonymizer-display">')
    assert "<script" not in html
    assert "http" not in html
    assert ("<svg" in html) == (kind.removeprefix("layered ") in WITH_PICTURE)
    assert "<table" in html or kind == "Assessment"


@pytest.mark.parametrize("kind", KINDS)
def test_no_display_has_a_cell_of_a_single_person(values, kind):
    assert ILLNESS not in values[kind]._repr_html_() + repr(values[kind])


def test_names_and_values_that_look_like_markup_are_text():
    solution = nasty_solution()
    for value in (solution, solution.problem.policy, compare(solution)):
        html = value._repr_html_()
        assert NASTY not in html
        assert "&lt;script&gt;" in html


def test_a_quality_is_that_of_the_solution(values):
    solution = values["Solution"]
    assert f"quality {solution.quality:.4f}" in repr(solution)
    assert f"{solution.suppressed:,} of 400 records suppressed" in repr(solution)


def test_a_solution_whose_table_is_gone_is_shown_without_a_comparison(tmp_path):
    path = tmp_path / "people.csv"
    people().to_csv(path, index=False)
    solution = anonymize(path, policy_of())
    path.unlink()
    html = solution._repr_html_()
    assert "Not compared: " in html
    assert "Proven optimal" in html


def test_a_policy_in_code_says_how_many_levels_its_hierarchies_have(values):
    assert "4 levels" in values["Policy"]._repr_html_()


class ZMQInteractiveShell:
    """What a Jupyter kernel's shell is called."""


@pytest.fixture
def kernel(monkeypatch):
    """Run as if inside a Jupyter kernel."""
    fake = SimpleNamespace(get_ipython=ZMQInteractiveShell)
    monkeypatch.setitem(sys.modules, "IPython", fake)


def test_progress_is_shown_in_a_notebook_unless_somebody_else_is_told(kernel):
    assert in_notebook()
    with shown(None) as told:
        assert told is not None
    with shown(print) as told:
        assert told is print


def test_nothing_is_shown_elsewhere(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    with shown(None) as told:
        assert told is None
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not in_notebook()


def test_a_quick_call_in_a_notebook_shows_no_line(kernel):
    assert anonymize(people(30), policy_of()).records == 30  # the fake IPython cannot display


def test_a_value_that_nobody_registered_is_named():
    class Unknown(Displayed):
        pass

    with pytest.raises(NotImplementedError, match="register Unknown"):
        repr(Unknown())


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_that_is_shown_can_be_pickled(values, kind):
    again = pickle.loads(pickle.dumps(values[kind]))
    assert repr(again) == repr(values[kind])
    assert again._repr_html_() == values[kind]._repr_html_()


def test_a_pickled_problem_is_solved_alike(values):
    again = pickle.loads(pickle.dumps(values["Problem"]))
    solution = anonymize(again)
    assert solution.scheme == values["Solution"].scheme
    assert solution.loss == values["Solution"].loss


def test_a_frame_made_twice_is_the_same_and_another_solution_shuffles_anew(values):
    first = values["Solution"].to_frame()
    pd.testing.assert_frame_equal(values["Solution"].to_frame(), first)
    assert not anonymize(values["Problem"]).to_frame().equals(first)
