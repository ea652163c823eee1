"""Problems: a policy put to a table."""

from anonymizer.problem.checks import explain_revealed, find_given_away
from anonymizer.problem.keep import columns_of_groups
from anonymizer.problem.problem import Problem, as_problem, describe_risk, load_policy
from anonymizer.problem.tables import (
    Source,
    columns_beside,
    columns_described,
    columns_of_subsets,
    open_data,
    open_population,
    part_released,
)

__all__ = [
    "Problem",
    "Source",
    "as_problem",
    "columns_beside",
    "columns_described",
    "columns_of_groups",
    "columns_of_subsets",
    "describe_risk",
    "explain_revealed",
    "find_given_away",
    "load_policy",
    "open_data",
    "open_population",
    "part_released",
]
