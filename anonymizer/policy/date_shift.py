"""Which columns of dates move, and what the rest of a policy must say for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonymizer.policy.parts import Attribute, Release, Role


def faults_of_shift(
    attributes: Mapping[str, Attribute], others: Mapping[str, Any], linked: bool
) -> Iterator[str]:
    """Say what a date shift lacks, or what cannot move; `attributes` are those of all tables."""
    release, data = others.get("release", Release()), others.get("data")
    moved = [name for name, each in attributes.items() if each.shift]
    if not release.date_shift:
        yield from (
            f"{name} has shift, and [release] does not say how far dates move; add date_shift = 180, a "
            "number of days"
            for name in moved
        )
        return
    if any(getattr(model, "suppress", "") == "events" for model in others.get("risk", ())):
        yield (
            'release.date_shift moves whole histories, and suppress = "events" drops parts of them; '
            "leave out one of the two"
        )
    if not moved:
        yield "release.date_shift moves no column; write shift = true for each column of dates"
    for name in moved:
        if attributes[name].role is not Role.INSENSITIVE:
            yield (
                f"{name} has shift and is {attributes[name].role.value}: a shift is no generalization, "
                "and no risk model looks at what moves; make it insensitive, or leave out shift"
            )
    if not linked and data is not None and data.id is None and not data.rows_are_people:
        yield (
            "release.date_shift moves the dates of a person alike, and nothing says whose a row is; name "
            "the column as data.id, or write rows_are_people = true"
        )
    if release.table is not None:
        yield "release.date_shift writes files alone, not tables of a database; leave out release.table"
