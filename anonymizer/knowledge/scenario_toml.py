"""A scenario as the text of a TOML file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def write_toml(described: Mapping[str, Any]) -> str:
    """Write what a scenario describes of itself; its groups and causes become tables."""
    lines = [
        f"{key} = {write_value(value)}"
        for key, value in described.items()
        if key not in ("groups", "causes")
    ]
    for name, cause in described.get("causes", {}).items():
        lines += ["", f"[causes.{write_value(name)}]", *table_lines(cause, "causes")]
    for group in described["groups"]:
        lines += ["", "[[groups]]", *table_lines(group, "groups")]
    return "\n".join(lines) + "\n"


def table_lines(keys: Mapping[str, Any], place: str) -> Iterator[str]:
    """Write the keys of a table; a long table of a group is one of its own."""
    apart = ("probabilities", "levels") if place == "groups" else ()
    yield from (f"{key} = {write_value(keys[key])}" for key in keys if key not in apart)
    for name in apart:
        if name in keys:
            yield f"[{place}.{name}]"
            yield from (f"{write_value(key)} = {write_value(v)}" for key, v in keys[name].items())


def write_value(value: Any) -> str:
    """Write a value as TOML does.

    >>> write_value({"TN": [0.2, 0.8], "all others": 0.5})
    '{ "TN" = [0.2, 0.8], "all others" = 0.5 }'
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", r"\u007f")
    if isinstance(value, Mapping):
        inner = ", ".join(f"{write_value(key)} = {write_value(v)}" for key, v in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return "[" + ", ".join(map(write_value, value)) + "]"
    return repr(value)
