from __future__ import annotations

import tomllib

import pytest

from anonymizer.decision.context import EXAMPLE, Context


def answers(studio):
    return {each["key"]: each["value"] for each in studio.ask("context")["fields"]}


def test_every_question_of_a_context_is_asked_and_its_answer_is_in_the_file(studio):
    assert answers(studio) == Context().describe()
    stated = {"organization": "A hospital", "release_model": "agreement", "controls": []}
    studio.ask("state-context", stated=stated)
    assert studio.session.folder.stated().describe() == Context(**stated).describe()
    studio.ask("state-context", stated={"controls": None, "purpose": "Research"})
    read = studio.session.folder.stated()
    assert (read.organization, read.controls, read.purpose) == ("A hospital", None, "Research")


def test_comments_stay_and_what_is_not_asked_for_too(studio):
    path = studio.session.folder.context
    path.write_text(EXAMPLE, encoding="utf-8")
    studio.ask("state-context", stated={"purpose": "Another"})
    text = path.read_text(encoding="utf-8")
    assert "# who releases the data" in text
    assert tomllib.loads(text) == {**tomllib.loads(EXAMPLE), "purpose": "Another"}


@pytest.mark.parametrize(
    "stated",
    [
        None,
        [],
        {"organization": 5},
        {"controls": "x"},
        {"release_model": "z"},
        {"a": "b"},
        {"attempt": 2},
    ],
)
def test_a_wrong_answer_is_one_sentence_and_nothing_is_written(studio, stated):
    found = studio.post("state-context", stated=stated)
    assert found.status_code == 422
    assert found.json()["error"].endswith(".")
    assert not studio.session.folder.context.exists()


@pytest.mark.parametrize("text", ["organization = 5", "organization = ", b"\xff"])
def test_a_broken_file_is_said_to_be_so_and_mended_by_the_form(studio, text):
    path = studio.session.folder.context
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert studio.ask("context")["fault"]
    assert studio.ask("state-context", stated={"organization": "A hospital"})["fault"] is None
    assert studio.session.folder.stated().organization == "A hospital"
