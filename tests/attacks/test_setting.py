"""Who is attacked, and who is held out."""

from __future__ import annotations

import pandas as pd
from hypothesis import given

from anonymizer.attacks.reading import read_setting
from anonymizer.attacks.setting import Plan, people_in, people_outside
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
        SMALL.release(), SMALL.frame(), SMALL.policy(), None, Plan(), control=control
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
