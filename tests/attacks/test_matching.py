"""Which released rows may be whose: the fast way agrees with the obvious one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.attacks.matching import NOBODY, breadth, find_owners, pair_up
from tests.attacks.small import Small, smalls


@given(smalls(), st.data())
def test_the_rows_that_may_be_somebodys_are_those_that_cover_their_values(
    small: Small, data: st.DataObject
) -> None:
    setting = small.setting()
    known = data.draw(st.lists(st.sampled_from(setting.quasi), unique=True, min_size=1))
    expected = [small.matching(record, known) for record in range(len(small.rows))]
    assert setting.cells.count(known, setting.original).tolist() == list(map(len, expected))


@given(smalls(one_scheme=True))
def test_every_row_of_one_scheme_has_an_owner_who_fits_and_no_owner_has_two(small: Small) -> None:
    setting = small.setting()
    owners = setting.owners.tolist()
    assert NOBODY not in owners
    assert len(set(owners)) == len(owners)
    for row, owner in enumerate(owners):
        assert small.covers(row, owner, setting.quasi)
        assert small.secrets[owner] == small.secrets[small.released[row][0]]


@given(smalls())
def test_whatever_the_levels_an_owner_fits_and_has_one_row(small: Small) -> None:
    setting = small.setting()
    found = [(row, owner) for row, owner in enumerate(setting.owners.tolist()) if owner != NOBODY]
    assert len({owner for _, owner in found}) == len(found)
    assert all(small.covers(row, owner, setting.quasi) for row, owner in found)
    for row, owner in found:
        assert setting.own_row[owner] == row


def test_owners_who_cannot_be_told_apart_are_drawn() -> None:
    rows = (("v0",),) * 2
    small = Small(rows, ({"v0": ("v0",)},), ("x", "x"), ((0, (0,)), (1, (0,))))
    setting = small.setting()
    drawn = {
        tuple(find_owners(setting.cells, setting.original, np.random.default_rng(seed)).tolist())
        for seed in range(20)
    }
    assert drawn == {(0, 1), (1, 0)}


def test_the_finest_rows_find_their_owners_first() -> None:
    tree = {"v0": ("v0", "all"), "v1": ("v1", "all")}
    small = Small((("v0",), ("v1",)), (tree,), ("x", "x"), ((1, (1,)), (0, (0,))))
    assert all(small.setting(seed=seed).owners.tolist() == [1, 0] for seed in range(10))


LABELS = st.lists(st.integers(0, 3), max_size=8).map(lambda found: np.array(found, np.int64))


@given(LABELS, LABELS)
def test_pairs_have_the_same_label_and_leave_over_only_one_side(
    mine: np.ndarray, theirs: np.ndarray
) -> None:
    left, right = pair_up(mine, theirs, np.random.default_rng(1))
    assert (mine[left] == theirs[right]).all()
    assert len(set(left.tolist())) == len(set(right.tolist())) == left.size
    for label in range(4):
        both = min(np.count_nonzero(mine == label), np.count_nonzero(theirs == label))
        assert np.count_nonzero(mine[left] == label) == both


def test_the_breadth_of_cells_is_how_many_values_each_leaves_open_as_a_logarithm() -> None:
    tree = {f"v{at}": (f"v{at}", "low" if at < 2 else "high", "all") for at in range(4)}
    small = Small((("v0", "v1"),), (tree, tree), ("x",), ((0, (0, 0)),))
    cells = small.setting().cells
    for levels, values in (((0, 0), 1), ((1, 0), 2), ((1, 1), 4), ((2, 1), 8)):
        assert np.isclose(breadth(cells, np.array(levels), (0, 1)), np.log(values))
