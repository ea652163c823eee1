"""verify for linked tables: every claim recomputed from the tables, the policy and the manifest."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import DataError, quote_some
from anonymizer.policy import Policy
from anonymizer.problem.date_shift import in_intervals
from anonymizer.problem.seen import MOST_ROWS, time_columns
from anonymizer.risk import packages_of, profile
from anonymizer.risk.study import StudyAnonymity
from anonymizer.solution.study import KEY_LETTERS, LETTERS
from anonymizer.utility import make_measure
from anonymizer.utility.loss import attribute_loss
from anonymizer.verification.attackers import PEOPLE, Attackers, PlainStudy
from anonymizer.verification.claims import (
    Check,
    Verification,
    check_digest,
    check_figures,
    check_packages,
)
from anonymizer.verification.date_shift import CLAIM, check_not_compared
from anonymizer.verification.declared import (
    check_hierarchies,
    check_policy,
    check_proof,
    check_released_columns,
    check_schemes,
)
from anonymizer.verification.kept import check_kept
from anonymizer.verification.layers import check_values
from anonymizer.verification.order import IMPROBABLE, chance_of, correlate
from anonymizer.verification.study_original import check_against
from anonymizer.verification.study_reading import (
    ReleasedTable,
    as_table,
    find_study,
    histories_of,
    labels,
    open_released,
)

PROMISE = "everybody shares all that somebody may know with k people"
SIGMAS, LEAST = 6.0, 12.0
"""So many more rows than by chance stand beside another of their person before it is said."""


def verify_study(
    released: Any,
    policy: Policy,
    manifest: Mapping[str, Any] | str | Path | None,
    against: Any,
    keys: str | Path | None,
    proof: Path | None,
    started: float,
) -> Verification:
    """Check released tables against a policy, their manifest and, if given, the original tables."""
    manifest, given = find_study(released, manifest)
    tables = open_released(given, policy, manifest)
    checks = [*check_declared(tables, policy, manifest)]
    if any(check.passed is False for check in checks):
        return Verification(tuple(checks))
    checks += check_links(tables, manifest)
    if any(check.passed is False for check in checks):
        return Verification(tuple(checks))
    first, viewed = None, tables
    if policy.release.date_shift is not None:
        try:
            views, first = in_intervals({t.name: t.table for t in tables}, policy)
        except DataError as error:
            return Verification((*checks, Check(CLAIM, False, str(error))))
        viewed = [replace(each, table=views[each.name]) for each in tables]
    checks += check_contents(tables, viewed, policy, manifest)
    if against is None:
        for each in tables:
            found = check_kept(each.table, each.policy, each.hierarchies)
            checks += [of_table(check, each.name) for check in found]
        checks += check_not_compared(policy)
    else:
        histories = histories_of(viewed, ReleasedTable.generalized, ReleasedTable.kept)
        named = {each.name: own for each in tables if (own := each.own_keys()) is not None}
        checks += check_against(
            histories, named, policy, manifest, against, keys, proof, started, first
        )
    return Verification(tuple(checks))


def of_table(check: Check, name: str) -> Check:
    """Say of which table a check is."""
    return replace(check, claim=f"{name}: {check.claim}")


def check_declared(
    tables: list[ReleasedTable], policy: Policy, manifest: Mapping[str, Any]
) -> Iterator[Check]:
    """Check digests, policy, hierarchies, scheme and columns."""
    people, *children = tables
    expanded = policy.with_columns(people.policy.attributes)
    parts = {
        t.name: policy.tables[t.name].with_columns(tuple(t.policy.attributes)) for t in children
    }
    parts = {name: parts[name] for name in policy.tables}
    yield check_policy(expanded.model_copy(update={"tables": parts}), manifest)
    yield check_packages(packages_of(policy.risk), manifest.get("packages"))
    for each in tables:
        claim = "the file is the one released"
        found = [
            check_digest(claim, each.table, manifest["output"][each.name]),
            check_hierarchies(each.hierarchies, each.manifest),
            check_schemes(each.policy, each.hierarchies, each.manifest),
            check_released_columns(each.table, each.with_keys),
        ]
        yield from (of_table(check, each.name) for check in found)
    declared = {each.name: dict(each.keys) for each in tables}
    yield check_figures("the columns of keys are as declared", declared, manifest["keys"])
    strange = set(manifest["scheme"]) - {
        name for each in tables for name in labels(each, people.name)
    }
    detail = f"{quote_some(sorted(strange))} are of no table" if strange else "each is of a table"
    yield Check("the scheme has no level but those of the tables", not strange, detail)


def check_links(tables: list[ReleasedTable], manifest: Mapping[str, Any]) -> Iterator[Check]:
    """Check that every key is random by its looks, names one row, and leads to one; and the counts."""
    known: dict[str, set[str]] = {}
    for each in tables:
        own = each.own_keys()
        faults = []
        if own is not None:
            known[each.name] = set(own)
            if twice := len(own) - len(known[each.name]):
                faults.append(f"{twice:,} rows have the key of another")
            if odd := sum(not is_key(key) for key in known[each.name]):
                faults.append(f"{odd:,} keys are not {KEY_LETTERS} random letters")
        if above := each.above():
            parent, keys = above
            if orphans := sum(key not in known[parent] for key in keys):
                faults.append(f"{orphans:,} rows belong to no row of '{parent}'")
        detail = "; ".join(faults) or "every key names one row, and leads to one"
        yield Check(f"{each.name}: its rows are linked by new keys", not faults, detail)
    yield check_counts(tables, manifest)


def is_key(text: str) -> bool:
    """Whether a text is one that a key may be: so many letters of those they are written in."""
    return len(text) == KEY_LETTERS and set(text) <= set(LETTERS)


def check_counts(tables: list[ReleasedTable], manifest: Mapping[str, Any]) -> Check:
    """Check that released rows and dropped people are those declared."""
    claim, declared = "the counts agree", manifest["tables"]
    faults = [
        f"'{each.name}' has {each.rows:,} rows, declared are {declared[each.name]['released']:,}"
        for each in tables
        if each.rows != declared[each.name]["released"]
    ]
    faults += [
        f"'{name}' had {figures['rows']:,} rows, fewer than are released"
        for name, figures in declared.items()
        if figures["rows"] < figures["released"]
    ]
    people, records = declared[tables[PEOPLE].name], manifest["records"]
    dropped = people["rows"] - people["released"]
    if (people["rows"], dropped, manifest["people"]) != (records, manifest["suppressed"], records):
        faults.append(
            f"{people['rows']:,} people of whom {dropped:,} are dropped are not those declared"
        )
    limit = tables[PEOPLE].policy.release.suppression_limit
    if dropped > limit * records + 1e-9:
        faults.append(f"{dropped:,} people are dropped, above the limit of {limit:g}")
    most = limit_of_events(tables[PEOPLE].policy)
    faults += [
        f"more than {most:g} of the rows of '{name}' are dropped"
        for name, figures in declared.items()
        if name != tables[PEOPLE].name
        and figures["rows"] - figures["released"] > most * figures["rows"] + 1e-9
    ]
    rows = ", ".join(f"{each.rows:,} rows in '{each.name}'" for each in tables)
    return Check(claim, not faults, "; ".join(faults) or f"{rows}; {dropped:,} people dropped")


def limit_of_events(policy: Policy) -> float:
    """Return the largest share of the rows of a table of events that may be dropped."""
    [model] = policy.risk
    assert isinstance(model, StudyAnonymity)
    return model.event_limit


def check_contents(
    tables: list[ReleasedTable],
    viewed: list[ReleasedTable],
    policy: Policy,
    manifest: Mapping[str, Any],
) -> Iterator[Check]:
    """Check the levels of all cells, the promise, the figures, and that no order is left.

    `viewed` are the tables with days since each person's first date in place of dates that move.
    """
    of_values = [
        of_table(check, each.name)
        for each in tables
        if each.reading is not None
        for check in check_values(each.reading, each.manifest)
    ]
    yield from of_values
    if not all(check.passed for check in of_values):
        return
    histories = histories_of(tables)
    yield check_promise(histories, policy)
    mine = asdict(profile(np.array([*Counter(histories.tables[PEOPLE].values).values()], np.int64)))
    claim = "the risk by the people table alone is the one reported"
    yield check_figures(claim, mine, as_table(manifest["risk"].get("after")))
    yield check_loss(tables, policy, manifest)
    yield check_proof(manifest)
    yield check_left_out(histories, viewed, manifest)
    yield check_order(histories)


def check_promise(histories: PlainStudy, policy: Policy) -> Check:
    """Count, for every person and all that somebody may know of them, who matches."""
    [model] = policy.risk
    attackers = Attackers(histories, model)
    if not histories.people:
        return Check(PROMISE, True, "nobody is released", about_risk=True)
    fewest = attackers.fewest
    alone, over = sum(least < model.k for least in fewest), attackers.over_cap()
    detail = (
        f"{histories.people:,} people; at least {min(fewest):,} match whatever is known ({model})"
    )
    if over:
        detail = f"{over:,} people have more than {model.most_events:,} events"
    if alone:
        detail = f"{alone:,} people have something that fewer than {model.k} match ({model})"
    return Check(PROMISE, not alone and not over, detail, about_risk=True)


def check_loss(tables: list[ReleasedTable], policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Recompute the loss: a row that is not released covers everything."""
    losses: dict[str, float] = {}
    for each in tables:
        if each.reading is None:
            continue
        rows = manifest["tables"][each.name]["rows"]
        leaves = np.array([h.extent for h in each.hierarchies])
        least = np.array([h.least_cover for h in each.hierarchies])
        covered = each.reading.covered_by_layer().sum(axis=0) + (rows - each.rows) * leaves
        found = attribute_loss(covered, rows, leaves, least).tolist()
        losses |= dict(zip(labels(each, tables[PEOPLE].name), found, strict=True))
    utility = policy.utility
    weights = tuple(weight for each in tables for weight in each.policy.weights)
    measure = make_measure(
        utility.measure, aggregate=utility.own_aggregate, weights=weights, factor=utility.factor
    ).cover
    claim = "the quality is the one reported"
    if measure is None:
        return Check(claim, False, f"'{utility.measure}' is no measure of linked tables")
    loss, _ = measure.combine(np.array(list(losses.values())))
    figures = {"loss": loss, "quality": 1 - loss, "attribute_loss": losses}
    return check_figures(claim, figures, manifest)


