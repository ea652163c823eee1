"""TOML as text that a person edits too: a change touches the lines it must, and keeps all comments."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonymizer.validation import write_document, write_key, write_value

Path = tuple[str, ...]
"""The keys that lead to a value; the number of a table in an array of tables is a key as well."""


@dataclass(frozen=True, slots=True)
class TomlStatement:
    """Some lines that belong together: a header, a key with its value, or what says nothing."""

    text: str
    section: Path
    """The table that the lines stand in; of a header, the table that it opens."""
    key: Path = ()
    """Nothing for a header, a comment and an empty line."""
    header: bool = False


def plain(value: Any) -> Any:
    """Write what TOML has and JSON has not, days, as text."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value if isinstance(value, bool | int | float | str) else str(value)


def rewrite(text: str, wanted: Mapping[str, Any]) -> str:
    """Return the text with as few lines changed as it takes to say what is wanted.

    Where lines cannot be changed one by one, the whole is written anew, without its comments.

    >>> print(rewrite("k = 5   # people\\nl = 2", {"k": 7, "l": 2}))
    k = 7   # people
    l = 2
    """
    statements = split(text)
    for path in changed_paths(flatten(tomllib.loads(text)), flatten(wanted)):
        statements = change(statements, path, value_at(wanted, path))
    new = "".join(each.text for each in statements)
    try:
        same = tomllib.loads(new) == wanted
    except tomllib.TOMLDecodeError:
        same = False
    return new if same else write_document(wanted)


def split(text: str) -> list[TomlStatement]:
    """Split a text into statements, each the fewest lines that are TOML by themselves."""
    found: list[TomlStatement] = []
    section: Path = ()
    numbers: dict[Path, int] = {}
    taken = ""
    for line in text.splitlines(keepends=True):
        taken += line
        try:
            parsed = tomllib.loads(taken)
        except tomllib.TOMLDecodeError:
            continue
        made = classify(taken, parsed, section, numbers)
        section, taken = made.section, ""
        found.append(made)
    return [*found, TomlStatement(taken, section)] if taken else found


def classify(
    text: str, parsed: Mapping[str, Any], section: Path, numbers: dict[Path, int]
) -> TomlStatement:
    """Say what some lines are, and which table they stand in."""
    start = text.lstrip()
    if start.startswith("["):
        opened = keys_of(parsed)
        if start.startswith("[["):
            numbers[opened] = numbers.get(opened, -1) + 1
            opened = (*opened, str(numbers[opened]))
        return TomlStatement(text, opened, header=True)
    return TomlStatement(text, section, keys_of(parsed))


def keys_of(parsed: Any) -> Path:
    """Return the keys that lead to the only value of a statement; a table in braces is a value."""
    if isinstance(parsed, list):
        parsed = parsed[0]
    if not isinstance(parsed, Mapping) or len(parsed) != 1:
        return ()
    key, value = next(iter(parsed.items()))
    return (key, *keys_of(value)) if value in ({}, [{}]) or is_header(value) else (key,)


def is_header(value: Any) -> bool:
    """Whether a value is made of nothing but nested empty tables, as that of a header is."""
    if isinstance(value, list):
        return len(value) == 1 and is_header(value[0])
    return isinstance(value, Mapping) and all(map(is_header, value.values()))


def flatten(value: Any, path: Path = ()) -> dict[Path, Any]:
    """List the values that statements may hold: all but the parts of a policy and its attributes."""
    if isinstance(value, Mapping) and len(path) < 2:
        found = {path: value} if not value else {}
        for key, each in value.items():
            found |= flatten(each, (*path, key))
        return found
    if isinstance(value, list) and len(path) == 1 and all(isinstance(v, Mapping) for v in value):
        return {
            (*path, str(number), key): each
            for number, table in enumerate(value)
            for key, each in table.items()
        }
    return {path: value}


def changed_paths(old: Mapping[Path, Any], new: Mapping[Path, Any]) -> list[Path]:
    """List what is new, gone or different."""
    absent = object()
    paths = dict.fromkeys([*old, *new])
    return [path for path in paths if old.get(path, absent) != new.get(path, absent)]


def value_at(document: Any, path: Path) -> Any:
    """Return the value at a path; None where there is none."""
    for key in path:
        if isinstance(document, list):
            document = document[int(key)] if int(key) < len(document) else None
        elif isinstance(document, Mapping):
            document = document.get(key)
        else:
            return None
    return document


def change(statements: list[TomlStatement], path: Path, value: Any) -> list[TomlStatement]:
    """Replace, remove or add the statement of one value."""
    section, key = path[:-1], path[-1]
    for at, each in enumerate(statements):
        if each.section == section and each.key == (key,):
            line = [] if value is None else [made(each, value)]
            return [*statements[:at], *line, *statements[at + 1 :]]
    places = [
        at for at, each in enumerate(statements) if each.section == section and is_content(each)
    ]
    if value is None or not section:
        return statements
    new = TomlStatement(f"{write_key(key)} = {write_value(value)}\n", section, (key,))
    if places:
        before = statements[: places[-1] + 1]
        last = before[-1]
        if not last.text.endswith("\n"):
            before[-1] = TomlStatement(last.text + "\n", last.section, last.key, last.header)
        return [*before, new, *statements[places[-1] + 1 :]]
    header = f"[[{section[0]}]]" if len(section) == 2 else f"[{write_key(section[0])}]"
    return [*statements, TomlStatement(f"\n{header}\n", section, header=True), new]


def is_content(statement: TomlStatement) -> bool:
    """Whether a statement is more than a comment or an empty line."""
    return statement.header or bool(statement.key)


def made(old: TomlStatement, value: Any) -> TomlStatement:
    """Return a statement with another value, and the blanks before `=` and the comment that it had."""
    left = re.match(r"""\s*("(\\.|[^"])*"|'[^']*'|[^='"])*?=\s?""", old.text)
    start = left.group() if left else f"{write_key(old.key[0])} = "
    return TomlStatement(start + write_value(value) + comment_of(old.text), old.section, old.key)


def comment_of(text: str) -> str:
    """Return the comment at the end of a line, with the blanks before it and the end of the line.

    >>> comment_of('k = "#5"  # people')
    '  # people'
    """
    end = "\n" if text.endswith("\n") else ""
    line = text.rstrip("\n")
    if "\n" in line:
        return end
    for found in re.finditer(r"\s*#", line):
        try:
            tomllib.loads(line[: found.start()])
        except tomllib.TOMLDecodeError:
            continue
        return line[found.start() :] + end
    return end
