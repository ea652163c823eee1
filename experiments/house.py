"""python -m experiments.house: how large the package is, room by room, and how large it was.

Writes results/house/. A line of code is one that is neither blank, nor a comment, nor part of a docstring
or of a field's description.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tarfile
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import pandas as pd

import anonymizer
from anonymizer import Policy, anonymize, write_release
from anonymizer.data.staging import Staging
from anonymizer.hierarchy import BUILDERS
from anonymizer.hierarchy.builders import Builder
from anonymizer.policy import ANALYSES
from anonymizer.risk import MODELS
from anonymizer.risk.model import RiskModel
from anonymizer.search.params import SearchParams
from anonymizer.utility import Measure
from docs.generate.blocks import PARTS
from docs.generate.keys import fields_of
from experiments.datasets import RESULTS
from experiments.running import git, options_of, run_main

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, EXAMPLE = ROOT / "anonymizer", ROOT / "docs" / "example"
FOLDERS = ("anonymizer", "tests", "experiments")
BEFORE = "2193890c"
"""The commit that figures are compared with unless another is named: the first that had some."""
README = """# How large the house is

Written by `python -m experiments.house`, compared with commit {before}. A room is a folder.
`rooms.csv`: modules and lines of code of each room of the package, {modules} and {lines:,} in all.
`change.csv`: the same beside what they were. `folders.csv`: package, tests and experiments alike.
`names.csv`: what a newcomer must tell apart, and how many modules a cell passes from CSV to release.
Blank lines, comments and docstrings do not count.
"""
SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


def lines_of_code(source: str) -> int:
    '''Count the lines with code on them.

    >>> lines_of_code('"""A module."""\\n\\nx = 1  # one\\n# a comment\\n"""What x is."""\\n')
    1
    '''
    described = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    code = {
        line
        for token in tokens
        if token.type not in SKIPPED and token.string
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(code - described)


def modules(folder: str = "anonymizer", commit: str | None = None) -> Iterator[tuple[str, str]]:
    """List the modules of a folder, now or at a commit: the room that each is in, and its source."""
    found = in_commit(commit, folder) if commit else in_checkout(folder)
    for path, source in found:
        yield (path.parts[1] if len(path.parts) > 2 else "top level"), source


def in_checkout(folder: str) -> Iterator[tuple[PurePosixPath, str]]:
    """List the modules that are there, with their sources."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield PurePosixPath(path.relative_to(ROOT).as_posix()), path.read_text(encoding="utf-8")


