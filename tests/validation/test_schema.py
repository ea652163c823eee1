"""Schemas hold what an editor of TOML files can use, and no more."""

from __future__ import annotations

from anonymizer.validation import Count, Part, Probability, Text
from anonymizer.validation.schema import plain_schema


class Inner(Part):
    """What is inside.

    An example in Python.
    """

    share: Probability = 0.5


class Outer(Part):
    name: Text
    title: Count | None = None
    inner: Inner = Inner()


def test_a_schema_has_bounds_and_sentences_but_no_nulls_and_titles() -> None:
    schema = plain_schema(Outer)
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["name"]
    assert schema["properties"]["name"] == {"type": "string"}
    assert schema["properties"]["title"] == {"minimum": 1, "type": "integer"}
    assert schema["$defs"]["Inner"] == {
        "additionalProperties": False,
        "description": "What is inside.",
        "properties": {"share": {"default": 0.5, "maximum": 1, "minimum": 0, "type": "number"}},
        "type": "object",
    }
