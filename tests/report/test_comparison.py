"""A comparison as a steward reads it: sentences, tables, pictures; rows of people on their page only."""

from __future__ import annotations

import pytest
from rich.console import Console

from anonymizer import Policy, anonymize, apply, compare, explain
from anonymizer.comparison.comparison import Comparison
from anonymizer.report.comparison import (
    cell,
    comparison_sections,
    pair_row,
    rows_section,
    subgroup_row,
)
from anonymizer.report.explanation import render_page, render_text
from tests.comparison.test_comparison import people, policy_of

TITLES = ["What is left of each column", "What is left of the associations", "Who is missing"]
NASTY = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return compare(apply(people(), policy_of(), {"age": 1, "sex": 0, "town": 2}))


def nasty_solution():
    """Solve a table whose columns and values look like markup."""
    frame = people().rename(columns={"illness": NASTY})
    frame[NASTY] = "<b>bold</b>"
    attributes = policy_of().attributes
    renamed = {NASTY if name == "illness" else name: each for name, each in attributes.items()}
    return anonymize(frame, Policy(attributes=renamed, risk=[{"model": "k-anonymity", "k": 3}]))


def test_sections_answer_three_questions_in_sentences(compared):
    found = comparison_sections(compared)
    assert [section.title for section in found] == TITLES
    for section in found:
        assert all(sentence.endswith(".") for sentence in section.sentences)
        for figures in section.figures:
            assert {len(row) for row in figures.rows} == {len(figures.header)}


def test_the_column_that_changed_most_comes_first_and_has_a_picture(compared):
    section = comparison_sections(compared)[0]
    most = max(compared.columns, key=lambda column: column.distance)
    assert section.figures[0].rows[0][0] == most.name
    assert section.pictures[0].caption.startswith(f"{most.name}: ")
    assert len(section.pictures) + len(section.folded) == len(compared.columns)


def test_figures_are_those_of_the_comparison(compared):
    pair, group = compared.pairs[0], compared.subgroups()[0]
    assert pair_row(pair)[1:3] == (f"{pair.before:.2f}", f"{pair.after:.2f}")
    assert subgroup_row(group)[0] == f"{group.column}: {group.label}"
    assert subgroup_row(group)[1:3] == (f"{group.records:,}", f"{group.suppressed:,}")
    assert cell(("34", "30s")) == "34 → 30s"
    assert cell(("", "")) == "(missing)"


def test_a_release_without_suppression_says_so():
    policy = policy_of(risk=[{"model": "k-anonymity", "k": 1}])
    untouched = compare(apply(people(60), policy, {"age": 0, "sex": 0, "town": 0}))
    sentences = [section.sentences[0] for section in comparison_sections(untouched)]
    assert sentences[0] == "Every column has the distribution that it had."
    assert sentences[2] == "No record is suppressed."


def test_rows_of_people_are_on_the_page_and_not_on_the_terminal():
    frame = people()
    frame["illness"] = [f"secret {row}" for row in range(len(frame))]
    solution = anonymize(frame, policy_of())
    explanation, comparison = explain(solution), compare(solution)
    assert "secret" in render_page(explanation, comparison)
    assert "it shows some rows before and after" in render_page(explanation, comparison)
    console = Console(width=200, force_terminal=False)
    with console.capture() as captured:
        console.print(render_text(explanation, comparison))
    assert TITLES[0] in captured.get()
    assert "secret" not in captured.get()
    assert "secret" not in render_page(explanation)
    assert "though no value of any" in render_page(explanation)


def test_nothing_released_has_no_rows(compared):
    nothing = Comparison(1, 1, (), (), (), ())
    assert rows_section(nothing).sentences == ("No row is released.",)


def test_names_and_values_that_look_like_markup_are_text():
    solution = nasty_solution()
    page = render_page(explain(solution), compare(solution))
    assert "&lt;script&gt;alert(1)" in page
    assert "&lt;b&gt;bold" in page
    assert NASTY not in page
    assert "<b>bold" not in page
    assert "http" not in page
