"""Risk models as tables: what a policy states, and what JSON holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, get_type_hints

from pydantic import BeforeValidator, PlainSerializer

from anonymizer.errors import AnonymizerError, quote_some, suggest_name
from anonymizer.risk.model import RiskModel
from anonymizer.risk.registry import MODELS, check_name, find_model
from anonymizer.validation import plain_type, renewed, sentence_of, show

JSON_TYPES: dict[Any, str] = {int: "integer", float: "number", str: "string", bool: "boolean"}


def parse_model(value: object) -> RiskModel:
    """Make a risk model of a table such as {"model": "k-anonymity", "k": 5}."""
    if isinstance(value, RiskModel):
        check_name(value)
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"{show(value)} is not a risk model; give a table with the key 'model'")
    parameters = dict(value)
    name = parameters.pop("model", None)
    model: Any = find_model(name)
    keys = {field.name: is_required(field) for field in fields(model)}
    parameters = renewed(model.__name__, parameters)
    if old := next(filter(None, (sentence_of(model, key) for key in parameters)), None):
        raise ValueError(f"{name}: {old}")
    if unknown := [key for key in parameters if key not in keys]:
        names = suggest_name(unknown[0], keys)
        raise ValueError(f"{name} has no parameter {quote_some(unknown)}; {names}")
    if absent := [key for key, required in keys.items() if required and key not in parameters]:
        raise ValueError(f"{name} needs the parameter {quote_some(absent)}")
    try:
        made: RiskModel = model(**parameters)
    except TypeError as error:  # a parameter of a kind that cannot even be compared
        raise ValueError(f"{name}: a parameter is of the wrong kind ({error})") from None
    return made


def renewed_model(table: Any) -> Any:
    """Return the table of a model with the keys of this version; of an unknown model as it is."""
    kind = MODELS.get(str(table.get("model"))) if isinstance(table, Mapping) else None
    if kind is None:
        return table
    found = renewed(kind.__name__, table, say=False)
    if isinstance(found.get("scenario"), Mapping):  # one made in code is described in full
        found["scenario"] = renewed("Scenario", found["scenario"], say=False)
    return found


def print_model(model: RiskModel) -> dict[str, object]:
    """Write a risk model as a table for JSON; `parse_model` reads it back."""
    return {"model": model.name, **model.describe()}


def read_model(value: object) -> object:
    """Make a risk model; what the model refuses is a fault of the policy, at the model's place."""
    try:
        return parse_model(value)
    except (TypeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"a parameter has the wrong type ({error})") from None
    except AnonymizerError as error:
        raise ValueError(str(error)) from None


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


Model = Annotated[Any, BeforeValidator(read_model), PlainSerializer(print_model)]
"""A risk model as a field of a policy."""
