"""Plan: one way to make all sources of a statement harmless together, at the least loss.

It is the optimum of the risk model `sources`: keys are coarsened or left out and records dropped until no
source finds anybody with more than the accepted probability.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from anonymizer.assessment.homogeneity import (
    Tolerance,
    count_people,
    measure_homogeneity,
)
from anonymizer.assessment.keys import close_top
from anonymizer.assessment.mitigation import describe_levels
from anonymizer.assessment.protected import Protected, hierarchy_of
from anonymizer.attackers.external import External
from anonymizer.attackers.sources import SourceAttack
from anonymizer.attackers.statement import Statement
from anonymizer.data.table import Table
from anonymizer.errors import AnonymizerError, AnonymizerWarning, PolicyError
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Policy, Role
from anonymizer.problem import Problem
from anonymizer.risk import Sources
from anonymizer.search import Status
from anonymizer.solution.solution import Solution, anonymize

EVALUATIONS = 2000
"""How many schemes are evaluated at most, unless the policy says: a count, so that it is repeatable."""

Externals = Mapping[str, External]
"""The tables of the sources that are at hand, by the source's name."""


@dataclass(frozen=True, slots=True)
class OutcomeCost:
    """How many of the records with an outcome that matters are dropped."""

    attribute: str
    values: tuple[str, ...]
    records: int
    dropped: int


@dataclass(frozen=True, slots=True, eq=False)
class MitigationPlan:
    """The changes to the table, their cost, and the remaining risk; or why there is no plan."""

    reason: str | None = None
    """Why there is none."""
    what: str = ""
    """What is done to the keys."""
    levels: dict[str, int] = field(default_factory=dict)
    """The levels of the keys that are changed."""
    dropped: int = 0
    """Records."""
    people_dropped: int = 0
    """People of whom no record is left."""
    loss: float = 0.0
    """Of the policy's measure, over all its quasi-identifiers and the keys."""
    optimal: bool = False
    """Whether no other way loses less: proven."""
    outcomes: tuple[OutcomeCost, ...] = ()
    highest: dict[str, float] = field(default_factory=dict)
    """The highest probability that is left, by source."""
    given_away: dict[str, int] = field(default_factory=dict)
    """The people of whom small cells still tell a sensitive value, by source: no part of the plan."""
    solution: Solution | None = field(default=None, repr=False)
    """What makes the release."""

    def describe(self) -> dict[str, Any]:
        """Return the plan as JSON."""
        return {
            "reason": self.reason,
            "what": self.what,
            "levels": self.levels,
            "dropped": self.dropped,
            "people_dropped": self.people_dropped,
            "loss": self.loss,
            "optimal": self.optimal,
            "outcomes": [asdict(cost) for cost in self.outcomes],
            "highest": self.highest,
            "given_away": self.given_away,
        }

    @property
    def acceptable(self) -> bool:
        """Whether the table is acceptable once the plan is carried out."""
        return self.reason is None and not any(self.given_away.values())


def make_plan(
    table: Table,
    policy: Policy,
    statement: Statement,
    protected: Protected,
    externals: Externals,
    file: Path | None = None,
) -> MitigationPlan:
    """Find the way that loses least; a table that cannot be anonymized by the policy has none.

    `file` is where the statement was read from, if it was: the model then names it.
    """
    model = Sources(statement if file is None else file.resolve())
    try:
        planned = plan_policy(policy, statement, protected, externals, model)
        with warnings.catch_warnings():  # the procedure has warned already
            warnings.simplefilter("ignore", AnonymizerWarning)
            solution = anonymize(Problem.read(table, planned, warn=False))
    except AnonymizerError as error:
        return MitigationPlan(reason=str(error))
    return describe_plan(solution, statement, protected)


def plan_policy(
    policy: Policy,
    statement: Statement,
    protected: Protected,
    externals: Externals,
    model: Sources,
) -> Policy:
    """Return the policy with all keys as quasi-identifiers that may be left out, and `sources` alone."""
    keys = dict.fromkeys(key for source in statement.source for key in source.keys)
    if hidden := [key for key in keys if policy.attributes[key].role.dropped]:
        raise PolicyError(
            f"statement: the key '{hidden[0]}' is {policy.attributes[hidden[0]].role.value} and never "
            "released; leave it out."
        )
    changes = {key: key_changes(policy, key, protected, externals) for key in keys}
    # what is assessed is the table that was given, whether or not a release is made from a sample
    whole = {"id": statement.id or policy.data.id, "sample": 1.0}
    data = policy.data.model_copy(update=whole)
    limit = policy.machine.evaluations or EVALUATIONS
    planned = policy.with_attributes({key: change for key, change in changes.items() if change})
    return Policy(**{**dict(planned), "data": data, "risk": (model,)}).on(evaluations=limit)