def in_commit(commit: str, folder: str) -> Iterator[tuple[PurePosixPath, str]]:
    """List the modules that a commit has, with their sources."""
    command = ["git", "-C", str(ROOT), "archive", commit, folder]
    packed = subprocess.run(command, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            if member.name.endswith(".py") and (file := archive.extractfile(member)):
                yield PurePosixPath(member.name), file.read().decode("utf-8")


def measure_rooms(folder: str = "anonymizer", commit: str | None = None) -> pd.DataFrame:
    """Count the modules and lines of each room of a folder, all of them last."""
    rows = pd.DataFrame(
        [(room, 1, lines_of_code(source)) for room, source in modules(folder, commit)],
        columns=["room", "modules", "lines"],
    )
    rooms = rows.groupby("room", sort=True).sum().reset_index()
    total = pd.DataFrame([{"room": "all", **rooms[["modules", "lines"]].sum().to_dict()}])
    return pd.concat([rooms, total], ignore_index=True)


def measure_names() -> pd.DataFrame:
    """Count what a newcomer has to tell apart."""
    classes: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    compiled = 0
    for room, source in modules():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                classes[node.name] += 1
                outside[node.name] += room != "proof"
            if isinstance(node, ast.FunctionDef):
                marks = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
                compiled += bool(marks & {"kernel", "inlined"})
    figures = {
        "classes": len(classes),
        "class names that occur twice": sum(count > 1 for count in classes.values()),
        "of these outside proof": sum(count > 1 for count in outside.values()),
        "members of a risk model": count_members(RiskModel),
        "members of a measure": count_members(Measure),
        "compiled functions": compiled,
        "fields of the search's parameters": len(fields(SearchParams)),
        "public names": len(anonymizer.__all__),
        "keys of policies and what they name": len(list(keys_of_files())),
        "modules that work in a run": len(modules_of_a_run()),
    }
    return pd.DataFrame(list(figures.items()), columns=["what", "number"])


def compare(now: dict[str, pd.DataFrame], commit: str) -> dict[str, pd.DataFrame]:
    """Set the rooms of the package, and the folders, beside what they were at a commit."""
    then = {folder: measure_rooms(folder, commit) for folder in FOLDERS}
    return {
        "change": beside(then["anonymizer"], now["anonymizer"], "room"),
        "folders": beside(totals(then), totals(now), "folder"),
    }


def totals(rooms: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the last line of each folder's rooms: all of them."""
    rows = [(folder, *table.iloc[-1].tolist()[1:]) for folder, table in rooms.items()]
    return pd.DataFrame(rows, columns=["folder", "modules", "lines"])


def beside(before: pd.DataFrame, after: pd.DataFrame, key: str) -> pd.DataFrame:
    """Set two counts side by side; what is on one side alone counts as none on the other."""
    sides = before.merge(after, on=key, how="outer", suffixes=(" before", " after")).fillna(0)
    return sides.astype({name: int for name in sides.columns if name != key})


def keys_of_files() -> Iterator[tuple[str, str]]:
    """List the keys of a policy and of what it names: the table that each is in, and its name."""
    declared = {place: PARTS[place] for place in PARTS if place != "context"}
    declared |= {f"model {name}": model for name, model in MODELS.items()}
    declared |= {f"analysis {kind}": analysis for kind, analysis in ANALYSES.items()}
    declared |= {"builder": Builder}
    for place, declaration in declared.items():
        yield from ((place, name) for name, *_ in fields_of(declaration))
    common = {name for name, *_ in fields_of(Builder)}
    for kind, own in BUILDERS.items():
        names = (name for name, *_ in fields_of(own) if name not in common)
        yield from ((f"builder {kind}", name) for name in names)


def count_members(contract: type) -> int:
    """Count what an author of a model or measure finds in its contract."""
    own = {*vars(contract), *getattr(contract, "__annotations__", {})}
    return sum(not name.startswith("_") for name in own)


def modules_of_a_run() -> set[str]:
    """List the modules of which a function is called between a CSV file and its release."""
    called: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            called.add(frame.f_code.co_filename)

    policy = Policy.read(EXAMPLE / "policy.toml")
    with TemporaryDirectory() as folder:
        sys.setprofile(note)
        try:
            write_release(anonymize(EXAMPLE / "discharges.csv", policy), folder)
        finally:
            sys.setprofile(None)
    return {name for name in called if name.startswith(str(PACKAGE))}


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, compare, print and write."""
    options = options_of("house", __doc__)
    options.add_argument("--since", default=BEFORE, help="the commit to compare with")
    given = options.parse_args(arguments)
    with Staging(given.out or RESULTS / "house") as staging:
        now = {folder: measure_rooms(folder) for folder in FOLDERS}
        tables = {"rooms": now["anonymizer"], "names": measure_names()}
        if git("rev-parse", "--verify", "--quiet", f"{given.since}^{{commit}}"):
            tables |= compare(now, given.since)
        for name, table in tables.items():
            table.to_csv(staging.path(f"{name}.csv"), index=False)
            print(table.to_string(index=False), end="\n\n")
        _, modules, lines = now["anonymizer"].iloc[-1]
        said = README.format(before=given.since, modules=modules, lines=lines)
        staging.path("README.md").write_text(said, encoding="utf-8")


if __name__ == "__main__":
    run_main(main, "house")
