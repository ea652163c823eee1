"""What can go wrong, as one family: each message is one sentence that says what, where and what to do.

A message counts and locates cells of tables about people, and shows them only within `show_values`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Self

MOST_FAULTS = 100
"""So many faults of one place are listed."""


class AnonymizerError(Exception):
    """A mistake the user can fix; its text is all the user needs to see."""

    faults: tuple[str, ...] = ()
    """The sentences of the message one by one, without the place."""

    def __str__(self) -> str:
        """Return the message as it can be shown, whatever the names in it are."""
        return legible(super().__str__())

    @classmethod
    def defective(cls, where: str, faults: Sequence[str]) -> Self:
        """Say everything that is wrong in one place.

        >>> print(AnonymizerError.defective("zip.csv", ["row 2 is empty.", "row 3 is too."]))
        zip.csv has 2 defects:
          - row 2 is empty.
          - row 3 is too.
        """
        lines = [f"  - {fault}" for fault in faults[:MOST_FAULTS]]
        if len(faults) > MOST_FAULTS:
            lines.append(f"  - and {len(faults) - MOST_FAULTS:,} more.")
        several = "\n".join([f"{where} has {len(faults):,} defects:", *lines])
        error = cls(f"{where}: {faults[0]}" if len(faults) == 1 else several)
        error.faults = tuple(faults)
        return error


class DataError(AnonymizerError):
    """The table cannot be read or does not fit the policy."""


class PolicyError(AnonymizerError):
    """The policy is incomplete or contradicts itself."""


class InfeasibleError(AnonymizerError):
    """No scheme the policy allows meets its risk models within the suppression limit."""


class ReleaseError(AnonymizerError):
    """A release cannot be made, written or read back."""


class ClusterError(AnonymizerError):
    """Workers outside this process cannot be reached, or cannot be used."""


class HierarchyError(AnonymizerError):
    """A hierarchy has defects, or a value of the table has no leaf in it."""

    @classmethod
    def uncovered(
        cls,
        attribute: str,
        values: Sequence[str],
        source: str | None = None,
        remedy: str | None = None,
    ) -> HierarchyError:
        """Say which values of a column have no leaf, and what to do; `remedy` is another way.

        >>> with show_values():
        ...     print(HierarchyError.uncovered("zip", ["1", "2"], "zip.csv"))
        column 'zip': 2 values have no row in its hierarchy: '1', '2'. Add them to zip.csv.
        """
        many = counted(len(values), "value has", "values have")
        them = "it" if len(values) == 1 else "them"
        return cls(
            f"column '{attribute}': {many} no row in its hierarchy{list_cells(values)}. "
            f"Add {them} to {source or 'the hierarchy'}{'' if remedy is None else f', {remedy}'}."
        )


class AnonymizerWarning(UserWarning):
    """Something the user should know about, though the run goes on."""


def legible(message: str, longest: int = 1000) -> str:
    """Take out of a message what a terminal would obey, and cut words that nobody reads to the end.

    >>> legible("no column '\x1b[31mage'"), legible("no column 'aaaaaaaaaa'", longest=8)
    ("no column ' [31mage'", "no column 'aaaa...")
    """
    shown = map(printable, message.split("\n"))
    cut = (
        " ".join(shorten(word, longest) for word in line.split(" "))
        if len(line) > longest
        else line
        for line in shown
    )
    return "\n".join(cut)


def printable(text: str) -> str:
    """Write a text on one line, without what a terminal would obey.

    >>> printable("one\\n\\x1b[31mtwo")
    'one  [31mtwo'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def shorten(text: str, most: int = 60) -> str:
    """Write a text on one line of at most so many characters, so that no message shows a whole cell.

    >>> shorten("one\\ntwo"), shorten("abcdefgh", most=6)
    ('one two', 'abc...')
    """
    line = printable(text[: most + 1])
    return line if len(line) <= most else f"{line[: most - 3]}..."


