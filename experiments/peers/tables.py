"""Tables, hierarchies and the loss of what was released, however it came about."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer import Hierarchy
from anonymizer.hierarchy import load_hierarchy
from experiments.datasets import path_of, spec_of

SMALL = ("sex", "age", "race", "salary-class")
"""The attributes of ADULT with which an exhaustive search ends within minutes."""
DRAWN_ATTRIBUTES, DRAWN_RECORDS = 11, 1_000
"""A table with more schemes than any of the tools lists."""


@dataclass(frozen=True, slots=True)
class Table:
    """Quasi-identifiers only, with the tree of each."""

    name: str
    frame: pd.DataFrame
    hierarchies: dict[str, Hierarchy]

    @property
    def schemes(self) -> int:
        """The number of schemes of the lattice."""
        return math.prod(each.height for each in self.hierarchies.values())

    def rows(self) -> dict[str, list[list[str]]]:
        """Return the rows of each hierarchy, as every tool is given them."""
        return {name: [list(row) for row in h.rows()] for name, h in self.hierarchies.items()}

    def level_losses(self) -> dict[str, list[float]]:
        """Return what each level costs of 1, such that their mean has the order of our loss.

        Where nothing is suppressed, the geometric mean of 1 + loss is least where the mean of these is.
        """
        return {
            name: [math.log2(1 + self.loss_at(name, level)) for level in range(each.height)]
            for name, each in self.hierarchies.items()
        }

    def loss_at(self, name: str, level: int) -> float:
        """Return the loss of an attribute at a level, with nothing suppressed."""
        hierarchy = self.hierarchies[name]
        leaves = dict(zip(hierarchy.leaves, hierarchy.codes[level], strict=True))
        groups = self.frame[name].map(leaves).to_numpy(np.int64)
        return attribute_loss(hierarchy, level, groups, len(groups))


def adult(attributes: Sequence[str] | None = None) -> Table | None:
    """Return ADULT with some of its attributes, or all of them; None where it is not at hand."""
    path = path_of("adult")
    if path is None:
        return None
    frame = pd.read_csv(path, sep=";", dtype=str)
    names = list(attributes or frame)
    trees = {name: load_hierarchy(spec_of("adult", name), name) for name in names}
    return Table(f"ADULT, {len(names)} attributes", frame[names], trees)


def drawn(attributes: int = DRAWN_ATTRIBUTES, records: int = DRAWN_RECORDS) -> Table:
    """Draw a table whose attributes have three levels each."""
    random = np.random.default_rng(1)
    leaves = [(f"{first}{second}", first, "*") for first in "ab" for second in "12"]
    names = [f"q{number}" for number in range(attributes)]
    cells = {
        name: np.array([row[0] for row in leaves])[
            random.choice(4, records, p=(0.7, 0.1, 0.1, 0.1))
        ]
        for name in names
    }
    trees = {name: Hierarchy.from_rows(name, leaves) for name in names}
    return Table(f"drawn, {attributes} attributes", pd.DataFrame(cells), trees)


# --- what was released ---


def attribute_loss(
    hierarchy: Hierarchy, level: int, groups: NDArray[np.int64], records: int
) -> float:
    """Return Iyengar's loss of one attribute; of records without a cell nothing is left."""
    covered = hierarchy.cover(level)[groups].sum() + (records - groups.size) * hierarchy.extent
    return float((covered - records) / (records * (hierarchy.extent - 1)))


def level_of(hierarchy: Hierarchy, values: Iterable[object]) -> int:
    """Return the finest level that has all values."""
    needed = set(values)
    found = [at for at, labels in enumerate(hierarchy.labels) if needed <= set(labels)]
    if not found:
        raise ValueError(f"'{hierarchy.name}': no level has all of {sorted(map(str, needed))[:5]}")
    return found[0]


def released_loss(table: Table, released: pd.DataFrame) -> float:
    """Return our default loss of released cells; rows that are not there are suppressed."""
    terms = []
    for name, hierarchy in table.hierarchies.items():
        level = level_of(hierarchy, released[name].unique())
        codes = {label: code for code, label in enumerate(hierarchy.labels[level])}
        groups = released[name].map(codes).to_numpy(np.int64)
        terms.append(math.log1p(attribute_loss(hierarchy, level, groups, len(table.frame))))
    return math.expm1(sum(terms) / len(terms))


def describe_release(table: Table, released: pd.DataFrame) -> dict[str, Any]:
    """Count what was released: its loss, who is gone, and the smallest class."""
    sizes = released.groupby(list(table.hierarchies), sort=False).size()
    return {
        "loss": released_loss(table, released),
        "suppressed": len(table.frame) - len(released),
        "smallest_class": int(sizes.min()),
    }
