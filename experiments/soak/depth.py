"""How deep a case got: refused at the door, while tables were read, in the search, or written.

Some functions of the package are wrapped so that they note that they were called.
"""

from __future__ import annotations

import functools
import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable
from typing import Any

import anonymizer

DEPTHS = ("door", "read", "search", "written", "verified")
"""From the outside in. What is past `read` has been read whole."""
MARKS = {
    "read": (
        "data.opening:open_table",
        "hierarchy.spec:load_hierarchy",
        "hierarchy.spec:check_file",
        "proposal.arx_import:translate",
        "solution.manifest:read_manifest",
        "solution.resume:read_checkpoint",
        "published.reading:read_rows",
    ),
    "search": (
        "search.driver:search",
        "solution.layered:search_layers",
        "solution.layered:given_layers",
        "solution.solution:make_solution",
        "verification.verification:check_release",
        "assessment.procedure:follow_procedure",
        "assessment.scenario_risk:assess_scenarios",
        "attackers.disclosed:assess_disclosure",
        "frontiers.frontier:sweep_problem",
        "attacks.attack:run",
        "analyses.evidence:evidence_of",
        "published.verdict:assess_published",
        "proposal.proposal:assemble",
        "hierarchy.suggest:suggest",
        "hierarchy.draw:draw",
        "proposal.arx_import:check_policy",
    ),
}
"""Functions that are called only by a command that got so far."""
reached: set[str] = set()
"""How far the command that runs now got."""
to_note: list[int] = []
"""The pipe that is told how far the command of this process got, where there is one."""


def deepest(some: Iterable[str]) -> str:
    """Return the last of some depths; the door where there is none.

    >>> deepest({"search", "read"}), deepest(())
    ('search', 'door')
    """
    return max(some, key=DEPTHS.index, default=DEPTHS[0])


def note_to(pipe: int) -> None:
    """Tell a pipe from now on how far this process gets: one byte for each mark that it passes."""
    to_note[:] = [pipe]


def watch() -> None:
    """Have functions note how far a command got."""
    for found in pkgutil.walk_packages(anonymizer.__path__, "anonymizer."):
        if "studio" not in found.name and not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    for depth, names in MARKS.items():
        for name in names:
            module, function = name.split(":")
            wrap(getattr(sys.modules[f"anonymizer.{module}"], function), depth)


def wrap(function: Callable[..., Any], depth: str) -> None:
    """Have a function note that it is called, wherever it has been imported."""

    @functools.wraps(function)
    def noted(*given: Any, **named: Any) -> Any:
        reached.add(depth)
        for pipe in to_note:
            os.write(pipe, bytes([DEPTHS.index(depth)]))
        return function(*given, **named)

    for name, module in list(sys.modules.items()):
        if name.startswith("anonymizer"):
            for key, value in list(vars(module).items()):
                if value is function:
                    setattr(module, key, noted)
