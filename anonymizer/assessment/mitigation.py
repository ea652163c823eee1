"""Mitigation: what would make a source harmless, and what each way would cost.

Simon et al. 2020, sections 4.2 and 4.3. Coarsening a key, leaving it out and dropping records are
compared in one measure, Iyengar's loss over the keys of the source (0 is untouched, 1 is nothing left),
with the weights of the policy. Restricting access costs no data, and is listed apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from anonymizer.assessment.keys import KeySet, coarser_levels
from anonymizer.assessment.source_risk import SourceRisk
from anonymizer.attackers.statistics import passes
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.policy import Policy, Role
from anonymizer.risk import KAnonymity
from anonymizer.search import Limits, Status, search
from anonymizer.table.microdata import Microdata
from anonymizer.utility import Aggregate, Loss
from anonymizer.utility.loss import attribute_loss

EVALUATIONS = 500
"""How many schemes the search for the best mix may evaluate: a count, so that it is repeatable."""


class Mitigation(StrEnum):
    """The ways there are."""

    COARSEN = "coarsen"
    LEAVE_OUT = "leave out"
    DROP = "drop records"
    MIX = "best mix"
    """No other way that changes keys and drops records costs less: proven."""
    FOUND = "mix"
    """As far as the search came."""
    RESTRICT = "restrict access"


@dataclass(frozen=True, slots=True)
class Option:
    """One way to make a source harmless.

    The change alone leaves `above` people above the threshold, the worst of them at `highest`; `dropped`
    people are then dropped until nobody is. `loss` is the cost of both together.
    """

    kind: Mitigation
    what: str
    levels: dict[str, int]
    above: int
    highest: float
    dropped: int
    loss: float


@dataclass(frozen=True, slots=True)
class Access:
    """A restricted way to share, with the highest probability that is accepted for it."""

    mechanism: str
    threshold: float
    passes: bool


def list_options(source_risk: SourceRisk, measure: Loss) -> list[Option]:
    """Compare all ways for one source, the cheapest first."""
    key_set = source_risk.key_set
    changes = [
        *((Mitigation.LEAVE_OUT, {key: top_of(key_set, key)}) for key in key_set.keys),
        *(
            (Mitigation.LEAVE_OUT, {one: top_of(key_set, one), other: top_of(key_set, other)})
            for one, other in combinations(key_set.keys, 2)
            if len(key_set.keys) > 2  # of two keys nothing would be left
        ),
        *((Mitigation.COARSEN, {key: level}) for key, level in coarser_levels(key_set)),
        (Mitigation.DROP, {}),
    ]
    options = [weigh(source_risk, measure, kind, levels) for kind, levels in changes]
    mix = list(best_mix(source_risk, measure))
    found = [option.levels for option in mix]
    options = [option for option in options if option.levels not in found] + mix
    return sorted(options, key=lambda option: (option.loss, option.dropped, option.what))


def list_access(highest: float, thresholds: dict[str, float]) -> list[Access]:
    """Say for each restricted way to share whether the table as it is would be acceptable."""
    return [
        Access(name, threshold, passes(highest, threshold))
        for name, threshold in thresholds.items()
    ]


def weigh(
    source_risk: SourceRisk, measure: Loss, kind: Mitigation, levels: dict[str, int]
) -> Option:
    """Weigh the effect of a change to the keys, and its cost with those dropped who remain."""
    key_set = source_risk.key_set
    scheme = key_set.scheme(levels)
    cells, risk_of_cell = source_risk.cells(scheme)
    risk = cells.highest(risk_of_cell)
    dropped = source_risk.drop(cells, risk_of_cell)
    return Option(
        kind,
        describe_levels(key_set.microdata, levels),
        levels,
        int(cells.people_of_history[source_risk.above(risk)].sum()),
        float(risk.max()),
        int(cells.people_of_history[dropped].sum()),
        loss_of(key_set, measure, levels, dropped),
    )


def loss_of(
    key_set: KeySet, measure: Loss, levels: dict[str, int], dropped: NDArray[np.bool_]
) -> float:
    """Return the loss of a table with some keys at coarser levels and some people dropped."""
    microdata = key_set.microdata
    rows = key_set.people.rows_of_tuples(dropped, microdata.distinct)
    covered = np.empty(len(key_set.keys), np.int64)
    for number, key in enumerate(key_set.keys):
        level = levels.get(key, 0)
        column = microdata.columns[number]
        of_dropped = int(rows @ column.covered[level][microdata.codes[number]])
        everyone = int(microdata.total_covered[number, level])
        covered[number] = everyone - of_dropped + int(rows.sum()) * column.hierarchy.extent
    domain = microdata.domain
    losses = attribute_loss(covered, microdata.records, domain.sizes, domain.least)
    return measure.aggregate.of_terms(float(measure.terms(losses).sum()))


def best_mix(source_risk: SourceRisk, measure: Loss) -> Iterator[Option]:
    """Search for the scheme and the dropped records that together cost least.

    For a source that is not at hand and people of one row each: there a cell is acceptable exactly if it
    has enough people, and the optimizer knows how to reach that. The mix is not proven to be the best
    where the overlap depends on a value, or the search ends at its limit.
    """
    key_set, k = source_risk.key_set, source_risk.needed_size()
    rows_are_people = key_set.people.people == key_set.microdata.records
    if k is None or not rows_are_people or any(key_set.base) or source_risk.source.without:
        return
    evaluator = Evaluator(key_set.microdata, (KAnonymity(k),), measure, key_set.microdata.records)
    found = search(evaluator, key_set.microdata.lattice, Limits(None, EVALUATIONS), 1, None)
    if found.best is None:
        return
    scheme = zip(key_set.keys, found.best.scheme, strict=True)
    alike = source_risk.source.p.by is None and source_risk.source.q.by is None
    kind = Mitigation.MIX if alike and found.status is Status.OPTIMAL else Mitigation.FOUND
    yield weigh(source_risk, measure, kind, {key: level for key, level in scheme if level})


def measure_for(policy: Policy, keys: tuple[str, ...]) -> Loss:
    """Return the loss over some keys with the policy's weights; a key without a weight has 1.

    Where the policy has another aggregate than a mean, it is the default one; a factor is left aside.
    """
    attributes = [policy.attributes[key] for key in keys]
    weights = tuple(a.weight if a.role is Role.QUASI else 1.0 for a in attributes)
    aggregate = policy.utility.aggregate
    return Loss(aggregate if aggregate.is_mean else Aggregate.GEOMETRIC, weights)


def top_of(key_set: KeySet, key: str) -> int:
    """Return the level at which a key is left out."""
    return key_set.tops[key_set.keys.index(key)]


def describe_levels(microdata: Microdata, levels: dict[str, int]) -> str:
    """Say in words what is done to the keys."""
    column_of = dict(zip(microdata.attributes, microdata.columns, strict=True))
    left_out = [
        key for key, level in levels.items() if column_of[key].hierarchy.height == level + 1
    ]
    parts = [f"leave out {join(left_out)}"] if left_out else []
    for key, level in levels.items():
        if key not in left_out:
            values, top = column_of[key].group_counts[level], column_of[key].hierarchy.height - 1
            parts.append(f"coarsen {key} to level {level} of {top} ({values:,} values)")
    return ", ".join(parts) or "keep all keys"


def join(names: list[str]) -> str:
    """Join names as in a sentence.

    >>> join(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
