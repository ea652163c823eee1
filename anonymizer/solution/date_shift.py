"""Dates that move by one number of days for each person, in the plan of a release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anonymizer.data.dates import Days, draw_shifts
from anonymizer.data.table import Recoding, ReleasePlan, Table, read_columns
from anonymizer.policy import Policy
from anonymizer.problem.date_shift import read_moved


def moved_recodings(table: Table, policy: Policy, shifts: Days) -> dict[str, Recoding]:
    """Return what columns of dates become, row by row, where each row moves by so many days."""
    return {name: each.moved(shifts) for name, each in read_moved(table, policy).items()}


def with_moved_dates(plan: ReleasePlan, table: Table, policy: Policy, secret: bytes) -> ReleasePlan:
    """Move the dates of a release: every row is then a tuple of its own."""
    rows = plan.tuple_of_row.size
    whose = np.arange(rows)
    if policy.data.id is not None:
        whose = read_columns(table, [policy.data.id])[policy.data.id].codes.astype(np.int64)
    shifts = draw_shifts(secret, int(whose.max()) + 1, policy.release.date_shift or 0)[whose]
    recodings = {name: by_row(each, plan.tuple_of_row) for name, each in plan.recodings.items()}
    recodings |= moved_recodings(table, policy, shifts)
    return replace(plan, recodings=recodings, tuple_of_row=np.arange(rows, dtype=np.int32))


def describe_shift(said: list[str]) -> dict[str, list[str]]:
    """Return what is said of moved dates as JSON; nothing where none move."""
    return {"date_shift": said} if said else {}


def by_row(
    recoding: Recoding, tuple_of_row: np.ndarray[tuple[int], np.dtype[np.int32]]
) -> Recoding:
    """Return a recoding that knows the value of each row, not of each tuple."""
    return replace(recoding, number_of_tuple=recoding.number_of_tuple[tuple_of_row])
