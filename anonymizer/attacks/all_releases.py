"""All releases: whom everything that was released about one population singles out.

Composition with every release that the steward's register knows, for somebody who has all of them, knows
who is in which and what their values were: classes are intersected, and whoever was not in a release is
told from all who were. Files alone do not say which of several like people was left out; the register
does, so that it is asked.
"""

from __future__ import annotations

import numpy as np

from anonymizer.attacks.result import Attack, skip
from anonymizer.attacks.setting import Setting
from anonymizer.errors import AnonymizerError
from anonymizer.estimators.proportions import Rate
from anonymizer.register.earlier import Earlier
from anonymizer.register.folder import Register
from anonymizer.register.promise import by_intersection, exposed, sharing

NAME = "all releases"
QUESTION = (
    "Having all releases of the register, and knowing who is in which, can they tell somebody who "
    "was ever released from all others?"
)


def all_releases(setting: Setting) -> list[Attack]:
    """Count who is among few people by all releases together; nothing where there is no register."""
    path = setting.policy.register_path
    if path is None:
        return []
    try:
        found = Earlier.of(Register.read(path), [], str(path))
    except AnonymizerError as error:
        return [skip(NAME, QUESTION, str(error))]
    classes, k = found.classes, int(setting.policy.risk[0].describe()["k"])
    shared = sharing(classes)
    if not shared.any():
        return [skip(NAME, QUESTION, "the register has no release that is not forgotten.")]
    people = int(np.count_nonzero(shared))
    each_alone = np.zeros(len(classes), np.bool_)
    for at in range(classes.shape[1]):
        each_alone |= exposed(classes[:, at : at + 1], 2)
    details = {
        "releases": classes.shape[1],
        "below_k": int(exposed(classes, k).sum()),
        "below_k_by_intersection": int(by_intersection(classes, k).sum()),
        "accepted": int(found.accepted().sum()),
        "smallest": int(shared[shared > 0].min()),
    }
    success, baseline = (
        Rate(int(marks.sum()), people) for marks in (exposed(classes, 2), each_alone)
    )
    return [
        Attack(NAME, QUESTION, success, baseline, "the same people, by each release alone", details)
    ]
