"""Columns that are kept and give a quasi-identifier away are refused, unless the steward accepts it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import (
    Policy,
    PolicyError,
    Problem,
    anonymize,
    apply,
    frontier,
    make_manifest,
    verify,
)

ZIP = {str(10_000 + n): f"{10_000 + n}"[:3] + "**" for n in range(0, 600, 15)}
AGE = [20, 30, 40, 50, 60, 70, 80]


def patients(seed: int = 1, rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    places = rng.choice(list(ZIP), rows)
    return pd.DataFrame({
        "zip": places,
        "age": rng.integers(20, 80, rows).astype(str),
        "ward": [f"ward of {place}" for place in places],
        "glucose": rng.normal(90, 12, rows).round(3).astype(str),
    })  # fmt: skip


def policy(ward: dict[str, Any] | None = None, **more: Any) -> Policy:
    return Policy(
        attributes={
            "zip": {"role": "quasi", "hierarchy": ZIP, **more.pop("zip", {})},
            "age": {"role": "quasi", "hierarchy": AGE},
            "ward": ward or {"role": "insensitive"},
            "glucose": {"role": "sensitive"},
            **more.pop("attributes", {}),
        },
        risk=[{"model": "k-anonymity", "k": 3}],
        **more,
    )


def test_whatever_reads_a_table_refuses_a_kept_column_that_gives_another_away() -> None:
    frame = patients()
    reading = (
        lambda: Problem.read(frame, policy()),
        lambda: anonymize(frame, policy()),
        lambda: frontier(frame, policy(), values=[2, 3]),
        lambda: apply(frame, policy(), {"zip": 1, "age": 1}),
        lambda: anonymize(frame, quasi={"zip": ZIP, "age": AGE}, keep=["ward", "glucose"], k=3),
    )
    for read in reading:
        with pytest.raises(PolicyError, match=r"whoever reads 'ward' knows 'zip'.*reveals"):
            read()


def test_what_is_accepted_passes_and_verification_agrees() -> None:
    frame = patients()
    accepting = policy({"role": "insensitive", "reveals": ["zip"]})
    solution = anonymize(frame, accepting)
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert manifest["policy"]["attributes"]["ward"]["reveals"] == ["zip"]
    assert verify(released, accepting, manifest, against=frame).passed
    silent = verify(released, policy(), manifest, against=frame)
    failed = {check.claim for check in silent.checks if check.passed is False}
    assert "no kept column gives a generalized one away" in failed


def test_a_column_that_stays_as_it_is_cannot_be_given_away() -> None:
    assert Problem.read(patients(), policy(zip={"max_level": 0})).policy.quasi_identifiers


def test_a_removed_column_and_one_that_nothing_follows_from_pass() -> None:
    removing = policy({"role": "identifying"}, data={"rows_are_people": True})
    assert Problem.read(patients(), removing).policy.quasi_identifiers


def test_spellings_of_one_value_are_one_leaf() -> None:
    frame = patients()
    frame["age"] = [f"{age}.0" if row % 2 else age for row, age in enumerate(frame["age"])]
    frame["ward"] = [f"room {int(float(age))}" for age in frame["age"]]
    with pytest.raises(PolicyError, match="whoever reads 'ward' knows 'age'"):
        Problem.read(frame, policy())


@given(st.integers(0, 2**32 - 1))
def test_kept_columns_that_nothing_relates_are_not_refused(seed: int) -> None:
    frame = patients(seed, 300)
    frame["ward"] = np.random.default_rng(seed + 1).choice(["north", "south", "east"], 300)
    assert Problem.read(frame, policy()).policy.quasi_identifiers


def test_a_value_of_one_person_with_several_rows_is_no_reason_to_refuse() -> None:
    frame = patients(rows=100).loc[np.repeat(np.arange(100), 6)].reset_index(drop=True)
    frame["ward"] = "one"
    frame["patient"] = np.repeat(np.arange(100), 6).astype(str)
    of_people = policy(data={"id": "patient"}, attributes={"patient": {"role": "identifying"}})
    assert Problem.read(frame, of_people).microdata.number_of_people == 100


@pytest.mark.parametrize(
    ("ward", "fault"),
    [
        ({"role": "insensitive", "reveals": ["zop"]}, "'zop', which is not a quasi-identifier"),
        ({"role": "identifying", "reveals": ["zip"]}, "only a column that is kept"),
        ({"role": "insensitive", "reveals": "zip"}, "list"),
    ],
)
def test_what_may_be_accepted_is_checked(ward: dict[str, Any], fault: str) -> None:
    with pytest.raises(PolicyError, match=fault):
        policy(ward)
