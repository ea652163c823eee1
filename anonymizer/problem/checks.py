"""Whether a policy and its risk models fit a table: refusals and warnings."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import islice

from anonymizer.data.arrays import is_nested
from anonymizer.data.column import code_columns
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import AnonymizerWarning, PolicyError, quote_some
from anonymizer.hierarchy import MISSING, Hierarchy, kind_of_texts
from anonymizer.hierarchy.numbers import why_not_in_runs
from anonymizer.policy import Policy, Role
from anonymizer.problem.dependence import Dependence, find_revealed
from anonymizer.problem.groups import sizes_of
from anonymizer.problem.person import FEWEST_REPEATED
from anonymizer.risk import RiskModel
from anonymizer.table.microdata import Microdata


def check_models(models: Sequence[RiskModel], microdata: Microdata) -> None:
    """Raise a PolicyError that says why models do not fit the table."""
    faults = [
        fault
        for model in models
        for fault in model.check(microdata.number_of_people, microdata.attributes)
    ]
    if microdata.population is not None:
        people = int(microdata.population.counts.sum())
        here = microdata.number_of_people
        if people < here:
            whom = "records" if microdata.people is None else "people of the table"
            faults.append(
                f"the population table has {people} people, fewer than the {here} {whom}; "
                "it must hold the whole population."
            )
    if faults:
        raise PolicyError.defective("policy", faults)
    for model in models:
        model.prepare(microdata)


def warn_of_kept_weight(policy: Policy) -> None:
    """Warn of a sampling weight that is released: whoever knows the design knows the stratum from it."""
    weight = policy.data.weight
    if weight is None or weight in policy.dropped:
        return
    warnings.warn(
        f"column '{weight}' is the sampling weight and is released as it is: it may tell the stratum, or "
        "the very person, and no class counts it; give it the role 'removed', or round it beforehand.",
        AnonymizerWarning,
        stacklevel=2,
    )


def check_microaggregation(
    policy: Policy, hierarchies: Sequence[Hierarchy], models: Sequence[RiskModel]
) -> None:
    """Raise a PolicyError where a number of each class cannot stand for its interval."""
    names, faults = policy.microaggregated, []
    others = [model.name for model in models if model.inputs.single_columns]
    if names and others:
        faults.append(
            f"attributes.{names[0]}: microaggregation tells classes apart by a single column, and "
            f"{quote_some(others)} looks at single columns; leave out one of them."
        )
    if names and policy.release.in_layers:
        faults.append(
            f"attributes.{names[0]}: microaggregation needs one scheme for all records, not layers; "
            "leave out one of them."
        )
    faults += [
        f"attributes.{hierarchy.name}: microaggregation needs intervals of numbers, and {why}."
        for hierarchy in hierarchies
        if hierarchy.name in names and (why := why_not_in_runs(hierarchy)) is not None
    ]
    if faults:
        raise PolicyError.defective("policy", faults)


def check_revealed(table: Table, policy: Policy, hierarchies: Sequence[Hierarchy]) -> None:
    """Raise a PolicyError where columns that are kept give away a quasi-identifier."""
    if found := find_given_away(table, policy, hierarchies):
        raise PolicyError.defective("policy", [explain_revealed(each) for each in found])


def find_given_away(
    table: Table, policy: Policy, hierarchies: Sequence[Hierarchy]
) -> list[Dependence]:
    """Return what kept columns tell of quasi-identifiers that may be generalized, unless accepted.

    The first batch of rows is looked at. A quasi-identifier counts as given away if its leaf, not a
    coarser value alone, follows from what is kept, as `dependence` defines it.
    """
    may_change = [
        hierarchy
        for hierarchy, highest in zip(
            hierarchies, policy.lattice(tuple(hierarchies)).high, strict=True
        )
        if highest > 0
    ]
    hidden, types = [hierarchy.name for hierarchy in may_change], table.types
    roles = (*policy.with_role(Role.SENSITIVE), *policy.with_role(Role.INSENSITIVE))
    kept = [name for name in roles if not is_nested(types[name])]
    if not kept or not hidden:
        return []
    person = [] if policy.data.id is None else [policy.data.id]
    names = [*kept, *hidden, *person]
    columns = code_columns(names, islice(table.batches(names), 1))
    for hierarchy in may_change:
        column = columns[hierarchy.name]
        columns[hierarchy.name] = column.rename(hierarchy.read_texts(column.texts))
    whose = columns[person[0]] if person else None
    return [
        each
        for each in find_revealed(columns, kept, hidden, whose)
        if not any(each.column in policy.attributes[name].reveals for name in each.on)
    ]


def explain_revealed(found: Dependence) -> str:
    """Say what is given away, by what, and what to do."""
    names = quote_some(found.on, len(found.on))
    several = len(found.on) > 1
    return (
        f"attributes.{found.on[0]}: it is kept as it is, and whoever reads {names}"
        f"{' together' if several else ''} knows '{found.column}', which is generalized; make "
        f"{'one of them' if several else 'it'} a quasi-identifier, remove it, or accept it by "
        f'reveals = ["{found.column}"].'
    )


def repeated_identifier(table: Table, identifying: Sequence[str]) -> str | None:
    """Return one of some columns whose values repeat, but too few to tell people by their structure.

    The first batch is looked at; lists and structures tell nobody.
    """
    types = table.types
    flat = [name for name in identifying if not is_nested(types[name])]
    if not flat:
        return None
    first = code_columns(flat, islice(table.batches(flat), 1))
    repeated = ((name, sizes_of(column).repeated) for name, column in first.items())
    return next((name for name, values in repeated if 0 < values < FEWEST_REPEATED), None)


def warn_of_repeated_people(table: Table, name: str) -> None:
    """Warn that an identifying column repeats, and no id says that a person may have several rows."""
    column = read_columns(table, [name])[name]
    people = len(column.texts) - (MISSING in column.texts)
    warnings.warn(
        f"{table.name}: the identifying column '{name}' has {people:,} different values in "
        f"{column.codes.size:,} rows, and each row counts as a person. If it tells whose a row "
        f'is, add id = "{name}" to [data], so that people are counted; if not, rows_are_people = true.',
        AnonymizerWarning,
        stacklevel=2,
    )


def warn_of_flat_texts(hierarchies: Sequence[Hierarchy]) -> None:
    """Warn of numbers or dates that are taken for texts with one step to the top."""
    for hierarchy in hierarchies:
        if kind := kind_of_texts(hierarchy):
            warnings.warn(
                f"column '{hierarchy.name}': its hierarchy lists {hierarchy.size:,} {kind}s as texts, "
                "each of which is kept or goes to the top, so that many records may be suppressed; "
                f'write builder = "{"dates" if kind == "date" else "intervals"}" for it.',
                AnonymizerWarning,
                stacklevel=3,
            )