def percent(share: float, digits: int = 1) -> str:
    """Write a share, or a difference of shares, in percent: 0 % and 100 % are exact.

    What is too small for so many digits has two significant ones; what is not a number is not known.

    >>> percent(0.184), percent(0.5, 0), percent(-0.1), percent(0.0), percent(1.0)
    ('18.4 %', '50 %', '-10.0 %', '0 %', '100 %')
    >>> percent(0.00012), percent(0.9999), percent(0.996, 0), percent(1.0003)
    ('0.012 %', 'over 99.9 %', 'over 99 %', 'over 100 %')
    """
    if math.isnan(share):
        return "not known"
    if share < 0:
        return f"-{percent(-share, digits)}"
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    shown, step = 100 * share, 10.0**-digits
    text = f"{shown:.{digits}f}"
    if float(text) == 100:
        return "over 100 %" if share > 1 else f"over {100 - step:.{digits}f} %"
    return f"{text} %" if shown >= step else f"{shown:.2g} %"


def quote(value: object) -> str:
    """Write a value for a message.

    >>> quote(" 34")
    "' 34'"
    """
    return f"'{shorten(str(value))}'"


def quote_some(values: Iterable[object], most: int = 5) -> str:
    """List the first few values for a message.

    >>> quote_some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = [quote(value) for value in values]
    rest = len(shown) - most
    return ", ".join(shown) if rest <= 0 else ", ".join(shown[:most]) + f" and {rest} more"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write a number of things; several are called as one with an s unless stated.

    >>> counted(1, "error"), counted(2, "error"), counted(1_000, "leaf", "leaves")
    ('1 error', '2 errors', '1,000 leaves')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


HIDDEN = " (hidden without --show-values)"
_values_shown = ContextVar("values_shown", default=False)


@contextmanager
def show_values(shown: bool = True) -> Iterator[None]:
    """Let messages show cells of tables about people; without it they only count and locate them.

    >>> with show_values():
    ...     list_cells(["34"])
    ": '34'"
    """
    before = _values_shown.set(shown)
    try:
        yield
    finally:
        _values_shown.reset(before)


def values_shown() -> bool:
    """Whether messages may show cells."""
    return _values_shown.get()


def list_cells(values: Iterable[object]) -> str:
    """End a clause about cells of a table about people with the cells, if they may be shown.

    >>> list_cells(["34"])
    ' (hidden without --show-values)'
    """
    return f": {quote_some(values)}" if values_shown() else HIDDEN


def suggest_cell(name: str, values: Iterable[str]) -> str:
    """End a sentence about a value that no cell has, with those there are if they may be shown.

    >>> suggest_cell("x", ["F", "M"])
    'use one that does (hidden without --show-values).'
    """
    return suggest_name(name, values) if values_shown() else f"use one that does{HIDDEN}."


def suggest_name(name: object, known: Iterable[str], most: int = 9) -> str:
    """End a sentence about an unknown name with the one that was meant, or with those there are.

    >>> suggest_name("aeg", ["age", "sex"]), suggest_name("x", ["age", "sex"])
    ("did you mean 'age'?", "use one of 'age', 'sex'.")
    """
    names = list(known)
    close = get_close_matches(name, names, n=1) if isinstance(name, str) else []
    return f"did you mean '{close[0]}'?" if close else f"use one of {quote_some(names, most)}."


def import_extra(
    module: str, what: str, extra: str, error: type[AnonymizerError] = DataError
) -> Any:
    """Import a module that is installed with an extra of the package, or say how to install it.

    >>> import_extra("no_such_library", "a regression", "evidence")
    Traceback (most recent call last):
    anonymizer.errors.DataError: a regression needs the package no_such_library; install it with \
`pip install 'anonymizer[evidence]'`.
    """
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0].replace("sklearn", "scikit-learn")
        raise error(
            f"{what} needs the package {library}; install it with `pip install 'anonymizer[{extra}]'`."
        ) from None
