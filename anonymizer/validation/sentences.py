"""Sentences: each fault that pydantic finds, in our words and with the place where it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import date, time
from functools import reduce
from reprlib import Repr
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from anonymizer.errors import shorten, suggest_name
from anonymizer.validation.renamed import sentence_of

Place = tuple[int | str, ...]
"""Where a fault is: the keys and positions that lead to it."""

LONGEST_SENTENCE = 400
"""Characters of a sentence that somebody else wrote, such as a risk model of another package."""

UNWRITTEN = ("folder", "machine")
"""What is said of a file in code, never in it: what paths are relative to, and the machine."""

SENTENCES = {
    "missing": "this key is missing; add it",
    "invalid_key": "the name {value} is not a string; put it in quotes",
    "int_type": "{value} is not a whole number; write one without quotes or a decimal point",
    "float_type": "{value} is not a number; write one without quotes",
    "finite_number": "{value} is not a finite number; write one",
    "greater_than": "{value} is too small; use a number above {gt:g}",
    "greater_than_equal": "{value} is too small; use {ge:g} or more",
    "less_than": "{value} is too large; use a number below {lt:g}",
    "less_than_equal": "{value} is too large; use {le:g} or less",
    "bool_type": "{value} is neither true nor false; write one of them, without quotes",
    "string_type": "{value} is not a string; put it in quotes",
    "string_unicode": "the string is not valid Unicode; write it anew",
    "string_too_short": "the string is empty; write a name",
    "tuple_type": "{value} is not a list; write it as [ ... ]",
    "dict_type": "{value} is not a table; write it as name = value",
    "model_type": "{value} is not a table; write it as name = value",
    "dataclass_type": "{value} is not a table; write it as name = value",
    "recursion_loop": "this contains itself; write it out",
    "recursion_depth_exceeded": "this is nested too deeply; flatten it",
}
"""What is wrong and what to do, by pydantic's type of error; `describe_fault` has the rest."""

NOT_FIT = "{value} does not fit here; see the description of the key"
"""What is left to say of a type of error that no field of ours should meet."""

_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxdict, _SHORT.maxlist, _SHORT.maxtuple = 2, 3, 5, 5
_SHORT.maxstring = _SHORT.maxother = 60


def show(value: object) -> str:
    """Write a value for a message, in at most 60 characters.

    >>> show("a" * 100), show(date(2024, 12, 31)), show([[[[1]]]])
    ("'aaaaaaaaaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaaaaaaaaaa'", '2024-12-31', '[[[...]]]')
    """
    if isinstance(value, date | time):
        return str(value)
    if isinstance(value, int) and abs(value) > 10**50:
        return "a number of more than 50 digits"
    return shorten(_SHORT.repr(value))


def list_faults(invalid: ValidationError, kind: Any) -> list[str]:
    """Write every fault that pydantic found in a value of some kind as one sentence."""
    faults = []
    for fault in invalid.errors(include_url=False):
        place = tuple(key for key in fault["loc"] if key != "[key]")
        sentence = close(describe_fault(fault, place, kind))
        faults.append(f"{write_place(place)}: {sentence}" if place else sentence)
    return list(dict.fromkeys(faults))


def describe_fault(fault: ErrorDetails, place: Place, kind: Any) -> str:
    """Say what is wrong at one place, and what to do."""
    problem, context, value = fault["type"], fault.get("ctx", {}), fault["input"]
    if problem in ("value_error", "assertion_error"):
        return shorten(str(context["error"]), LONGEST_SENTENCE)
    if problem in ("extra_forbidden", "unexpected_keyword_argument"):
        if old := sentence_of(expected_at(kind, place[:-1]), str(place[-1])):
            return old
        return f"this key is unknown; {suggest_name(str(place[-1]), keys_of(kind, place[:-1]))}"
    if problem in ("enum", "literal_error"):
        choices = re.findall(r"'([^']*)'", context["expected"])
        return f"{show(value)} is unknown; {suggest_name(value, choices)}"
    if "[key]" in fault["loc"]:
        problem = "invalid_key"
    if problem == "tuple_type" and lists_tables(kind, place, value):
        return f"{show(value)} is not a list of tables; write each as [[{write_place(place)}]]"
    alike = re.sub(r"_(parsing|parsing_size|from_float)$", "_type", problem)
    return SENTENCES.get(alike, NOT_FIT).format(value=show(value), **context)


def close(sentence: str) -> str:
    """End a sentence with one mark.

    >>> close("use it"), close("did you mean it?.")
    ('use it.', 'did you mean it?')
    """
    text = sentence.rstrip(". ")
    return text if text.endswith("?") else f"{text}."


def write_place(place: Place) -> str:
    """Write where a fault is; a name that TOML would need quotes for has them.

    >>> write_place(("attributes", "Wr.Hnd", "role")), write_place(("risk", 0))
    ('attributes."Wr.Hnd".role', 'risk.0')
    """
    return ".".join(map(write_key, place))


def write_key(key: int | str) -> str:
    """Write one name of a place."""
    text = shorten(str(key))
    return text if re.fullmatch(r"[^\s.\"']+", text) else json.dumps(text, ensure_ascii=False)


def is_model(kind: Any) -> bool:
    """Whether a type has keys of its own."""
    return isinstance(kind, type) and (issubclass(kind, BaseModel) or is_dataclass(kind))


def is_table(kind: Any) -> bool:
    """Whether a type is a table, with keys of its own or by names."""
    return is_model(kind) or get_origin(kind) is dict


def lists_tables(kind: Any, place: Place, value: object) -> bool:
    """Whether a list of tables belongs at a place; where anything may, the value tells."""
    item = expected_at(kind, (*place, 0))
    return is_table(item) or (item is Any and isinstance(value, Mapping))


def keys_of(kind: Any, place: Place = ()) -> list[str]:
    """List the keys that a table at a place may have, as files write them."""
    found = expected_at(kind, place)
    named = [*model_keys(found)] if is_model(found) else []
    return [key for key in named if key not in UNWRITTEN]


def model_keys(model: Any) -> dict[str, Any]:
    """Return the types of a model's fields by the names that they have in a file."""
    infos = model.model_fields if issubclass(model, BaseModel) else model.__pydantic_fields__
    return {info.alias or name: info.annotation for name, info in infos.items()}


def expected_at(kind: Any, place: Place) -> Any:
    """Find the type that is expected at a place; None where nothing is known."""
    return reduce(expected_below, place, plain_type(kind))


def expected_below(kind: Any, key: int | str) -> Any:
    """Find the type that is expected under a key."""
    if is_model(kind):
        return plain_type(model_keys(kind).get(str(key)))
    inner = get_args(kind)
    return plain_type(inner[-1 if get_origin(kind) is dict else 0]) if inner else None


def plain_type(kind: Any) -> Any:
    """Take off what validates a type, and that it may be left out."""
    inner = [each for each in get_args(kind) if each is not NoneType]
    if get_origin(kind) is Annotated or (len(inner) == 1 and NoneType in get_args(kind)):
        return plain_type(inner[0])
    return kind
