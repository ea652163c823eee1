"""A scenario against a table as any scheme generalizes it: the overall risk of each tuple's people.

For what it sums see exposure.py. Here a_S counts the people who are kept, while u_S, a property of the
population, is estimated from the table before anything is suppressed, so that no suppression lowers the
risk of anybody who is kept. Both depend on the levels of what is known alone: the cells are shared by all
schemes that agree there, and so is u_S.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses
from anonymizer.engine.microdata import Microdata
from anonymizer.errors import PolicyError
from anonymizer.estimators.uniques import unique_given_unique as by_pitman
from anonymizer.kernels.overall import add_risks, add_totals_of_prefixes
from anonymizer.kernels.partition import sum_by_label
from anonymizer.knowledge.attack import Floats, check_levels, find_kinds
from anonymizer.knowledge.cells import Cells, Known, Partitions
from anonymizer.knowledge.exposure import check_exact
from anonymizer.knowledge.labels import Labels
from anonymizer.knowledge.scenario import Scenario
from anonymizer.knowledge.uniqueness import UniqueGivenUnique, estimate_unique
from anonymizer.knowledge.values import Values
from anonymizer.lattice import Scheme

ESTIMATES = 100_000
"""So many u_S are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Tuples of a table, or several that nobody can tell apart as one row, with their records."""

    first: NDArray[np.int32] | None
    """One tuple of each row; None where each tuple is a row."""
    counts: NDArray[np.integer]
    kind: NDArray[np.int32]

    def of_tuple(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return of the numbers of all tuples those of the rows."""
        return numbers if self.first is None else numbers[self.first]


