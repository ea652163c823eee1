"""The report of a soak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from anonymizer import __version__
from experiments.soak.depth import DEPTHS
from experiments.soak.failure import Failure, Found

SIZES = {
    "tables": 3_000,
    "kills": 200,
    "inputs": 10_000,
    "studio": 6_000,
    "files": 700,
    "servers": 100,
}
"""The cases of a full soak."""
WHAT = {
    "inputs": (
        "commands on valid files with some values swapped for others that are right somewhere, or "
        "one value, byte, row or key changed: no traceback, one-sentence errors, exit status 0, 1 or 2, "
        "nothing half-written, nothing outside `--out`, no cell in a message; every release is verified"
    ),
    "files": (
        "commands on hostile files, in a process that may take 2 GiB: bombs, damaged and wrongly named "
        "files of all kinds, strange ARX projects, links, names that a terminal, a browser or a "
        "spreadsheet obeys, 100,000 columns, endless hierarchies; as above, and nothing shown as it is"
    ),
    "servers": (
        "runs on a PostgreSQL server that is stopped at a random moment: one sentence, no manifest "
        "without its release, no released table without its manifest, nothing left behind"
    ),
    "studio": (
        "questions to the studio's API, right but for one thing, or not right at all: an answer, or one "
        "sentence with a status of 4xx; nothing in the terminal, no event that says that something "
        "should not have happened, no thread that died"
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
    code: str
    """The day of the code that it was run with."""
    failures: list[Failure]
    depths: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many cases of each kind got how deep."""

    def and_then(self, found: Found, seconds: float, code: str) -> Part:
        """Return the part with the cases that were run next."""
        since = code if not self.cases else self.code.partition(" to ")[0]
        return replace(
            self,
            cases=self.cases + found.cases,
            seconds=self.seconds + seconds,
            code=code if since == code else f"{since} to {code}",
            failures=self.failures + found.failures,
            depths=self.depths + found.depths,
        )

    def by_kind(self) -> dict[str, dict[str, int]]:
        """Return the cases of each kind, by depth."""
        kinds = sorted({kind for kind, _ in self.depths})
        return {kind: {depth: self.depths[kind, depth] for depth in DEPTHS} for kind in kinds}


def write_page(parts: Sequence[Part]) -> str:
    """Write the report in Markdown."""
    rows = [
        f"| {part.name} | {part.cases:,} | {SIZES[part.name]:,} | {part.seed} | {part.code} | "
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
            "| part | cases run | full size | seed | code of | failures | what was run |",
            "|---|---|---|---|---|---|---|",
            *rows,
            "",
            *write_depths(parts),
            "",
            "## Failures",
            "",
            *(found or ["None."]),
            "",
        )
    )


def write_depths(parts: Sequence[Part]) -> list[str]:
    """Write how deep the cases got, by part and kind."""
    counted = [(part.name, kind, each) for part in parts for kind, each in part.by_kind().items()]
    total = {depth: sum(each[depth] for _, _, each in counted) for depth in DEPTHS}
    deep, cases = sum(total[depth] for depth in DEPTHS[2:]), sum(total.values())
    lines = [
        f"| {part} | {kind} | " + " | ".join(f"{each[depth]:,}" for depth in DEPTHS) + " |"
        for part, kind, each in (*counted, ("all", "", total))
    ]
    return [
        "## How deep they got",
        "",
        "`door`: refused with what describes the work (options, policy, spec, manifest). `read`: refused "
        "while tables and hierarchies were read and put together. `search`: refused after all was read, "
        "in the search or what the command does in its place. `written`: the command succeeded. "
        "`verified`: and what it wrote was verified against the files that it was made from.",
        "",
        f"{deep:,} of {cases:,} ({deep / max(1, cases):.0%}) got past the reading.",
        "",
        f"| part | kind | {' | '.join(DEPTHS)} |",
        f"|---|---|{'---|' * len(DEPTHS)}",
        *lines,
    ]
