"""Whatever a user writes, pydantic's words never reach them: all faults are sentences of ours."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, get_args

import pytest
from pydantic_core.core_schema import ErrorType

from anonymizer.errors import AnonymizerError
from anonymizer.validation.sentences import (
    NOT_FIT,
    SENTENCES,
    expected_at,
    is_model,
    keys_of,
    show,
)
from tests.validation.examples import EXAMPLES, WRONG, Example, at, places, replaced, without

JARGON = (
    "Input should",
    "valid dictionary",
    "instance of",
    "pydantic",
    "type=",
    "validation error",
    "Traceback",
    NOT_FIT.split("}")[1],
)

IDS = [f"{number}-{example.name}" for number, example in enumerate(EXAMPLES)]


def refusal_of(example: Example, keys: dict[str, Any]) -> AnonymizerError | None:
    try:
        example.take(keys)
    except AnonymizerError as error:
        return error
    return None


def check_plain(example: Example, keys: dict[str, Any]) -> None:
    """The keys are taken, or refused in plain sentences of bearable length."""
    error = refusal_of(example, keys)
    if error is None:
        return
    message = str(error)
    assert not [word for word in JARGON if word in message], message
    for fault in error.faults or (message,):
        assert fault.endswith((".", "?")), fault
        assert not fault.endswith(("..", "?.", ".?", " .")), fault
        assert len(fault) < 600, fault
        assert fault.isprintable(), fault


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_the_examples_are_sound(example: Example) -> None:
    example.take(example.keys)


def test_the_examples_have_every_key_of_every_model() -> None:
    found: defaultdict[Any, set[str]] = defaultdict(set)
    for example in EXAMPLES:
        for place in [(), *places(example.keys)]:
            kind, keys = expected_at(example.model, place), at(example.keys, place)
            if is_model(kind) and isinstance(keys, dict):
                found[kind] |= keys.keys()
    assert len(found) == 29
    for kind, keys in found.items():
        assert keys - {"builder"} == set(keys_of(kind)), kind


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_no_wrong_value_shows_the_words_of_a_library(example: Example) -> None:
    for place in places(example.keys):
        for wrong in WRONG.values():
            check_plain(example, replaced(example.keys, place, wrong))


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_no_missing_or_unknown_key_shows_the_words_of_a_library(example: Example) -> None:
    for place in places(example.keys):
        check_plain(example, without(example.keys, place))
        if isinstance(at(example.keys, place), dict):
            for name in ("colour", "a.b", "", "x" * 1000, "one\ntwo"):
                check_plain(example, replaced(example.keys, (*place, name), 1))


def test_types_of_errors_are_those_of_pydantic() -> None:
    newer = {"recursion_depth_exceeded"}
    assert SENTENCES.keys() - newer <= set(get_args(ErrorType))


@pytest.mark.parametrize("wrong", WRONG)
def test_a_value_is_shown_in_at_most_60_characters(wrong: str) -> None:
    shown = show(WRONG[wrong])
    assert 0 < len(shown) <= 60
    assert shown.isprintable()
