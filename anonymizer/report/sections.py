"""Sections of a report: a question, the answer in sentences, and figures; for the terminal and a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from markupsafe import Markup
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

FIGURE = re.compile(r"$|-$|none$|not known$|[-+]?\d")
"""How a cell that is a figure begins."""
STYLES = {"good": "green", "bad": "red", "open": "yellow"}
"""How the terminal shows a tone."""


class Toned(str):
    """A text with a tone: `good`, `bad`, `open`, `missing`; or `quiet`, which the terminal leaves out."""

    tone: str

    def __new__(cls, text: str, tone: str) -> Self:
        """Give a text a tone."""
        made = super().__new__(cls, text)
        made.tone = tone
        return made


class Shaded(Toned):
    """A figure on a coloured ground, with what a page says when it is pointed at; or one that is bad."""

    colour: str
    says: str

    @classmethod
    def of(cls, text: str, colour: str, says: str, breaks: bool) -> Self:
        """Give a figure its ground; the terminal, which has none, marks one that is bad."""
        made = cls(text, "bad" if breaks else "")
        made.colour, made.says = colour, says
        return made


def good(text: str) -> Toned:
    """Mark a text as what is acceptable."""
    return Toned(text, "good")


def bad(text: str) -> Toned:
    """Mark a text as what is not acceptable."""
    return Toned(text, "bad")


def quiet(text: str) -> Toned:
    """Mark a sentence as beside the point: a page shows it in grey, the terminal has no room for it."""
    return Toned(text, "quiet")


def answer(question: str, *sentences: str) -> Markup:
    """Say what a paragraph is about in bold, and then that."""
    return Markup("<b>{}</b> {}").format(question, " ".join(sentences))


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A table of figures with a header; one with a title is a detail for the page, which has room."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    folded: str = ""
    """What a page says in place of the table until it is unfolded; the terminal shows the table."""

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold figures, and stand on the right; the first one names the row."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.header)
        return tuple(
            number > 0 and all(map(FIGURE.match, column)) for number, column in enumerate(columns)
        )


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture for the page; the terminal has none."""

    svg: Markup
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One question of a steward, with the answer in sentences, figures and pictures."""

    title: str
    sentences: tuple[str, ...]
    figures: tuple[FigureTable, ...] = ()
    pictures: tuple[Picture, ...] = ()
    folded: tuple[Picture, ...] = ()
    """Pictures that a page shows when asked."""
    parts: tuple[Section, ...] = ()
    """Sections of a section, for the page."""
    details: str = ""
    """What a page says in place of the parts until they are unfolded."""
    anchor: str = ""
    """What a link on the page calls it."""

    @property
    def has_answer(self) -> bool:
        """Whether there is more than what is beside the point."""
        return bool(self.figures) or any(tone(sentence) != "quiet" for sentence in self.sentences)


def overview(sections: Iterable[Section]) -> tuple[Section, ...]:
    """Return sections without their parts, as the terminal and a notebook have them."""
    return tuple(replace(section, parts=()) for section in sections)


def show_sections(sections: Iterable[Section]) -> Group:
    """Show sections on the terminal."""
    parts: list[Text | Grid] = []
    for section in sections:
        if section.title:
            parts.append(Text(f"\n{section.title}", style="bold"))
        parts += [text(sentence) for sentence in section.sentences if tone(sentence) != "quiet"]
        for figures in section.figures:
            if not figures.title:
                parts += [Text(), grid(figures)]
    return Group(*parts)


def grid(figures: FigureTable) -> Grid:
    """Make a table for the terminal; a label such as [20-30[ is text, not markup."""
    made = Grid(
        box=None,
        padding=(0, 2, 0, 0),  # a scheme fits 80 columns
        pad_edge=False,
        show_header=bool(figures.header),
    )
    header = figures.header or ("",) * len(figures.numeric)
    for name, numeric in zip(header, figures.numeric, strict=True):
        made.add_column(Text(name), justify="right" if numeric else "left")
    for row in figures.rows:
        made.add_row(*map(text, row))
    return made


def tone(said: str) -> str:
    """Return the tone of a text; an ordinary text has none."""
    return said.tone if isinstance(said, Toned) else ""


def unmarked(said: str) -> str:
    """Return a text without markup."""
    return said.striptags() if isinstance(said, Markup) else str(said)


def text(said: str) -> Text:
    """Return a text for the terminal, in the colour of its tone."""
    plain = unmarked(said)
    if isinstance(said, Shaded) and said.tone:
        plain += "!"
    return Text(plain, style=STYLES.get(tone(said), ""))
