"""JSON schemas of what users write in TOML, for editors."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


def plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model, as editors of TOML files can use it.

    >>> class Limits(BaseModel):
    ...     seconds: float | None = None
    >>> plain_schema(Limits)["properties"]
    {'seconds': {'type': 'number'}}
    """
    schema: dict[str, Any] = simplify(model.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema


def simplify(schema: Any) -> Any:
    """Leave out null, which TOML does not have, titles that repeat the key, and examples in Python."""
    if isinstance(schema, list):
        return [simplify(each) for each in schema if each != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    plain = {key: simplify(each) for key, each in schema.items() if not is_idle(key, each)}
    if isinstance(plain.get("description"), str):
        plain["description"] = plain["description"].split("\n")[0]
    choices = plain.get("anyOf")
    if isinstance(choices, list) and len(choices) == 1:
        return {**plain.pop("anyOf")[0], **plain}
    return plain


def is_idle(key: str, value: object) -> bool:
    """Whether an entry of a schema tells an editor nothing."""
    return (key == "title" and isinstance(value, str)) or (key == "default" and value is None)
