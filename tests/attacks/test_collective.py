"""The collective match against all matches that are possible, and against what is expected."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import attack
from anonymizer.attacks.collective import collective, expected, identified, match
from anonymizer.attacks.matching import NOBODY
from anonymizer.attacks.setting import AttackPlan
from tests.attacks.small import Small, smalls
from tests.attacks.test_setting import VISITS, by_patient


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
    found = collective(small.setting())
    assert found.details["expected"] == pytest.approx(2)
    assert found.success.estimate.value == pytest.approx(2 / 20, abs=0.01)


def classes_of(size: int, levels: tuple[int, ...]) -> Small:
    """Sixty people in classes of one size, whose rows are released on these levels by turns."""
    tree = {f"v{at}": (f"v{at}", f"1.{at // size}", f"2.{at // size // 2}") for at in range(60)}
    released = tuple((at, (levels[at % len(levels)],)) for at in range(60))
    return Small(tuple((f"v{at}",) for at in range(60)), (tree,), ("x",) * 60, released)


@pytest.mark.parametrize("levels", [(1,), (1, 1, 2)], ids=["one scheme", "layers"])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_the_interval_covers_the_share_that_is_right_in_the_long_run(
    size: int, levels: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = classes_of(size, levels).setting()
    monkeypatch.setattr("anonymizer.attacks.collective.ENOUGH", 60_000)
    monkeypatch.setattr("anonymizer.attacks.collective.MOST", 1_000)
    truth = 1 / size if len(levels) == 1 else collective(setting).success.estimate.value
    monkeypatch.setattr("anonymizer.attacks.collective.ENOUGH", 1)  # one match each
    seeds = (replace(setting, plan=AttackPlan(seed=seed)) for seed in range(300))
    found = [collective(each).success.estimate for each in seeds]
    assert np.mean([each.low <= truth <= each.high for each in found]) >= 0.94
    assert np.mean([each.value for each in found]) == pytest.approx(truth, abs=0.02)


def test_a_row_that_covers_one_person_leaves_the_others_to_coarser_rows() -> None:
    tree = {"v0": ("v0", "all"), "v1": ("v1", "all")}
    small = Small((("v0",), ("v1",)), (tree,), ("x", "x"), ((0, (0,)), (1, (1,))))
    assert {collective(small.setting(seed=seed)).success.estimate.value for seed in range(5)} == {1}


def test_any_entry_of_a_persons_own_is_right() -> None:
    found = attack(VISITS[["sex", "ward"]], by_patient(id="patient"), VISITS)["collective match"]
    assert found.details["expected"] == pytest.approx(36 * 3 / 18)
    assert found.success.estimate.value == pytest.approx(3 / 18, abs=0.02)


TREE = {f"v{at}": (f"v{at}", "1.1") for at in range(3)}
SMALL = Small((("v0",), ("v1",)), (TREE,), ("x", "y"), ((0, (0,)), (1, (0,))))


def test_who_is_who_in_a_population_is_told_by_a_column_that_both_have() -> None:
    attributes = {**SMALL.policy().attributes, "who": {"role": "identifying"}}
    policy = SMALL.policy(attributes=attributes)
    frame = SMALL.frame().assign(who=["ann", "bob"])
    people = pd.DataFrame({"a0": ["v1", "v2", "v0"], "who": ["bob", "eve", "ann"]})
    found = attack(SMALL.release(), policy, frame, population=people)["collective match"]
    assert (found.success.estimate.value, found.details["people"]) == (1, 3)
    elsewhere = people.assign(who=["x", "y", "z"])
    found = attack(SMALL.release(), policy, frame, population=elsewhere)["collective match"]
    assert found.success.successes == 0


def test_without_such_a_column_somebody_with_the_same_values_is_taken_for_them() -> None:
    people = pd.DataFrame({"a0": ["v1", "v0"]})
    found = attack(SMALL.release(), SMALL.policy(), SMALL.frame(), population=people)
    assert found["collective match"].success.estimate.value == 1


def test_a_list_with_some_of_the_columns_is_matched_on_those() -> None:
    small = Small((("v0", "v0"),) * 2, (TREE, TREE), ("x", "y"), ((0, (0, 0)),))
    setting = attack(
        small.release(), small.policy(), small.frame(), population=pd.DataFrame({"a1": ["v0"] * 4})
    )["collective match"]
    assert setting.details["expected"] == pytest.approx(1 / 4)
    assert identified(small.setting())[1] == (0, 1)
