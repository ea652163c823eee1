"""Imports point one way, and only the kernels know numba."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import anonymizer

PACKAGE = Path(anonymizer.__file__).parent

LAYERS = [
    ["errors", "kernels", "lattice", "paths", "toml"],
    ["hierarchy"],
    ["cells", "table", "domain", "microdata", "generalized"],
    ["classes"],
    ["risk", "utility", "suppression"],
    ["policy", "evaluate"],
    ["search"],
    ["files", "release", "solution", "manifest", "resume"],
    ["fitting", "claims", "against", "verification"],
    ["sweep", "frontiers", "attack"],
    ["measurement", "blocking", "explanation"],
    ["report", "demo"],
    ["cli", "__main__"],
]
"""From the ground up: a module may import what stands before it, in its own line or above."""

ORDER = [name for layer in LAYERS for name in layer]

FREE = {"__init__"}
"""The package itself names everything, but imports it only when asked."""

KERNELS = "anonymizer.kernels"

MODULES = sorted(PACKAGE.rglob("*.py"))


def module_id(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


def home(path: Path) -> str:
    """The module or folder right below the package."""
    return module_id(path).split("/")[0]


def imported_modules(path: Path) -> Iterator[str]:
    """Every module named in an import, wherever it stands, for types only or not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where they point"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_homes(path: Path) -> set[str]:
    prefix = f"{PACKAGE.name}."
    ours = (name for name in imported_modules(path) if name.startswith(prefix))
    return {name.removeprefix(prefix).split(".")[0] for name in ours}


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_every_module_has_a_place(path: Path) -> None:
    assert home(path) in {*ORDER, *FREE}, f"add {home(path)} to LAYERS where it belongs"


@pytest.mark.parametrize("path", [path for path in MODULES if home(path) in ORDER], ids=module_id)
def test_imports_point_down(path: Path) -> None:
    below = ORDER[: ORDER.index(home(path)) + 1]  # its own folder included
    above = {name for name in imported_homes(path) if name in ORDER and name not in below}
    assert not above


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_only_kernels_know_numba_and_they_know_nothing_else_of_ours(path: Path) -> None:
    others = {name for name in imported_modules(path) if not name.startswith(KERNELS)}
    roots = {name.split(".")[0] for name in others}
    if home(path) == "kernels":
        assert roots <= {"__future__", "math", "numba", "numpy", "typing"}
    else:
        assert "numba" not in roots
