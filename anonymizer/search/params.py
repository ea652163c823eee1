"""SearchParams: the tunable parameters of the search."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from anonymizer.errors import suggest_name

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
    and the wide register. Memory limits are in bytes.

    >>> SearchParams().batch_size, SearchParams.read({"batch_size": 8}).batch_size
    (4, 8)
    """

    batch_size: int = number(4, 1)
    """Boxes evaluated at a time: the same for any number of workers, so that every count is too."""
    recent_evaluations: int = number(4096, 1)
    """How many evaluations every box is compared with; older ones only bound the boxes they bound now."""
    recent_bytes: int = number(1 << 28, 1)
    """The memory for these; with many attributes and levels, there are fewer."""
    box_bytes: int = number(2048, 1)
    """About what an open box takes with the evaluation that bounds it, up to 20 attributes."""

    large_lattice: int = number(1_000_000, 0)
    """With more schemes, the first incumbent is improved by local search before the proof begins."""
    first_neighbours: int = number(4, 0)
    """The neighbours of the incumbent that are evaluated in a smaller lattice before the proof begins."""
    neighbours_tried: int = number(100, 0)
    """The neighbours of the incumbent that local search evaluates before it gives up."""
    max_moves: int = number(1000, 1)
    """How many changes of one level local search combines in pairs: the most promising ones."""
    max_stale_kicks: int = number(40, 0)
    """How many kicks of the incumbent in a row may lead to nothing better before local search ends."""
    kick_neighbours: int = number(120, 1)
    """The neighbours looked at on the way down from a kick."""
    seed: int = number(1, 0)
    """What the kicks are drawn by."""
    improvement_share: float = number(0.25, 0, 1)
    """The share of time or evaluations after which local search ends."""

    ridge: float = number(0.05, 1e-9)
    """The weight of what the forecast assumes beforehand, in evaluations."""
    usual_step: float = number(-0.8, -100, 0)
    """What one level is assumed to do to the logit of the suppressed share beforehand."""
    max_steps: int = number(500, 1)
    """How many effects of levels the forecast fits; with more levels, neighbouring ones share one."""

    screening_batches: int = number(2, 1)
    """Batches of evaluations after which to ask whether they decide enough; see search/screening.py."""
    least_decided: float = number(8.0, 0)
    """Where an evaluation decides fewer schemes, all that are open are screened: it costs as much."""
    screened_cells: int = number(1 << 19, 1)
    """About how many counts the classes have that are merged and judged together."""
    finished_schemes: int = number(160, 1)
    """How many schemes that differ in the last attributes only are looked at without further bounds."""
    finished_parts: int = number(3, 1)
    """How many parts their classes are split into; after each, schemes that are worse are left out."""
    max_screened_schemes: int = number(1 << 17, 0)
    """In a larger lattice nothing is screened."""
    max_screened_cells: int = number(1 << 24, 0)
    """With more distinct tuples times sensitive values, neither."""

    boxes_work: int = number(1 << 30, 0)
    """How many tuples evaluations may pass over before subtree bounds are compiled in a small lattice."""
    max_loose: int = number(4, 0)
    """Where models ask for more than a least class: how many schemes in a row, bounded below the best,
    may be no better before subtree bounds are given up."""
    target_gaps: tuple[float, ...] = (0.5, 0.3, 0.2, 0.15, 0.12, 0.095, 0.07, 0.04)
    """In a large lattice subtree bounds aim at these gaps, one after another, before the proof."""
    finer_weight: float = number(0.7, 0)
    """How much the expected rise of the finer half weighs where subtree bounds split a box, against the
    coarser's; in a large lattice both weigh the same."""
    subtree_batch_size: int = number(16, 1)
    """Boxes that subtree bounds work on at a time: the same for any number of workers."""
    first_subtree_budget: int = number(32, 2)
    """The partitions for each box while there are too few boxes to keep all workers busy."""
    subtree_work: int = number(100_000_000, 1)
    """How many tuples the partitions of a box may pass over before it is put back."""
    min_subtree_budget: int = number(50, 2)
    """The partitions for each box if its tuples are so many that the work allows fewer."""
    max_subtree_budget: int = number(1000, 2)
    """The partitions for each box if its tuples are so few that the work allows more."""
    max_subtree_cells: int = number(1 << 26, 1)
    """With more cells for one attribute, a hash table numbers those that are there."""
    max_subtree_bytes: int = number(1 << 30, 1)
    """The memory of a table prepared for subtree bounds."""
    kept_subtree_bytes: int = number(1 << 27, 0)
    """Up to so much memory, a table prepared for subtree bounds is kept for other searches of it."""
    max_level_pairs: int = number(10_000, 1)
    """With more pairs of levels, preparing a table for subtree bounds would take too long."""

    sent_after: float = number(1.0, 0)
    """Seconds of search before boxes are sent to other processes; with 0, all are sent at once."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if each.metadata:
                check_number(each.name, getattr(self, each.name), each)
        if self.max_subtree_budget < self.min_subtree_budget:
            raise ValueError("max_subtree_budget must not be below min_subtree_budget")
        check_gaps(self.target_gaps)

    @staticmethod
    def read(described: Mapping[str, Any]) -> SearchParams:
        """Make the parameters that a table of a file describes; those left out stay as they are."""
        known = [each.name for each in fields(SearchParams)]
        for name in described:
            if name not in known:
                raise ValueError(
                    f"the search has no parameter {name!r}; {suggest_name(name, known)}"
                )
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in described.items()
        }
        return SearchParams(**values)


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
