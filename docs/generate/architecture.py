"""The way of a table through the modules, and the rooms of the house, drawn from their imports."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import anonymizer

PACKAGE = Path(anonymizer.__file__).parent
ORDER = (
    "errors",
    "display",
    "validation",
    "lattice",
    "kernels",
    "data",
    "hierarchy",
    "table",
    "estimators",
    "attackers",
    "risk",
    "utility",
    "evaluation",
    "search",
    "study",
    "register",
    "layers",
    "policy",
    "problem",
    "proposal",
    "proof",
    "solution",
    "comparison",
    "frontiers",
    "explanation",
    "verification",
    "assessment",
    "published",
    "analyses",
    "attacks",
    "decision",
    "report",
    "demo",
    "studio",
    "cli",
    "__main__",
)
"""The rooms from the ground up: a module may import its own room and those before it."""

FLOW = """
cli.release:run
  solution.solution:anonymize
    problem.problem:Problem
      policy.policy:Policy
      problem.tables:open_data
      table.microdata:encode
        hierarchy.hierarchy:Hierarchy
        data.table:Table
        table.domain:Domain
    search.driver:search
      evaluation.evaluate:Evaluator
        table.classes:partition
        evaluation.suppression:suppress
          risk.model:RiskModel
        utility.measure:Measure
      search.boxes:Boxes
      search.state:State
    proof.writer:prove
    solution.release:Release
      data.table:ReleasePlan
  solution.manifest:stage_release
    data.staging:Staging
  verification.verification:verify
    verification.reading:read_release
    verification.original:check_against
"""
"""What calls what, from a CSV file to its release: a line is called by the one it is indented under."""


def describe_flow() -> str:
    """Draw the way of a table: each arrow is an import, each sentence that of a docstring."""
    lines = list(steps())
    width = max(len(line) for line, _ in lines) + 2
    return "\n".join(["```text", *(f"{line:<{width}}{says}" for line, says in lines), "```"])


def steps() -> Iterator[tuple[str, str]]:
    """Yield each step, indented by who calls it, and what it says of itself."""
    callers: list[ModuleType] = []
    for line in FLOW.strip().splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        name, _, item = line.strip().partition(":")
        module = importlib.import_module(f"anonymizer.{name}")
        if depth and not imports(callers[depth - 1], module, item):
            raise ValueError(f"{callers[depth - 1].__name__} does not import {item} of {name}")
        callers[depth:] = [module]
        yield f"{'  ' * depth}{name}.{item}", first_sentence(getattr(module, item))


def imports(caller: ModuleType, module: ModuleType, item: str) -> bool:
    """Whether a module takes something from where another one defines it."""
    wanted = getattr(module, item)
    for source, name in imports_of(Path(str(caller.__file__))):
        if name is None or not source.startswith("anonymizer"):
            continue
        if getattr(importlib.import_module(source), name, None) is wanted:
            return True
    return False


@cache
def imports_of(path: Path) -> tuple[tuple[str, str | None], ...]:
    """Every import, wherever it stands, for types only or not: the module and the name taken from it."""
    found: list[tuple[str, str | None]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"{path}: relative imports hide where they point")
            found += [(str(node.module), alias.name) for alias in node.names]
    return tuple(found)


def home(name: str) -> str:
    """Return the room of a module: the module or folder right below the package."""
    return name.split(".")[1] if "." in name else "__init__"


def describe_rooms() -> str:
    """List the rooms from the top down: what each is for, how large, and which it builds on."""
    rows = [row_of(room) for room in reversed(ORDER) if room != "__main__"]
    return "\n".join(["| room | what is in it | modules | builds on |", "|---|---|---|---|", *rows])


def row_of(room: str) -> str:
    """Describe one room."""
    paths = sorted((PACKAGE / room).rglob("*.py")) or [PACKAGE / f"{room}.py"]
    says = first_sentence(importlib.import_module(f"anonymizer.{room}"))
    below = used_by(paths) - {room, "__init__"}
    listed = ", ".join(f"`{each}`" for each in ORDER if each in below)
    return f"| `{room}` | {says} | {len(paths)} | {listed or 'nothing of ours'} |"


def used_by(paths: list[Path]) -> set[str]:
    """Return the rooms that some modules import from."""
    found: set[str] = set()
    for path in paths:
        for module, name in imports_of(path):
            if module == "anonymizer":
                found.add(str(name))
            elif module.startswith("anonymizer."):
                found.add(home(module))
    return found & set(ORDER)


def first_sentence(item: Any) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join((inspect.getdoc(item) or "").split("\n\n")[0].split())
