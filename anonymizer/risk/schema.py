"""JSON schemas of the tables that ask for a risk model."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

from anonymizer.validation import plain_type

JSON_TYPES: dict[Any, str] = {int: "integer", float: "number", str: "string", bool: "boolean"}


def model_schema(name: str, model: Any) -> dict[str, Any]:
    """Describe the table of one risk model; a parameter that is not a plain value may be anything."""
    hints = get_type_hints(model)
    types = {each.name: JSON_TYPES.get(plain_type(hints[each.name])) for each in fields(model)}
    parameters = {key: {} if kind is None else {"type": kind} for key, kind in types.items()}
    required = [each.name for each in fields(model) if is_required(each)]
    return {
        "type": "object",
        "properties": {"model": {"const": name}, **parameters},
        "required": ["model", *required],
        "additionalProperties": False,
    }


def is_required(field: Field[Any]) -> bool:
    """Whether a field of a dataclass has no default."""
    return field.default is MISSING and field.default_factory is MISSING
