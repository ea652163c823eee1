"""How lists and tables are written on the pages of experiments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def bullets(items: Iterable[str]) -> str:
    """Write one item a line."""
    return "\n".join(f"- {item}" for item in items)


def listed(words: Iterable[str], joined: str = "and") -> str:
    """Write a list as people do.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = words
    return f"{', '.join(most)} {joined} {last}" if most else last


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table.

    >>> print(markdown(["k", "quality"], [["5", "0.8"]]))
    | k | quality |
    | --- | --- |
    | 5 | 0.8 |
    """
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
