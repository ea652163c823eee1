"""An experiment on the command line, and the commit that its figures depend on.

A user's mistake is one sentence and exit status 2. What is written to results/NAME/ is listed in its
`commits.csv`: each file with the newest public commit that the code had, and how many files of the code
differed from it. `python -m experiments.running` adds what is not listed, with the commit it came with.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from anonymizer.errors import AnonymizerError
from experiments.datasets import RESULTS, ROOT, add_data_option

COMMITS = "commits.csv"
CODE = ("anonymizer", "attackers", "experiments", "hierarchies")

Row = tuple[str, str]
"""A commit, and how many files differed from it."""


def options_of(
    name: str, description: str | None, data: bool = False, quick: str = ""
) -> argparse.ArgumentParser:
    """Make the parser of an experiment: --out, and --data and --quick where it has them."""
    options = argparse.ArgumentParser(prog=f"python -m experiments.{name}", description=description)
    options.add_argument("--out", type=Path, help="folder to write to")
    if data:
        add_data_option(options)
    if quick:
        options.add_argument("--quick", action="store_true", help=quick)
    return options


def run_main(main: Callable[[], None], name: str) -> None:
    """Run the main function of an experiment, and list what it wrote to results/NAME/."""
    started, folder = time.time(), RESULTS / name
    try:
        main()
    except AnonymizerError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    finally:
        written = [path for path in files_of(folder) if path.stat().st_mtime >= started]
        if written and (row := state_of_code()):
            record(folder, {path.name: row for path in written})


def files_of(folder: Path) -> list[Path]:
    """List the files of a folder that commits are recorded of."""
    return [path for path in sorted(folder.glob("*")) if path.is_file() and path.name != COMMITS]


def state_of_code() -> Row | None:
    """Return the commit that others have too and what differs from it; None outside of a repository."""
    commit = git("merge-base", "HEAD", "@{upstream}") or git("rev-parse", "HEAD")
    folders = [folder for folder in CODE if (ROOT / folder).is_dir()]
    changed = git("diff", "--name-only", commit, "--", *folders) if commit else ""
    return (commit[:12], str(len(changed.split("\n")) if changed else 0)) if commit else None


def git(*words: str) -> str:
    """Return what git says, or nothing."""
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def recorded(folder: Path) -> dict[str, Row]:
    """Read the commits of a folder's files."""
    if not (folder / COMMITS).is_file():
        return {}
    with (folder / COMMITS).open(newline="", encoding="utf-8") as file:
        return {row["file"]: (row["commit"], row["changed"]) for row in csv.DictReader(file)}


def record(folder: Path, rows: Mapping[str, Row]) -> None:
    """Add rows to a folder's list, and drop those of files that are gone."""
    names = {path.name for path in files_of(folder)}
    known = {name: row for name, row in (recorded(folder) | dict(rows)).items() if name in names}
    with (folder / COMMITS).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "commit", "changed"])
        writer.writerows([name, *known[name]] for name in sorted(known))


def add_unlisted(folder: Path) -> None:
    """List the files that are not listed yet with the commit that they came with."""
    known = recorded(folder)
    came = {
        path.name: (git("log", "-1", "--format=%H", "--", str(path))[:12], "0")
        for path in files_of(folder)
        if path.name not in known
    }
    if came := {name: row for name, row in came.items() if row[0]}:
        record(folder, came)


if __name__ == "__main__":
    for each in sorted(RESULTS.iterdir()):
        add_unlisted(each)
