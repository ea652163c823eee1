"""Context: what the steward states for the decision page, as a form over its file."""

from __future__ import annotations

import tomllib
from typing import Any

from anonymizer.data.staging import replace_file
from anonymizer.decision.context import Context, ReleaseModel
from anonymizer.errors import AnonymizerError, DataError
from anonymizer.report.decision import LIMIT, PROBABILITIES, QUESTIONS, RELEASE_MODELS
from anonymizer.studio.folder import CONTEXT, Folder
from anonymizer.studio.toml_text import plain, rewrite
from anonymizer.validation import parse

ASKED = {**QUESTIONS, "acceptable": LIMIT, **PROBABILITIES}
"""What is asked for each key of a context."""
CHANCES = {"acceptable", *PROBABILITIES}
"""What is answered by a probability."""


def describe_context(folder: Folder) -> dict[str, Any]:
    """Return each question with its answer; and what is wrong with the file, if anything is."""
    text = text_of(folder)
    try:
        stated, fault = keys_of(text), None
        folder.stated()
    except AnonymizerError as error:
        stated, fault = readable(text), str(error)
    choices = [{"value": each.value, "words": RELEASE_MODELS[each]} for each in ReleaseModel]
    return {
        "file": CONTEXT,
        "fault": fault,
        "fields": [
            {
                "key": key,
                "question": question,
                "value": plain(stated.get(key)) if key in stated else None,
                "choices": choices if key == "release_model" else None,
                "several": key == "controls",
                "chance": key in CHANCES,
            }
            for key, question in ASKED.items()
        ],
    }


def text_of(folder: Folder) -> str:
    """Return the text of the file; none where there is none."""
    try:
        return folder.context.read_text(encoding="utf-8") if folder.context.is_file() else ""
    except UnicodeDecodeError:
        return ""


def keys_of(text: str) -> dict[str, Any]:
    """Return the keys of a context, whatever they hold."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{CONTEXT} is not TOML: {error}.") from None


def readable(text: str) -> dict[str, Any]:
    """Return what can be read of a context of which something is wrong."""
    try:
        return keys_of(text)
    except DataError:
        return {}


def write_context(folder: Folder, stated: Any) -> None:
    """Write answers down; an answer of null is taken out, and comments and other keys stay."""
    if not isinstance(stated, dict) or not stated.keys() <= ASKED.keys():
        raise DataError("the context is not given by its questions; reload the page.")
    text = text_of(folder)
    merged = {**readable(text), **stated}
    wanted = {key: value for key, value in merged.items() if value is not None}
    parse(Context, wanted, CONTEXT)
    folder.path.mkdir(parents=True, exist_ok=True)
    replace_file(folder.context, rewrite(text, wanted).encode())
