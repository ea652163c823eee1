"""The command line as typer declares it."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from typing import Any

import typer

from anonymizer.cli import app
from docs.generate.keys import escape, type_of


def describe_commands() -> str:
    """Write every command with its help and its options."""
    return "\n\n".join(describe_command(name, command) for name, command in commands())


def commands() -> Iterator[tuple[str, Any]]:
    """Name every command, those of groups included."""
    yield from inside("anonymizer", typer.main.get_command(app))


def inside(name: str, group: Any) -> Iterator[tuple[str, Any]]:
    """Name the commands of a group, and those of the groups in it."""
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from inside(f"{name} {word}", command)
        else:
            yield f"{name} {word}", command


def describe_command(name: str, command: Any) -> str:
    """Write one command: how it is called, what it does, what it takes."""
    types = typing.get_type_hints(command.callback)
    shown = [parameter for parameter in command.params if parameter.name in types]
    rows = [row_of(parameter, types[parameter.name]) for parameter in shown]
    head = "| argument or option | takes | default | meaning |"
    help_text = inspect.cleandoc(command.help or "")
    return "\n".join([f"## `{name}`", "", help_text, "", head, "|---|---|---|---|", *rows])


def row_of(parameter: Any, kind: Any) -> str:
    """Write an argument or an option as a row of a table."""
    option = parameter.param_type_name == "option"
    words = parameter.opts if option else [parameter.name.upper()]
    flag = kind is bool
    takes = type_of(kind)
    if parameter.multiple:
        takes = takes.removeprefix("list of ") + ", may be repeated"
    cells = [
        ", ".join(f"`{word}`" for word in words),
        "" if flag else takes,
        default_of(parameter, flag),
        escape(parameter.help or ""),
    ]
    return f"| {' | '.join(cells)} |"


def default_of(parameter: Any, flag: bool) -> str:
    """Write the default of an option; nothing where it is off or left out."""
    if parameter.required:
        return "required"
    nothing = flag or parameter.default in (None, [], ())
    return "" if nothing else f"`{parameter.default}`"
