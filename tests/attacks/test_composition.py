"""Two releases together against the slow and obvious way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import attack
from anonymizer.attacks.composition import Intersection, composition, intersect
from anonymizer.attacks.setting import own_people
from tests.attacks.small import Small, smalls


@st.composite
def two(draw: st.DrawFn) -> tuple[Small, Small]:
    """Draw two releases of one original, on one scheme each."""
    first = draw(smalls(one_scheme=True))
    heights = [len(next(iter(tree.values()))) for tree in first.trees]
    levels = tuple(draw(st.integers(0, height - 1)) for height in heights)
    kept = draw(st.lists(st.sampled_from(range(len(first.rows))), unique=True, min_size=1))
    return first, replace(first, released=tuple((at, levels) for at in kept))


@given(two())
def test_somebody_is_among_those_in_both_who_share_both_classes(pair: tuple[Small, Small]) -> None:
    here, there = pair
    setting, earlier = here.setting(), there.setting()
    earlier = replace(earlier, table=setting.table)
    found = intersect(setting, earlier)
    classes = {}
    for record in range(len(here.rows)):
        mine, theirs = int(setting.own_row[record]), int(earlier.own_row[record])
        if mine >= 0 and theirs >= 0:
            classes[record] = here.cells[mine], there.cells[theirs]
    if not classes:
        assert found is None
        return
    both = list(classes.values())
    assert found is not None
    assert found.together.tolist() == [both.count(each) for each in both]
    assert found.here.tolist() == [here.cells.count(each) for each, _ in both]
    assert found.there.tolist() == [there.cells.count(each) for _, each in both]


@given(two())
def test_without_the_earlier_original_whoever_it_covers_counts(pair: tuple[Small, Small]) -> None:
    here, there = pair
    setting = here.setting()
    found = intersect(setting, own_people(setting, there.setting()))
    covered = [
        record
        for record in range(len(here.rows))
        if setting.own_row[record] >= 0 and there.matching(record, setting.quasi)
    ]
    assert (0 if found is None else found.together.size) == len(covered)


@given(smalls(), st.data())
def test_without_the_earlier_original_the_smallest_class_that_covers_somebody_is_theirs(
    here: Small, data: st.DataObject
) -> None:
    some = st.lists(st.sampled_from(range(len(here.rows))), unique=True, min_size=1)
    heights = [len(next(iter(tree.values()))) for tree in here.trees]
    levels = st.tuples(*(st.integers(0, height - 1) for height in heights))
    kept = data.draw(some)
    there = replace(here, released=tuple((at, data.draw(levels)) for at in kept))
    setting = here.setting()
    found = intersect(setting, own_people(setting, there.setting()))
    kinds = [(of, cells) for (_, of), cells in zip(there.released, there.cells, strict=True)]
    expected = [
        min(kinds.count(kinds[row]) for row in rows)
        for record in range(len(here.rows))
        if setting.own_row[record] >= 0 and (rows := there.matching(record, setting.quasi))
    ]
    assert ([] if found is None else found.there.tolist()) == expected


TREE = {
    "v0": ("v0", "l", "all"),
    "v1": ("v1", "l", "all"),
    "v2": ("v2", "r", "all"),
    "v3": ("v3", "r", "all"),
}
ROWS = tuple((one, other) for one in TREE for other in TREE)


def test_two_releases_that_are_each_anonymous_single_out_together() -> None:
    everybody = range(len(ROWS))
    by_row = Small(ROWS, (TREE, TREE), ("x",) * 16, tuple((at, (0, 2)) for at in everybody))
    by_column = replace(by_row, released=tuple((at, (2, 0)) for at in everybody))
    found = attack(by_row.release(), by_row.policy(), by_row.frame(), earlier=by_column.release())[
        "composition"
    ]
    assert (found.success.successes, found.success.trials) == (16, 16)
    assert found.baseline.successes == 0
    assert found.details["smallest_here"] == found.details["smallest_there"] == 4
    assert found.details["below_both"] == 16
    assert found.exceeds


def test_the_same_release_twice_leaves_nobody_among_fewer_than_either_promises() -> None:
    released = tuple((at, (0, 2)) for at in range(len(ROWS)))
    small = Small(ROWS, (TREE, TREE), ("x",) * 16, released)
    found = attack(small.release(), small.policy(), small.frame(), earlier=small.release())
    details = found["composition"].details
    assert details["smallest_together"] == details["smallest_here"] == 4
    assert details["below_both"] == 0


def test_people_are_found_in_another_original_by_who_they_are() -> None:
    tree = {"v0": ("v0",), "v1": ("v1",)}
    now = Small((("v0",), ("v1",)), (tree,), ("x", "y"), ((0, (0,)), (1, (0,))))
    attributes = {**now.policy().attributes, "who": {"role": "identifying"}}
    policy = now.policy(attributes=attributes)
    before = pd.DataFrame({"a0": ["v1", "v1"], "secret": ["p", "q"], "who": ["bob", "eve"]})
    found = attack(
        now.release(),
        policy,
        now.frame().assign(who=["ann", "bob"]),
        earlier=before[["a0", "secret"]],
        earlier_against=before,
    )["composition"]
    assert found.details["people"] == 1
    assert (found.details["smallest_here"], found.details["smallest_there"]) == (1, 2)
    assert found.baseline.successes == 1  # this release alone tells them from all others


def test_without_anything_that_says_who_people_are_nobody_is_in_both() -> None:
    tree = {"v0": ("v0",), "v1": ("v1",)}
    now = Small((("v0",), ("v1",)), (tree,), ("x", "y"), ((0, (0,)), (1, (0,))))
    before = pd.DataFrame({"a0": ["v0", "v1"], "secret": ["x", "y"]})
    found = attack(
        now.release(), now.policy(), now.frame(), earlier=before, earlier_against=before.copy()
    )["composition"]
    assert found.skipped == "nobody who is released is in the earlier release too."


def test_what_two_releases_promise_is_the_smallest_class_of_either() -> None:
    together = np.array([1, 2, 3])
    for here, there in (([2, 3, 5], [4, 4, 4]), ([4, 4, 4], [2, 3, 5])):
        found = Intersection(np.array(here), np.array(there), together)
        assert found.promised == 2
        assert found.describe() == {
            "people": 3,
            "alone": 1,
            "smallest_here": min(here),
            "smallest_there": min(there),
            "smallest_together": 1,
            "below_both": 1,
            "median_together": 2.0,
        }


def test_without_an_earlier_release_it_is_said_and_not_tried() -> None:
    small = Small((("v0",), ("v1",)), ({"v0": ("v0",), "v1": ("v1",)},), ("x", "y"), ((0, (0,)),))
    assert composition(small.setting()).skipped == "no earlier release is given."
