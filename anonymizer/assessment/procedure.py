"""The steward's procedure: everything that can be found out about a table, in the order of the paper.

Simon et al. 2020, sections 3 and 4: for each external source its keys, the linkage or the overlap, the
people who are rare by the keys, their probability of re-identification, disclosure through small cells,
the verdict, and the ways to lower the risk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anonymizer.assessment.findings import (
    OverlapReading,
    Probabilities,
    ProcedureFindings,
    Rarity,
    SourceFindings,
    Special,
)
from anonymizer.assessment.homogeneity import Homogeneity, Tolerance, measure_homogeneity
from anonymizer.assessment.keys import (
    KS,
    SMALL,
    KeyCells,
    KeySet,
    ValueCount,
    count_by_history,
    count_violations,
    small_cells,
    values_in,
    what_if,
)
from anonymizer.assessment.mitigation import (
    list_access,
    list_options,
    measure_for,
)
from anonymizer.assessment.plan import make_plan
from anonymizer.assessment.protected import Protected, check_statement, make_key_set
from anonymizer.assessment.source_risk import Floats, SourceRisk, link
from anonymizer.assessment.special_uniques import (
    dis_power,
    dis_scores,
    find_special_uniques,
    why_infeasible,
)
from anonymizer.attackers.external import External, load_externals, open_externals
from anonymizer.attackers.linkage_checks import repeated_warnings, warn
from anonymizer.attackers.statement import ExternalSource, Statement
from anonymizer.data.opening import check_present
from anonymizer.data.table import Table
from anonymizer.errors import DataError
from anonymizer.policy import Policy, PolicyLike
from anonymizer.problem import Source as Data
from anonymizer.problem import load_policy, open_data
from anonymizer.risk.profile import SIZE_EDGES, range_name

OnStep = Callable[[str], None]
SHOWN_SIZES = (1, 2, 3, 4, 5)
"""The sizes of cells for which probability and sentence are spelled out."""
SHOWN_VALUES = 5
"""How many values are listed at most: of each key, or of all."""


def follow_procedure(
    data: Data,
    policy: PolicyLike,
    statement: Statement | str | Path,
    on_step: OnStep | None = None,
) -> ProcedureFindings:
    """Follow the procedure for every source of a statement.

    `data` is a dataframe or a path, or None where the policy says where the table is; `on_step` is told
    what is being done.
    """
    policy = load_policy(policy)
    file = None if isinstance(statement, Statement) else Path(statement)
    statement = load_statement(statement)
    step = on_step or (lambda _: None)
    table = open_data(data, policy)
    statement = with_id(statement, policy, table)
    protected = open_protected(table, policy, statement)
    externals = load_externals(statement)
    found = []
    for source, key_set in key_sets(protected, policy, statement, externals):
        source_risk = SourceRisk(key_set, source, statement.threshold_of(source))
        found.append(examine(source_risk, protected, policy, statement, step))
    people = key_set.people.people
    plan = None
    if any(source.probabilities.above for source in found):
        step("planning for all sources together")
        plan = make_plan(table, policy, statement, protected, externals, file)
    by_id = statement.id is not None
    return ProcedureFindings(protected.rows, people, by_id, tuple(found), statement.most, plan)


def list_small_cells(
    data: Data, policy: PolicyLike, statement: Statement | str | Path
) -> pd.DataFrame:
    """List the small cells of every source with their key values: for the steward alone."""
    policy = load_policy(policy)
    statement = load_statement(statement)
    table = open_data(data, policy)
    statement = with_id(statement, policy, table)
    protected = open_protected(table, policy, statement)
    tables = []
    for source, key_set in key_sets(protected, policy, statement, load_externals(statement)):
        cells = small_cells(key_set)
        cells.insert(0, "source", source.name)
        tables.append(cells)
    together = pd.concat(tables, ignore_index=True)
    return together[[*together.columns.drop("people"), "people"]]


def load_statement(statement: Statement | str | Path) -> Statement:
    """Read a statement that is given by its path."""
    return statement if isinstance(statement, Statement) else Statement.read(statement)


def with_id(statement: Statement, policy: Policy, table: Table) -> Statement:
    """Return the statement with the policy's id, where it states none and the table has the column."""
    known = statement.id is None and policy.data.id in table.columns
    return statement.model_copy(update={"id": policy.data.id}) if known else statement


