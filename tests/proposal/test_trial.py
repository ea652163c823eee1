"""A proposal is tried before it is handed over, and the figures it shows are those of the release."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import (
    HierarchyError,
    Policy,
    anonymize,
)
from anonymizer.data.opening import open_table
from anonymizer.data.table import read_columns
from anonymizer.errors import PolicyError
from anonymizer.layers.layering import one_layer
from anonymizer.layers.retained import ColumnLeft, columns_left
from anonymizer.problem import Problem
from anonymizer.proposal.trial import (
    COLLAPSED,
    PROPOSED_LIMIT,
    Trial,
    Trials,
    try_both,
)
from tests.proposal.test_proposal import quietly


def crowd(rows: int = 600, columns: int = 6) -> pd.DataFrame:
    """A table of which one scheme for all records leaves hardly anything."""
    random = np.random.default_rng(1)
    return pd.DataFrame(
        {f"birth_{at}": random.geometric(0.05, rows).clip(max=200) for at in range(columns)}
    )


TRIAL = st.builds(
    Trial,
    st.just("full-domain"),
    st.just(PROPOSED_LIMIT),
    st.floats(0, 1),
    st.floats(0, 0.2),
    st.dictionaries(
        st.sampled_from("abc"), st.builds(ColumnLeft, st.floats(0, 1), st.just(0.97), st.just(0.1))
    ),
)


@given(TRIAL, TRIAL)
def test_layers_are_proposed_only_where_one_scheme_fails_and_they_do_better(
    one: Trial, layers: Trial
) -> None:
    proposed = Trials(one, layers).proposed
    fails = bool(one.collapsed) or one.dropped > PROPOSED_LIMIT
    assert (proposed is one) or fails
    assert len(proposed.collapsed) <= len(one.collapsed)
    if not fails:
        assert proposed is one


@given(st.integers(0, 10_000))
def test_columns_that_collapse_are_those_that_a_count_finds(seed: int) -> None:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({name: random.choice([*"aabcd"], 30) for name in "xyz"})
    groups = {"a": "g", "b": "g", "c": "g", "d": "h"}
    policy = {
        "attributes": {name: {"role": "quasi", "hierarchy": groups} for name in "xyz"},
        "risk": [{"model": "k-anonymity", "k": 2}],
    }
    microdata = Problem.read(frame, policy).microdata
    dropped = random.random(microdata.distinct) < 0.3
    scheme = tuple(random.integers(0, 3, 3).tolist())
    left = columns_left(one_layer(microdata, scheme, dropped))
    found = [name for name, column in left.items() if column.collapsed]
    kept = frame[~dropped[microdata.tuple_of_row]]
    levels = [lambda value: value, groups.get, lambda _: "*"]
    expected = [
        name
        for name, level in zip("xyz", scheme, strict=True)
        if len(kept)
        and kept[name].map(levels[level]).value_counts().iloc[0] > COLLAPSED * len(kept)
    ]
    assert found == expected


def test_where_one_scheme_collapses_columns_layers_are_proposed_and_keep_more() -> None:
    random = np.random.default_rng(1)
    names = list("abcdef")
    frame = pd.DataFrame({name: random.integers(0, 6, 400).astype(str) for name in names})
    flat = {"role": "quasi", "hierarchy": {str(value): "*" for value in range(6)}}
    policy = Policy(attributes=dict.fromkeys(names, flat), risk=[{"model": "k-anonymity", "k": 5}])
    trials = try_both(policy, read_columns(open_table(frame), names), None)
    assert trials.one is not None
    assert trials.one.collapsed
    assert trials.proposed.recoding == "layers"
    assert trials.proposed.quality > trials.one.quality
    assert trials.proposed.dropped <= PROPOSED_LIMIT


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("visits", [1, 4], ids=["rows", "people"])
def test_a_slow_machine_proposes_the_same_and_only_the_last_resort_is_said(visits: int) -> None:
    frame = pd.concat([crowd(columns=5)] * visits)
    person = pd.Series(np.arange(len(frame)) // visits) if visits > 1 else None
    names = list(frame)
    frame = frame if person is None else frame.assign(person=person.to_numpy())
    policy = quietly(frame, quasi=names, id=None if person is None else "person").policy
    columns = read_columns(open_table(frame), tuple(frame))
    who = None if person is None else "person"

    def tried(factor: float) -> Trials:
        return try_both(policy, columns, who, clock=lambda: factor * time.process_time())

    assert tried(10).describe() == tried(0.01).describe()
    hurried = tried(1e6)
    assert hurried.out_of_time
    assert "ended after 60 seconds" in next(hurried.find_warnings())


def test_the_limit_is_proposed_and_looser_limits_never_lose_more() -> None:
    proposal = quietly(crowd(columns=2))
    assert proposal.trials is not None
    assert [each.limit for each in proposal.trials.limits] == [0.01, 0.05, 0.1, 1.0]
    assert all(each.dropped <= each.limit for each in proposal.trials.limits)
    assert proposal.policy.release.suppression_limit == PROPOSED_LIMIT
    assert "limit 5 %" in proposal.trials.limits_sentence()


def test_a_proposal_that_cannot_be_encoded_is_never_handed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def narrow(*_: object) -> str:
        return 'builder = "intervals"\ndomain = [0, 14]\nwidths = [5]\nopen = "high"\n'

    monkeypatch.setattr("anonymizer.proposal.specs.suggest_for", narrow)
    frame = pd.DataFrame({"age": [-2, -1, *range(98)] * 4})
    proposal = quietly(frame, quasi=["age"], rows_are_people=True)
    assert 'open = "both"' in proposal.specs["age"]
    anonymize(frame, proposal.policy)
    with pytest.raises(HierarchyError, match="age"):
        quietly(pd.DataFrame({"age": ["old", "young", "13"] * 40}), quasi=["age"])


def test_what_collapses_even_so_is_said_with_the_column_that_costs_most() -> None:
    random = np.random.default_rng(2)
    frame = pd.DataFrame({name: random.integers(0, 9, 60).astype(str) for name in "abc"})
    flat = {"role": "quasi", "hierarchy": {str(value): "*" for value in range(9)}}
    policy = Policy(attributes=dict.fromkeys("abc", flat), risk=[{"model": "k-anonymity", "k": 30}])
    trials = try_both(policy, read_columns(open_table(frame), ["a", "b", "c"]), None)
    assert set(trials.proposed.collapsed) == {*"abc"}
    assert trials.costliest in {*"abc"}
    (sentence,) = trials.find_warnings()
    assert "hardly anything is left of 'a', 'b', 'c'" in sentence
    assert f"'{trials.costliest}' costs most" in sentence


def test_kept_columns_that_give_away_what_the_user_generalizes_are_refused() -> None:
    random = np.random.default_rng(2)
    age = random.integers(20, 80, 400)
    frame = pd.DataFrame({"age": age, "born": 2026 - age, "sex": random.choice(["f", "m"], 400)})
    with pytest.raises(PolicyError, match="whoever reads 'born' knows 'age'"):
        quietly(frame, quasi=["age", "sex"], keep=["born"])
