"""Membership inference: is somebody whose quasi-identifiers are known in the release?

The attacker says yes if a released row may be theirs. The success is the share of yes among people who
are in the original, the baseline that among people who are not; the excess is the attacker's advantage
(Yeom et al. 2018).
"""

from __future__ import annotations

import numpy as np

from anonymizer.attacks.result import Attack, skip
from anonymizer.attacks.setting import Setting, Targets, members, people_in, people_outside
from anonymizer.estimators.proportions import Rate

NAME = "membership inference"
QUESTION = "Knowing somebody's quasi-identifiers, can they tell that the person is in the table?"


def membership(setting: Setting) -> Attack:
    """Say of people in the original, and of others, whether a released row may be theirs."""
    if setting.targets is not None:
        return of_targets(setting)
    outside, who = people_outside(setting, setting.quasi)
    return Attack(
        NAME, QUESTION, say_yes(setting, people_in(setting)), say_yes(setting, outside), who
    )


def of_targets(setting: Setting) -> Attack:
    """Say it of stated targets."""
    targets = setting.targets
    assert targets is not None
    truth = members(targets)
    if not truth.any() or truth.all():
        return skip(NAME, QUESTION, f"{targets.name} must have people in and not in the release.")
    known = [at for at in setting.quasi if at in targets.there]
    found = setting.cells.count(known, targets.leaves) > 0
    inside, outside = (Rate(int(found[group].sum()), int(group.sum())) for group in (truth, ~truth))
    return Attack(NAME, QUESTION, inside, outside, f"targets of {targets.name} who are not in it")


def say_yes(setting: Setting, group: Targets) -> Rate:
    """Count for how many a released row is there that may be theirs."""
    found = group.cells.count(setting.quasi, group.leaves)
    return Rate(int(np.count_nonzero(found)), group.size)
