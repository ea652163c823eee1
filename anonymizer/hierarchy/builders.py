"""Builders: a few parameters that stand for a whole hierarchy, each a frozen value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

from pydantic import model_validator
from pydantic.dataclasses import dataclass

from anonymizer.errors import HierarchyError, quote_some, suggest_name
from anonymizer.hierarchy.fields import Values, expand
from anonymizer.hierarchy.hierarchy import Growth, Hierarchy
from anonymizer.hierarchy.levels import MISSING, Levels
from anonymizer.hierarchy.values import TEXT, Reading
from anonymizer.validation import CHECKED, Text, plain_errors

Columns = list[list[str]]
"""For each level below the top, the values of all leaves."""
Open = Literal["low", "high", "both"]
"""Which ends of a domain are open: what lies beyond is in the first or the last group."""
LOW: tuple[Open, ...] = ("low", "both")
HIGH: tuple[Open, ...] = ("high", "both")
"""The openings in which an end is open."""
AT_TOP = "top"
"""Where missing cells go unless a group is named."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True, config=CHECKED)
class Builder(ABC):
    """What builders have in common: values that stay themselves up to the top, and the top."""

    kind: ClassVar[str]
    ordered: ClassVar[bool] = False
    """Whether the leaves are listed in an order that their groups keep."""
    others: Values = ()
    """Values outside the pattern, such as "unknown"; each stays apart until the top."""
    top: Text = "*"
    missing: Text | None = None
    """Where missing cells go: "top" keeps them apart until the top, the name of a group of level 1 puts
    them there. Left out, they are kept apart, with a warning where there are any."""

    @abstractmethod
    def columns(self) -> Columns:
        """List the values of all leaves, level by level, leaves first, without others and top."""

    @property
    def reading(self) -> Reading:
        """How cells are read."""
        return TEXT

    def traits(self) -> dict[str, Any]:
        """Return what else the hierarchy is made with: widths, and what knows values not listed."""
        return {}

    def remedy(self) -> str | None:
        """Say what else than adding it helps with a value that is not covered; None: nothing."""
        return None

    @model_validator(mode="after")
    def check_others(self) -> Self:
        """Check that what is outside the pattern is not inside, and that missing cells have a place."""
        if self.files:
            return self  # checked once they are read
        columns = self.columns() if self.others or self.missing not in (None, AT_TOP) else []
        known = set(columns[0]) if self.others else set()
        if double := [other for other in expand(self.others) if other in known]:
            raise ValueError(f"others: already a leaf: {quote_some(double)}; leave it out here")
        if self.missing not in (None, AT_TOP):
            groups = dict.fromkeys(
                [*(columns[1] if len(columns) > 1 else ()), *expand(self.others)]
            )
            if self.missing not in groups:
                names = suggest_name(str(self.missing), ["top", *groups])
                raise ValueError(
                    f"missing: no group of level 1 is called so; {names[:-1]}{names[-1:]}"
                )
        return self

    def all_columns(self) -> Columns:
        """List the values of all leaves, level by level, with others, missing cells and top."""
        columns, others = self.columns(), expand(self.others)
        columns = [[*column, *others] for column in columns]
        if self.missing is not None:
            self._place_missing(columns)
        return [*columns, [self.top] * len(columns[0])]

    def _place_missing(self, columns: Columns) -> None:
        """Add the row of missing cells."""
        at = None if self.missing == AT_TOP else columns[1].index(str(self.missing))
        for level, column in enumerate(columns):
            column.append(MISSING if at is None or level == 0 else column[at])

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the keys name."""
        return ()

    def resolve(self, folder: Path) -> Builder:  # noqa: ARG002 - of those that name no files
        """Return the builder with what is in the files it names, relative to a folder."""
        return self

    def rows(self) -> Iterator[tuple[str, ...]]:
        """List the rows of the hierarchy, one for each leaf."""
        return zip(*self.resolve(Path()).all_columns(), strict=True)

    def build(self, name: str, source: str | None = None, folder: Path = Path()) -> Hierarchy:
        """Make the hierarchy of the attribute `name`; files are relative to the folder."""
        own = self.resolve(folder)
        levels = Levels.of_columns(own.all_columns())
        made = Hierarchy.from_levels(name, levels, source, own.ordered)
        return replace(made, reading=own.reading, remedy=own.remedy(), **own.traits())


def builder(cls: type[T]) -> type[T]:
    """Let a builder say in our sentences what is wrong with its keys."""
    kind = cls.kind  # type: ignore[attr-defined]  # pydantic's decorator hides the base from mypy
    return plain_errors(HierarchyError, f"builder '{kind}'")(cls)


# --- open ends: what lies beyond a domain that lists its values ---


@plain_dataclass(frozen=True)
class Beyond(Growth):
    """Values beyond an open end: above level 0, what the nearest listed value becomes."""

    open: Open
    place: Callable[[str], float | None]
    """The place of a value in the order of all; None where it is not one of the domain's kind."""
    first: tuple[str, ...]
    last: tuple[str, ...]
    """The rows of the lowest and the highest value that is listed."""

    def row_of(self, value: str) -> tuple[str, ...] | None:
        """Return what a value becomes; None unless it lies beyond an open end."""
        place = self.place(value)
        lowest, highest = self.place(self.first[0]), self.place(self.last[0])
        if place is None or lowest is None or highest is None:
            return None
        if place < lowest and self.open in LOW:
            return (value, *self.first[1:])
        if place > highest and self.open in HIGH:
            return (value, *self.last[1:])
        return None

    def position(self, value: str) -> float | None:
        """Return what values are sorted by."""
        return self.place(value)


def beyond(
    builder: Builder, ends: Open | None, place: Callable[[str], float | None]
) -> dict[str, Any]:
    """Return the trait of a hierarchy that knows values beyond its ends; nothing where none is open."""
    if ends is None:
        return {}
    columns = builder.columns()
    first, last = ((*(column[at] for column in columns), builder.top) for at in (0, -1))
    return {"growth": Beyond(ends, place, first, last)}


def name_ends(
    names: Sequence[str], ends: Open | None, low: str, high: str, everything: str
) -> list[str]:
    """Name the groups of a level, the first and the last by their open ends.

    >>> name_ends(["0-17", "18-64", "65-90"], "high", "< 18", "65+", "any")
    ['0-17', '18-64', '65+']
    """
    renamed = list(names)
    if len(renamed) == 1 and ends == "both":
        return [everything]
    if ends in LOW:
        renamed[0] = low
    if ends in HIGH:
        renamed[-1] = high
    return renamed
