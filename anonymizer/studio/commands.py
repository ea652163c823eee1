"""What the studio does, as a command line and as Python: the policy file says everything else."""

from __future__ import annotations

import shlex

from anonymizer.data.table import Table
from anonymizer.data.written import FileKind, release_name
from anonymizer.studio.folder import Folder


def commands_for(folder: Folder, table: Table, file: FileKind | None) -> list[dict[str, str]]:
    """Return each question with the command and the Python that ask it."""
    policy, release, original = str(folder.policy), str(folder.release), table.name
    released = str(folder.release / release_name(table, file))
    context = ["--context", str(folder.context)] if folder.context.is_file() else []
    return [
        {
            "title": "Find the optimum and write the release",
            "shell": shell("anonymizer", "run", policy, "--out", release),
            "python": (
                "from anonymizer import anonymize, write_release\n\n"
                f"solution = anonymize(None, {policy!r})\n"
                f"files = write_release(solution, {release!r})"
            ),
        },
        {
            "title": "Explain it",
            "shell": shell("anonymizer", "run", policy, "--out", release, "--explain"),
            "python": (
                "from anonymizer import anonymize, compare, explain\n\n"
                f"solution = anonymize(None, {policy!r})\n"
                "explanation, comparison = explain(solution), compare(solution)"
            ),
        },
        {
            "title": "Compare thresholds",
            "shell": shell(
                "anonymizer", "frontier", policy, "--out", str(folder.path / "frontier")
            ),
            "python": (f"from anonymizer import frontier\n\nfound = frontier(None, {policy!r})"),
        },
        {
            "title": "Say what attackers could do",
            "shell": shell(
                "anonymizer", "assess", policy, "--out", str(folder.path / "assessment")
            ),
            "python": f"from anonymizer import assess\n\nfound = assess(None, {policy!r})",
        },
        {
            "title": "Verify the release",
            "shell": shell("anonymizer", "verify", released, policy, "--against", original),
            "python": (
                "from anonymizer import verify\n\n"
                f"found = verify({released!r}, {policy!r}, against={original!r})\n"
                "assert found.passed"
            ),
        },
        {
            "title": "Write the decision page",
            "shell": shell("anonymizer", "decision", policy, released, "--out", release, *context),
            "python": (
                "from anonymizer.decision.decision import decide\n\n"
                f"decision = decide({released!r}, {policy!r})\n"
                "assert decision.acceptable"
            ),
        },
    ]


def shell(*words: str) -> str:
    """Write a command line, with quotes where they are needed."""
    return shlex.join(words)
