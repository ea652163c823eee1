"""Comparison: what of a table can still be seen in its release.

What is safe to show. Counts are of bins that at least `FEWEST_PEOPLE` people share; rarer values are
counted together, without a name. `rows` are the exception: cells of single people, for the steward's own
page. `describe` leaves them out, and so must all that is published.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.comparison.association import JointCounts
from anonymizer.comparison.binning import Binned, bin_kept_column, bin_quasi_identifier
from anonymizer.comparison.weights import read_weights, say_weights
from anonymizer.data.column import Column
from anonymizer.display import Displayed
from anonymizer.policy import Role
from anonymizer.solution.release import Release
from anonymizer.solution.solution import Solution

MOST_PAIRED = 20
"""Pairs are made of so many columns."""
PAIRED_FIRST = (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)
EXAMPLES = 5
"""So many rows are shown beside what they were made from."""
NO_ASSOCIATION = 0.05
"""Below this, two columns count as independent: there is nothing to keep."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Some values of a column, and the records that have them."""

    label: str
    before: int
    """The records of the original."""
    after: float
    """The released records; those of coarser values are spread evenly over the leaves they cover."""
    suppressed: int
    """The records of the original that are suppressed."""
    weighted: tuple[float, float] | None = None
    """Before and after by sampling weights, which add up to the number of records; None: no weights."""

    @property
    def frequencies(self) -> tuple[float, float]:
        """What the bin has before and after, by weights where there are any."""
        return (self.before, self.after) if self.weighted is None else self.weighted

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        found = asdict(self)
        return found if found.pop("weighted") is None else {**found, "weighted": self.weighted}


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """The distribution of a column before and after."""

    name: str
    role: Role
    distance: float
    """The total variation distance of the values' distributions, 0 to 1: 0 is unchanged."""
    values_before: int
    """How many different values the original has."""
    values_after: int
    bins: tuple[Bin, ...]
    retained: float | None = None
    """The share of its information that is left; None for a column that is released as it is."""

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            **asdict(self),
            "role": self.role.value,
            "bins": [part.describe() for part in self.bins],
        }


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """How strongly two columns are associated before and after: Cramer's V, corrected for chance."""

    one: str
    other: str
    before: float
    after: float

    @property
    def kept(self) -> float | None:
        """The part of the association that is left; None where there was none to keep."""
        return None if self.before < NO_ASSOCIATION else self.after / self.before

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {**asdict(self), "kept": self.kept}


@dataclass(frozen=True, slots=True)
class ComparedSubgroup:
    """The records of a bin, and how many of them are suppressed."""

    column: str
    label: str
    records: int
    suppressed: int
    excess: float
    """How many more are suppressed than the share of all records would make."""

    @property
    def share(self) -> float:
        """The suppressed share of the subgroup."""
        return self.suppressed / self.records


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Displayed):
    """A release beside its original."""

    records: int
    suppressed: int
    columns: tuple[ComparedColumn, ...]
    """All released columns that have one value in each cell, in the order of the table."""
    pairs: tuple[ComparedPair, ...]
    """The strongest association of the original first."""
    unpaired: tuple[str, ...]
    """The columns that pairs were not made of, as there are too many."""
    rows: tuple[dict[str, tuple[str, str]], ...]
    """Some released rows, for the steward alone: of each column the original and the released cell."""
    weighted: tuple[str, ...] = ()
    """That frequencies are weighted, and by what; nothing where they are not."""

    @property
    def share(self) -> float:
        """The share of the records that are suppressed."""
        return self.suppressed / self.records

    def subgroups(self) -> tuple[ComparedSubgroup, ...]:
        """Return who is suppressed more often than others; the most records too many first."""
        found = [
            ComparedSubgroup(
                column.name, part.label, part.before, part.suppressed,
                part.suppressed - self.share * part.before,
            )
            for column in self.columns
            for part in column.bins
            if part.before
        ]  # fmt: skip
        return tuple(
            sorted((each for each in found if each.excess > 0), key=lambda each: -each.excess)
        )

    def describe(self) -> dict[str, Any]:
        """Return all but the rows as JSON."""
        return {
            "records": self.records,
            "suppressed": self.suppressed,
            **({"weighted": list(self.weighted)} if self.weighted else {}),
            "columns": [column.describe() for column in self.columns],
            "pairs": [pair.describe() for pair in self.pairs],
            "unpaired": list(self.unpaired),
            "subgroups": [{**asdict(each), "share": each.share} for each in self.subgroups()],
        }


