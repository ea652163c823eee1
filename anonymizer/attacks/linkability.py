"""Linkability: can two lists about the same people, each with some columns, be joined by the release?

Giomi et al. 2022 (anonymeter), with one neighbour: for each of two lists the attacker picks a row that
fits somebody's entry, and joins the entries if both rows are the same. A generalized cell fits all that
it covers; among the rows that fit, one is picked at random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonymizer.attacks.result import Attack, skip
from anonymizer.attacks.setting import Setting, Targets, people_in, people_outside
from anonymizer.estimators.proportions import Rate

NAME = "linkability"
QUESTION = (
    "Having two lists of people, each with half of the quasi-identifiers, can they join them by the "
    "release?"
)
SPLITS = 5
"""So many ways to divide the columns are tried, each on as many people."""
DRAW = 3


def linkability(setting: Setting) -> Attack:
    """Join two lists of people in the original, and of others."""
    if len(setting.quasi) < 2:
        return skip(NAME, QUESTION, "there is one quasi-identifier, and two lists need one each.")
    outside, who = people_outside(setting, setting.quasi)
    inside = people_in(setting)
    chance, by_luck = chances(setting, inside), chances(setting, outside)
    random = setting.random(DRAW)
    details = {"expected": float(chance.sum()), "expected_baseline": float(by_luck.sum())}
    return Attack(NAME, QUESTION, draw(chance, random), draw(by_luck, random), who, details)


def chances(setting: Setting, group: Targets) -> NDArray[np.float64]:
    """Return how likely the two rows that are picked for each are the same."""
    both = group.cells.count(setting.quasi, group.leaves)
    chance = np.zeros(group.size)
    for number in range(SPLITS):
        here = np.arange(number, group.size, SPLITS)
        columns = setting.random(DRAW, number).permutation(setting.quasi)
        halves = columns[: columns.size // 2], columns[columns.size // 2 :]
        one, other = (group.cells.count(half.tolist(), group.leaves[:, here]) for half in halves)
        chance[here] = both[here] / np.maximum(1, one * other)
    return chance


def draw(chance: NDArray[np.float64], random: np.random.Generator) -> Rate:
    """Pick the rows, and count how often they are the same."""
    return Rate(int(np.count_nonzero(random.random(chance.size) < chance)), chance.size)
