"""Imports point one way, between folders and inside them, and only the kernels know numba."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import anonymizer
from docs.generate import architecture
from docs.generate.architecture import ORDER, home, imports_of

pytestmark = pytest.mark.quick

PACKAGE = Path(anonymizer.__file__).parent

FREE = {"__init__"}
"""The package itself names everything, but imports it only when asked."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    """The dotted name of a module; a folder's is that of its `__init__`."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path) for path in MODULES}


def imported_modules(path: Path) -> set[str]:
    """The modules of ours that a module imports; a folder counts where a name is taken from it."""
    found = set()
    for module, taken in imports_of(path):
        inner = f"{module}.{taken}"
        if inner in NAMES:
            found.add(inner)
        elif module in NAMES:
            found.add(module)
    return found


def test_every_module_has_a_place() -> None:
    homeless = {home(name) for name in NAMES} - {*ORDER, *FREE}
    assert not homeless, f"add {homeless} to ORDER where they belong"


def test_imports_point_down() -> None:
    above = {name_of(path): modules_above(path) for path in MODULES}
    assert not {name: found for name, found in above.items() if found}


def modules_above(path: Path) -> set[str]:
    """The modules that a module imports from a folder above its own."""
    place = home(name_of(path))
    if place in FREE:
        return set()
    below = ORDER[: ORDER.index(place) + 1]  # its own folder included
    return {name for name in imported_modules(path) if home(name) not in {*below, *FREE}}


def test_no_module_takes_a_public_name_from_the_package() -> None:
    for path in MODULES:
        taken = {name for module, name in imports_of(path) if module == "anonymizer"}
        assert taken <= {"__version__"}, f"{path}: import {taken} from where it lives"


def test_imports_inside_folders_form_no_circle() -> None:
    graph = {
        name_of(path): imported_modules(path) - {name_of(path)}
        for path in MODULES
        if home(name_of(path)) not in FREE
    }
    # a folder's own module names what is in it, so that inside the folder nothing may ask it
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_only_kernels_know_numba_and_they_know_only_errors_of_ours() -> None:
    known = {
        "__future__", "collections", "contextlib", "hashlib", "io", "math", "numba", "numpy",
        "pathlib", "pickle", "threading", "time", "typing", "warnings",
    }  # fmt: skip
    for path in MODULES:
        names = {module for module, _ in imports_of(path)}
        allowed = ("anonymizer.kernels", "anonymizer.errors")
        others = {name for name in names if not name.startswith(allowed)}
        roots = {name.split(".")[0] for name in others}
        if home(name_of(path)) == "kernels":
            assert roots <= known, path
        else:
            assert "numba" not in roots, path


def test_the_architecture_page_draws_no_arrow_that_is_not_an_import(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "search.driver.search" in architecture.describe_flow()
    monkeypatch.setattr(architecture, "FLOW", "lattice:Lattice\n  solution.solution:anonymize\n")
    with pytest.raises(ValueError, match="does not import anonymize"):
        architecture.describe_flow()


def test_the_architecture_page_has_every_room_and_only_rooms_below_it() -> None:
    rows = architecture.describe_rooms().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == [*reversed(ORDER[:-1])]
    for row in rows:
        room, below = row.split("`")[1], row.split("|")[-2].split("`")[1::2]
        assert all(ORDER.index(each) < ORDER.index(room) for each in below), room
