"""Standards of studies, SDTM and OMOP: what their tables and columns are, in a data file for each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Any

from anonymizer.errors import PolicyError, suggest_name

STANDARDS = ("sdtm", "omop")


@dataclass(frozen=True, slots=True)
class KnownColumn:
    """What a standard says of a column."""

    role: str
    reason: str = ""
    since: bool = False
    """Whether it is a date of an event."""
    above: tuple[str, ...] = ()
    """The columns that have the groups of its terms, fine to coarse."""
    concept: bool = False
    """Whether a table of concepts says what is above its values."""


@dataclass(frozen=True)
class Standard:
    """The tables and columns of a standard, in small letters."""

    title: str
    people: str
    id: str
    index: str | None
    """The column of the people table from which events are counted; None: their first event."""
    columns: Mapping[str, Any]
    tables: Mapping[str, Mapping[str, Any]]
    name: str | None = None
    """The form of the names of other tables; None: there are no others."""

    @staticmethod
    def read(name: str) -> Standard:
        """Read what is known of a standard; a PolicyError says which there are."""
        if name not in STANDARDS:
            raise PolicyError(f"study: '{name}' is no standard; {suggest_name(name, STANDARDS)}")
        text = (files("anonymizer.proposal") / f"{name}.toml").read_text(encoding="utf-8")
        return Standard(**{"index": None, **tomllib.loads(text)})

    def has(self, table: str) -> bool:
        """Whether a table is one of the standard by its name."""
        plain = table.lower()
        form = self.name is not None and re.fullmatch(self.name, plain) is not None
        return plain in self.tables or plain == self.people or form

    def column(self, table: str, column: str) -> KnownColumn | None:
        """Return what is known of a column of a table; None where that is nothing."""
        plain, domain = column.lower(), table.lower()
        if keys := self.tables.get(domain, {}).get(plain):
            return self.known(keys, domain)
        for pattern, keys in self.columns.items():
            if fnmatchcase(plain, pattern.replace("--", domain)):
                return self.known(keys, domain)
        return None

    def known(self, keys: Mapping[str, Any], domain: str) -> KnownColumn:
        """Return the keys of a column, its domain put in."""
        above = tuple(each.replace("--", domain) for each in keys.get("above", ()))
        return KnownColumn(**{**keys, "above": above})
