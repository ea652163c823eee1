"""The tables and columns that a policy and its risk models ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from anonymizer.data.arrays import is_nested
from anonymizer.data.opening import TableLike
from anonymizer.data.selection import draw_sample, take_members
from anonymizer.data.table import Table
from anonymizer.errors import DataError, PolicyError, quote_some, suggest_name
from anonymizer.policy import Policy, Role
from anonymizer.risk import RiskModel

Source: TypeAlias = "TableLike | None"
"""A path, a dataframe or a table of any kind; None where the policy names the path."""


def open_data(data: Source, policy: Policy) -> Table:
    """Open the table that is given, or else the policy's; a PolicyError if it is one of several."""
    refuse_linked(policy)
    if data is None:
        data = policy.data_source
    if data is None:
        raise PolicyError("policy: data.path is missing, and no data was given; name the table.")
    beside = policy.release.table is not None and policy.release.url is None
    return policy.data.open(data, policy.machine.memory, writable=beside)


def refuse_linked(policy: Policy) -> None:
    """Raise a PolicyError where a policy links several tables, and one is looked at."""
    if policy.tables:
        raise PolicyError(
            f"policy: [tables] links {quote_some(policy.tables)} to the people, and this looks at one "
            "table; use run, verify, attack or the studio, or leave out [tables]."
        )


def part_released(table: Table, models: Sequence[RiskModel], policy: Policy) -> Table:
    """Return the part of a table that a run is about: a research subset, a sample, or all of it."""
    subset = next((key for key in populations(models) if isinstance(key, tuple)), None)
    if subset is None:
        return draw_sample(table, policy.data.sample, policy.data.id)
    column, value = subset
    known_columns([column], policy)
    if policy.data.sample < 1 or policy.data.id is not None:
        key = "sample" if policy.data.sample < 1 else "id"
        raise PolicyError(
            f"policy: data.{key} and a research subset, which counts every row of the table as a person, "
            "do not go together; name all people, each in one row, as population_table."
        )
    return take_members(table, column, value)


def populations(models: Sequence[RiskModel]) -> dict[str | int | tuple[str, str], Any]:
    """Return what models count people in: a file by its path, a dataframe by identity, or a subset."""
    tables = [model.inputs.population.table for model in models]
    subsets = [model.inputs.population.subset for model in models]
    return {
        **{
            str(table) if isinstance(table, str | Path) else id(table): table
            for table in tables
            if table is not None
        },
        **{subset: None for subset in subsets if subset is not None},
    }


def columns_of_subsets(models: Sequence[RiskModel]) -> tuple[str, ...]:
    """Return the columns that mark a research subset."""
    return tuple(key[0] for key in populations(models) if isinstance(key, tuple))


def open_population(
    models: Sequence[RiskModel], policy: Policy, whole: Table | None = None
) -> Table | None:
    """Open the population table that a model counts people in, if one does.

    Where the data itself is the population, it is the `whole` table, which a release alone does not have.
    """
    tables = populations(models)
    if not tables:
        return None
    if len(tables) > 1:
        raise PolicyError("policy: two population tables are given; name one for all models.")
    (key, given) = next(iter(tables.items()))
    if isinstance(key, tuple):
        return whole
    table = policy.data.open_beside(given)
    if not set(policy.quasi_identifiers) & set(table.columns):
        raise DataError(
            f"{table.name}: the population table has none of the quasi-identifiers "
            f"{quote_some(policy.quasi_identifiers)}; its header reads {quote_some(table.columns)}. "
            "Name its columns as the policy does."
        )
    return table


def columns_beside(models: Sequence[RiskModel], policy: Policy) -> tuple[str, ...]:
    """Return the columns that models look at beside the quasi-identifiers."""
    names = [name for model in models for name in model.inputs.columns]
    return known_columns([n for n in names if n not in policy.quasi_identifiers], policy)


def columns_counted(models: Sequence[RiskModel], policy: Policy) -> tuple[str, ...]:
    """Return the columns whose values models count in each class; `check` refuses quasi-identifiers."""
    names = known_columns([name for model in models for name in model.inputs.sensitive], policy)
    if gone := [name for name in names if name in policy.dropped]:
        raise PolicyError(
            f"policy: '{gone[0]}', which a risk model protects, is {policy.attributes[gone[0]].role}, so "
            "that no release has it; make it sensitive, or leave out the model."
        )
    return tuple(name for name in names if name not in policy.quasi_identifiers)


def columns_described(table: Table, models: Sequence[RiskModel], policy: Policy) -> tuple[str, ...]:
    """Return the columns that models count, and all other sensitive ones that have plain values."""
    counted, types = columns_counted(models, policy), table.types
    others = [n for n in policy.with_role(Role.SENSITIVE) if not is_nested(types[n])]
    return tuple(dict.fromkeys([*counted, *others]))


def known_columns(
    names: Iterable[str], policy: Policy, who: str = "a risk model"
) -> tuple[str, ...]:
    """Return columns without repeats; raise a PolicyError for one that the policy does not name."""
    once = tuple(dict.fromkeys(names))
    if absent := [name for name in once if name not in policy.attributes]:
        raise PolicyError(
            f"policy: '{absent[0]}', which {who} looks at, is not a column; "
            f"{suggest_name(absent[0], policy.attributes)}"
        )
    return once
