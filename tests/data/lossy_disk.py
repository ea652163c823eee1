"""A disk that a power cut may take unsynced writes from: every state that it may be left in."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import Any

import pytest

TORN = "torn"
"""The content of a file that was not synced: anything."""

State = dict[str, str]
"""The files of a folder by name, with their content."""


class LossyDisk:
    """The files of one folder as they are after a power cut at any moment.

    What was synced stays: a file's content when the file was, and its name when the folder was. Of names
    that changed since, each is what it was or any that it has had, whatever became of the others.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        there = [path for path in folder.iterdir() if path.is_file()]
        self.content = {path.stat().st_ino: path.read_text() for path in there}
        self.names: dict[str, list[int | None]] = {
            path.name: [path.stat().st_ino] for path in there
        }
        self.states: list[State] = []
        """What a power cut may leave, at each moment."""
        self.synced_folders: set[int] = set()
        for name in ("replace", "unlink", "fsync"):
            monkeypatch.setattr(os, name, self.watch(getattr(os, name), getattr(self, name)))

    def watch(self, real: Any, note: Any) -> Any:
        def watched(*arguments: Any, **options: Any) -> None:
            before = [self.number_of(each) for each in arguments]
            real(*arguments, **options)
            if not options:  # names that are relative to an open folder are not of ours
                note(before[0], *arguments)
                self.states += self.possible()

        return watched

    def number_of(self, path: Any) -> int | None:
        try:
            return os.stat(path).st_ino
        except FileNotFoundError:
            return None

    def replace(self, number: int, old: Path, new: Path) -> None:
        self.rename(Path(old), None)
        self.rename(Path(new), number)

    def unlink(self, _: int, path: Path) -> None:
        self.rename(Path(path), None)

    def rename(self, path: Path, number: int | None) -> None:
        if path.parent == self.folder:
            self.names.setdefault(path.name, [None]).append(number)

    def fsync(self, number: int, file: int) -> None:
        if os.path.isdir(file):
            self.synced_folders.add(number)
        else:
            self.content[number] = os.pread(file, 1 << 20, 0).decode()
        if number == self.number_of(self.folder):
            self.names = {name: numbers[-1:] for name, numbers in self.names.items()}

    def possible(self) -> list[State]:
        """Every state that a power cut may leave now."""
        return [
            {
                name: self.content.get(number, TORN)
                for name, number in zip(self.names, chosen, strict=True)
                if number is not None
            }
            for chosen in product(*(dict.fromkeys(numbers) for numbers in self.names.values()))
        ]
