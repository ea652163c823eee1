"""Attribute inference: what is somebody's sensitive value, given their quasi-identifiers?

Giomi et al. 2022 (anonymeter): the attacker guesses the value that most of the rows have which may be the
person's; where none may, the value that most released rows have. Ties are drawn.
"""

from __future__ import annotations

import numpy as np

from anonymizer.attacks.columns import NO_VALUE, Integers
from anonymizer.attacks.matching import ReleasedCells
from anonymizer.attacks.result import Attack, skip
from anonymizer.attacks.setting import Setting, Targets, people_in, people_outside
from anonymizer.estimators.proportions import Rate

NAME = "attribute inference"
DRAW = 4


def inference(setting: Setting) -> list[Attack]:
    """Guess each sensitive column in turn."""
    if not setting.sensitive:
        question = "Knowing somebody's quasi-identifiers, can they guess a sensitive value?"
        return [skip(NAME, question, "the policy names no sensitive column that is released.")]
    return [infer(setting, secret) for secret in setting.sensitive]


def infer(setting: Setting, secret: int) -> Attack:
    """Guess one column of people in the original, and of others."""
    name = setting.name(secret)
    outside, who = people_outside(setting, (*setting.quasi, secret))
    right = count_right(setting, people_in(setting), secret)
    return Attack(
        f"{NAME}: {name}",
        f"Knowing somebody's quasi-identifiers, can they guess '{name}'?",
        right,
        count_right(setting, outside, secret),
        who,
        {"most_common": commonest(setting, secret)},
    )


def commonest(setting: Setting, secret: int) -> float:
    """Return how many of the original's records have the commonest released value."""
    return float(np.mean(setting.original[secret] == overall_guess(setting.cells, secret)))


def overall_guess(cells: ReleasedCells, secret: int) -> int:
    """Return the value that most released rows have; `NO_VALUE` where nothing is released."""
    values = cells.codes[secret]
    return int(np.bincount(values).argmax()) if values.size else NO_VALUE


def count_right(setting: Setting, group: Targets, secret: int) -> Rate:
    """Count for how many the guess is their value."""
    right = guess(setting, group, secret) == group.leaves[secret]
    return Rate(int(np.count_nonzero(right)), group.size)


def guess(setting: Setting, group: Targets, secret: int) -> Integers:
    """Return the guess for each: the value that most rows have which may be theirs."""
    person, value, votes = count_votes(setting, group, secret)
    guesses = np.full(group.size, overall_guess(group.cells, secret), np.int64)
    order = np.lexsort((setting.random(DRAW, secret).random(votes.size), votes))
    guesses[person[order]] = value[order]  # of several, the last one stays: the most votes
    return guesses


def count_votes(
    setting: Setting, group: Targets, secret: int
) -> tuple[Integers, Integers, Integers]:
    """Count the rows that may be each person's by their value: person, value and rows."""
    cells = group.cells
    values = int(max(cells.codes[secret].max(initial=0), group.leaves[secret].max(initial=0))) + 1
    keys, votes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for part in cells.join(setting.quasi, group.leaves):
        of_row = part.row_label * values + cells.codes[secret][part.rows]
        kind, count = np.unique(of_row, return_counts=True)
        label, value = np.divmod(kind, values)
        starts = np.searchsorted(label, np.arange(part.number + 1))
        many = np.diff(starts)[part.record_label]
        within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
        at = np.repeat(starts[part.record_label], many) + within
        keys.append(np.repeat(np.arange(group.size), many) * values + value[at])
        votes.append(count[at])
    key, where = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.zeros(key.size, np.int64)
    np.add.at(total, where, np.concatenate(votes))
    person, value = np.divmod(key, values)
    return person, value, total
