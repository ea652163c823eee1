"""What the studio does, as a command line and as Python: the policy file says everything else."""

from __future__ import annotations

import shlex

from anonymizer.data.table import Table
from anonymizer.studio.folder import Folder


def commands_for(folder: Folder, table: Table) -> list[dict[str, str]]:
    """Return each question with the command and the Python that ask it."""
    policy, release, original = str(folder.policy), str(folder.release), table.name
    released = str(folder.release / table.file_name)
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
            "title": "Verify the release",
            "shell": shell("anonymizer", "verify", released, policy, "--against", original),
            "python": (
                "from anonymizer import verify\n\n"
                f"found = verify({released!r}, {policy!r}, against={original!r})\n"
                "assert found.passed"
            ),
        },
    ]


def shell(*words: str) -> str:
    """Write a command line, with quotes where they are needed."""
    return shlex.join(words)
