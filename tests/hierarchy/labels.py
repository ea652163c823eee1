"""What the labels of intervals say, read back as numbers: slow and obvious."""

from __future__ import annotations

from fractions import Fraction


def bounds_of(label: str, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Return where an interval begins and ends; an open end reaches the end of the domain."""
    if label == "any number":
        return low, high
    if label.startswith("< "):
        return low, Fraction(label[2:])
    if label.startswith(">= "):
        return Fraction(label[3:]), high
    first, last = label[1:-1].split(", ")
    return Fraction(first), Fraction(last)


def holds(label: str, number: Fraction) -> bool:
    """Whether a number is in the interval that a label names."""
    if label == "any number":
        return True
    if label.startswith("< "):
        return number < Fraction(label[2:])
    if label.startswith(">= "):
        return number >= Fraction(label[3:])
    first, last = label[1:-1].split(", ")
    return Fraction(first) <= number and (
        number <= Fraction(last) if label.endswith("]") else number < Fraction(last)
    )
