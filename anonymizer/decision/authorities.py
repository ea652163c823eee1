"""Authorities: in which order their readers look for the sections of a decision page.

The mapping is a data file, `authorities.toml`, and our reading: no authority has approved it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("authorities.toml")


class Authority(StrEnum):
    """Whose headings a decision page may follow."""

    EMA = "ema"
    HEALTH_CANADA = "health-canada"
    HIPAA = "hipaa"
    ISO27559 = "iso27559"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, and what of the decision page answers it."""

    heading: str
    sections: tuple[str, ...]
    """Keys of sections, or of the context as in `context.purpose`."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The headings of one authority's document, in order."""

    name: str
    source: str
    headings: str
    """Whose words the headings are."""
    parts: tuple[Heading, ...]

    def __str__(self) -> str:
        return (
            f"In the order of: {self.name}. Source: {self.source}. The headings are {self.headings}. "
            "Which section answers a heading is anonymizer's reading; no authority has approved it."
        )


@cache
def outlines() -> Mapping[Authority, Outline]:
    """Read the headings of every authority."""
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {Authority(key): outline_of(stated) for key, stated in found.items()}


def outline_of(stated: Mapping[str, object]) -> Outline:
    """Make the outline of one authority."""
    sections = stated["sections"]
    assert isinstance(sections, list)
    parts = tuple(Heading(each["heading"], tuple(each["from"])) for each in sections)
    return Outline(str(stated["name"]), str(stated["source"]), str(stated["headings"]), parts)
