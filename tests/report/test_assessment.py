"""The one page of an assessment: all parts, in the order of the procedure."""

from __future__ import annotations

import re

import pytest

from anonymizer import Assessment, Statement, assess
from anonymizer.assessment import Source
from anonymizer.report.assessment import answers, make_page, make_tables, sections
from tests.assessment import patients

STATEMENT = Statement(source=[{"name": "news", "keys": ["sex", "state", "race"]}])
FORUM = Source("a forum", 0.5, {"sex": 0.9, "year_of_birth": 0.3})


@pytest.fixture(scope="module")
def whole() -> Assessment:
    frame, policy = patients.draw(200, seed=9), patients.policy()
    return assess(frame, policy, "social-media", statement=STATEMENT, sources=[FORUM])


def test_parts_come_in_the_order_of_the_procedure(whole: Assessment) -> None:
    page = make_page(whole)
    parts = re.findall('<h2 id="(.*?)">', page)
    assert parts == ["sources", "scenarios", "disclosure", "options", "caveats"]
    assert re.findall('<li><a href="#(.*?)">', page) == parts  # the contents
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>|data:image[^\"]*", "", page))
    assert not re.search(r"\bnan\b|None|\bUndefined\b", text)
    assert not re.search(r"(src|href)=\"(?!data:|#)", page)  # it stands alone


def test_each_question_that_was_asked_has_an_answer_in_words(whole: Assessment) -> None:
    sources, scenario, disclosure = answers(whole)
    assert sources.startswith("1 of 1 sources put some of the 200 records above")
    assert scenario.startswith("Under the scenario “social-media” a person is re-identified")
    assert disclosure.startswith("Through what people disclose elsewhere, a person")
    assert len(list(answers(Assessment("t", scenarios=whole.scenarios)))) == 1


def test_what_was_not_asked_is_not_there(whole: Assessment) -> None:
    only = Assessment(whole.table, disclosure=whole.disclosure)
    assert re.findall('<h2 id="(.*?)">', make_page(only)) == ["disclosure", "caveats"]
    assert set(make_tables(only)) == {"combinations", "risk_by_columns"}
    assert [each.anchor for each in sections(only) if each.has_answer] == ["disclosure"]


def test_no_two_parts_write_a_file_of_one_name(whole: Assessment) -> None:
    parts = [
        Assessment("t", findings=whole.findings),
        Assessment("t", scenarios=whole.scenarios),
        Assessment("t", disclosure=whole.disclosure),
    ]
    assert sum(len(make_tables(part)) for part in parts) == len(make_tables(whole))
