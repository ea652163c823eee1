"""Linkability against the slow and obvious way."""

from __future__ import annotations

import pytest
from hypothesis import given

from anonymizer.attacks import linkability
from tests.attacks.small import Small, everybody, smalls


@pytest.mark.parametrize("held_out", [False, True])
@given(small=smalls())
def test_lists_are_joined_where_two_picks_are_the_same_row(small: Small, held_out: bool) -> None:
    setting, group, left = everybody(small, held_out)
    if len(setting.quasi) < 2:
        return
    chances = linkability.chances(setting, group)
    for place in range(group.size):
        record = 2 * place if held_out else place
        order = setting.random(linkability.DRAW, place % linkability.SPLITS)
        columns = order.permutation(setting.quasi).tolist()
        half = len(columns) // 2
        one, other = (
            {at for at in small.matching(record, part) if at in left}
            for part in (columns[:half], columns[half:])
        )
        same = sum(a == b for a in one for b in other)
        assert chances[place] == pytest.approx(same / max(1, len(one) * len(other)))


def test_one_quasi_identifier_does_not_make_two_lists() -> None:
    small = Small((("v0",),), ({"v0": ("v0",)},), ("x",), ((0, (0,)),))
    assert "one quasi-identifier" in linkability.linkability(small.setting()).skipped