def compare(solution: Solution, seed: int = 0) -> Comparison:
    """Compare the release of a solution with its original; the columns it keeps are read again.

    `seed` decides which rows are examples.
    """
    release = solution.release.by_rows()
    kept = release.read_kept()
    released = ~release.suppressed[release.microdata.tuple_of_row]
    columns = bin_columns(release, kept, released)
    by_role = sorted(columns, key=lambda column: list(PAIRED_FIRST).index(column.role))
    paired, unpaired = by_role[:MOST_PAIRED], by_role[MOST_PAIRED:]
    return Comparison(
        solution.records,
        solution.suppressed,
        tuple(
            replace(compare_column(column, released), retained=solution.retained.get(column.name))
            for column in columns
        ),
        compare_pairs(paired),
        tuple(column.name for column in unpaired),
        example_rows(release, kept, released, np.random.default_rng(seed)),
        say_weights(release),
    )


def bin_columns(
    release: Release, kept: Mapping[str, Column], released: NDArray[np.bool_]
) -> list[Binned]:
    """Bin every column of the release."""
    microdata, attributes = release.microdata, release.policy.attributes
    person = None if microdata.id is None else kept[microdata.id].codes
    there = np.ones_like(released) if release.redacts else released
    places = {name: at for at, name in enumerate(microdata.attributes)}
    weights = read_weights(release)
    return [
        bin_quasi_identifier(release, places[name], weights)
        if name in places
        else bin_kept_column(name, attributes[name].role, kept[name], there, person, weights)
        for name in release.columns
        if name in places or name in kept
    ]


def compare_column(column: Binned, released: NDArray[np.bool_]) -> ComparedColumn:
    """Count the records of each bin before and after; bins without any are left out."""
    before, after = column.count(), column.counts_after()
    suppressed = column.count(~released)
    weighted: list[tuple[float, float] | None] = [None] * len(column.labels)
    if column.weights is not None:
        weighted = [
            *zip(column.weigh_before().tolist(), column.weigh_after().tolist(), strict=True)
        ]
    bins = zip(
        column.labels, before.tolist(), after.tolist(), suppressed.tolist(), weighted, strict=True
    )
    return ComparedColumn(
        column.name,
        column.role,
        column.distance,
        column.values_before,
        column.values_after,
        tuple(Bin(*each) for each in bins if each[1] or each[2]),
    )


def compare_pairs(columns: Sequence[Binned]) -> tuple[ComparedPair, ...]:
    """Compare the association of every two columns."""
    pairs = [
        ComparedPair(one.name, other.name, *JointCounts.of(one, other).associate())
        for one, other in itertools.combinations(columns, 2)
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.before))


def example_rows(
    release: Release,
    kept: Mapping[str, Column],
    released: NDArray[np.bool_],
    random: np.random.Generator,
) -> tuple[dict[str, tuple[str, str]], ...]:
    """Draw some released rows, and put each cell beside the one it was made from."""
    rows = np.flatnonzero(released)
    chosen = np.sort(random.choice(rows, min(EXAMPLES, rows.size), replace=False))
    tuples = release.microdata.tuple_of_row[chosen]
    columns = {name: example_cells(release, kept, name, chosen, tuples) for name in release.columns
               if name in kept or name in release.microdata.attributes}  # fmt: skip
    return tuple(
        dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)
    )


def example_cells(
    release: Release,
    kept: Mapping[str, Column],
    name: str,
    rows: NDArray[np.int64],
    tuples: NDArray[np.int32],
) -> list[tuple[str, str]]:
    """Return some cells of a column before and after."""
    microdata = release.microdata
    if name not in microdata.attributes:
        return [(text, text) for text in kept[name].keep(rows).cells()]
    at = microdata.attributes.index(name)
    leaves = microdata.columns[at].leaves[microdata.codes[at][tuples]].tolist()
    originals = [microdata.columns[at].hierarchy.leaves[leaf] for leaf in leaves]
    recoding = release.recoding(name)
    released = [recoding.values[number] for number in recoding.number_of_tuple[tuples].tolist()]
    return list(zip(originals, released, strict=True))
