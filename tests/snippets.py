"""Runs the code of a Markdown page, block by block, as a reader would.

A block with a title is a file. `console` has commands after `$` and what they print, `pycon` a session,
`python` is run in one namespace for the page, and `toml` without a title must be what it looks like. In
what is printed, `...` leaves something out and blanks do not count. `sh` and `text` are not run.
"""

from __future__ import annotations

import doctest
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonymizer import Policy, Statement
from anonymizer.attackers.disclosure import parse_disclosing
from anonymizer.decision.context import Context
from anonymizer.hierarchy import parse_spec

BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CHECKER = doctest.OutputChecker()
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

STATUS = "echo $?"
NOT_RUN = ("sh", "text")

Run = Callable[..., tuple[int, str, str]]


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    language: str
    title: str
    text: str


def blocks_of(markdown: str) -> Iterator[Block]:
    """Find the blocks of code on a page."""
    return (Block(*found) for found in BLOCK.findall(markdown))


@dataclass
class Page:
    """A page that is being run in the current folder."""

    name: str
    run: Run
    """The command line."""
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    status: int = 0
    """Of the last command."""

    def follow(self, markdown: str) -> None:
        """Do what the page says, from top to bottom."""
        for block in blocks_of(markdown):
            if block.title:
                path = Path(block.title)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            elif block.language == "toml":
                check_toml(tomllib.loads(block.text))
            elif block.language == "python":
                exec(compile(block.text, self.name, "exec", dont_inherit=True), self.names)
            elif block.language == "pycon":
                self.hold_session(block.text)
            elif block.language == "console":
                self.give_commands(block.text)
            else:
                assert block.language in NOT_RUN, f"{self.name}: {block.language} is never run"

    def hold_session(self, text: str) -> None:
        """Run a session and compare what it answers."""
        test = doctest.DocTestParser().get_doctest(text, self.names, self.name, self.name, 0)
        said: list[str] = []
        doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=said.append, clear_globs=False)
        assert not said, "".join(said)
        self.names.update(test.globs)

    def give_commands(self, text: str) -> None:
        """Give each command and compare what it prints; it succeeds, unless the page shows its status."""
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            found = f"{self.status}\n" if command == STATUS else self.give(command)
            difference = f"{self.name}: {command}\n{expected}\n---\n{found}"
            assert STATUS in text or self.status == 0, difference
            assert CHECKER.check_output(expected, found, OPTIONS), difference

    def give(self, command: str) -> str:
        """Run one command and return what it prints."""
        words = [found for word in shlex.split(command) for found in expand(word)]
        assert words[0] == "anonymizer", f"{self.name}: only our own command is run: {command}"
        self.status, out, errors = self.run(*words[1:])
        return out + errors


def expand(word: str) -> list[str]:
    """Expand a pattern as a shell does."""
    return sorted(str(path) for path in Path().glob(word)) if "*" in word else [word]


def check_toml(keys: dict[str, Any]) -> None:
    """Check that keys are those of a policy, of the part of one, or of another file of ours."""
    if "builder" in keys:
        parse_spec(keys).build("example")
    elif any("usage" in each for each in keys.get("source", ())):
        parse_disclosing(keys)
    elif "source" in keys:
        Statement(**keys)
    elif "organization" in keys:
        Context(**keys)
    elif keys.keys() <= Policy.model_fields.keys() - {"folder"}:
        attributes = {
            "patient_id": {"role": "identifying"},
            "sex": {"role": "quasi", "hierarchy": "sex.csv"},
        }
        Policy(**{"attributes": attributes, "risk": [{"model": "k-anonymity", "k": 2}], **keys})
    else:
        assert keys.keys() == {"project"}, f"what is this? {keys}"
