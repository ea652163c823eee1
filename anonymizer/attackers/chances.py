"""Chances: a scenario's probabilities as numbers, for each kind of people in a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.placed import Values
from anonymizer.attackers.probability import Chance, read_probability
from anonymizer.attackers.scenario import Scenario
from anonymizer.data.aggregate import Labels, code_labels, distinct_rows, one_part
from anonymizer.errors import DataError

Floats = NDArray[np.float64]
Codes = Mapping[str, NDArray[np.integer]]


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """How likely everything is, for each kind of people: those of whom all of it is equally likely."""

    groups: Floats
    """groups[kind, group] = the probability that the group is learned, once its cause is found."""
    causes: Floats
    """causes[kind, cause] = the probability that the cause is found."""
    members: tuple[NDArray[np.intp], ...]
    """The groups of each cause."""
    parameters: Floats
    """parameters[kind] = p_m, p_fm, p_c and p_cu."""

    @staticmethod
    def of(
        scenario: Scenario, values: Mapping[str, Values], codes: Codes, rows: int
    ) -> tuple[Chances, Labels]:
        """Return the probabilities of each kind of people, and each row's kind.

        The scenario has no ranges. A generalized value stands for the likeliest of those it covers: what
        is not known must not look safe.
        """
        of_row = [numbers_of(chance, values, codes, rows) for chance in scenario.chances]
        kind = one_part(rows)
        for numbers in of_row:
            if isinstance(numbers, np.ndarray):
                kind = kind.refine(code_labels(np.unique(numbers, return_inverse=True)[1]))
        first = kind.first_rows()
        table = np.empty((first.size, len(of_row)))
        for at, numbers in enumerate(of_row):
            table[:, at] = numbers[first] if isinstance(numbers, np.ndarray) else numbers
        groups, causes, parameters = np.split(
            table, [len(scenario.learned), len(scenario.learned) + len(scenario.causes)], axis=1
        )
        return Chances(groups, causes, members_of(scenario), parameters), kind

    @property
    def kinds(self) -> int:
        """How many kinds of people there are."""
        return len(self.groups)

    @property
    def cause_of_group(self) -> Floats:
        """For each kind and group, the probability that its cause is found; 1 without one."""
        found = np.ones(self.groups.shape)
        for cause, members in enumerate(self.members):
            found[:, members] = self.causes[:, [cause]]
        return found

    @property
    def learned(self) -> Floats:
        """For each kind, the probability that each group is learned."""
        learned: Floats = self.groups * self.cause_of_group
        return learned

    def probability(self, known: NDArray[np.bool_]) -> Floats:
        """Return for each kind how likely just these groups are known."""
        return self._together(np.where(known, self.groups, 1 - self.groups), known)

    def probability_without(self, known: NDArray[np.bool_]) -> Floats:
        """Return for each group and kind the same if the group were never learned; 0 if it is known."""
        factors = np.where(known, self.groups, 1 - self.groups)
        without = np.zeros(factors.T.shape)
        for group in np.flatnonzero(~known):
            never = factors.copy()
            never[:, group] = 1
            without[group] = self._together(never, known)
        return without

    def _together(self, factors: Floats, known: NDArray[np.bool_]) -> Floats:
        """Multiply what is independent: groups without a cause, and causes each with its groups."""
        alone = np.ones(known.size, np.bool_)
        together = np.ones(self.kinds)
        for cause, members in enumerate(self.members):
            alone[members] = False
            found = self.causes[:, cause]
            may_lack = 0.0 if known[members].any() else 1 - found
            together *= found * factors[:, members].prod(axis=1) + may_lack
        together *= factors[:, alone].prod(axis=1)
        return together


def members_of(scenario: Scenario) -> tuple[NDArray[np.intp], ...]:
    """Return the groups of each cause."""
    return tuple(
        np.array([at for at, group in enumerate(scenario.learned) if group.cause == name], np.intp)
        for name in scenario.causes
    )


def numbers_of(
    chance: Chance, values: Mapping[str, Values], codes: Codes, rows: int
) -> Floats | float:
    """Return the probability of each row, or one for all."""
    if chance.column is not None:
        of_leaf = read_leaves(chance.column, values[chance.column].hierarchy.leaves)
        of_value = values[chance.column].highest(of_leaf)
        if values[chance.column].hierarchy.growth is not None:  # not all that it may be is listed
            of_value = np.where(values[chance.column].text_levels > 0, 1.0, of_value)
        of_row: Floats = of_value[codes[chance.column]]
        assert np.isfinite(of_row).all()  # check_cells
        return of_row
    if chance.by is None:
        return float(chance.of(()))
    names = chance.by_names
    combination, first = distinct_rows([codes[name].astype(np.int64) for name in names], rows)
    may_be = [candidates_of(values[name], chance.listed(name)) for name in names]
    highest = [
        max(
            map(
                chance.of, product(*(of[codes[n][at]] for n, of in zip(names, may_be, strict=True)))
            )
        )
        for at in first.tolist()
    ]
    return np.array(highest, float)[combination]


def read_leaves(column: str, leaves: Sequence[str]) -> Floats:
    """Read the leaves of a column as probabilities; infinite for those that are none."""

    def read(leaf: str) -> float:
        try:
            return read_probability(column, leaf)
        except ValueError:
            return math.inf

    return np.array([read(leaf) for leaf in leaves])


def candidates_of(values: Values, listed: Sequence[str]) -> list[list[str]]:
    """List what each value may have been: values that are not listed count as one.

    Those that are listed are written as there.
    """
    hierarchy = values.hierarchy.with_values(listed)
    written = dict(zip(hierarchy.read_texts(listed), listed, strict=True))
    exact = values.text_levels == 0
    found = []
    for at, text in enumerate(values.texts):
        leaves = [text] if exact[at] else values.leaves_of(at, hierarchy)
        named = [written[leaf] for leaf in leaves if leaf in written]
        others = [leaf for leaf in leaves if leaf not in written]
        if hierarchy.growth is not None and not exact[at]:
            others.append(text)  # there are more than it lists
        found.append(named + others[:1])
    return found


def check_cells(
    scenario: Scenario,
    values: Mapping[str, Values],
    codes: Codes,
    tuple_of_row: NDArray[np.int32],
    ordered: bool = True,
) -> None:
    """Raise a DataError that names a cell that should hold a probability and does not.

    The row is named unless the rows are not `ordered`, as where an engine has grouped them.
    """
    for name in dict.fromkeys(c.column for c in scenario.chances if c.column is not None):
        wrong = np.isinf(values[name].highest(read_leaves(name, values[name].hierarchy.leaves)))
        of_row = wrong[codes[name]][tuple_of_row]
        if of_row.any():
            row = int(np.argmax(of_row))
            text = values[name].texts[codes[name][tuple_of_row[row]]]
            place = f", row {row + 1}" if ordered else ""
            raise DataError(
                f"column '{name}'{place}: {text!r} is not a probability; use a number from 0 "
                "to 1 in each cell."
            )
