"""TOML files: read so that each kind fails with the same plain sentences, and written in one way."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from anonymizer.errors import AnonymizerError, PolicyError, shorten
from anonymizer.validation.sentences import UNWRITTEN

T = TypeVar("T")

SECTIONS = ("data", "attributes", "risk", "utility", "search", "release")
"""The order in which a policy is written."""
WIDTH = 96
"""Characters of a line of texts that takes more than one."""


def read_toml(
    path: str | Path, kind: str, error: type[AnonymizerError] = PolicyError
) -> dict[str, Any]:
    """Return the keys of a file; an error says why it cannot be read.

    >>> read_toml("nowhere.toml", "policy")
    Traceback (most recent call last):
    anonymizer.errors.PolicyError: nowhere.toml: there is no such policy file; check the path.
    """
    try:
        # Windows editors put a byte order mark first
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except IsADirectoryError:
        fault = f"this is a folder; name the {kind} file in it."
    except (FileNotFoundError, NotADirectoryError):
        fault = f"there is no such {kind} file; check the path."
    except OSError as failed:
        fault = f"the {kind} cannot be read ({failed.strerror or failed}); check the path."
    except UnicodeDecodeError:
        fault = f"the {kind} is not UTF-8 text; save it as UTF-8."
    except tomllib.TOMLDecodeError as invalid:
        fault = f"not valid TOML ({shorten(str(invalid), 120)}); fix that place."
    except RecursionError:
        fault = f"the {kind} is nested too deeply; write it with fewer brackets."
    except ValueError as invalid:  # a NUL in the path, or a number of thousands of digits
        fault = f"the {kind} cannot be read ({shorten(str(invalid), 120)}); fix that place."
    raise error(f"{shorten(str(path), 1000)}: {fault}")


def read_described(make: Callable[..., T], path: str | Path, kind: str) -> T:
    """Make what a TOML file describes; the message about its faults begins with the file's name."""
    keys = read_toml(path, kind)
    if found := [key for key in UNWRITTEN if key in keys]:
        raise PolicyError(f"{path}: {found[0]}: this key is unknown; remove it.")
    try:
        return make(**keys, folder=Path(path).parent)
    except PolicyError as error:
        raise PolicyError.defective(str(path), error.faults) from None


def write_value(value: Any) -> str:
    """Write a value on one line.

    >>> write_value({"role": "quasi", "cuts": [18, 65.5], "open": True})
    '{ role = "quasi", cuts = [18, 65.5], open = true }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):  # JSON's escapes are TOML's too, but for one character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", r"\u007f")
    if isinstance(value, Mapping):
        return f"{{ {inside} }}" if (inside := ", ".join(write_keys(value))) else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(write_value, value))}]"
    return str(value)  # dates and times, as ISO writes them


def write_key(key: str) -> str:
    """Write a key, in quotes where it needs them.

    >>> write_key("age"), write_key("Wr.Hnd")
    ('age', '"Wr.Hnd"')
    """
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else write_value(key)


def write_keys(keys: Mapping[str, Any]) -> Iterator[str]:
    """Write keys with their values; None, which TOML does not have, is left out."""
    return (
        f"{write_key(key)} = {write_value(value)}"
        for key, value in keys.items()
        if value is not None
    )


def write_texts(texts: Sequence[str]) -> str:
    """Write a list of texts, over several lines if they need more than one.

    >>> write_texts(["a", 'b"c'])
    '["a", "b\\\\"c"]'
    """
    line = write_value(texts)
    if len(line) <= WIDTH:
        return line
    lines = [""]
    for item in map(write_value, texts):
        if lines[-1] and len(lines[-1]) + len(item) + 2 > WIDTH:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else '  '}{item},"
    return "\n".join(["[", *lines, "]"])


def write_comment(text: str) -> str:
    """Write a text so that a comment does not run on to a second line."""
    return "".join(char if char.isprintable() else " " for char in text)


def write_document(document: Mapping[str, Any]) -> str:
    """Write a whole policy: a table for each part, a line for each key.

    >>> print(write_document({"risk": [{"model": "k-anonymity", "k": 5}]}), end="")
    [[risk]]
    model = "k-anonymity"
    k = 5
    """
    names = [*(name for name in SECTIONS if name in document), *document]
    parts = [part for name in dict.fromkeys(names) for part in write_section(name, document[name])]
    return "\n".join(parts)


def write_section(name: str, content: Any) -> Iterator[str]:
    """Write one part of a policy, or each table of an array."""
    if isinstance(content, Mapping):
        yield write_table(f"[{write_key(name)}]", content)
    elif isinstance(content, list) and all(isinstance(each, Mapping) for each in content):
        yield from (write_table(f"[[{write_key(name)}]]", each) for each in content)
    else:
        yield f"{write_key(name)} = {write_value(content)}\n"


def write_table(header: str, content: Mapping[str, Any]) -> str:
    """Write a table below its header."""
    return "\n".join([header, *write_keys(content)]) + "\n"
