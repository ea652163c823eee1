"""The report of a soak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonymizer import __version__
from experiments.soak.failure import Failure

SIZES = {"inputs": 5_000, "kills": 200, "tables": 3_000}
"""The cases of a full soak."""
WHAT = {
    "inputs": (
        "commands on valid files with one value, byte, row or key changed: no traceback, one-sentence "
        "errors, exit status 0, 1 or 2, nothing half-written, nothing outside `--out`, no cell in a "
        "message; one release in three is verified, one command in fifty runs in a new process"
    ),
    "kills": (
        "runs that SIGKILL, SIGTERM or SIGINT ended at a random moment: the old release or the new one "
        "with its own manifest, and nothing left behind after the next run"
    ),
    "tables": (
        "random tables whose optimum and release were compared with those of an oracle that shares no "
        "code: loss within 1e-9, the same suppressed records and levels, every released row its stated "
        "generalization, every model met"
    ),
}


@dataclass(frozen=True)
class Part:
    """What came of one part."""

    name: str
    cases: int
    seed: int
    seconds: float
    failures: list[Failure]


def write_page(parts: Sequence[Part]) -> str:
    """Write the report in Markdown."""
    rows = [
        f"| {part.name} | {part.cases:,} | {SIZES[part.name]:,} | {part.seed} | "
        f"{len(part.failures):,} | {WHAT[part.name]} |"
        for part in parts
    ]
    failures = [failure for part in parts for failure in part.failures]
    found = [
        f"- {failure.part} {failure.case}: {failure.what.splitlines()[0]}\n  `{failure.reproduce}`"
        for failure in failures
    ]
    return "\n".join(
        (
            "# Soak",
            "",
            f"`make soak` with anonymizer {__version__}. A case is drawn from the seed and its number.",
            "",
            "| part | cases run | full size | seed | failures | what was run |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            "## Failures",
            "",
            *(found or ["None."]),
            "",
        )
    )
