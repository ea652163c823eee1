"""Sections of a report: a question, the answer in sentences, and figures; for the terminal and a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

FIGURE = re.compile(r"$|-$|none$|not known$|[-+]?\d")
"""How a cell that is a figure begins."""


@dataclass(frozen=True, slots=True)
class Figures:
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
    figures: tuple[Figures, ...] = ()
    pictures: tuple[Picture, ...] = ()
    folded: tuple[Picture, ...] = ()
    """Pictures that a page shows when asked."""


def show_sections(sections: Iterable[Section]) -> Group:
    """Show sections on the terminal."""
    parts: list[Text | Grid] = []
    for section in sections:
        parts.append(Text(f"\n{section.title}", style="bold"))
        parts += [Text(sentence) for sentence in section.sentences]
        for figures in section.figures:
            if not figures.title:
                parts += [Text(), grid(figures)]
    return Group(*parts)


def grid(figures: Figures) -> Grid:
    """Make a table for the terminal; a label such as [20-30[ is text, not markup."""
    made = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False)  # a scheme fits 80 columns
    for name, numeric in zip(figures.header, figures.numeric, strict=True):
        made.add_column(Text(name), justify="right" if numeric else "left")
    for row in figures.rows:
        made.add_row(*(Text(cell) for cell in row))
    return made
