"""SearchParams: the tunable parameters of the search."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

Number = TypeVar("Number", int, float)


def number(default: Number, least: float, most: float = math.inf) -> Number:
    """Declare a field that must lie between two values, both included."""
    limits = {"least": least, "most": most}
    declared: Number = field(default=default, metadata=limits)
    return declared


@dataclass(frozen=True, slots=True)
class SearchParams:
    """The tunable parameters of the search: they change what a proof costs, never what is proven.

    They were chosen among a handful of values each, by evaluations or by time, on the benchmark's tables
    and the wide register; what nobody has a reason to choose is a constant beside the code that uses it.
    Memory limits are in bytes.

    >>> SearchParams().batch_size, SearchParams(batch_size=8).batch_size
    (4, 8)
    """

    batch_size: int = number(4, 1)
    """Boxes evaluated at a time: the same for any number of workers, so that every count is too."""
    recent_evaluations: int = number(4096, 1)
    """How many evaluations every box is compared with; older ones only bound the boxes they bound now."""
    boxes_work: int = number(1 << 30, 0)
    """How many tuples evaluations may pass over before subtree bounds are compiled in a small lattice."""
    unscreened_work: int = number(1 << 28, 0)
    """The same before screening is compiled; once it is, on a machine, it begins without delay."""

    large_lattice: int = number(1_000_000, 0)
    """With more schemes, the first incumbent is improved by local search before the proof begins."""
    neighbours_tried: int = number(100, 0)
    """The neighbours of the incumbent that local search evaluates before it gives up."""
    max_stale_kicks: int = number(40, 0)
    """How many kicks of the incumbent in a row may lead to nothing better before local search ends."""
    seed: int = number(1, 0)
    """What the kicks are drawn by."""

    least_decided: float = number(8.0, 0)
    """Where an evaluation decides fewer schemes, all that are open are screened: it costs as much."""
    screened_cells: int = number(1 << 19, 1)
    """About how many counts the classes have that are merged and judged together in screening."""

    target_gaps: tuple[float, ...] = (0.5, 0.3, 0.2, 0.15, 0.12, 0.095, 0.07, 0.04)
    """In a large lattice subtree bounds aim at these gaps, one after another, before the proof."""
    max_loose: int = number(4, 0)
    """Where models ask for more than a least class: how many schemes in a row, bounded below the best,
    may be no better before subtree bounds are given up."""
    subtree_batch_size: int = number(16, 1)
    """Boxes that subtree bounds work on at a time: the same for any number of workers."""
    subtree_budget: int = number(1000, 2)
    """The most partitions for each of these boxes before it is put back."""
    max_subtree_cells: int = number(1 << 26, 1)
    """With more cells for one attribute, a hash table numbers those that are there."""
    max_subtree_bytes: int = number(1 << 30, 1)
    """The memory of a table prepared for subtree bounds."""

    sent_after: float = number(1.0, 0)
    """Seconds of search before boxes are sent to other processes; with 0, all are sent at once."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if each.metadata:
                check_number(each.name, getattr(self, each.name), each)
        check_gaps(self.target_gaps)


def check_number(name: str, value: object, declared: Any) -> None:
    """Raise a ValueError unless a value is a number of the declared kind within its limits."""
    whole = isinstance(declared.default, int)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise ValueError(f"{name} must be a {'whole ' if whole else ''}number, got {value!r}")
    least, most = declared.metadata["least"], declared.metadata["most"]
    if not least <= value <= most or not math.isfinite(value):
        limits = f"at least {least:g}" if most == math.inf else f"from {least:g} to {most:g}"
        raise ValueError(f"{name} must be {limits}, got {value}")


def check_gaps(gaps: Any) -> None:
    """Raise a ValueError unless gaps lie between 0 and 1 and fall, one after another."""
    if isinstance(gaps, tuple) and all(isinstance(gap, int | float) for gap in gaps):
        ends = itertools.pairwise((1, *gaps, 0))
        if all(one > other for one, other in ends):
            return
    raise ValueError(f"target_gaps must be falling numbers between 0 and 1, got {gaps!r}")