def check_left_out(
    histories: PlainStudy, tables: list[ReleasedTable], manifest: Mapping[str, Any]
) -> Check:
    """Count again who is alone by what the promise does not cover."""
    everybody = range(histories.people)
    rows = histories.tables[PEOPLE].values
    numbers = [histories.number(person) for person in everybody]
    timed = {at for at, each in enumerate(tables) if at and time_columns(each.policy)}
    declared = manifest["tables"].values()
    looked_at = sum(figures["rows"] for figures in declared) <= MOST_ROWS

    def alone_by(histories: PlainStudy, places: Collection[int]) -> int:
        return alone([
            (rows[p], row, histories.written(e for e in histories.events[p] if e[0] in places))
            for p, row in enumerate(histories.tables[PEOPLE].values)
        ])  # fmt: skip

    people = tables[PEOPLE].name
    names = [
        name if each.name == people else f"{each.name}.{name}"
        for each in tables
        for name in each.table.columns
        if name not in {*each.keys, *each.policy.quasi_identifiers}
    ]
    mine = {
        "alone_by_number": {
            table.name: alone([(rows[p], numbers[p][place]) for p in everybody])
            for place, table in enumerate(histories.tables[1:])
        },
        "alone_by_profile": alone_by(histories, range(len(tables))),
        "without_events": sum(not events for events in histories.events),
        "dropped": manifest["suppressed"],
        "kept_columns": sorted(names),
    }
    if timed and looked_at:
        mine["alone_by_times"] = alone_by(histories_of(tables, ReleasedTable.times), timed)
    if looked_at:
        everything = histories_of(tables, ReleasedTable.generalized, ReleasedTable.kept)
        mine["alone_by_all"] = alone_by(everything, range(len(tables)))
    theirs = dict(manifest["left_out"])
    if isinstance(theirs.get("kept_columns"), list):
        theirs["kept_columns"] = sorted(map(str, theirs["kept_columns"]))
    return check_figures("what the promise leaves out is as reported", mine, theirs)


