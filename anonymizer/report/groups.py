"""The groups that a policy keeps: how many of each stay, and how many go in any case."""

from __future__ import annotations

from collections.abc import Sequence

from anonymizer.report.page import share, whole
from anonymizer.report.sections import FigureTable, Section
from anonymizer.solution.groups import KeptGroup

HEADER = "group", "of", "kept", "share kept", "at least", "go at every scheme"


def groups_section(groups: Sequence[KeptGroup]) -> tuple[Section, ...]:
    """Show what is kept of each group; nothing where the policy keeps none."""
    if not groups:
        return ()
    rows = tuple(
        (
            group.where,
            f"{whole(group.size)} {group.counted}",
            whole(group.kept),
            share(group.share),
            share(group.at_least),
            whole(group.gone_anyway),
        )
        for group in groups
    )
    said = (
        "A record of a group costs what any other does; a scheme that keeps too few is not allowed."
    )
    return (Section("Groups that are kept", (said,), (FigureTable(HEADER, rows),)),)
