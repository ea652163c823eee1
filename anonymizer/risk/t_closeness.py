"""t-closeness: the values of every class are distributed nearly as in the whole table."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import PolicyError, quote_some, suggest_name
from anonymizer.hierarchy import MISSING, Hierarchy, load_hierarchy
from anonymizer.kernels.histograms import grouped_distances, ordered_distances
from anonymizer.kernels.most_kept import most_in_groups, most_in_order, most_under_caps
from anonymizer.risk.criterion import Criterion
from anonymizer.risk.inputs import HierarchyOf, no_hierarchy, paths_in
from anonymizer.risk.parameters import Direction, Parameter, check_share
from anonymizer.risk.sensitive import SLACK, ComparingModel, Floats
from anonymizer.table.domain import read_only
from anonymizer.table.microdata import Microdata
from anonymizer.table.sensitive import ClassHistograms

DISTANCES = ("equal", "ordered", "hierarchical")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Ground(NamedTuple):
    """How far values are from one another, as kernels read it."""

    ranks: NDArray[np.int64]
    """The place of each value in the order; empty without one."""
    groups: NDArray[np.int64]
    """The group of each value at each level below the root, all groups numbered in one row."""
    shares: Floats
    """The overall share of each place, or of each group."""


@dataclass(frozen=True)
class TCloseness(ComparingModel):
    """The distance of every class's distribution from the overall one is at most t (Li et al. 2007).

    The earth mover's distance, 0 to 1, where all values are equally far from one another ("equal"), or
    neighbours in an order are ("ordered": numbers, dates, or as `ranking` lists them), or two values are
    as far as the level at which the attribute's hierarchy joins them is high ("hierarchical").

    >>> print(TCloseness("diagnosis", 0.2))
    t-closeness of 'diagnosis' with t = 0.2 (equal distance)
    """

    name: ClassVar[str] = "t-closeness"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "t",
            Direction.DOWN,
            (0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05),
            limits_risk=True,
            meaning="distance from the overall distribution, at most",
        ),
    )

    t: float
    distance: str = "equal"
    ranking: tuple[str, ...] | None = None
    """All values in their order, for the ordered distance of texts."""
    hierarchy: Any = field(default=None, hash=False)
    """A path or a Hierarchy; None for that of the attribute in the policy."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share("t", self.t)
        if self.distance not in DISTANCES:
            names = suggest_name(self.distance, DISTANCES)
            raise ValueError(f"distance {self.distance!r} is unknown; {names}")
        object.__setattr__(self, "ranking", check_ranking(self.ranking, self.distance))
        object.__setattr__(self, "hierarchy", check_hierarchy(self.hierarchy, self.distance))

    def __str__(self) -> str:
        how = f"{self.distance} distance{self.suffix}"
        return f"{self.name} of '{self.attribute}' with t = {self.t:g} ({how})"

    def files(self, folder: Path) -> list[Path]:
        """Return the hierarchy, if the model names a file."""
        return [folder / path for path in paths_in(self.hierarchy)]

    def resolve(self, folder: Path, hierarchy_of: HierarchyOf = no_hierarchy) -> Self:
        """Read the hierarchy, if the model names a file, or else take that of the attribute."""
        if files := self.files(folder):
            return replace(self, hierarchy=load_hierarchy(files[0], self.attribute))
        return replace(self, hierarchy=hierarchy_of(self.attribute)) if self.lacks_tree else self

    @property
    def lacks_tree(self) -> bool:
        """Whether the distance needs a hierarchy, and none is named."""
        return self.distance == "hierarchical" and self.hierarchy is None

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:
        """The hierarchical distance needs a hierarchy."""
        faults = super().check(people, quasi_identifiers)
        if self.lacks_tree:
            faults.append(
                f"{self.name}: the hierarchical distance needs a hierarchy of '{self.attribute}'; "
                "add the key 'hierarchy' to the attribute."
            )
        return faults

    def prepare(self, microdata: Microdata) -> None:
        """Check that the values have an order, or are in the hierarchy."""
        super().prepare(microdata)
        self.ground(microdata)

    def ground(self, microdata: Microdata) -> Ground:
        """Return how far the values of a table are from one another, found once."""
        return microdata.once(self, lambda: self.find_ground(microdata))

    def find_ground(self, microdata: Microdata) -> Ground:
        """Find out how far the values are from one another."""
        texts, shares = self.column(microdata).texts, self.column(microdata).shares
        nothing = np.empty((0, 0), np.int64)
        if self.distance == "ordered":
            ranks = rank_texts(self.attribute, texts, self.ranking)
            by_rank = np.bincount(ranks, shares, len(texts))
            return Ground(read_only(ranks), nothing, read_only(by_rank))
        groups = np.arange(len(texts))[np.newaxis]
        if self.distance == "hierarchical":
            groups = group_texts(self.attribute, texts, self.hierarchy)
        of_group = np.bincount(groups.ravel(), np.tile(shares, len(groups)))
        return Ground(np.empty(0, np.int64), read_only(groups), read_only(of_group))

    def distances(
        self, histograms: ClassHistograms, microdata: Microdata, limit: float = math.inf
    ) -> Floats:
        """Return the distance of each class from the overall distribution; above a limit, part of it."""
        ground = self.ground(microdata)
        parts = histograms.starts, histograms.values, histograms.counts
        found: Floats
        if self.distance == "ordered":
            found = ordered_distances(*parts, ground.ranks, ground.shares, limit)
        else:
            found = grouped_distances(*parts, ground.groups, ground.shares, limit)
        return found

    def distances_of(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return the distance, 0 to 1."""
        return np.minimum(1.0, self.distances(histograms, microdata))

    def exposure(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:
        """Return the distance."""
        return self.distances_of(histograms, microdata)

    def exceeds(self, histograms: ClassHistograms, microdata: Microdata) -> NDArray[np.bool_]:
        """Mark the classes that are too far.

        Where overall shares are rounded, the distance is off by no more than what has to be moved between
        them and the true ones: no two values are farther than 1 from one another.
        """
        limit = self.limit(microdata)
        # a little more, for what rounding makes of a sum that ends sooner
        return self.distances(histograms, microdata, limit + SLACK) > limit

    def limit(self, microdata: Microdata) -> float:
        """Return the largest distance that passes."""
        return self.t + SLACK - self.column(microdata).moved

    def criterion(self, microdata: Microdata) -> Criterion | None:
        """Return the limit on the distance over a tree, unless some classes are not judged."""
        if self.values is not None or self.distance == "ordered":
            return None
        ground = self.ground(microdata)
        return Criterion.distance(ground.groups, ground.shares, self.limit(microdata))

    def most_passing(
        self, histograms: ClassHistograms, microdata: Microdata, chosen: NDArray[np.bool_]
    ) -> Floats:
        """Return the most records of each class that are near enough; the distance is convex."""
        ground, limit = self.ground(microdata), self.t + 1e-9
        parts = histograms.starts, histograms.values, histograms.counts, chosen
        found: Floats
        if self.distance == "equal":
            # of m records, min(n_s, m q_s) have a value that the overall distribution allows them
            found = most_under_caps(*parts, ground.shares, 1 - limit)
        elif self.distance == "ordered":
            found = most_in_order(*parts, ground.ranks, ground.shares, limit)
        else:
            found = most_in_groups(*parts, ground.groups, ground.shares, limit)
        return found


def check_ranking(ranking: object, distance: str) -> tuple[str, ...] | None:
    """Take the values in their order; raise a ValueError for anything else."""
    if ranking is None:
        return None
    if not isinstance(ranking, list | tuple) or not all(isinstance(v, str) for v in ranking):
        raise ValueError(f"ranking must be a list of strings, got {ranking!r}")
    if distance != "ordered":
        raise ValueError(f"only the ordered distance has a ranking, and this is {distance}")
    if twice := [value for value in ranking if ranking.count(value) > 1]:
        raise ValueError(f"ranking has {twice[0]!r} twice; leave one of them out")
    return tuple(ranking)


def check_hierarchy(hierarchy: object, distance: str) -> Hierarchy | Path | None:
    """Take a hierarchy or its path; raise a ValueError for anything else."""
    if hierarchy is None:
        return None
    if distance != "hierarchical":
        raise ValueError(f"only the hierarchical distance has a hierarchy, and this is {distance}")
    if isinstance(hierarchy, str | Path) and str(hierarchy):
        return Path(hierarchy)
    if isinstance(hierarchy, Hierarchy):
        return hierarchy
    raise ValueError(f"hierarchy must be the path of a .toml or .csv file, got {hierarchy!r}")


def rank_texts(
    attribute: str, texts: tuple[str, ...], ranking: tuple[str, ...] | None
) -> NDArray[np.int64]:
    """Return the place of each text: as it is listed, or as numbers or dates go.

    >>> rank_texts("age", ("10", "9", "9.5"), None).tolist()
    [2, 0, 1]
    """
    if ranking is not None:
        if unknown := [text for text in texts if text not in ranking]:
            raise PolicyError(
                f"t-closeness: ranking lacks {quote_some(unknown)} of '{attribute}'; add it where it "
                "belongs."
            )
        return ranks_of([ranking.index(text) for text in texts])
    if MISSING in texts:
        raise PolicyError(
            f"t-closeness: '{attribute}' has missing values, which have no place in its order; list all "
            'values in `ranking`, with "" where missing ones belong, or use the equal distance.'
        )
    if all(ISO_DATE.fullmatch(text) for text in texts):
        return ranks_of(list(texts))
    numbers = [number_of(text) for text in texts]
    if strange := [text for text, n in zip(texts, numbers, strict=True) if math.isnan(n)]:
        raise PolicyError(
            f"t-closeness: {quote_some(strange)} of '{attribute}' is neither a number nor a date such as "
            "2024-01-31, so that the values have no order; list all of them in `ranking`, or use the "
            "equal or the hierarchical distance."
        )
    return ranks_of(numbers)


def ranks_of(keys: list[Any]) -> NDArray[np.int64]:
    """Return the place of each key in ascending order."""
    return np.argsort(np.argsort(np.array(keys), kind="stable"), kind="stable")


def number_of(text: str) -> float:
    """Return the number that a text is; NaN if it is none, or not a finite one."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def group_texts(attribute: str, texts: tuple[str, ...], hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Number the groups of texts at every level below the root, all levels in one row.

    A missing value without a leaf meets the others at the root. So do values that the hierarchy's top
    does not join.
    """
    tree = hierarchy.with_missing() if MISSING in texts else hierarchy
    leaves = {text: number for number, text in enumerate(tree.leaves)}
    if unknown := [text for text in texts if text not in leaves]:
        raise PolicyError(
            f"t-closeness: {quote_some(unknown)} of '{attribute}' is not in its hierarchy; add a row "
            "for it."
        )
    at = [leaves[text] for text in texts]
    levels = [level[at] for level in tree.codes]
    if len(levels) > 1 and len(tree.labels[-1]) == 1:
        levels.pop()  # the root
    rows, used = [], 0
    for level in levels:
        numbers = np.unique(level, return_inverse=True)[1]
        rows.append(used + numbers)
        used += int(numbers.max(initial=-1)) + 1
    return np.array(rows, np.int64)
