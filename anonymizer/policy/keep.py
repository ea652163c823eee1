"""Groups of records that a release must keep, each told by a condition on one column.

A condition is read, never run: a policy is not a program.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from anonymizer.data.column import same_text
from anonymizer.errors import quote, suggest_name
from anonymizer.hierarchy.values import parse_number
from anonymizer.policy.formula import NAME
from anonymizer.validation import Number, Part, Text

CONDITION = re.compile(rf"\s*(?:{NAME})\s*(?P<sign>!=|<=|>=|=|<|>|in\b)(?P<rest>.*)", re.DOTALL)
VALUE = re.compile(
    r"\s*(?:'(?P<quoted>[^']*)'|(?P<plain>[^\s'`(),=<>!](?:[^'`(),=<>!]*[^\s'`(),=<>!])?))\s*"
)
HOW = (
    "write it as died = 1, ward != 'A, left', age >= 80 or ward in (A, B), with a column that is not a "
    "plain word in `backquotes`"
)
ORDERED: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""The signs that compare numbers."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What the cells of one column must be; numbers and times are equal in any spelling.

    >>> condition = Condition.parse("ward in (A, 'B, left')")
    >>> condition.column, condition.values
    ('ward', ('A', 'B, left'))
    >>> Condition.parse("died = 1").meets(["0", "1", "1.0", ""]).tolist()
    [False, True, True, False]
    >>> Condition.parse("age >= 80").meets(["79", "80.5", ""]).tolist()
    [False, True, False]
    """

    column: str
    sign: str
    values: tuple[str, ...]

    @staticmethod
    def parse(text: str) -> Condition:
        """Read a condition; a ValueError says how one is written."""
        found = CONDITION.fullmatch(text)
        if found is None:
            raise ValueError(f"{quote(text)} is not a condition on a column; {HOW}")
        column, sign, rest = found["quoted"] or found["plain"], found["sign"], found["rest"].strip()
        parts = [rest]
        if sign == "in":
            if not (rest.startswith("(") and rest.endswith(")")):
                raise ValueError(f"{quote(text)} has no values in brackets after 'in'; {HOW}")
            parts = split_values(rest[1:-1])
        read = [VALUE.fullmatch(part) for part in parts]
        values = tuple(
            each["plain"] if each["quoted"] is None else each["quoted"] for each in read if each
        )
        if len(values) < len(parts):
            raise ValueError(f"{quote(text)} does not end with a value; {HOW}")
        if sign in ORDERED and parse_number(values[0]) is None:
            raise ValueError(
                f"{quote(values[0])} is not a number, and {sign} compares numbers; {HOW}"
            )
        return Condition(column, sign, values)

    def meets(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Mark the texts that meet it; a ValueError names one that is no number where it compares.

        A missing cell is a value of its own: it differs from all others, and is not compared.
        """
        if self.sign in ORDERED:
            return self.compare(texts)
        wanted = set(map(same_text, self.values))
        inside = np.array([same_text(text) in wanted for text in texts], np.bool_)
        return ~inside if self.sign == "!=" else inside

    def compare(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Mark the texts that are numbers on the right side."""
        limit, holds = parse_number(self.values[0]), ORDERED[self.sign]
        assert limit is not None  # parse
        numbers = [parse_number(text) for text in texts]
        if any(n is None and text.strip() for n, text in zip(numbers, texts, strict=True)):
            raise ValueError(
                f"column '{self.column}' has cells that are not numbers, which {self.sign} compares; use "
                "=, != or in"
            )
        return np.array([n is not None and holds(n, limit) for n in numbers], np.bool_)


def split_values(text: str) -> list[str]:
    """Split a list of values at its commas, but not inside quotes.

    >>> split_values("A, 'B, left'")
    ['A', " 'B, left'"]
    """
    return re.split(r",(?=(?:[^']*'[^']*')*[^']*$)", text)


class Keep(Part):
    """A group of records, and the share of it that must stay in the release."""

    where: Text
    """What tells the group: `column = value`, `!=`, `in (a, b)`, or `<`, `<=`, `>`, `>=` of a number."""
    at_least: Annotated[Number, Field(gt=0, le=1)]
    """The share of its records that must stay; with an id, of its people: who keeps a record of the group
    stays."""

    @field_validator("where")
    @classmethod
    def check_where(cls, where: str) -> str:
        """Check that the condition can be read."""
        Condition.parse(where)
        return where

    @property
    def condition(self) -> Condition:
        """The condition, read."""
        return Condition.parse(self.where)


def faults_of_keep(groups: Sequence[Keep], others: Mapping[str, Any]) -> Iterator[str]:
    """Say which groups are of no column or stated twice, and what goes with none."""
    data, attributes = others.get("data"), others.get("attributes", {})
    for number, keep in enumerate(groups):
        column = keep.condition.column
        if data is not None and data.default_role is None and column not in attributes:
            names = suggest_name(column, attributes)
            yield f"{quote(keep.where)} names '{column}', which is not a column; {names}"
        if data is not None and data.id == column:
            yield f"{quote(keep.where)} names the id, which tells whose a row is; name another column"
        if keep.condition in [each.condition for each in groups[:number]]:
            yield f"{quote(keep.where)} is there twice; leave one of them out"
    release = others.get("release")
    if groups and release is not None and release.in_layers:
        yield "groups are kept under one scheme for all records; leave out keep, or release.layers"
