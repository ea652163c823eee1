"""The JSON schema of a policy describes every policy there is, and no misspelt one."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from anonymizer.demo.example import POLICY as DEMO
from anonymizer.policy import Policy, policy_schema
from anonymizer.risk import MODELS
from tests.policy.test_policy import FULL


def is_described(schema: dict[str, Any], value: Any, root: dict[str, Any]) -> bool:
    """Whether a value fits a schema, as far as ours go."""
    if "$ref" in schema:
        return is_described(root["$defs"][schema["$ref"].split("/")[-1]], value, root)
    if "allOf" in schema:  # a reference beside a default, as older versions of pydantic write it
        return all(is_described(each, value, root) for each in schema["allOf"])
    if "oneOf" in schema:
        return sum(is_described(each, value, root) for each in schema["oneOf"]) == 1
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    if isinstance(value, dict):
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", {})
        inside = all(
            more is not False and is_described(more, each, root)
            if key not in properties
            else is_described(properties[key], each, root)
            for key, each in value.items()
        )
        return schema["type"] == "object" and inside and {*schema.get("required", [])} <= {*value}
    if isinstance(value, list):
        return schema["type"] == "array" and all(
            is_described(schema["items"], each, root) for each in value
        )
    types = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
    above = value >= schema["minimum"] if "minimum" in schema else True
    return above and isinstance(value, types.get(schema.get("type", ""), object))


@pytest.mark.parametrize("text", [FULL, DEMO], ids=["full", "demo"])
def test_the_schema_accepts_policies_and_refuses_misspelt_ones(text: str) -> None:
    keys = tomllib.loads(text)
    schema = json.loads(json.dumps(policy_schema()))
    assert is_described(schema, keys, schema)
    assert not is_described(schema, keys | {"serach": {}}, schema)
    assert not is_described(schema, keys | {"risk": [{"model": "k-anonimity", "k": 2}]}, schema)
    assert not is_described(schema, keys | {"risk": [{"model": "k-anonymity", "l": 2}]}, schema)
    assert not is_described(schema, keys | {"release": {"shuffle": "no"}}, schema)
    assert not is_described(schema, keys | {"attributes": {"a": {"role": "secret"}}}, schema)


def test_the_schema_has_every_key_of_a_policy_but_its_folder_and_machine() -> None:
    properties = policy_schema()["properties"]
    assert set(properties) == set(Policy.model_fields) - {"folder", "machine"}
    models = {each["properties"]["model"]["const"] for each in properties["risk"]["items"]["oneOf"]}
    assert models == set(MODELS)
