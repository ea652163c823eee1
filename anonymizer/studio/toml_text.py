"""TOML as text that a person edits too: a change touches the lines it must, and keeps all comments."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.container import OutOfOrderTableProxy
from tomlkit.items import AoT, Table

from anonymizer.validation import write_document, write_value

WITH_HEADER = Table, OutOfOrderTableProxy
"""Tables that are not in braces."""


def plain(value: Any) -> Any:
    """Write what TOML has and JSON has not, days, as text."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value if isinstance(value, bool | int | float | str) else str(value)


def rewrite(text: str, wanted: Mapping[str, Any]) -> str:
    """Return the text with the wanted keys, and as few lines changed as possible.

    Where lines cannot be changed one by one, the whole is written anew, without its comments.

    >>> print(rewrite("k = 5   # people\\nl = 2", {"k": 7, "l": 2}))
    k = 7   # people
    l = 2
    """
    try:
        document = tomlkit.parse(text)
        change(document, wanted)
        new = tomlkit.dumps(document)
        same = tomllib.loads(new) == wanted
    except Exception:  # whatever tomlkit cannot change one by one
        same = False
    return new if same else write_document(wanted)


def change(table: MutableMapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Remove, replace and add the keys of a table; tables with headers are changed inside."""
    for key in [key for key in table if key not in wanted]:
        del table[key]
    for key, value in wanted.items():
        old = table.get(key)
        if isinstance(value, Mapping) and isinstance(old, WITH_HEADER):
            change(old, value)
        elif isinstance(value, list) and isinstance(old, AoT):
            change_tables(old, value)
        elif isinstance(value, Mapping) and isinstance(table, TOMLDocument) and old is None:
            table.append(key, tomlkit.parse(write_document({key: value}))[key])
        elif key not in table or old != value:
            table[key] = tomlkit.value(write_value(value))  # with our blanks in braces


def change_tables(tables: AoT, wanted: list[Mapping[str, Any]]) -> None:
    """Change the tables of an array; at its end some are added or removed."""
    while len(tables) > len(wanted):
        del tables[-1]
    for table, each in zip(tables, wanted, strict=False):
        change(table, each)
    for each in wanted[len(tables) :]:
        tables.append(tomlkit.parse(write_document({"new": [each]}))["new"][0])
