"""Singling out: can the release be used to describe exactly one person of the original?

Giomi et al. 2022 (anonymeter); Cohen and Nissim 2020. A predicate is made of released cells, such as
"age 30-39 and zip 101**". It singles out if one person of the original has it, in one record or several.
The attacker prefers predicates that one released row has:

- univariate: a single cell that one released row has; of a column without any, its rarest cell;
- multivariate: cells of a released row, one column after the other in a random order, until no other row
  has them all. If others still do in the end, it is all of the row's cells; and so it is where rows have
  cells of different levels, as a coarser row may be of the same person.

The baseline is what can be guessed without looking at single rows: predicates over as many columns whose
cells are drawn from the columns one by one; or, with a control table, the same predicates tried there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.attacks.columns import Integers
from anonymizer.attacks.result import Attack, skip
from anonymizer.attacks.setting import Setting
from anonymizer.data.aggregate import Labels, code_labels, one_part
from anonymizer.estimators.proportions import Rate

ORDERS = 8
"""So many orders of the columns are tried; fewer where rows are of many levels."""
DRAW = 5
NAIVE = "predicates over as many columns, with cells that are drawn column by column"
ONE = "Can they describe exactly one person by one released cell?"
SEVERAL = "Can they describe exactly one person by released cells of {}?"
NOTHING = "no row is released."


def singling_out(setting: Setting) -> list[Attack]:
    """Single out by one cell, by quasi-identifiers, and by all columns that are released."""
    everything = tuple(range(len(setting.cells.columns)))
    found = [
        univariate(setting),
        multivariate(setting, setting.quasi, "singling out, multivariate", "quasi-identifiers"),
    ]
    if len(everything) > len(setting.quasi):
        found.append(multivariate(setting, everything, "singling out, all columns", "all columns"))
    return found


def compared_with(setting: Setting, columns: Sequence[int]) -> tuple[Integers | None, str]:
    """Return the control records to try predicates on, if there are any, and what the baseline is of."""
    control = setting.control
    if control is None or not set(columns) <= set(control.there):
        return None, NAIVE
    size = min(control.leaves.shape[1], setting.original.shape[1])
    chosen = setting.random(DRAW, 0).permutation(control.leaves.shape[1])[:size]
    return control.leaves[:, chosen], f"the same predicates, tried on people of {control.name}"


# --- one cell


def univariate(setting: Setting) -> Attack:
    """Single out by one released cell of a quasi-identifier."""
    name = "singling out, univariate"
    if setting.cells.rows == 0:
        return skip(name, ONE, NOTHING)
    control, who = compared_with(setting, setting.quasi)
    tried = [try_column(setting, column, control) for column in setting.quasi]
    alone, baseline = (np.concatenate(each) for each in zip(*tried, strict=True))
    random = setting.random(DRAW, 1)
    chosen = random.permutation(alone.size)[: setting.plan.people]
    if control is None:
        who = "values of the same levels, whether or not they are released"
        chosen_there = random.permutation(baseline.size)[: setting.plan.people]
    else:
        chosen_there = chosen
    return Attack(name, ONE, count(alone[chosen]), count(baseline[chosen_there]), who)


def try_column(
    setting: Setting, column: int, control: Integers | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Try the rarest cells of a column on the original, and the baseline: which single out."""
    alone, baseline = [], []
    fewest = rarest(setting, column)
    for levels, rows in setting.cells.parts([column]):
        codes = setting.cells.codes[column][rows]
        values = setting.cells.columns[column].values
        of_leaf = values[min(int(levels[0]), len(values) - 1)]
        number = int(of_leaf.max(initial=0)) + 1
        there = setting.count_people(of_leaf[setting.original[column]], number)
        released = np.bincount(codes, minlength=number)
        cells = np.flatnonzero(released == fewest)
        alone.append(there[cells] == 1)
        if control is None:
            baseline.append(there == 1)
        else:
            outside = np.bincount(of_leaf[control[column]], minlength=number)
            baseline.append(outside[cells] == 1)
    return np.concatenate(alone), np.concatenate(baseline)


