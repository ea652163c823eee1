"""Who is attacked, and who is held out."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Policy
from anonymizer.attacks.attack import attack
from anonymizer.attacks.reading import read_setting
from anonymizer.attacks.setting import AttackPlan, Setting, people_in, people_outside
from tests.attacks.small import Small, smalls

TREE = {f"v{at}": (f"v{at}",) for at in range(40)}
SMALL = Small(
    tuple((f"v{at}",) for at in range(40)), (TREE,), ("x",) * 40,
    tuple((at, (0,)) for at in range(40)),
)  # fmt: skip


@given(smalls())
def test_nobody_is_attacked_and_held_out(small: Small) -> None:
    inside, held_out = small.setting().drawn
    assert not set(inside.tolist()) & set(held_out.tolist())
    assert inside.size + held_out.size == len(small.rows)


def test_a_tenth_is_held_out_and_its_rows_leave_the_release_together() -> None:
    setting = SMALL.setting()
    outside, who = people_outside(setting, setting.quasi)
    assert outside.size == 4
    assert outside.cells.rows == 36
    assert "taken out" in who
    there = setting.cells.columns[0]
    gone = set(outside.leaves[0].tolist())
    assert not gone & set(outside.cells.codes[0].tolist())
    assert there.hierarchy.size == 40
    assert people_in(setting).cells.rows == 40


def test_a_control_table_is_taken_only_if_it_has_what_is_needed() -> None:
    control = pd.DataFrame({"a0": ["v1", "v2"]})
    setting = read_setting(
        SMALL.release(), SMALL.frame(), SMALL.policy(), None, AttackPlan(), control=control
    )
    outside, _ = people_outside(setting, setting.quasi)
    assert sorted(outside.leaves[0].tolist()) == [1, 2]
    assert outside.cells.rows == 40
    without_secret, _ = people_outside(setting, (*setting.quasi, *setting.sensitive))
    assert without_secret.size == 4


def test_no_more_people_are_drawn_than_planned() -> None:
    setting = SMALL.setting(people=2)
    assert [group.size for group in setting.drawn] == [2, 2]


def test_one_record_cannot_be_held_out() -> None:
    small = Small((("v0",),), ({"v0": ("v0",)},), ("x",), ((0, (0,)),))
    inside, held_out = small.setting().drawn
    assert (inside.size, held_out.size) == (1, 0)


VISITS = pd.DataFrame(
    {
        "patient": [f"P{at % 12}" for at in range(36)],
        "sex": ["f" if at % 12 < 6 else "m" for at in range(36)],
        "ward": [f"W{at % 12}" for at in range(36)],
    }
)
"""Three visits of each of twelve patients, who have a ward of their own."""


def by_patient(**data: str) -> Policy:
    sex = {"role": "quasi", "hierarchy": {"f": "*", "m": "*"}}
    roles = {"patient": {"role": "identifying"}, "sex": sex, "ward": {"role": "insensitive"}}
    return Policy(attributes=roles, risk=[{"model": "k-anonymity", "k": 2}], data=data)


def setting_of(policy: Policy) -> Setting:
    return read_setting(VISITS[["sex", "ward"]], VISITS, policy, None, AttackPlan())


def test_a_person_with_several_rows_is_attacked_once_and_held_out_with_all_of_them() -> None:
    setting = setting_of(by_patient(id="patient"))
    attacked, held_out = setting.drawn
    drawn = setting.person[np.concatenate([attacked, held_out])]
    assert sorted(drawn.tolist()) == list(range(12))
    assert held_out.size == 1
    outside, _ = people_outside(setting, setting.quasi)
    assert outside.cells.rows == 33
    assert people_in(setting).size == 11
    assert sum(group.size for group in setting_of(by_patient()).drawn) == 36


def test_several_rows_of_one_person_are_singled_out_together() -> None:
    released = VISITS[["sex", "ward"]]
    for policy, expected in ((by_patient(id="patient"), 1.0), (by_patient(), 0.0)):
        tried = {each.name: each for each in attack(released, policy, VISITS).tried}
        assert tried["singling out, all columns"].success.estimate.value == expected


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=1, max_size=36))
def test_people_are_counted_once_in_each_group(pairs: list[tuple[int, int]]) -> None:
    setting = setting_of(by_patient(id="patient"))
    groups = np.array([pairs[at % len(pairs)][0] for at in range(36)])
    found = setting.count_people(groups, 5).tolist()
    assert found == [len(set(setting.person[groups == group].tolist())) for group in range(5)]
