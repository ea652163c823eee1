"""The JSON schema of a policy, for editors."""

from __future__ import annotations

from typing import Any

from anonymizer.policy.analysis import ANALYSES, Analysis
from anonymizer.policy.policy import Policy
from anonymizer.risk import known_models
from anonymizer.risk.parsing import model_schema
from anonymizer.validation import plain_schema


def policy_schema() -> dict[str, Any]:
    """Return the JSON schema of a policy, for editors that complete and check its keys.

    >>> list(policy_schema()["properties"])
    ['data', 'attributes', 'risk', 'utility', 'search', 'release', 'keep', 'analysis', 'tables']
    """
    schema = plain_schema(Policy)
    models = [model_schema(name, model) for name, model in known_models().items()]
    schema["properties"]["risk"] |= {"items": {"oneOf": models}, "minItems": 1}
    kinds = [analysis_schema(kind, each) for kind, each in ANALYSES.items()]
    schema["properties"]["analysis"] |= {"items": {"oneOf": kinds}}
    return schema


def analysis_schema(kind: str, analysis: type[Analysis]) -> dict[str, Any]:
    """Describe the table of one kind of analysis."""
    schema = plain_schema(analysis)
    del schema["$schema"]
    properties = {"kind": {"const": kind}, **schema["properties"]}
    return {**schema, "properties": properties, "required": ["kind", *schema["required"]]}