def rarest(setting: Setting, column: int) -> int:
    """Return how many rows have the rarest cell of a column."""
    counts = [
        np.bincount(setting.cells.codes[column][rows]) for _, rows in setting.cells.parts([column])
    ]
    return int(min(each[each > 0].min() for each in counts))


# --- several cells


class Tried(NamedTuple):
    """Which predicates single out in the original, and which of the baseline do."""

    alone: NDArray[np.bool_]
    baseline: NDArray[np.bool_]


def multivariate(setting: Setting, columns: Sequence[int], name: str, what: str) -> Attack:
    """Single out by cells of several columns of a released row."""
    question = SEVERAL.format(what)
    if setting.cells.rows == 0:
        return skip(name, question, NOTHING)
    control, who = compared_with(setting, columns)
    random = setting.random(DRAW, 2, len(columns))
    chosen = random.permutation(setting.cells.rows)[: setting.plan.people]
    parts = setting.cells.keep(chosen).parts(columns)
    orders = max(1, ORDERS // len(parts))
    tried = []
    for levels, _ in parts:
        like = (setting.cells.levels[list(columns)] == levels[:, None]).all(axis=0)
        rows = np.flatnonzero(like)
        mine = np.flatnonzero(like[np.sort(chosen)])
        places = np.searchsorted(rows, np.sort(chosen)[mine])
        for number, some in enumerate(np.array_split(random.permutation(places), orders)):
            order = setting.random(DRAW, 3, number).permutation(len(columns))
            rest = order, len(setting.cells.parts(columns)) == 1, control, random
            tried.append(try_rows(setting, columns, levels, rows, some, *rest))
    alone, baseline = (np.concatenate(each) for each in zip(*tried, strict=True))
    return Attack(name, question, count(alone), count(baseline), who)


def try_rows(
    setting: Setting,
    columns: Sequence[int],
    levels: Integers,
    rows: Integers,
    some: Integers,
    order: Integers,
    grows: bool,
    control: Integers | None,
    random: np.random.Generator,
) -> Tried:
    """Make a predicate of each of some rows, all of the same levels, and see whom they single out.

    It `grows` column by column until it is of one row, or has all columns from the beginning.
    """
    cells = setting.cells
    released = cells.codes[list(columns)][:, rows]
    here = cells.generalize(columns, levels, setting.original)
    naive = np.array([random.choice(codes, some.size) for codes in released])
    parts = [released, here, naive]
    if control is not None:
        parts.append(cells.generalize(columns, levels, control))
    together = np.concatenate(parts, axis=1)
    ends = np.cumsum([each.shape[1] for each in parts])
    labels, undecided = one_part(together.shape[1]), np.ones(some.size, np.bool_)
    alone, baseline = np.zeros(some.size, np.bool_), np.zeros(some.size, np.bool_)
    for place, at in enumerate(order.tolist(), 1):
        labels = labels.refine(code_labels(together[at]))
        mine, there, guessed, *outside = np.split(labels.of_row, ends[:-1])
        unique = grows & (tally(mine, labels)[mine[some]] == 1)
        decided = undecided & (unique | (place == order.size))
        people = setting.count_people(there, labels.number)
        alone[decided] = people[mine[some][decided]] == 1
        if outside:
            baseline[decided] = tally(outside[0], labels)[mine[some][decided]] == 1
        else:
            baseline[decided] = people[guessed[decided]] == 1
        undecided &= ~decided
    return Tried(alone, baseline)


def tally(of_row: NDArray[np.int32], labels: Labels) -> Integers:
    """Count the rows of each label."""
    return np.bincount(of_row, minlength=labels.number)


def count(alone: NDArray[np.bool_]) -> Rate:
    """Count the predicates that single out."""
    return Rate(int(np.count_nonzero(alone)), alone.size)
