"""The groups that a policy keeps, found in a table."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from anonymizer.errors import AnonymizerWarning, PolicyError
from anonymizer.policy import Keep, Policy
from anonymizer.problem.tables import known_columns
from anonymizer.table.groups import Group
from anonymizer.table.microdata import Microdata


def columns_of_groups(policy: Policy) -> tuple[str, ...]:
    """Return the columns that tell groups and are no quasi-identifiers."""
    names = known_columns([each.condition.column for each in policy.keep], policy, "[[keep]]")
    return tuple(name for name in names if name not in policy.quasi_identifiers)


def find_groups(keep: Sequence[Keep], microdata: Microdata) -> tuple[Group, ...]:
    """Count the groups of a policy; a PolicyError says which condition does not fit its column."""
    try:
        found = tuple(find_group(each, microdata) for each in keep)
    except ValueError as error:
        raise PolicyError(f"policy: keep: {error}.") from None
    for group in found:
        if not group.size:
            warnings.warn(
                f"policy: keep: no record has {group.where}, so that nothing is kept of it; correct the "
                "condition, or leave it out.",
                AnonymizerWarning,
                stacklevel=2,
            )
    return found


def find_group(keep: Keep, microdata: Microdata) -> Group:
    """Count one group."""
    condition = keep.condition
    if condition.column in microdata.attributes:
        at = microdata.attributes.index(condition.column)
        column = microdata.columns[at]
        leaves = [column.hierarchy.leaves[leaf] for leaf in column.leaves.tolist()]
        chosen = condition.meets(leaves)[microdata.codes[at]]
        return Group.of_tuples(keep.where, keep.at_least, microdata, chosen)
    counted = microdata.counted_columns[condition.column]
    values = condition.meets(counted.texts)
    return Group.of_column(keep.where, keep.at_least, counted, values)
