"""What the studio does, as a command line and as Python: the policy file says everything else."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from anonymizer.data.release import FileKind
from anonymizer.data.table import Table
from anonymizer.studio.folder import Folder


def commands_for(folder: Folder, table: Table, file: FileKind | None) -> list[dict[str, str]]:
    """Return each question with the command and the Python that ask it."""
    policy, release, original = str(folder.policy), str(folder.release), table.name
    released = str(folder.release / table.file_name(file))
    context = ["--context", str(folder.context)] if folder.context.is_file() else []
    return [
        command(
            "Find the optimum and write the release",
            ["run", policy, "--out", release],
            "from anonymizer import anonymize, write_release\n\n"
            f"solution = anonymize(None, {policy!r})\n"
            f"files = write_release(solution, {release!r})",
        ),
        command(
            "Explain it",
            ["run", policy, "--out", release, "--explain"],
            "from anonymizer import anonymize, compare, explain\n\n"
            f"solution = anonymize(None, {policy!r})\n"
            "explanation, comparison = explain(solution), compare(solution)",
        ),
        command(
            "Compare thresholds",
            ["frontier", policy, "--out", str(folder.path / "frontier")],
            f"from anonymizer import frontier\n\nfound = frontier(None, {policy!r})",
        ),
        command(
            "Say what attackers could do",
            ["assess", policy, "--out", str(folder.path / "assessment")],
            f"from anonymizer import assess\n\nfound = assess(None, {policy!r})",
        ),
        command(
            "Verify the release",
            ["verify", released, policy, "--against", original],
            "from anonymizer import verify\n\n"
            f"found = verify({released!r}, {policy!r}, against={original!r})\n"
            "assert found.passed",
        ),
        command(
            "Write the decision page",
            ["decision", policy, released, "--out", release, *context],
            "from anonymizer.decision.decision import decide\n\n"
            f"decision = decide({released!r}, {policy!r})\n"
            "assert decision.acceptable",
        ),
    ]


def command(title: str, words: Sequence[str], python: str) -> dict[str, str]:
    """Return a question with its command line, quoted where needed, and its Python."""
    return {"title": title, "shell": shlex.join(["anonymizer", *words]), "python": python}
