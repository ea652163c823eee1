"""What is kept follows from who receives it and what the analysis needs."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from anonymizer import AnonymizerWarning, PolicyError, Proposal, propose
from anonymizer.policy import Role
from anonymizer.proposal.kept import KEPT

ROWS = 800


def cohort() -> pd.DataFrame:
    """A study: demographics, many measurements, a treatment and an outcome."""
    random = np.random.default_rng(6)
    measured = {f"blood_{at}": random.normal(100, 20, ROWS).round(1) for at in range(12)}
    return pd.DataFrame(
        {
            "age": random.integers(25, 75, ROWS),
            "sex": random.choice(["f", "m"], ROWS),
            "quit": random.integers(0, 2, ROWS),
            "change_kg": random.normal(2, 8, ROWS).round(2),
            "surname": [f"Name{row}" for row in range(ROWS)],
            **measured,
        }
    )


def proposed(**options: object) -> Proposal:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnonymizerWarning)
        return propose(cohort(), rows_are_people=True, **options)  # type: ignore[arg-type]


def roles(proposal: Proposal) -> dict[str, Role]:
    return {each.column: each.role for each in proposal.decisions}


@pytest.mark.usefixtures("untried")
def test_for_the_public_measurements_that_single_out_leave() -> None:
    found = roles(proposed())
    assert not [name for name in found if name.startswith("blood") and found[name] in KEPT]
    assert Role.REMOVED in found.values()


@pytest.mark.parametrize("recipient", ["agreement", "enclave"])
def test_for_others_what_nobody_outside_can_know_stays_and_demographics_do_not(
    recipient: str,
) -> None:
    proposal = proposed(recipient=recipient)
    found = roles(proposal)
    assert all(found[name] in KEPT for name in found if name.startswith("blood"))
    assert found["age"] is found["sex"] is Role.QUASI
    assert found["surname"] is Role.IDENTIFYING
    said = " ".join(proposal.warnings)
    assert "kept as they are for this recipient, though they single people out: 'change_kg'" in said


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("recipient", ["public", "agreement"])
def test_what_is_needed_is_never_removed_and_loses_less(recipient: str) -> None:
    proposal = proposed(recipient=recipient, need=["quit", "change_kg", "age"])
    found = roles(proposal)
    assert found["quit"] in KEPT
    assert found["change_kg"] is (Role.QUASI if recipient == "public" else Role.INSENSITIVE)
    assert found["age"] is Role.QUASI
    attributes = proposal.policy.attributes
    assert attributes["age"].weight > attributes["sex"].weight


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"recipient": "friends"}, "for: 'friends' is not a recipient"),
        ({"need": ["qit"]}, "need: there is no column 'qit'; did you mean 'quit'?"),
        ({"need": ["surname"]}, "need: 'surname' would be removed"),
        ({"need": ["age"], "identifying": ["age"]}, "need: 'age' is to be removed"),
    ],
)
def test_a_slip_is_one_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(PolicyError) as refused:
        proposed(**options)
    assert sentence in str(refused.value)
