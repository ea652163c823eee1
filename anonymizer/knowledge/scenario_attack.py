"""A scenario against a table as any scheme generalizes it: the overall risk of each tuple's people.

For what it sums see exposure.py. Here a_S counts the people who are kept, while u_S, a property of the
population, is estimated from the table before anything is suppressed, so that no suppression lowers the
risk of anybody who is kept. Both depend on the levels of what is known alone: the cells are shared by all
schemes that agree there, and so is u_S.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.microdata import Microdata
from anonymizer.errors import PolicyError
from anonymizer.estimators.uniques import unique_given_unique as by_pitman
from anonymizer.kernels.overall import add_risks
from anonymizer.knowledge.attack import Floats, check_levels, find_kinds
from anonymizer.knowledge.cells import Cells, Known, Partitions
from anonymizer.knowledge.exposure import check_exact
from anonymizer.knowledge.scenario import Scenario
from anonymizer.knowledge.uniqueness import estimate_unique
from anonymizer.knowledge.values import Values
from anonymizer.lattice import Scheme

ESTIMATES = 100_000
"""So many u_S are kept."""


@dataclass(frozen=True, eq=False)
class ScenarioAttack:
    """A scenario whose attributes are quasi-identifiers of a table."""

    scenario: Scenario
    microdata: Microdata
    chances: Floats
    """chances[kind, group] = the probability that the attacker learns the group, of a kind of people."""
    kind: NDArray[np.int32]
    """The kind of each tuple."""
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

    def risks(
        self, scheme: Scheme, kept: NDArray[np.bool_], unique: float | None = None
    ) -> Floats:
        """Return the overall risk of each tuple's people among those kept; 0 for what is not kept.

        With `unique`, every u_S is that number.
        """
        scenario, risks = self.scenario, np.zeros(kept.size)
        member = scenario.p_m * scenario.p_fm
        for known, weights in self.known_sets(scheme):
            cells = self.partitions.cells(known)
            matching = self.partitions.count_people(cells, kept)
            alone = member
            if scenario.p_cu > 0 and (matching == 1).any():
                u = self.unique_in_population(known, cells) if unique is None else unique
                alone = member + (1 - member) * scenario.p_cu * u
            chances = scenario.p_c, (1 - scenario.p_c) * alone
            add_risks(cells.label_of_tuple, matching, kept, self.kind, weights, *chances, risks)
        return risks

    def unique_in_population(self, known: Known, cells: Cells) -> float:
        """Return u_S, estimated from the whole table; the same for every scheme with these levels."""
        found = self.estimates.get(known)
        if found is None:
            found = estimate_unique(cells.people, self.scenario.population, by_pitman)
            if len(self.estimates) < ESTIMATES:
                self.estimates[known] = found
        return found
