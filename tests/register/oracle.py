"""The slow and obvious attacker over releases; nothing here comes from the engine.

A release is a dictionary: the class of everybody who is in it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

Release = Mapping[str, str]


def left_by(target: str, known: Sequence[Release], people: set[str]) -> set[str]:
    """Intersect the classes that somebody was in, and subtract the releases that they were not in."""
    left = set(people)
    for release in known:
        if target in release:
            left &= {other for other in release if release[other] == release[target]}
        else:
            left -= set(release)
    return left


def subsets(releases: Sequence[Release]) -> Iterator[Sequence[Release]]:
    """List all that somebody may know of some releases."""
    for size in range(1, len(releases) + 1):
        yield from itertools.combinations(releases, size)


def found(releases: Sequence[Release], k: int) -> set[str]:
    """Name whoever is among fewer than k people for somebody who knows some of the releases.

    Whoever is in no release that somebody knows is not looked for in them.
    """
    people = {person for release in releases for person in release}
    return {
        target
        for known in subsets(releases)
        for target in people
        if any(target in release for release in known) and len(left_by(target, known, people)) < k
    }