def alone(values: list[Any]) -> int:
    """Count the values that nobody else has."""
    return sum(times == 1 for times in Counter(values).values())


def check_order(histories: PlainStudy) -> Check:
    """Check that the rows of a person neither stand together, nor as the people do."""
    claim, found = "the order of rows tells nothing", []
    for place, table in enumerate(histories.tables[1:], start=1):
        whose = np.array([histories.person((place, row)) for row in range(len(table.values))])
        if detail := find_together(whose):
            found.append(f"'{table.name}': {detail}")
    return Check(claim, not found, "; ".join(found) or "the rows of a person do not stand together")


def find_together(whose: NDArray[np.int64]) -> str | None:
    """Say what the order of rows tells of whose they are; None if no more than chance does.

    >>> find_together(np.repeat(np.arange(40), 3))
    '80 rows stand beside another of the same person, where chance has 2'
    """
    if whose.size < 3:
        return None
    counts = np.bincount(whose)
    expected = float((counts * (counts - 1)).sum()) / whose.size
    together = int(np.count_nonzero(whose[1:] == whose[:-1]))
    if together > expected + SIGMAS * math.sqrt(expected) + LEAST:
        chance = f"where chance has {expected:.0f}"
        return f"{together:,} rows stand beside another of the same person, {chance}"
    correlation = correlate(whose.astype(np.float64))
    if whose.size > 10 and chance_of(correlation, whose.size) < IMPROBABLE:
        return f"rows stand much as the people do (rank correlation {correlation:.2f})"
    return None