def key_changes(
    policy: Policy, key: str, protected: Protected, externals: Externals
) -> dict[str, Any]:
    """Return what makes a column a quasi-identifier that may be left out; nothing if it is one."""
    if policy.attributes[key].role is Role.QUASI:
        hierarchy = policy.hierarchy(key)
        closed = close_top(hierarchy)
        return {} if closed is hierarchy else {"hierarchy": closed}
    others = [each.keys[key] for each in externals.values() if key in each.keys]
    flat: Hierarchy = hierarchy_of(policy, key, protected.columns[key], *others)
    return {"role": Role.QUASI, "hierarchy": flat}


def describe_plan(solution: Solution, statement: Statement, protected: Protected) -> MitigationPlan:
    """Describe a solution: its changes, their cost, and the remaining risk."""
    microdata = solution.problem.microdata
    gone = solution.release.suppressed
    everybody, kept = microdata.number_of_people, solution.after.people
    changed = {name: level for name, level in solution.scheme.items() if level}
    return MitigationPlan(
        what=describe_levels(microdata, changed),
        levels=changed,
        dropped=solution.suppressed,
        people_dropped=everybody - kept,
        loss=solution.loss,
        optimal=solution.status is Status.OPTIMAL,
        outcomes=tuple(count_outcomes(statement, protected, gone[microdata.tuple_of_row])),
        highest=highest_left(solution),
        given_away=given_away_left(solution, statement, protected),
        solution=solution,
    )


def count_outcomes(
    statement: Statement, protected: Protected, gone: NDArray[np.bool_]
) -> list[OutcomeCost]:
    """Count the records with each outcome that matters, and those of them that are dropped."""
    costs = []
    for attribute, values in statement.outcome.items():
        column, numbers = protected.sensitive(attribute, values, "outcome")
        having = np.isin(column, numbers)
        records, dropped = int(having.sum()), int((having & gone).sum())
        costs.append(OutcomeCost(attribute, values, records, dropped))
    return costs


def attacks_on(solution: Solution) -> tuple[SourceAttack, ...]:
    """Return the sources against the table of a plan, whose only model is `sources`."""
    model = cast(Sources, solution.problem.models[0])
    return model.attacks(solution.problem.microdata)


def highest_left(solution: Solution) -> dict[str, float]:
    """Return the highest probability of anybody kept, by source."""
    scheme, kept = solution.outcome.classes.scheme, ~solution.release.suppressed
    return {
        attack.source.name: float(attack.probabilities(scheme, kept).max(initial=0.0))
        for attack in attacks_on(solution)
    }


def given_away_left(
    solution: Solution, statement: Statement, protected: Protected
) -> dict[str, int]:
    """Count the people of whom a small cell of what is kept tells a sensitive value, by source."""
    tuple_of_row = solution.problem.microdata.tuple_of_row
    kept = np.flatnonzero(~solution.release.suppressed[tuple_of_row])
    whose = protected.person_of_row
    person = None if whose is None else np.unique(whose[kept], return_inverse=True)[1]
    found = {}
    for attack in attacks_on(solution):
        scheme = solution.outcome.classes.scheme
        label = attack.cells(scheme).label_of_tuple[tuple_of_row[kept]]
        _, first, cell = np.unique(label, return_index=True, return_inverse=True)
        certainty = attack.certainty(scheme)[tuple_of_row[kept]]
        highest = np.zeros(first.size)
        np.maximum.at(highest, cell, certainty)
        sizes = count_people(cell, person, first.size)
        tolerance = Tolerance(statement.most, highest, attack.threshold)
        told = [
            measure_homogeneity(
                name, sizes, cell, codes[kept], numbers, person, tolerance
            ).given_away
            for name, values in statement.sensitive.items()
            if attack.source.learns(name) and kept.size
            for codes, numbers in [protected.sensitive(name, values)]
        ]
        found[attack.source.name] = max(told, default=0)
    return found
