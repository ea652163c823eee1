"""The history of a policy: every text it had, with undo and redo, and the file that has the newest."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from anonymizer.data.staging import replace_file
from anonymizer.errors import AnonymizerError


class StaleError(AnonymizerError):
    """A change was made to a policy that has changed meanwhile."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A text of the policy, and what made it."""

    text: str
    label: str


class History:
    """The texts that a policy file has had since the studio was opened.

    The revision counts every change, undo and redo included: a change states the revision that it was
    made for, and is refused if that is not the newest.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.entries = [Entry(text, "opened")]
        self.at = 0
        self.revision = 1

    @staticmethod
    def open(path: Path) -> History:
        """Take up a policy file."""
        return History(path, path.read_text(encoding="utf-8"))

    @property
    def text(self) -> str:
        """The policy as it is."""
        return self.entries[self.at].text

    @property
    def label(self) -> str:
        """What was done last."""
        return self.entries[self.at].label

    @property
    def undone(self) -> str | None:
        """What undo would take back; None where there is nothing."""
        return self.label if self.at else None

    @property
    def redone(self) -> str | None:
        """What redo would bring back; None where there is nothing."""
        return self.entries[self.at + 1].label if self.at + 1 < len(self.entries) else None

    def check(self, revision: int) -> None:
        """Raise a StaleError unless a change was made for the newest text, also of the file."""
        self.adopt()
        if revision != self.revision:
            raise StaleError(
                "the policy has changed meanwhile, on another page or in its file; "
                "look at what is new, and make the change again."
            )

    def adopt(self) -> bool:
        """Take in what an editor made of the file; return whether there was anything."""
        try:
            there = self.path.read_text(encoding="utf-8")
        except OSError:  # a file that is gone is written again with the next change
            return False
        if there == self.text:
            return False
        self.add(there, "edited in the file")
        return True

    def push(self, text: str, label: str) -> None:
        """Write a new text; what was undone before is forgotten."""
        replace_file(self.path, text.encode())
        self.add(text, label)

    def add(self, text: str, label: str) -> None:
        """Note a text that the file has."""
        self.entries = [*self.entries[: self.at + 1], Entry(text, label)]
        self.at += 1
        self.revision += 1

    def move(self, steps: int) -> bool:
        """Go back (-1) or forth (1) in the history; return whether there was anything."""
        if not 0 <= self.at + steps < len(self.entries):
            return False
        replace_file(self.path, self.entries[self.at + steps].text.encode())
        self.at += steps
        self.revision += 1
        return True

    def difference(self) -> list[str]:
        """Return the lines that the last step changed, as a unified difference without its header."""
        if not self.at:
            return []
        old, new = self.entries[self.at - 1].text, self.text
        lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
        return [line for line in lines if not line.startswith(("---", "+++", "@@"))]