def key_sets(
    protected: Protected, policy: Policy, statement: Statement, externals: Mapping[str, External]
) -> Iterator[tuple[ExternalSource, KeySet]]:
    """See the table through the keys of each source."""
    for source in statement.source:
        if external := externals.get(source.name):
            warn(repeated_warnings(external, statement, source))
        yield source, make_key_set(protected, policy, source, external)


def open_protected(table: Table, policy: Policy, statement: Statement) -> Protected:
    """Read the table, and check it and the statement against the policy before anything is computed."""
    check_statement(statement, policy)
    open_externals(statement)
    check_present(table, statement.columns)
    protected = Protected.load(table, statement)
    for attribute, marked in statement.sensitive.items():
        protected.sensitive(attribute, marked)
    for attribute, values in statement.outcome.items():
        protected.sensitive(attribute, values, "outcome")
    return protected


def examine(
    source_risk: SourceRisk,
    protected: Protected,
    policy: Policy,
    statement: Statement,
    step: OnStep,
) -> SourceFindings:
    """Take the steps for one source."""
    key_set, source = source_risk.key_set, source_risk.source

    def tell(what: str) -> None:
        step(f"{source.name}: {what}")

    tell("counting who is rare")
    rarity = find_rarity(key_set, protected.rows)
    tell("looking for special uniques")
    special = find_special(source_risk, tell)
    tell("computing probabilities")
    probabilities = find_probabilities(source_risk)
    tell("looking into small cells")
    homogeneity = look_into_cells(source_risk, protected, statement)
    tell("comparing what could be done")
    failing = probabilities.above > 0
    options = list_options(source_risk, measure_for(policy, key_set.keys)) if failing else []
    access = list_access(probabilities.highest, statement.access) if failing else []
    linkage = None if source.path is None else link(source_risk)
    warn([] if linkage is None else linkage.warnings)
    return SourceFindings(
        source.name,
        source.attack.value,
        key_set.keys,
        {key: level for key, level in zip(key_set.keys, key_set.base, strict=True) if level},
        linkage,
        rarity,
        special,
        probabilities,
        tuple(homogeneity),
        tuple(options),
        tuple(access),
        tuple(name for name in statement.sensitive if source.learns(name)),
    )


def find_rarity(key_set: KeySet, rows: int) -> Rarity:
    """Count who is rare, with all keys and with some left out or coarsened."""
    cells = key_set.cells()
    several = key_set.people.people < rows
    return Rarity(
        cells.sizes.size,
        int(cells.sizes.min()),
        count_violations(cells, KS),
        count_by_history(key_set.people) if several else None,
        people_by_cell_size(cells),
        most_frequent(values_in(key_set, cells, cells.sizes < SMALL)),
        tuple(what_if(key_set)),
    )


def find_probabilities(source_risk: SourceRisk) -> Probabilities:
    """Compute the probabilities, put them into words, and compare them with the threshold."""
    source, linked = source_risk.source, source_risk.source.path is not None
    cells, risk_of_cell = source_risk.cells()
    risk, people = cells.highest(risk_of_cell), cells.people_of_history
    above = source_risk.above(risk_of_cell)
    return Probabilities(
        None if linked else source.p.describe(),
        None if linked else source.q.describe(),
        None if linked else source_risk.overlap().pattern.value,
        describe_without(source),
        () if linked else read_overlap(source_risk, cells),
        source_risk.threshold,
        source_risk.needed_size(),
        float(risk.max()),
        float(risk @ people / people.sum()),
        int(people[source_risk.above(risk)].sum()),
        hit_hardest(values_in(source_risk.key_set, cells, above)),
    )


def describe_without(source: ExternalSource) -> dict[str, Any]:
    """Return p and q once a key is left out, for the keys that they hang on."""
    overlaps = {key: source.overlap([key]) for key in source.without}
    return {key: {"p": p.describe(), "q": q.describe()} for key, ((p,), (q,)) in overlaps.items()}


