"""Columns that follow from one another: one is generalized, and the others leave with it."""

from __future__ import annotations

import warnings
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Problem, propose
from anonymizer.policy import Role
from anonymizer.proposal.derived import LEAVES, settle_derived
from anonymizer.proposal.kept import KEPT
from anonymizer.proposal.proposal import Proposal
from anonymizer.report.proposal import render_page

SEEDS = st.integers(0, 2**32 - 1)
SQUARE, LABEL, DUMMY, BETWEEN = "square", "label", "dummy", "between"


def people(seed: int, rows: int = 400) -> pd.DataFrame:
    """Make a table in which some columns are made of others."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    region = rng.choice(["N", "E", "S", "W"], rows)
    came = rng.integers(0, 700, rows)
    stay = rng.integers(0, 25, rows)
    start = date(2020, 1, 1)
    return pd.DataFrame({
        "age": age,
        "square": age**2,
        "region": region,
        "label": [f"region {each}" for each in region],
        **{f"dummy {each}": (region == each) * 1 for each in "NESW"},
        "admitted": [(start + timedelta(int(n))).isoformat() for n in came],
        "discharged": [(start + timedelta(int(n))).isoformat() for n in came + stay],
        "between": stay,
        "score": rng.integers(0, 5, rows),
    }).astype(str)  # fmt: skip


def proposed(frame: pd.DataFrame, **given: Any) -> Proposal:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return propose(frame, **given)


def names_with(found: Proposal, *roles: Role) -> set[str]:
    return {each.column for each in found.decisions if each.role in roles}


@given(seed=SEEDS, names=st.permutations(range(12)))
def test_no_proposal_keeps_a_column_that_gives_a_quasi_identifier_away(
    seed: int, names: list[int]
) -> None:
    frame = people(seed)
    renamed = dict(zip(frame.columns, (f"v{n}" for n in names), strict=True))
    found = proposed(frame.rename(columns=renamed))
    released = names_with(found, Role.QUASI, *KEPT)
    sets = [
        {"age", "square"},
        {"region", "label"},
        {"region", "dummy N", "dummy E", "dummy S", "dummy W"},
        {"admitted", "discharged", "between"},
    ]
    for names_of_set, most in zip(sets, (1, 1, 3, 2), strict=True):
        there = {renamed[name] for name in names_of_set} & released
        assert len(there) <= most or there <= names_with(found, *KEPT)
    Problem.read(frame.rename(columns=renamed), found.policy)  # run does not refuse it


def test_what_others_know_or_others_are_computed_from_stays() -> None:
    found = proposed(people(1))
    assert {"age", "region", "admitted", "discharged"} <= names_with(found, Role.QUASI)
    left = {each.column: each for each in found.decisions if each.derived}
    assert left.keys() == {"square", "label", "between", *(f"dummy {each}" for each in "NESW")}
    assert left["square"].role is LEAVES
    reason = "it follows from 'age': the square of it; make it from the released 'age'"
    assert left["square"].reason == reason
    assert reason.replace("'", "&#39;") in render_page(found)


def test_what_the_user_decided_stays() -> None:
    found = proposed(people(2), quasi=["square"], keep=["label"])
    assert "square" in names_with(found, Role.QUASI)
    assert "label" in names_with(found, *KEPT)
    assert not {"age", "region"} & names_with(found, Role.QUASI, *KEPT)


def test_columns_are_left_alone_where_none_is_generalized() -> None:
    frame = people(3)[["age", "score"]].assign(
        letter=lambda table: table["score"].map(dict(zip("01234", "abcde", strict=True)))
    )
    found = proposed(frame, quasi=["age"], keep=["score", "letter"])
    assert {"score", "letter"} <= names_with(found, *KEPT)


def test_settling_a_table_without_quasi_identifiers_changes_nothing() -> None:
    assert settle_derived({}, {}, None) == {}
