"""What a policy must say, and what it cannot ask for, where releases have a register."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonymizer.policy.parts import Data, Release

MODEL = "k-anonymity"


def faults_of_register(others: Mapping[str, Any], linked: bool) -> Iterator[str]:
    """Say what a register lacks, and what nobody has shown to be safe over several releases."""
    release: Release = others.get("release", Release())
    if release.register is None:
        if release.accept_leavers is not None:
            yield "release.accept_leavers is of a register; name that, or leave it out"
        return
    where = "release.register"
    if linked:
        yield f"{where}: linked tables have no register yet; leave out [tables] or the register"
    yield from faults_of_people(others.get("data", Data()))
    names = [model.name for model in others.get("risk", ())]
    if "risk" in others and names != [MODEL]:
        yield f"{where} keeps one [[risk]], {MODEL}, over all releases; leave out the others"
    refused = {
        "[[keep]]": bool(others.get("keep")),
        "release.layers": release.in_layers,
        'release.suppressed = "redact"': release.suppressed != "drop",
        "release.table": release.table is not None,
        "release.date_shift": release.date_shift is not None,
    }
    for key, stated in refused.items():
        if stated:
            yield f"{where} and {key} do not go together; leave out one of them"
    for name, each in others.get("attributes", {}).items():
        if each.microaggregation is not None:
            yield (
                f"{where}: the means of two releases tell who left; attributes.{name} can have no "
                "microaggregation"
            )


def faults_of_people(data: Data) -> Iterator[str]:
    """Say what must be known of people for a register."""
    where = "release.register"
    if data.id is None:
        yield f"{where} links people by their id; name its column as data.id"
    if data.sample < 1:
        yield f"{where} and data.sample do not go together: who is in a sample changes; leave out one"
