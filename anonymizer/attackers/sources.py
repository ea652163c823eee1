"""An external source against a table: with what probability it tells who somebody is.

Simon et al. 2020, sections 3.3 and 3.6: p q / k where the source is not at hand; 1 / (k m) where it is. k
is the number of kept people with a person's generalized values of the keys, m the number of people of the
source who match these. A source at hand finds only people who match somebody in it.

Missing cells: m counts every person of the source who may be meant. k counts those only whose values are
equal, missing or not: whoever looks for a person cannot rule out more of them than the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.cells import KnownCells, Partitions
from anonymizer.attackers.external import OPEN, load_externals
from anonymizer.attackers.linkage_checks import repeated_warnings, unmatched_warnings, warn
from anonymizer.attackers.linked_table import LinkedTable
from anonymizer.attackers.overlap import Proportion
from anonymizer.attackers.statement import ExternalSource, Statement
from anonymizer.errors import PolicyError, quote_some, suggest_name
from anonymizer.kernels.overall import mark_too_few
from anonymizer.lattice import Scheme
from anonymizer.table.microdata import Microdata

Floats = NDArray[np.float64]


def check_levels(statement: Statement, microdata: Microdata) -> None:
    """Raise a PolicyError if a source knows a key on a level that its hierarchy does not have."""
    heights = {
        name: column.hierarchy.height
        for name, column in zip(microdata.attributes, microdata.columns, strict=True)
    }
    faults = [
        f"source.{number}.levels: {fault}"
        for number, source in enumerate(statement.source)
        for fault in source.level_faults(heights)
    ]
    if faults:
        raise PolicyError.defective("statement", faults)


@dataclass(frozen=True, eq=False)
class SourceAttack:
    """A source whose keys are quasi-identifiers of a table."""

    source: ExternalSource
    microdata: Microdata
    threshold: float
    linked: LinkedTable | None = None
    """The source's people, where they are at hand."""
    least: dict[float, NDArray[np.int64]] = field(default_factory=dict, repr=False)
    """What `least_people` found, by the limit."""

    @staticmethod
    def all_of(statement: Statement, microdata: Microdata) -> Iterator[SourceAttack]:
        """Put all sources of a statement to a table; those that are at hand are read."""
        check_levels(statement, microdata)
        externals = load_externals(statement)
        for source in statement.source:
            linked = None
            if external := externals.get(source.name):
                linked = LinkedTable.of(microdata, external)
                warn(repeated_warnings(external, statement, source))
            yield SourceAttack(source, microdata, statement.threshold_of(source), linked)

    def check(self) -> None:
        """Raise a DataError if a source at hand has no value in common; warn if it has few.

        Of another one, a PolicyError if p or q is given for a value that is not in the hierarchy.
        """
        if self.linked is None:
            self.check_values()
            return
        untouched = (0,) * len(self.microdata.attributes)
        base = self.levels(untouched)
        self.linked.check_common(base)
        matched = self.matching(untouched) > 0
        people = self.microdata.people
        there = (
            int(self.microdata.counts[matched].sum()) if people is None else people.present(matched)
        )
        everybody = self.microdata.number_of_people
        warn(unmatched_warnings(self.linked, base, everybody - there, everybody))

    def check_values(self) -> None:
        """Raise a PolicyError if p or q is given for a value that is not in the hierarchy of its key."""
        for share in self.source.shares():
            if share.by is None:
                continue
            at, stated = self.microdata.attributes.index(share.by), list(share.probabilities)
            hierarchy = self.microdata.columns[at].hierarchy.with_values(stated)
            leaves, read = hierarchy.leaves, hierarchy.read_texts(stated)
            known = {*leaves, *OPEN}
            unknown = [v for v, value in zip(stated, read, strict=True) if value not in known]
            if unknown:
                raise PolicyError(
                    f"statement: source '{self.source.name}': p or q is given for {quote_some(unknown)}, "
                    f"which is not a value of '{share.by}'; {suggest_name(unknown[0], leaves)}"
                )

    @property
    def places(self) -> list[int]:
        """Where the keys stand among the quasi-identifiers."""
        return [self.microdata.attributes.index(key) for key in self.source.keys]

    @property
    def known_levels(self) -> dict[int, int]:
        """The finest level on which the source has each key, by the key's place."""
        told: Mapping[str, int] = self.source.levels
        levels = tuple(told.get(key, 0) for key in self.source.keys)
        if self.linked is not None:
            levels = tuple(map(max, levels, self.linked.levels))
        return dict(zip(self.places, levels, strict=True))

    def levels(self, scheme: Scheme) -> Scheme:
        """Return the level of each key: the table's, or the source's where that is coarser."""
        return tuple(max(scheme[at], level) for at, level in self.known_levels.items())

    def cells(self, scheme: Scheme) -> KnownCells:
        """Return the cells of those who share their values of the keys."""
        partitions = Partitions.of(self.microdata)
        return partitions.cells(
            partitions.known(zip(self.places, self.levels(scheme), strict=True))
        )

    def probabilities(
        self, scheme: Scheme, kept: NDArray[np.bool_], certainty: Floats | None = None
    ) -> Floats:
        """Return the probability that each tuple's people are found; 0 for what is not kept."""
        labels, people = self.count_people(scheme, kept)
        if certainty is None:
            certainty = self.certainty(scheme)
        return np.where(kept, certainty / np.maximum(people[labels], 1), 0.0)

    def count_people(
        self, scheme: Scheme, kept: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the cell of each tuple, and how many people of those kept each cell has."""
        partitions, cells = Partitions.of(self.microdata), self.cells(scheme)
        labels = cells.label_of_tuple
        return labels, partitions.count_people(cells, labels, self.microdata.counts, kept)

    @property
    def constant(self) -> bool:
        """Whether the certainty is the same at every scheme."""
        return self.linked is None and not self.source.without

    def least_people(self, limit: float) -> NDArray[np.int64]:
        """Return how many people a cell needs at any scheme, tuple by tuple, to be within a limit."""
        found = self.least.get(limit)
        if found is None:
            untouched = (0,) * len(self.microdata.attributes)
            found = self.least[limit] = least_people(self.least_certainty(untouched), limit)
        return found

    def mark_too_few(
        self, scheme: Scheme, kept: NDArray[np.bool_], limit: float, found: NDArray[np.bool_]
    ) -> None:
        """Mark the tuples kept whose probability exceeds a limit, where the certainty is constant."""
        labels, people = self.count_people(scheme, kept)
        mark_too_few(labels, people, self.least_people(limit), kept, found)

    def certainty(self, scheme: Scheme) -> Floats:
        """Return the probability of each tuple if its people were alone in their cell: p q, or 1 / m."""
        if self.linked is not None:
            matching = self.matching(scheme)
            return np.where(matching > 0, 1 / np.maximum(matching, 1), 0.0)
        tops = [len(self.microdata.columns[at].hierarchy.labels) - 1 for at in self.places]
        left_out = [
            key
            for key, at, level, top in zip(
                self.source.keys, self.places, self.levels(scheme), tops, strict=True
            )
            if level == top and self.microdata.columns[at].group_counts[top] == 1
        ]
        p, q = (
            np.maximum.reduce([self.by_tuple(share) for share in shares])
            for shares in self.source.overlap(left_out)
        )
        certainty: Floats = p * q
        return certainty

    def matching(self, scheme: Scheme) -> NDArray[np.int64]:
        """Return how many people of a source at hand match each tuple: m."""
        assert self.linked is not None
        cells = self.cells(scheme)
        return self.linked.matching(self.levels(scheme), cells.first_tuple)[cells.label_of_tuple]

    def least_certainty(self, scheme: Scheme) -> Floats:
        """Return at most what `certainty` is for each tuple here, and what it is at any finer scheme.

        Of a source at hand, m does not grow where a scheme is made finer; but whoever matches nobody by
        their own values may match nobody there. Of another one it is the least that p q can be, whichever
        keys are left out.
        """
        if self.linked is not None:
            untouched = (0,) * len(scheme)
            return np.where(self.matching(untouched) > 0, self.certainty(scheme), 0.0)
        choices = [
            self.source.overlap(),
            *(self.source.overlap([key]) for key in self.source.without),
        ]
        p, q = (
            np.minimum.reduce([self.by_tuple(share) for choice in shares for share in choice])
            for shares in zip(*choices, strict=True)
        )
        least: Floats = p * q
        return least

    def by_tuple(self, share: Proportion) -> Floats:
        """Return p or q of each tuple, by its own value where that decides."""
        if share.by is None:
            return np.full(self.microdata.distinct, share.default)
        at = self.microdata.attributes.index(share.by)
        column = self.microdata.columns[at]
        values = [column.hierarchy.leaves[leaf] for leaf in column.leaves]
        by_value = share.read_as(column.hierarchy.read_texts).of(values)
        by_tuple: Floats = by_value[self.microdata.codes[at]]
        return by_tuple


def least_people(certainty: Floats, limit: float) -> NDArray[np.int64]:
    """Return the least k, at least 1, with which each certainty / k does not exceed a limit.

    >>> least_people(np.array([0.0, 0.2, 0.9]), 0.2).tolist()
    [1, 1, 5]
    """
    most = np.maximum(1.0, np.ceil(certainty / limit))
    fewer = np.maximum(1.0, most - 1)
    # a quotient may be rounded up to the next whole number, or down to the last
    least = np.where(certainty / fewer <= limit, fewer, most)
    return np.where(certainty / least <= limit, least, least + 1).astype(np.int64)
