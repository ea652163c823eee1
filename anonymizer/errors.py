"""What can go wrong, as one family: each message is one sentence that says what, where and what to do."""

from __future__ import annotations

from collections.abc import Iterable


class AnonymizerError(Exception):
    """A mistake the user can mend; its text is all the user needs to see."""


class DataError(AnonymizerError):
    """The table cannot be read or does not fit the policy."""


class PolicyError(AnonymizerError):
    """The policy is incomplete or contradicts itself."""


class ReleaseError(AnonymizerError):
    """A release cannot be made, written or read back."""


class HierarchyError(AnonymizerError):
    """A hierarchy has defects, or a value of the table has no leaf in it."""


class AnonymizerWarning(UserWarning):
    """Something the user should know about, though the run goes on."""


def quote_some(values: Iterable[object], most: int = 5) -> str:
    """List the first few values for a message.

    >>> quote_some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = [f"'{value}'" for value in values]
    rest = len(shown) - most
    return ", ".join(shown) if rest <= 0 else ", ".join(shown[:most]) + f" and {rest} more"
