"""Keys: what a declaration accepts, with type, default and meaning."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import textwrap
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union

MEANINGS = Path(__file__).with_name("meanings.toml")

NAMES = {
    int: "whole number",
    float: "number",
    str: "text",
    bool: "true or false",
    Path: "path",
    dict: "table",
    tuple: "list",
    list: "list",
    Any: "any",
    type(None): "",
}
LIMITS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
REQUIRED = "required"


@dataclasses.dataclass(frozen=True)
class Key:
    """One key: how it is written, what it takes, what it is when left out, and what it means."""

    name: str
    type: str
    default: str
    meaning: str


def keys_of(declaration: type, place: str) -> list[Key]:
    """List the keys of a pydantic model or a dataclass; `place` is where `meanings.toml` speaks of it."""
    described = docstrings_of(declaration)
    return [
        Key(
            name.rstrip("_"),  # `from` is a word of Python's own, so the field is called `from_`
            stated(place, name, "type") or type_of(kind),
            default_of(default),
            stated(place, name, "meaning") or described.get(name, ""),
        )
        for name, kind, default in fields_of(declaration)
    ]


def fields_of(declaration: type) -> Iterator[tuple[str, Any, Any]]:
    """Name the fields of a declaration with their types and defaults; REQUIRED is no default."""
    declared: Mapping[str, Any] | None = getattr(declaration, "__pydantic_fields__", None)
    if declared is None and not dataclasses.is_dataclass(declaration):
        declared = declaration.model_fields  # type: ignore[attr-defined]
    if declared is not None:
        shown = {name: info for name, info in declared.items() if not info.exclude}
        yield from (
            (name, annotation_of(info), default_given(info)) for name, info in shown.items()
        )
        return
    hints = typing.get_type_hints(declaration, include_extras=True)
    for field in dataclasses.fields(declaration):
        yield field.name, hints[field.name], default_of_field(field)


def annotation_of(info: Any) -> Any:
    """Return the type of a pydantic field with the limits that pydantic keeps apart."""
    return Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation


def default_given(info: Any) -> Any:
    """Return the default of a pydantic field."""
    return REQUIRED if info.is_required() else info.get_default(call_default_factory=True)


def default_of_field(field: dataclasses.Field[Any]) -> Any:
    """Return the default of a dataclass field."""
    if field.default is not dataclasses.MISSING:
        return field.default
    return REQUIRED if field.default_factory is dataclasses.MISSING else field.default_factory()


def type_of(kind: Any) -> str:
    """Write a type for somebody who writes TOML.

    >>> type_of(int | None), type_of(tuple[str, ...]), type_of(Literal["drop", "redact"])
    ('whole number', 'list of text', '`"drop"` or `"redact"`')
    """
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        return ", ".join([type_of(inner[0]), *limits_of(inner[1:])])
    if origin is Literal:
        return " or ".join(f"`{quoted(value)}`" for value in inner)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(filter(None, map(type_of, inner))))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return " or ".join(f"`{quoted(member.value)}`" for member in kind)
    return type_of_collection(kind, origin, inner)


def type_of_collection(kind: Any, origin: Any, inner: Sequence[Any]) -> str:
    """Write a list or a table, or else a plain type by its name."""
    if origin in (tuple, list):
        parts = dict.fromkeys(type_of(part) for part in inner if part is not Ellipsis)
        return f"list of {' or '.join(parts)}" if parts else "list"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "table"
    if isinstance(kind, type) and (dataclasses.is_dataclass(kind) or hasattr(kind, "model_fields")):
        return "table"
    return NAMES.get(kind, str(getattr(kind, "__name__", kind)))


def limits_of(metadata: Sequence[Any]) -> Iterator[str]:
    """Write the limits of a number, such as `at least 0`."""
    for item in metadata:
        for part in [item, *getattr(item, "metadata", ())]:
            for limit, words in LIMITS.items():
                value = getattr(part, limit, None)
                if isinstance(value, int | float):
                    yield f"{words} {value:g}"


def default_of(default: Any) -> str:
    """Write a default as TOML has it; nothing where a key may be left out."""
    if default is REQUIRED:
        return REQUIRED
    if default is None or default == () or default == {}:
        return ""
    if isinstance(default, Enum):
        default = default.value
    if isinstance(default, tuple | list):
        return f"`[{', '.join(quoted(item) for item in default)}]`"
    if isinstance(default, Mapping):
        items = ", ".join(f"{quoted(key)} = {quoted(value)}" for key, value in default.items())
        return f"`{{ {items} }}`"
    if isinstance(default, bool | int | float | str | Path):
        return f"`{quoted(default)}`"
    number = getattr(default, "default", None)  # a proportion that is one number
    return f"`{quoted(number)}`" if isinstance(number, int | float) else ""


def quoted(value: Any) -> str:
    """Write a value as TOML does."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else f'"{value}"'


@cache
def docstrings_of(declaration: type) -> dict[str, str]:
    """Return the docstrings below the fields of a class and of those it inherits from."""
    found: dict[str, str] = {}
    for base in reversed(declaration.__mro__):
        if base.__module__.split(".")[0] in ("anonymizer", "docs", "tests", "__main__"):
            found |= dict(own_docstrings(base))
    return found


def own_docstrings(declaration: type) -> Iterator[tuple[str, str]]:
    """Read the docstrings below the fields of a class; there are none where the source is not at hand."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(declaration)))
    except (OSError, TypeError, SyntaxError):
        return
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    for field, below in itertools.pairwise(body):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, " ".join(text.split())


@cache
def stated_meanings() -> dict[str, dict[str, Any]]:
    """Read what the keys mean that have no docstring."""
    return tomllib.loads(MEANINGS.read_text(encoding="utf-8"))


def stated(place: str, name: str, what: str) -> str:
    """Return the meaning or the type that `meanings.toml` states for a key."""
    entry = stated_meanings().get(place, {}).get(name.rstrip("_"), "")
    if isinstance(entry, str):
        return entry if what == "meaning" else ""
    return str(entry.get(what, ""))


def table_of(keys: Sequence[Key]) -> str:
    """Write keys as a Markdown table."""
    rows = [
        f"| `{key.name}` | {escape(key.type)} | {escape(key.default)} | {escape(key.meaning)} |"
        for key in keys
    ]
    return "\n".join(["| key | type | default | meaning |", "|---|---|---|---|", *rows])


def escape(text: str) -> str:
    """Keep a text within its cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")
