"""Mending: what is wrong with a table that cannot be read, and what may be said of it so that it can."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonymizer.data.csv import CsvTable
from anonymizer.data.opening import EXCEL, FILES
from anonymizer.errors import DataError

HEAD = 1 << 14
"""Bytes of a text that are looked at."""
LINES, LENGTH = 8, 200
"""So many lines are shown, each of at most so many characters."""
ENCODINGS = {
    "utf-8": "UTF-8",
    "cp1252": "Windows, Western Europe",
    "cp1250": "Windows, Central Europe",
    "latin-1": "ISO Latin 1",
    "utf-16": "UTF-16",
}
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


@dataclass(frozen=True, slots=True)
class Fault:
    """A table that cannot be read."""

    path: Path
    said: str
    """What is wrong, without the path of the file."""
    stated: Mapping[str, str] = field(default_factory=dict)
    """What was said of it so far."""

    def describe(self) -> dict[str, Any]:
        """Return it as JSON, with the choices there are, and the first lines in each encoding."""
        texts, sheets = read_texts(self.path), read_sheets(self.path)
        return {
            "file": self.path.name,
            "said": self.said,
            "stated": dict(self.stated),
            "encodings": {name: ENCODINGS[name] for name in texts},
            "texts": texts,
            "delimiters": DELIMITERS if texts else {},
            "sheets": sheets,
        }


class UnreadableError(DataError):
    """A table cannot be read as it is."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.said)
        self.fault, self.described = fault, fault.describe()


def fault_of(path: Path, error: DataError, stated: Mapping[str, str]) -> Fault:
    """Say what is wrong with a table, naming the file alone."""
    said = str(error).replace(f"{path.parent}{os.sep}", "") if path.parent.parts else str(error)
    return Fault(path, said, stated)


def stated_of(asked: Mapping[str, Any]) -> dict[str, str]:
    """Take what is said of a table; a DataError refuses what cannot be said."""
    known: dict[str, Mapping[str, str] | None] = {
        "delimiter": DELIMITERS, "encoding": ENCODINGS, "sheet": None,
    }  # fmt: skip
    stated = {key: asked[key] for key in known if asked.get(key) not in (None, "")}
    for key, value in stated.items():
        choices = known[key]
        if not isinstance(value, str) or (choices is not None and value not in choices):
            raise DataError(f"{value!r} is no {key} to choose; choose one of the list.")
    return stated


def read_texts(path: Path) -> dict[str, list[str]]:
    """Return the first lines of a text in every encoding that it may have; none of what is no text."""
    if FILES.get(path.suffix.lower(), CsvTable) is not CsvTable:
        return {}
    with path.open("rb") as file:
        head = file.read(HEAD)
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not head or (b"\0" in head and not wide):
        return {}
    texts = {}
    for name in ENCODINGS:
        if (name == "utf-16") is wide and (text := decode(head, name)) is not None:
            texts[name] = [line[:LENGTH] for line in text.splitlines()[:LINES]]
    return texts


def decode(head: bytes, encoding: str) -> str | None:
    """Decode the beginning of a text; None where it is not in this encoding."""
    for cut in range(4):  # the last character may be cut
        try:
            return head[: len(head) - cut].decode(encoding)
        except UnicodeDecodeError:
            continue
    return None


def read_sheets(path: Path) -> list[str]:
    """Return the names of the sheets of a workbook; none of another file."""
    if FILES.get(path.suffix.lower()) is not EXCEL:
        return []
    try:
        import openpyxl

        book = openpyxl.load_workbook(path, read_only=True)
        names = [str(name) for name in book.sheetnames]
        book.close()
    except Exception:  # a workbook that cannot be opened has no sheets to choose from
        return []
    return names
