"""applied_again: the solution behind a release, from the original and the scheme in its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonymizer.data.coded import load
from anonymizer.data.opening import TableLike
from anonymizer.data.table import Table
from anonymizer.errors import ReleaseError
from anonymizer.policy import Policy
from anonymizer.problem import Problem, Source, open_data
from anonymizer.solution.manifest import as_answered, schemes_to_apply
from anonymizer.solution.solution import Solution, apply
from anonymizer.verification.original import check_rows, released_columns
from anonymizer.verification.register import register_before


def applied_again(
    released: TableLike, original: Source, policy: Policy, manifest: Mapping[str, Any]
) -> Solution:
    """Apply the scheme of a release to its original again, and check that this is the release."""
    table = policy.data.open_release(released, policy.machine.memory)
    policy = as_answered(policy, manifest)
    policy = policy.with_columns([*table.columns, *manifest["policy"].get("attributes", ())])
    register = register_before(policy, manifest)
    problem = Problem.read(open_data(original, policy), policy, warn=False, register=register)
    solution = apply(problem, None, schemes_to_apply(manifest))
    check_same(table, solution)
    return solution


def check_same(table: Table, solution: Solution) -> None:
    """Raise a ReleaseError unless a release has the rows that its scheme makes of the original."""
    columns = released_columns(solution.problem.policy)
    same = sorted(table.columns) == sorted(columns)
    if same:
        mine, original = (load(each, columns) for each in (table, solution.release.table))
        same = next(check_rows(mine, original, solution.release)).passed is True
    if not same:
        raise ReleaseError(
            f"{table.name}: this is not what its scheme makes of the original under this policy, so "
            "nothing can be said of it; `anonymizer verify --against` says where they differ."
        )
