"""A scenario against a table as any scheme generalizes it: the overall risk of each tuple's people.

For what it sums see exposure.py. Here a_S counts the people who are kept. u_S is a property of the
population, estimated from the table before anything is suppressed: no suppression lowers the risk of
anybody who is kept. Both depend on the levels of what is known alone: the cells are shared by all schemes
that agree there, and so is u_S.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.attack import Floats, check_levels
from anonymizer.attackers.cells import Known, KnownCells, Partitions, know
from anonymizer.attackers.chances import Chances, check_cells
from anonymizer.attackers.exposure import combine
from anonymizer.attackers.placed import Subjects
from anonymizer.attackers.probability import HIGH
from anonymizer.attackers.scenario import Scenario
from anonymizer.attackers.uniqueness import (
    ESTIMATES,
    UniqueGivenUnique,
    estimate_unique,
    estimator_of,
    highest_of_subsets,
)
from anonymizer.data.aggregate import Labels
from anonymizer.errors import PolicyError
from anonymizer.estimators.uniques import unique_given_unique as by_pitman
from anonymizer.kernels.overall import add_risks, add_totals_of_prefixes
from anonymizer.kernels.partition import sum_by_label
from anonymizer.lattice import Scheme
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata

EXACT_LIMIT = 20  # groups; the exact risk has 2^groups terms


@dataclass(frozen=True, slots=True, eq=False)
class AttackedRows:
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
    chances: Chances
    kind: NDArray[np.int32]
    """The kind of each tuple."""
    monotone: bool = False
    """Whether u_S is taken as the highest of all that is known less: so that no risk falls as more is."""
    estimate: UniqueGivenUnique | None = None
    """Of u_S; None for the scenario's."""
    estimates: dict[Known, float] = field(default_factory=dict, repr=False)
    highest_estimates: dict[frozenset[Known], float] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(scenario: Scenario, microdata: Microdata) -> ScenarioAttack:
        """Return the attack on a table, prepared once for it."""
        return microdata.once(scenario, lambda: ScenarioAttack.prepare(scenario, microdata))

    @staticmethod
    def prepare(scenario: Scenario, microdata: Microdata) -> ScenarioAttack:
        """Find the probabilities for each person, or raise a PolicyError if the scenario does not fit.

        Ranges count with their upper ends, where nobody's risk is lower.
        """
        names = microdata.attributes
        expanded = scenario.at(HIGH).expand(names)
        heights = [column.hierarchy.height for column in microdata.columns]
        if faults := check_levels(expanded, dict(zip(names, heights, strict=True))):
            raise PolicyError.defective("scenario", faults)
        check_exact(expanded)
        population = microdata.population
        if scenario.counted and (population is None or population.known is not None):
            raise PolicyError(
                "scenario: its population table lacks a quasi-identifier, so it cannot be counted who is "
                "unique; add the columns, or give the size of the population."
            )
        subjects = Subjects.of(microdata, (0,) * len(names))
        ordered = not microdata.grouped
        check_cells(expanded, subjects.values, subjects.codes, subjects.tuple_of_row, ordered)
        people = subjects.values, subjects.codes, microdata.distinct
        chances, kind = Chances.of(expanded, *people)
        monotone = scenario.has_learned_ranges and not scenario.counted
        return ScenarioAttack(expanded, microdata, chances, kind.of_row, monotone)

    def estimated_by(self, estimate: UniqueGivenUnique) -> ScenarioAttack:
        """Return the same attack with another estimate of u_S."""
        return replace(self, estimate=estimate, estimates={}, highest_estimates={})

    @property
    def partitions(self) -> Partitions:
        """The cells of the table for all that may be known."""
        return Partitions.of(self.microdata)

    def groups_at(self, scheme: Scheme) -> tuple[Known, ...]:
        """Return what each group tells at a scheme."""
        names = self.microdata.attributes
        return tuple(
            self.partitions.known(
                (at, max(scheme[at], group.levels.get(name, 0)))
                for name in group.attributes
                for at in (names.index(name),)
            )
            for group in self.scenario.learned
        )

    def known_sets(self, groups: tuple[Known, ...]) -> Iterator[tuple[Known, Floats]]:
        """Yield all that may be known of some groups, with how likely just that is for each kind.

        A group that tells nobody apart any more is passed over: the rest is as likely as it was.
        """
        nobody = np.zeros(self.chances.kinds)
        yield from self.walk(groups, 0, frozenset(), nobody + 1, nobody)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The groups in an order in which those of one cause follow each other."""
        with_cause = [group for members in self.chances.members for group in members.tolist()]
        alone = [at for at in range(len(self.scenario.learned)) if at not in with_cause]
        return (*alone, *with_cause)

    @cached_property
    def cause_begins(self) -> dict[int, int]:
        """The cause that is decided about before a place in the order."""
        place = {group: at for at, group in enumerate(self.order)}
        return {place[int(members[0])]: at for at, members in enumerate(self.chances.members)}

    def walk(
        self, groups: tuple[Known, ...], at: int, known: Known, weights: Floats, lacking: Floats
    ) -> Iterator[tuple[Known, Floats]]:
        """Decide about one group after the other.

        `lacking` are the weights of those whose cause, of the groups looked at, is not found. They stay
        as they are until a group of it is learned, which then cannot be.
        """
        more = known
        while at < len(groups):
            if at in self.cause_begins:
                found = self.chances.causes[:, self.cause_begins[at]]
                weights = weights + lacking
                weights, lacking = weights * found, weights * (1 - found)
            more = know(known, groups[self.order[at]])
            if more != known:
                break
            at += 1
        if not weights.any() and not lacking.any():
            return  # it cannot happen
        if at == len(groups):
            yield known, weights + lacking
            return
        learned = self.chances.groups[:, self.order[at]]
        yield from self.walk(groups, at + 1, known, weights * (1 - learned), lacking)
        yield from self.walk(groups, at + 1, more, weights * learned, 0 * lacking)

    @cached_property
    def tuples(self) -> AttackedRows:
        """All tuples of the table, each a row."""
        return AttackedRows(None, self.microdata.counts, self.kind)

    def rows(self, classes: EquivalenceClasses) -> AttackedRows:
        """Put the tuples of a class that are of one kind together, unless people have several records."""
        if self.microdata.people is not None:
            return self.tuples
        if self.chances.kinds == 1:
            kinds = np.zeros(classes.first_tuple.size, np.int32)
            return AttackedRows(classes.first_tuple, classes.records, kinds)
        labels = Labels(classes.label_of_tuple, classes.first_tuple.size).refine(
            Labels(self.kind, self.chances.kinds)
        )
        first = labels.first_rows()
        counts = sum_by_label(labels.of_row, self.microdata.counts, labels.number)
        return AttackedRows(first, counts, self.kind[first])

    def risks(
        self,
        scheme: Scheme,
        rows: AttackedRows,
        kept: NDArray[np.bool_],
        unique: float | None = None,
    ) -> Floats:
        """Return the overall risk of each row's people among those kept; 0 for what is not kept.

        With `unique`, every u_S is that number.
        """
        risks = np.zeros(kept.size)
        everybody, groups = kept.all(), self.groups_at(scheme)
        for known, weights in self.known_sets(groups):
            cells = self.partitions.cells(known)
            labels = rows.of_tuple(cells.label_of_tuple)
            matching = cells.people
            if not everybody:
                matching = self.partitions.count_people(cells, labels, rows.counts, kept)
            u = self.unique_in(cells, known, groups, unique, alone=(matching == 1).any())
            routes = self.routes(weights)
            add_risks(labels, matching, u, kept, rows.kind, *routes, risks)
        return risks

    def mean(self, scheme: Scheme, unique: float | None = None) -> float | None:
        """Return the mean overall risk with nothing suppressed, where all people are of one kind.

        Over the people of a cell, one over their number sums to one: cells are counted, not people.
        None where that does not hold.
        """
        if self.microdata.people is not None or self.chances.kinds > 1:
            return None
        total, groups = 0.0, self.groups_at(scheme)
        for known, weights in self.known_sets(groups):
            cells = self.partitions.cells(known)
            u = self.unique_in(cells, known, groups, unique, alone=cells.uniques > 0)
            (picked,), (alone,), (confirmed,) = self.routes(weights)
            total += picked * cells.number + alone * cells.uniques
            total += confirmed * float(u[cells.people == 1].sum())
        return total / self.microdata.records

    def totals_left(
        self,
        scheme: Scheme,
        rows: AttackedRows,
        order: NDArray[np.intp],
        starts: NDArray[np.intp],
        unique: float | None = None,
    ) -> Floats:
        """Return the sum of all records' risks after each prefix of an order, in one pass.

        The rows order[starts[p]:] remain after the prefix p. Each record must be a person.
        """
        totals = np.zeros(starts.size)
        counts, kind, groups = rows.counts[order], rows.kind[order], self.groups_at(scheme)
        for known, weights in self.known_sets(groups):
            cells = self.partitions.cells(known)
            labels = rows.of_tuple(cells.label_of_tuple)[order]
            u = self.unique_in(cells, known, groups, unique, alone=True)  # after some prefix
            routes = self.routes(weights)
            add_totals_of_prefixes(labels, u, counts, kind, starts, *routes, totals)
        return totals

    @cached_property
    def certain(self) -> tuple[Floats, Floats, Floats]:
        """Return for each kind what each of the three risks adds to the overall one, were it 1.

        Of picking at random, of being alone in the table, and of being so in the population.
        """
        parameters = self.chances.parameters.T
        prosecutor, journalist, marketer = (combine(parameters, *of) for of in np.eye(3))
        return marketer, prosecutor, journalist

    def routes(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Return for each kind how likely a record picked is confirmed, and what is added to that.

        The second is for whoever is alone in the table, the third if they are so in the population.
        """
        picked, alone, confirmed = self.certain
        return weights * picked, weights * alone, weights * confirmed

    def unique_in(
        self,
        cells: KnownCells,
        known: Known,
        groups: tuple[Known, ...],
        unique: float | None,
        *,
        alone: bool,
    ) -> Floats:
        """Return u_S for each cell; 0 where nobody is alone, as nobody needs it then."""
        if not alone or not self.scenario.needs_unique:
            return np.zeros(cells.number)
        if unique is None and self.scenario.counted:
            assert cells.matching is not None
            return (cells.matching <= 1).astype(np.float64)
        if unique is None:
            unique = self.estimated(known)
            if self.monotone:
                inside = frozenset(group for group in groups if know(known, group) == known)
                unique = highest_of_subsets(
                    inside,
                    lambda some: self.estimated(reduce(know, some, frozenset())),
                    self.highest_estimates,
                )
        return np.full(cells.number, unique)

    def estimated(self, known: Known) -> float:
        """Return u_S, estimated from the whole table; the same for every scheme with these levels."""
        found = self.estimates.get(known)
        if found is None:
            sizes = self.partitions.cells(known).people
            found = estimate_unique(sizes, self.scenario.size, self.estimator)
            if len(self.estimates) < ESTIMATES:
                self.estimates[known] = found
        return found

    @property
    def estimator(self) -> UniqueGivenUnique:
        """How u_S is estimated."""
        if self.estimate is not None:
            return self.estimate
        name = self.scenario.estimator
        return by_pitman if name == "pitman" else estimator_of(name)


def check_exact(scenario: Scenario) -> None:
    """Refuse a scenario with too many groups for the exact risk."""
    if len(scenario.learned) > EXACT_LIMIT:
        raise PolicyError(
            f"scenario: {len(scenario.learned)} groups are more than the {EXACT_LIMIT} whose subsets "
            "can all be looked at; merge groups, or use `anonymizer assess`, which draws what is known."
        )
