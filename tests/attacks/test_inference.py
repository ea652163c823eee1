"""Attribute inference against the slow and obvious way."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from anonymizer.attacks import inference
from anonymizer.attacks.columns import NO_VALUE
from anonymizer.attacks.setting import people_in
from tests.attacks.small import Small, everybody, smalls


@pytest.mark.parametrize("held_out", [False, True])
@given(small=smalls())
def test_the_guess_is_a_value_that_most_fitting_rows_have(small: Small, held_out: bool) -> None:
    setting, group, left = everybody(small, held_out)
    secret = setting.sensitive[0]
    texts = setting.cells.columns[secret].words.texts
    guesses = inference.guess(setting, group, secret)
    released = [small.secrets[at] for at, _ in small.released]
    overall = Counter(released[at] for at in left)
    for place in range(group.size):
        record = 2 * place if held_out else place
        votes = Counter(released[at] for at in small.matching(record, setting.quasi) if at in left)
        votes = votes or overall
        if not votes:
            assert guesses[place] == NO_VALUE
            continue
        assert votes[texts[guesses[place]]] == max(votes.values())


def test_of_equal_votes_each_value_is_guessed_by_some_seed() -> None:
    small = Small((("v0",),) * 2, ({"v0": ("v0",)},), ("x", "y"), ((0, (0,)), (1, (0,))))
    guesses = set()
    for seed in range(20):
        setting = small.setting(seed=seed)
        guesses |= set(inference.guess(setting, people_in(setting), 1).tolist())
    assert guesses == {0, 1}