def most_frequent(counts: Sequence[ValueCount]) -> tuple[ValueCount, ...]:
    """Keep the first few values of each key, and what is pooled."""
    kept: list[ValueCount] = []
    for count in counts:
        same = sum(other.key == count.key for other in kept)
        if same < SHOWN_VALUES or count.value is None:
            kept.append(count)
    return tuple(kept)


def hit_hardest(counts: Sequence[ValueCount]) -> tuple[ValueCount, ...]:
    """Keep the few values with the largest shares of all keys."""
    named = [count for count in counts if count.value is not None and count.inside]
    return tuple(sorted(named, key=lambda count: -count.share)[:SHOWN_VALUES])


def people_by_cell_size(cells: KeyCells) -> dict[str, int]:
    """Count the people by the size of the smallest cell they are in."""
    ranges = np.searchsorted(SIZE_EDGES, cells.smallest(), side="right") - 1
    counts = np.bincount(ranges, cells.people_of_history, minlength=len(SIZE_EDGES))
    names = [range_name(number) for number in range(len(SIZE_EDGES))]
    return dict(zip(names, counts.astype(int).tolist(), strict=True))


def read_overlap(source_risk: SourceRisk, cells: KeyCells) -> tuple[OverlapReading, ...]:
    """Put the overlap into words for small cells; where it depends on a value, at its largest."""
    overlap, attack = source_risk.overlap(), source_risk.source.attack
    smallest = cells.smallest()
    return tuple(
        OverlapReading(
            size,
            int(cells.people_of_history[smallest == size].sum()),
            overlap.probability(size),
            overlap.sentence(size, attack),
        )
        for size in SHOWN_SIZES
    )


def find_special(source_risk: SourceRisk, tell: OnStep) -> Special:
    """Find the special uniques and describe them without naming anybody."""
    key_set, source = source_risk.key_set, source_risk.source
    if reason := why_infeasible(key_set):
        return Special(reason=reason)
    total = 2 ** len(key_set.keys) - 1

    def on_set(number: int) -> None:
        tell(f"special uniques, {number:,} of at most {total:,} sets of keys")

    try:
        found = find_special_uniques(key_set, on_set)
    except DataError as error:
        return Special(reason=str(error))
    cells = key_set.cells()
    contributions = sorted(found.contributions.items(), key=lambda item: (-item[1], item[0]))
    return Special(
        people=int(cells.people_of_history[cells.smallest() == 1].sum()),
        by_smallest_set=tuple(
            np.bincount(found.smallest, minlength=len(key_set.keys) + 1)[1:].tolist()
        ),
        sets=tuple(found.sets.tolist()),
        contributions=tuple(contributions),
        highest_score=float(found.score.max(initial=0.0)),
        highest_dis=highest_dis(found.score, cells, source, len(key_set.keys)),
    )


def highest_dis(score: Floats, cells: KeyCells, source: ExternalSource, keys: int) -> float | None:
    """Return the largest DIS-SUDA score, with p as the share of the population that the table is.

    None where p says nothing about the population: the source is at hand, or p is 0 or 1.
    """
    p = source.largest_overlap().p
    if source.path is not None or p in (0, 1):
        return None
    uniques, pairs = int((cells.sizes == 1).sum()), 2 * int((cells.sizes == 2).sum())
    return float(dis_scores(score, uniques, pairs, dis_power(keys), p).max(initial=0.0))


def look_into_cells(
    source_risk: SourceRisk, protected: Protected, statement: Statement
) -> Sequence[Homogeneity]:
    """Measure the homogeneity of every sensitive attribute that is new to the source."""
    key_set = source_risk.key_set
    classes, sizes = key_set.classes(), key_set.cells().sizes
    cell_of_row = classes.label_of_tuple[key_set.microdata.tuple_of_row].astype(np.int64)
    certainty = source_risk.certainty(classes)
    tolerance = Tolerance(statement.most, certainty, source_risk.threshold)
    found = []
    for attribute, marked in statement.sensitive.items():
        if not source_risk.source.learns(attribute):  # who knows it already learns nothing new
            continue
        value_of_row, numbers = protected.sensitive(attribute, marked)
        found.append(
            measure_homogeneity(
                attribute,
                sizes,
                cell_of_row,
                value_of_row,
                numbers,
                protected.person_of_row,
                tolerance,
            )
        )
    return found
