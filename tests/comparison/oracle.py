"""A release beside its original, row by row: slow and obvious."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import sqrt

Joint = dict[tuple[str, str], float]


def spread_evenly(released: str, level: int, rows: list[tuple[str, ...]]) -> dict[str, float]:
    """Return the leaves that a released value may stand for, each with the same probability."""
    leaves = [row[0] for row in rows if row[level] == released]
    return {leaf: 1 / len(leaves) for leaf in leaves}


def cramers_v(joint: Joint, freedom: tuple[int, int], before: Joint) -> float:
    """Return Bergsma's V of a joint distribution of records, divided by what is possible before."""
    records, all_records = sum(joint.values()), sum(before.values())
    if records <= 1 or all_records <= 1:
        return 0.0
    ones, others = defaultdict(float), defaultdict(float)
    for (one, other), count in joint.items():
        ones[one] += count
        others[other] += count
    phi = (
        sum(
            (joint.get((one, other), 0) - a * b / records) ** 2 / (a * b / records)
            for one, a in ones.items()
            for other, b in others.items()
            if a * b
        )
        / records
    )
    phi = max(0.0, phi - (freedom[0] - 1) * (freedom[1] - 1) / (records - 1))
    sizes = len({one for one, _ in before}), len({other for _, other in before})
    possible = min(size - (size - 1) ** 2 / (all_records - 1) for size in sizes) - 1
    return 0.0 if possible <= 0 else min(1.0, sqrt(phi / possible))


def total_variation(before: dict[str, float], after: dict[str, float]) -> float:
    """Return half of what two distributions differ by."""
    if not sum(after.values()):
        return 1.0
    p, q = sum(before.values()), sum(after.values())
    keys = {*before, *after}
    return sum(abs(before.get(key, 0) / p - after.get(key, 0) / q) for key in keys) / 2


def count(values: list[str]) -> dict[str, float]:
    """Count values."""
    return dict(Counter(values))
