"""The collective match against all matches that are possible, and against what is expected."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import attack
from anonymizer.attacks.collective import collective, expected, identified, match
from anonymizer.attacks.matching import NOBODY
from tests.attacks.small import Small, smalls


def mean_of_all_matches(
    small: Small, owners: list[int], known: tuple[int, ...], whose: list[int]
) -> float:
    """Try every way to give rows to people, and keep the ways that fit: the mean number of right ones."""
    right = []
    for people in permutations(range(len(small.rows)), len(owners)):
        if all(small.covers(row, person, known) for row, person in enumerate(people)):
            right.append(sum(whose[a] == whose[b] for a, b in zip(people, owners, strict=True)))
    return float(np.mean(right))


@settings(max_examples=40)
@given(smalls(one_scheme=True, max_rows=6), st.integers(1, 6))
def test_what_is_expected_over_classes_is_the_mean_of_all_matches(
    small: Small, people: int
) -> None:
    setting, whose = small.setting(), np.arange(len(small.rows)) % people
    (part,) = setting.cells.join(setting.quasi, setting.original)
    found = expected(part, setting.owners, whose)
    assert found == pytest.approx(
        mean_of_all_matches(small, setting.owners.tolist(), setting.quasi, whose.tolist())
    )


@given(smalls())
def test_nobody_is_given_two_rows_nor_one_that_does_not_fit(small: Small) -> None:
    setting = small.setting()
    parts = list(setting.cells.join(setting.quasi, setting.original))
    given_to = match(parts, len(small.released), len(small.rows), np.random.default_rng(0))
    found = [(row, person) for row, person in enumerate(given_to.tolist()) if person != NOBODY]
    assert len({person for _, person in found}) == len(found)
    assert all(small.covers(row, person, setting.quasi) for row, person in found)


def test_draws_agree_with_what_is_expected() -> None:
    rows = tuple((f"v{at % 4}",) for at in range(20))
    tree = {f"v{at}": (f"v{at}", f"1.{at // 2}") for at in range(4)}
    small = Small(rows, (tree,), ("x",) * 20, tuple((at, (1,)) for at in range(20)))
    drawn = [collective(small.setting(seed=seed)).success.successes for seed in range(300)]
    assert collective(small.setting()).details["expected"] == pytest.approx(2)
    assert np.mean(drawn) == pytest.approx(2, abs=0.3)


def test_a_row_that_covers_one_person_leaves_the_others_to_coarser_rows() -> None:
    tree = {"v0": ("v0", "all"), "v1": ("v1", "all")}
    small = Small((("v0",), ("v1",)), (tree,), ("x", "x"), ((0, (0,)), (1, (1,))))
    assert {collective(small.setting(seed=seed)).success.successes for seed in range(10)} == {2}


TREE = {f"v{at}": (f"v{at}", "1.1") for at in range(3)}
SMALL = Small((("v0",), ("v1",)), (TREE,), ("x", "y"), ((0, (0,)), (1, (0,))))


def test_who_is_who_in_a_population_is_told_by_a_column_that_both_have() -> None:
    attributes = {**SMALL.policy().attributes, "who": {"role": "identifying"}}
    policy = SMALL.policy(attributes=attributes)
    frame = SMALL.frame().assign(who=["ann", "bob"])
    people = pd.DataFrame({"a0": ["v1", "v2", "v0"], "who": ["bob", "eve", "ann"]})
    found = attack(SMALL.release(), policy, frame, population=people)["collective match"]
    assert (found.success.successes, found.details["people"]) == (2, 3)
    elsewhere = people.assign(who=["x", "y", "z"])
    found = attack(SMALL.release(), policy, frame, population=elsewhere)["collective match"]
    assert found.success.successes == 0


def test_without_such_a_column_somebody_with_the_same_values_is_taken_for_them() -> None:
    people = pd.DataFrame({"a0": ["v1", "v0"]})
    found = attack(SMALL.release(), SMALL.policy(), SMALL.frame(), population=people)
    assert found["collective match"].success.successes == 2


def test_a_list_with_some_of_the_columns_is_matched_on_those() -> None:
    small = Small((("v0", "v0"),) * 2, (TREE, TREE), ("x", "y"), ((0, (0, 0)),))
    setting = attack(
        small.release(), small.policy(), small.frame(), population=pd.DataFrame({"a1": ["v0"] * 4})
    )["collective match"]
    assert setting.details["expected"] == pytest.approx(1 / 4)
    assert identified(small.setting())[1] == (0, 1)
