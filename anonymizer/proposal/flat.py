"""Hierarchies of a single step over dates or numbers: each value is kept or goes to the top."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from anonymizer.errors import AnonymizerWarning
from anonymizer.hierarchy import Hierarchy
from anonymizer.problem import Problem
from anonymizer.proposal.content import content_of

FEW_VALUES = 20
"""So many values or fewer need no step in between."""


def warn_of_flat(problem: Problem) -> None:
    """Warn where dates or numbers have no step between the value and the top.

    Nearly all of them are then different, so that most records are suppressed or the column is lost.
    """
    for sentence in find_flat(problem.hierarchies):
        warnings.warn(f"{problem.table.name}: {sentence}", AnonymizerWarning, stacklevel=4)


def find_flat(hierarchies: Sequence[Hierarchy]) -> Iterator[str]:
    """Say which hierarchies should have steps in between."""
    for hierarchy in hierarchies:
        if hierarchy.height > 2 or hierarchy.size <= FEW_VALUES:
            continue
        content = content_of(hierarchy.leaves)
        if content.in_order:
            yield (
                f"'{hierarchy.name}' holds {content.value}, {hierarchy.size:,} different ones, but its "
                "hierarchy has no step between the value and the top, so that records are suppressed or "
                "the column is lost. Let `anonymizer hierarchy suggest` propose another."
            )
