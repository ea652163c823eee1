"""Elapsed time: days since an index date, in weeks and longer spans that hold whole shorter ones."""

from __future__ import annotations

import re
from dataclasses import field
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, field_validator
from pydantic.dataclasses import dataclass

from anonymizer.hierarchy.builders import AT_TOP, Builder, Columns, Open, beyond, builder
from anonymizer.hierarchy.fields import parse_range
from anonymizer.hierarchy.intervals import Intervals, whole_place
from anonymizer.hierarchy.values import NUMBER, Reading
from anonymizer.validation import CHECKED, NOT_EMPTY, ONLY_LISTS, Text, raise_faults, show

DAYS = {"day": 1, "week": 7, "quarter": 91, "year": 364}
"""The days of each unit: whole weeks, so that a year is four quarters and a quarter 13 weeks."""
SPAN = re.compile(rf"(?:([1-9]\d{{0,3}}) )?({'|'.join(DAYS)})s?")
BEFORE = re.compile(r"-(\d+) to -(\d+)")
NESTED = ("week", "4 weeks", "12 weeks", "48 weeks")
"""Each is made of whole ones of those before, which calendar months and years are not."""


def days_of_span(span: str) -> int | None:
    """Return the days of a span of time; None where it is none.

    >>> days_of_span("4 weeks"), days_of_span("year"), days_of_span("month")
    (28, 364, None)
    """
    found = SPAN.fullmatch(span)
    return None if found is None else int(found[1] or 1) * DAYS[found[2]]


def check_spans(levels: tuple[str, ...]) -> tuple[str, ...]:
    """Check that each level is a span of time that holds whole ones of the level before."""
    units = ", ".join(f'"{unit}"' for unit in DAYS)
    raise_faults(
        f'{show(level)} is not a span; write {units}, or a number of them such as "4 weeks"'
        for level in levels
        if days_of_span(level) is None
    )
    widths = [days_of_span(level) or 1 for level in levels]
    raise_faults(
        f"{show(after)} ({wide} days) does not hold whole spans of {show(before)} ({narrow} days); "
        'choose ones that do, such as "week", "quarter", "year"'
        for (before, after), (narrow, wide) in zip(pairwise(levels), pairwise(widths), strict=True)
        if wide % narrow or wide == narrow
    )
    return levels


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Elapsed(Builder):
    """Days since an index date, in ever longer spans; the days before it are negative.

    A quarter is 13 weeks (91 days), a year four of them (364 days): every span holds whole shorter ones.
    Day 0 starts a span at every level. What lies beyond the `domain` is in the first or the last span.

    >>> list(Elapsed(("week", "2 weeks"), domain=(-7, 20)).rows())[6:8]
    [('-1', '< 0', '< 0', '*'), ('0', '0-6', '0-13', '*')]
    """

    kind: ClassVar[str] = "elapsed"
    ordered: ClassVar[bool] = True
    periods: Annotated[tuple[Text, ...], NOT_EMPTY, AfterValidator(check_spans), ONLY_LISTS] = (
        NESTED
    )
    domain: tuple[int, int] = (-336, 1679)
    """The first and the last day; by default 48 weeks before the index date to 240 weeks after it."""
    open: Open | None = "both"
    """Which ends are open."""
    missing: Text | None = field(default=AT_TOP, kw_only=True)

    @field_validator("domain", mode="plain")
    @classmethod
    def check_domain(cls, domain: Any) -> Any:
        """Check that the domain is a range of whole days."""
        return parse_range(domain)

    @property
    def reading(self) -> Reading:
        """Cells are numbers of days."""
        return NUMBER

    def columns(self) -> Columns:
        """List the days, then the span of each, level by level."""
        widths = tuple(days_of_span(level) or 1 for level in self.periods)
        days, *levels = Intervals(self.domain, widths=widths, open=self.open).columns()
        return [days, *(list(map(name_before, names)) for names in levels)]

    def traits(self) -> dict[str, Any]:
        """Return what knows days beyond the domain."""
        low, high = self.domain
        span = f"the whole numbers from {low} to {high}"
        return {"span": span, **beyond(self, self.open, whole_place)}


def name_before(span: str) -> str:
    """Name a span before the index date so that no spreadsheet takes it for a formula.

    >>> name_before("-7 to -1"), name_before("0-6")
    ('7-1 before', '0-6')
    """
    return BEFORE.sub(r"\1-\2 before", span)
