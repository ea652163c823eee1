"""An explanation of layers as a steward reads it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from anonymizer import anonymize, explain
from anonymizer.data.staging import Staging
from anonymizer.explanation.layered import LayeredExplanation
from anonymizer.frontiers.frontier import frontier
from anonymizer.report.explanation import render_page, render_text, sections
from anonymizer.report.frontier import sections as frontier_sections
from anonymizer.report.frontier import stage_frontier
from anonymizer.report.layered import LARGEST, LEARNED, bound_of, layers_section, lost_section
from anonymizer.report.sections import show_sections
from tests.report.terminal import on_terminal
from tests.report.test_frontier import points_of
from tests.solution.test_layered import LAYERS, write_all
from tests.wards import POLICY

TITLES = [
    "Where the release stands",
    "The layers",
    "How far each attribute is generalized",
    "Who lost most",
    "What the layers give away",
]


@pytest.fixture
def explanation(tmp_path: Path) -> LayeredExplanation:
    found = explain(anonymize(None, write_all(tmp_path, POLICY + LAYERS)))
    assert isinstance(found, LayeredExplanation)
    return found


def test_terminal_and_page_answer_the_same_questions(explanation: LayeredExplanation) -> None:
    text, page = on_terminal(render_text(explanation)), render_page(explanation)
    assert [section.title for section in sections(explanation)] == TITLES
    for title in TITLES:
        assert title in text
        assert f"<h2>{title}</h2>" in page
    assert "another scheme, threshold or cut" not in page


def test_what_is_given_away_is_said_with_its_figures(explanation: LayeredExplanation) -> None:
    assert explanation.narrowed is not None
    assert explanation.narrowed.cells > 0
    text = on_terminal(render_text(explanation))
    assert f"at least {explanation.narrowed.cells} cells" in text
    assert LEARNED in text
    unknown = on_terminal(render_text(replace(explanation, narrowed=None)))
    assert "was not counted" in unknown
    assert LEARNED not in unknown


def test_optimal_is_said_only_without_a_gap(explanation: LayeredExplanation) -> None:
    assert explanation.bound is not None
    assert explanation.bound < 1 - explanation.quality
    assert "optimal" not in bound_of(explanation)
    assert "proven optimal" in bound_of(replace(explanation, bound=1 - explanation.quality))
    assert "applied as given" in bound_of(replace(explanation, bound=None))


def test_many_layers_are_on_the_page_alone(explanation: LayeredExplanation) -> None:
    many = replace(explanation, layers=explanation.layers * LARGEST)
    short, every = layers_section(many).figures
    assert (len(short.rows), len(every.rows)) == (LARGEST, len(many.layers))
    assert every.title


def test_without_classes_to_show_it_says_so(explanation: LayeredExplanation) -> None:
    section = lost_section(replace(explanation, lost_most=(), bear_half=0))
    assert section.sentences[0] == "No record lost anything."
    assert not section.figures


def test_a_frontier_in_layers_shows_them_in_every_file(tmp_path: Path) -> None:
    found = frontier(None, write_all(tmp_path, POLICY + LAYERS), [2, 3, 120])
    with Staging(tmp_path / "out") as staging:
        files = stage_frontier(found, staging)
    page = Path(files["html"]).read_text()
    assert "Quality over the number of layers, k = 3" in page
    for said, point in zip(points_of(page), (*found.points, *found.by_layers), strict=True):
        assert f"{point.number_of_layers} layers; " in said
    assert '<option value="layers">number of layers</option>' in page
    assert "max_layers" in Path(files["csv"]).read_text()


def test_the_terminal_says_optimal_only_without_a_gap(tmp_path: Path) -> None:
    found = frontier(None, write_all(tmp_path, POLICY + LAYERS), [3, 120])
    lines = on_terminal(show_sections(frontier_sections(found))).splitlines()
    assert sum("optimal" in line for line in lines) == 1
    assert sum("gap" in line for line in lines) == 1 + len(found.by_layers)
