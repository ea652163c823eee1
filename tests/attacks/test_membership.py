"""Membership inference against the slow and obvious way, and for stated targets."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given

from anonymizer import DataError, attack
from anonymizer.attacks import membership
from tests.attacks.small import Small, everybody, smalls


@pytest.mark.parametrize("held_out", [False, True])
@given(small=smalls())
def test_membership_is_claimed_where_a_row_is_left_that_covers_them(
    small: Small, held_out: bool
) -> None:
    setting, group, left = everybody(small, held_out)
    expected = 0
    for place in range(group.size):
        record = 2 * place if held_out else place
        expected += any(at in left for at in small.matching(record, setting.quasi))
    rate = membership.say_yes(setting, group)
    assert (rate.successes, rate.trials) == (expected, group.size)


SMALL = Small(
    (("v0",), ("v0",), ("v1",)), ({"v0": ("v0",), "v1": ("v1",)},), ("x", "y", "z"),
    ((0, (0,)), (1, (0,))),
)  # fmt: skip


@pytest.mark.parametrize("rows", [1, 2])
def test_stated_targets_are_counted_by_the_truth_that_is_stated(rows: int) -> None:
    cells, truth = ["v0", "v1", "v0", "v1", "v1"], ["yes", "no", "0", "1", "no"]
    targets = pd.DataFrame({"a0": cells, "member": truth})
    found = attack(SMALL.release()[:rows], SMALL.policy(), SMALL.frame(), targets=targets)
    result = found["membership inference"]
    assert (result.success.successes, result.success.trials) == (1, 2)
    assert (result.baseline.successes, result.baseline.trials) == (1, 3)


def test_targets_of_one_kind_alone_are_no_attack() -> None:
    targets = pd.DataFrame({"a0": ["v0"], "member": ["1"]})
    found = attack(SMALL.release(), SMALL.policy(), SMALL.frame(), targets=targets)
    assert "in and not in" in found["membership inference"].skipped


def test_a_truth_that_is_neither_is_refused_by_its_row() -> None:
    targets = pd.DataFrame({"a0": ["v0", "v0"], "member": ["1", "perhaps"]})
    with pytest.raises(DataError, match="row 2 of column 'member' is neither 1 nor 0"):
        attack(SMALL.release(), SMALL.policy(), SMALL.frame(), targets=targets)


def test_people_of_a_control_table_are_the_baseline() -> None:
    control = pd.DataFrame({"a0": ["v1", "v1", "v0"]})
    found = attack(SMALL.release(), SMALL.policy(), SMALL.frame(), control=control)
    result = found["membership inference"]
    assert (result.baseline.successes, result.baseline.trials) == (1, 3)
    assert "control" in result.baseline_of
