"""Which column may tell whose each row is: by structure, whatever it is called."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Policy, anonymize, propose
from anonymizer.data.column import Column
from anonymizer.data.opening import open_table
from anonymizer.data.table import read_columns
from anonymizer.errors import AnonymizerWarning, PolicyError
from anonymizer.hierarchy import Hierarchy
from anonymizer.problem import Problem
from anonymizer.problem.person import find_candidates

NAMES = st.lists(
    st.text("abcdefghij", min_size=1, max_size=6), min_size=12, max_size=12, unique=True
)


def visits(
    people: int = 60,
    rows: str = "as many",
    constant: int = 2,
    timelike: bool = True,
    shuffled: bool = False,
    texts: bool = False,
    seed: int = 0,
) -> pd.DataFrame:
    """People with several rows: some columns are theirs, one is when, and two are of each row."""
    random = np.random.default_rng(seed)
    each = random.integers(1, 7, people) if rows == "uneven" else np.full(people, 4)
    each[:2] = 4  # a mean of at least some rows
    who = np.repeat(random.permutation(people), each)
    names = {
        "who": [f"P-{one:05x}" for one in who * 7919] if texts else who * 3 + 11,
        **{
            f"own{at}": random.integers(0, 2 + 3 * at, people)[who].astype(str)
            for at in range(constant)
        },
        "score": random.normal(0, 1, who.size).round(3),
        "grade": random.choice(list("ABCDE"), who.size),
    }
    if timelike:
        names["when"] = np.concatenate([np.arange(count) + 2001 for count in each])
    frame = pd.DataFrame(names)
    if shuffled:
        frame = frame.sample(frac=1, random_state=seed).reset_index(drop=True)
    return frame.astype(str)


def columns_of(frame: pd.DataFrame) -> dict[str, Column]:
    return read_columns(open_table(frame), list(frame))


@given(
    people=st.integers(50, 120),
    rows=st.sampled_from(["as many", "uneven"]),
    constant=st.integers(1, 4),
    timelike=st.booleans(),
    shuffled=st.booleans(),
    texts=st.booleans(),
    seed=st.integers(0, 2**16),
    names=NAMES,
)
def test_people_with_several_rows_are_never_counted_by_rows_unless_it_was_said(
    names: list[str], **drawn: Any
) -> None:
    frame = visits(**drawn)
    renamed = frame.rename(columns=dict(zip(frame.columns, names, strict=False)))
    person = renamed.columns[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnonymizerWarning)
        proposal = propose(renamed)
    assert not proposal.policy.data.rows_are_people
    assert person not in proposal.policy.quasi_identifiers
    if proposal.id is None:
        with pytest.raises(PolicyError, match=r"--person .* or --rows-are-people"):
            Problem.read(renamed, proposal.policy)
    else:
        assert proposal.id == person


def test_strong_signs_are_taken_and_weak_ones_asked_about() -> None:
    strong = find_candidates(columns_of(visits()))
    assert [(each.column, each.strong) for each in strong] == [("who", True)]
    assert strong[0].constant == ("own0", "own1")
    assert strong[0].timelike == ("when",)
    weak = find_candidates(columns_of(visits(constant=1, timelike=False, shuffled=True)))
    assert [(each.column, each.strong) for each in weak] == [("who", False)]


@given(st.integers(0, 2**16), st.integers(100, 600))
def test_a_table_with_one_row_for_each_person_has_no_candidate(seed: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    age = random.integers(18, 90, rows)
    income = np.round(np.exp(random.normal(10, 0.5, rows)), -3).astype(int)
    frame = pd.DataFrame(
        {
            "age": age,
            "age_group": age // 10,
            "income": income,
            "log_income": np.log(income).round(6),
            "sex": random.choice(["f", "m"], rows),
            "occupation": random.choice(["a", "b", "c", "d"], rows, p=[0.6, 0.2, 0.1, 0.1]),
            "zip": random.integers(100, 199, rows),
            "children": random.poisson(1.2, rows),
            "admitted": [
                f"2024-{1 + n % 12:02}-{1 + n % 28:02}" for n in random.integers(0, 336, rows)
            ],
        }
    ).astype(str)
    assert find_candidates(columns_of(frame)) == ()


def test_crossed_columns_of_which_none_has_more_signs_are_asked_about() -> None:
    frame = pd.DataFrame(
        {
            "firm": np.repeat(np.arange(20), 20).astype(str),
            "year": np.tile(np.arange(20) + 1990, 20).astype(str),
            "value": np.random.default_rng(1).normal(0, 1, 400).astype(str),
        }
    )
    found = find_candidates(columns_of(frame))
    assert {each.column for each in found} == {"firm", "year"}
    assert not any(each.strong for each in found)


def test_of_columns_that_group_rows_alike_one_counts() -> None:
    frame = visits()
    frame["label"] = "person " + frame["who"]
    assert [each.column for each in find_candidates(columns_of(frame))] == ["who"]


def policy_of(**data: Any) -> Policy:
    grades = Hierarchy.from_rows("grade", [(grade, "*") for grade in "ABCDE"])
    return Policy(
        data=data,
        attributes={
            "grade": {"role": "quasi", "hierarchy": grades},
            **{name: {"role": "insensitive"} for name in ("own0", "own1", "score", "when")},
            "who": {"role": "identifying"},
        },
        risk=[{"model": "k-anonymity", "k": 3}],
    )


def test_a_run_asks_in_one_sentence_and_takes_both_answers() -> None:
    frame = visits()
    with pytest.raises(
        PolicyError, match=r"^the dataframe: 'who' \(60 values in 240 rows"
    ) as asked:
        anonymize(frame, policy_of())
    assert "--person who or --rows-are-people" in str(asked.value)
    by_person = anonymize(frame, policy_of(), id="who")
    assert by_person.problem.microdata.number_of_people == 60
    by_row = anonymize(frame, policy_of(), rows_are_people=True)
    assert by_row.problem.microdata.number_of_people == 240
    assert [each.column for each in by_row.problem.candidates] == ["who"]


def test_names_in_place_of_a_policy_are_asked_about_too() -> None:
    frame = visits(constant=1, timelike=False, shuffled=True)
    with pytest.raises(PolicyError, match="'who'"):
        anonymize(frame, quasi=["grade"], keep=["who", "own0", "score"])
    found = anonymize(frame, quasi=["grade"], keep=["who", "own0", "score"], rows_are_people=True)
    assert found.problem.policy.data.rows_are_people


def test_an_identifying_column_of_lists_or_structures_tells_nobody() -> None:
    table = pa.table({"who": [{"name": "A"}, {"name": "A"}] * 5, "sex": ["f", "m"] * 5})
    keys = {
        "who": {"role": "identifying"},
        "sex": {"role": "quasi", "hierarchy": {"f": "*", "m": "*"}},
    }
    policy = Policy(attributes=keys, risk=[{"model": "k-anonymity", "k": 2}])
    assert Problem.read(table, policy).evaluator.microdata.records == 10