@dataclass(frozen=True, eq=False)
class ScenarioAttack:
    """A scenario whose attributes are quasi-identifiers of a table."""

    scenario: Scenario
    microdata: Microdata
    chances: Floats
    """chances[kind, group] = the probability that the attacker learns the group, of a kind of people."""
    kind: NDArray[np.int32]
    """The kind of each tuple."""
    estimate: UniqueGivenUnique | None = None
    """Of u_S; None for Pitman's model."""
    estimates: dict[Known, float] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(scenario: Scenario, microdata: Microdata) -> ScenarioAttack:
        """Return the attack on a table, prepared once for it."""
        return microdata.once(scenario, lambda: ScenarioAttack.prepare(scenario, microdata))

    @staticmethod
    def prepare(scenario: Scenario, microdata: Microdata) -> ScenarioAttack:
        """Find what is learned of whom, or raise a PolicyError where the scenario does not fit."""
        names = microdata.attributes
        expanded = scenario.expand(names)
        heights = [column.hierarchy.height for column in microdata.columns]
        if faults := check_levels(expanded, dict(zip(names, heights, strict=True))):
            raise PolicyError.defective("scenario", faults)
        check_exact(expanded)
        values = {
            name: Values.of_column(column, 0)
            for name, column in zip(names, microdata.columns, strict=True)
        }
        codes = dict(zip(names, microdata.codes, strict=True))
        chances, kind = find_kinds(expanded, values, codes, microdata.distinct)
        return ScenarioAttack(expanded, microdata, chances, kind.of_row)

    def estimated_by(self, estimate: UniqueGivenUnique) -> ScenarioAttack:
        """Return the same attack with another estimate of u_S."""
        return replace(self, estimate=estimate, estimates={})

    @property
    def partitions(self) -> Partitions:
        """The cells of the table for all that may be known."""
        return Partitions.of(self.microdata)

    def known_sets(self, scheme: Scheme) -> Iterator[tuple[Known, Floats]]:
        """Yield all that may be known at a scheme, with how likely just that is for each kind.

        A group that tells nobody apart any more is passed over: the rest is as likely as it was.
        """
        names = self.microdata.attributes
        groups = [
            self.partitions.known(
                (at, max(scheme[at], group.levels.get(name, 0)))
                for name in group.attributes
                for at in (names.index(name),)
            )
            for group in self.scenario.groups
        ]
        yield from self.walk(groups, 0, frozenset(), np.ones(len(self.chances)))

    def walk(
        self, groups: list[Known], at: int, known: Known, weights: Floats
    ) -> Iterator[tuple[Known, Floats]]:
        """Decide about one group after the other."""
        if not weights.any():
            return  # it cannot happen
        while at < len(groups) and groups[at] <= known:
            at += 1
        if at == len(groups):
            yield known, weights
            return
        learned = self.chances[:, at]
        yield from self.walk(groups, at + 1, known, weights * (1 - learned))
        yield from self.walk(groups, at + 1, known | groups[at], weights * learned)

    @cached_property
    def tuples(self) -> Rows:
        """All tuples of the table, each a row."""
        return Rows(None, self.microdata.counts, self.kind)

    def rows(self, classes: EquivalenceClasses) -> Rows:
        """Put the tuples of a class that are of one kind together, unless people have several records."""
        if self.microdata.people is not None:
            return self.tuples
        if len(self.chances) == 1:
            kinds = np.zeros(classes.first_tuple.size, np.int32)
            return Rows(classes.first_tuple, classes.records, kinds)
        labels = Labels(classes.label_of_tuple, classes.first_tuple.size).refine(
            Labels(self.kind, len(self.chances))
        )
        first = labels.first_rows()
        counts = sum_by_label(labels.of_row, self.microdata.counts, labels.number)
        return Rows(first, counts, self.kind[first])

    def risks(
        self, scheme: Scheme, rows: Rows, kept: NDArray[np.bool_], unique: float | None = None
    ) -> Floats:
        """Return the overall risk of each row's people among those kept; 0 for what is not kept.

        With `unique`, every u_S is that number.
        """
        risks = np.zeros(kept.size)
        everybody = kept.all()
        for known, weights in self.known_sets(scheme):
            cells = self.partitions.cells(known)
            labels = rows.of_tuple(cells.label_of_tuple)
            matching = cells.people
            if not everybody:
                matching = self.partitions.count_people(cells, labels, rows.counts, kept)
            chances = self.chances_given(known, cells, unique, alone=(matching == 1).any())
            add_risks(labels, matching, kept, rows.kind, weights, *chances, risks)
        return risks

    def mean(self, scheme: Scheme, unique: float | None = None) -> float | None:
        """Return the mean overall risk with nothing suppressed, where all people are of one kind.

        Over the people of a cell, one over their number sums to one: cells are counted, not people.
        None where that does not hold.
        """
        if self.microdata.people is not None or len(self.chances) > 1:
            return None
        total = 0.0
        for known, (weight,) in self.known_sets(scheme):
            cells = self.partitions.cells(known)
            picked, more = self.chances_given(known, cells, unique, alone=cells.uniques > 0)
            total += weight * (picked * cells.number + more * cells.uniques)
        return total / self.microdata.records

    def totals_left(
        self,
        scheme: Scheme,
        rows: Rows,
        order: NDArray[np.intp],
        starts: NDArray[np.intp],
        unique: float | None = None,
    ) -> Floats:
        """Return the sum of all records' risks after each prefix of an order, in one pass.

        The rows order[starts[p]:] remain after the prefix p. Each record must be a person.
        """
        totals = np.zeros(starts.size)
        counts, kind = rows.counts[order], rows.kind[order]
        for known, weights in self.known_sets(scheme):
            cells = self.partitions.cells(known)
            labels = rows.of_tuple(cells.label_of_tuple)[order]
            chances = self.chances_given(known, cells, unique, alone=True)  # after some prefix
            sums = counts, kind, weights, starts, *chances, totals
            add_totals_of_prefixes(labels, cells.number, *sums)
        return totals

    def chances_given(
        self, known: Known, cells: Cells, unique: float | None, *, alone: bool
    ) -> tuple[float, float]:
        """Return how likely a record picked is confirmed, and what it adds to that to be alone.

        u_S is estimated only where somebody is alone.
        """
        scenario = self.scenario
        more = scenario.p_m * scenario.p_fm
        if alone and scenario.p_cu > 0:
            u = self.unique_in_population(known, cells) if unique is None else unique
            more += (1 - more) * scenario.p_cu * u
        return scenario.p_c, (1 - scenario.p_c) * more

    def unique_in_population(self, known: Known, cells: Cells) -> float:
        """Return u_S, estimated from the whole table; the same for every scheme with these levels."""
        found = self.estimates.get(known)
        if found is None:
            estimate = self.estimate or by_pitman
            found = estimate_unique(cells.people, self.scenario.population, estimate)
            if len(self.estimates) < ESTIMATES:
                self.estimates[known] = found
        return found
