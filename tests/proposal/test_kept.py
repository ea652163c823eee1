"""What a steward hears of before anything is released."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from anonymizer import AnonymizerWarning, anonymize, propose
from anonymizer.policy import Role
from anonymizer.proposal.kept import KEPT

ROWS = 400


def people(**more: object) -> pd.DataFrame:
    random = np.random.default_rng(3)
    return pd.DataFrame({"age": random.integers(20, 60, ROWS), "sex": ["f", "m"] * 200, **more})


def test_a_direct_identifier_that_repeats_is_said_until_somebody_decides_who_the_people_are() -> (
    None
):
    frame = people(surname=[f"Name {min(row, ROWS - 3)}" for row in range(ROWS)])
    with pytest.warns(AnonymizerWarning, match="'surname' has 398 different values in 400 rows"):
        policy = propose(frame).policy
    with pytest.warns(AnonymizerWarning, match="each row counts as a person"):
        anonymize(frame, policy)
    settled = policy.model_copy(
        update={"data": policy.data.model_copy(update={"rows_are_people": True})}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        anonymize(frame, settled)


def test_a_number_of_cases_is_removed_though_everybody_has_two() -> None:
    cases = [f"MRN{row // 2:05d}" for row in range(ROWS)]
    with pytest.warns(AnonymizerWarning, match=r"'Fall-Nr' \(200 values .* is taken for"):
        proposal = propose(people(**{"Fall-Nr": cases}))
    assert proposal.with_role(Role.IDENTIFYING) == ("Fall-Nr",)
    assert proposal.policy.data.id == "Fall-Nr"  # by structure: too few people are on the safe side


@pytest.mark.filterwarnings("ignore:.*hardly anything is left of")
def test_what_was_removed_for_want_of_room_is_not_taken_for_a_person() -> None:
    random = np.random.default_rng(4)
    measured = {f"x{at}": random.integers(0, 300, ROWS) for at in range(12)}
    with pytest.warns(AnonymizerWarning, match="enough quasi-identifiers") as said:
        proposal = propose(people(**measured))
    assert not [each for each in said if "whose a row is" in str(each.message)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        anonymize(people(**measured), proposal.policy)


def test_columns_that_single_out_only_together_are_not_all_kept() -> None:
    random = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{at}": random.integers(0, 8, ROWS) for at in range(20)})
    with pytest.warns(AnonymizerWarning):
        proposal = propose(frame)
    assert proposal.unique_by_kept < 0.05
    assert [each for each in proposal.decisions if each.role in KEPT]
    assert proposal.with_role(Role.REMOVED)
