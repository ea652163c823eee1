from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from anonymizer.risk import MODELS
from anonymizer.risk.parsing import model_schema, parse_model


@dataclass(frozen=True)
class Custom:
    k: int
    share: float | None = None
    table: Any = None
    names: tuple[str, ...] = field(default_factory=tuple)


def test_parameters_have_their_types_and_only_those_without_default_are_required() -> None:
    assert model_schema("custom", Custom) == {
        "type": "object",
        "properties": {
            "model": {"const": "custom"},
            "k": {"type": "integer"},
            "share": {"type": "number"},
            "table": {},
            "names": {},
        },
        "required": ["model", "k"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("name", MODELS)
def test_what_a_schema_requires_a_policy_requires_too(name: str) -> None:
    required = model_schema(name, MODELS[name])["required"]
    for key in required[1:]:
        with pytest.raises(ValueError, match=f"needs the parameter .*'{key}'"):
            parse_model({"model": name})
