"""Trees of values, as TOML and JSON have them."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from typing import Any

SECRET = "zq7391secret"
"""A cell that no message may show."""


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the path of every value."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def inline(value: Any) -> str:
    """Write a value as TOML has it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quote(k)} = {inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(inline(each) for each in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return repr(value) if isinstance(value, int | float) else quote(str(value))


def quote(text: str) -> str:
    """Write a text as TOML does; JSON's escapes are TOML's too, but for characters beyond 16 bits."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
