"""Formulas of regressions: a response and the terms that explain it, in a small part of R's notation.

Only names, `C(...)`, `:` and `+` are read, and nothing is evaluated: a policy is not a program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

NAME = r"`(?P<quoted>[^`]+)`|(?P<plain>[^\W\d][\w.]*)"
FACTOR = re.compile(rf"\s*(?:(?P<category>C)\(\s*(?:{NAME})\s*\)|{NAME.replace('P<', 'P<n_')})\s*")
HOW = "write it as stay ~ age + C(ward) + age:sex, with names that are not plain words in `backquotes`"


@dataclass(frozen=True, slots=True)
class Factor:
    """A column in a term; `C(...)` makes categories of one that holds numbers."""

    name: str
    category: bool = False

    def __str__(self) -> str:
        return f"C({self.name})" if self.category else self.name


@dataclass(frozen=True, slots=True)
class Formula:
    """What is explained, and by what: each term is a column, or several that interact.

    >>> formula = Formula.parse("stay ~ age + C(`ward no`) + age:sex")
    >>> formula.response, [":".join(map(str, term)) for term in formula.terms]
    ('stay', ['age', 'C(ward no)', 'age:sex'])
    """

    response: str
    terms: tuple[tuple[Factor, ...], ...]

    @staticmethod
    def parse(text: str) -> Formula:
        """Read a formula; a ValueError says how one is written."""
        sides = split(text, "~")
        if len(sides) != 2:
            what = "there is no ~ in it" if len(sides) < 2 else "there is more than one ~ in it"
            raise ValueError(f"{what}; {HOW}")
        left, right = sides
        response, *others = read_term(left)
        if response.category or others:
            raise ValueError(f"the response is one plain column; {HOW}")
        terms = tuple(tuple(read_term(part)) for part in split(right, "+"))
        names = [{factor.name for factor in term} for term in terms]
        if any(response.name in term for term in names):
            raise ValueError(f"'{response.name}' is on both sides of ~; keep it on the left")
        if any(terms.count(term) > 1 for term in terms):
            raise ValueError("a term is there twice; remove one")
        return Formula(response.name, terms)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, the response first."""
        explaining = (factor.name for term in self.terms for factor in term)
        return tuple(dict.fromkeys([self.response, *explaining]))


def read_term(text: str) -> Iterator[Factor]:
    """Read the factors of a term, which colons separate."""
    parts = split(text, ":")
    for part in parts:
        found = FACTOR.fullmatch(part)
        if found is None:
            what = f"{part.strip()!r} is not a column" if part.strip() else "a column is missing"
            raise ValueError(f"{what}; {HOW}")
        names = (found["quoted"], found["plain"], found["n_quoted"], found["n_plain"])
        yield Factor(next(name for name in names if name), found["category"] is not None)


def split(text: str, mark: str) -> list[str]:
    """Split a text at a mark, but not inside backquotes.

    >>> split("`a+b` + c", "+")
    ['`a+b` ', ' c']
    """
    return re.split(rf"{re.escape(mark)}(?=(?:[^`]*`[^`]*`)*[^`]*$)", text)
