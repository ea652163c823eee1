"""Analyses in a policy: what is refused, and that they decide nothing about a release."""

from __future__ import annotations

import json
from typing import Any

import pytest

from anonymizer import Policy, PolicyError
from anonymizer.policy import ANALYSES, policy_schema
from tests.analyses.people import EVERY, STAY, people, release

KEYS = {
    "attributes": {
        "id": {"role": "identifying"},
        "sex": {"role": "quasi", "hierarchy": {"F": "*", "M": "*"}},
        "stay": {"role": "insensitive"},
    },
    "risk": [{"model": "k-anonymity", "k": 2}],
}


def faults(*analyses: Any, **keys: Any) -> str:
    with pytest.raises(PolicyError) as error:
        Policy(**{**KEYS, "analysis": list(analyses), **keys})
    return str(error.value)


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        (5, "5 is not an analysis; give a table with the key 'kind'"),
        ({"name": "a"}, "None is not a kind of analysis; use one of 'linear'"),
        (
            {"name": "a", "kind": "liner"},
            "'liner' is not a kind of analysis; did you mean 'linear'?",
        ),
        ({"name": "a", "kind": "linear"}, "analysis.0: formula: this key is missing"),
        ({"name": "a/b", "kind": "marginals"}, "is not a name for an analysis; use letters"),
        ({"name": "a", "kind": "linear", "formula": "stay ~ 1x"}, "is not a formula: '1x' is not"),
        (
            {"name": "a", "kind": "linear", "formula": "stay ~ id"},
            "'id' is identifying, so it is not",
        ),
        ({"name": "a", "kind": "linear", "formula": "stay ~ sx"}, "'sx' is not a column; did you"),
        (
            {"name": "a", "kind": "linear", "formula": "stay ~ sex", "generalized": "mean"},
            "'mean' is",
        ),
        ({"name": "a", "kind": "marginals", "rows": 1}, "rows: this key is unknown"),
        ({"name": "a", "kind": "queries", "queries": 0}, "queries: 0 is too small; use 1 or more"),
        (
            {"name": "a", "kind": "prediction", "response": "sex", "predictors": []},
            "predictors: this is empty; name at least one",
        ),
    ],
)
def test_a_fault_is_one_sentence_with_its_place(stated: Any, sentence: str) -> None:
    assert sentence in faults(stated)


def test_all_faults_are_shown_together_and_names_differ() -> None:
    one = {**STAY, "formula": "stay ~ sex"}
    text = faults(one, {**one, "name": "Stay"}, {**one, "name": "b", "formula": "stay ~ x"})
    assert "Stay: this name is taken; choose another" in text
    assert "b: 'x' is not a column" in text


def test_a_column_with_the_default_role_can_be_analysed_unless_it_is_removed() -> None:
    stated = [{"name": "a", "kind": "linear", "formula": "other ~ sex"}]
    policy = Policy(**KEYS, data={"default_role": "insensitive"}, analysis=stated)
    assert policy.analysis[0].reads == ("other", "sex")
    assert "'other' is identifying" in faults(*stated, data={"default_role": "identifying"})


def test_an_analysis_changes_no_description_of_the_policy() -> None:
    plain, stated = release(people(60), []), release(people(60), EVERY)
    assert plain.problem.policy.describe() == stated.problem.policy.describe()


def test_what_an_analysis_describes_makes_it_again() -> None:
    analyses = release(people(60), EVERY).problem.policy.analysis
    described = json.loads(json.dumps([each.describe() for each in analyses]))
    assert release(people(60), described).problem.policy.analysis == analyses


def test_the_schema_has_every_kind() -> None:
    items = policy_schema()["properties"]["analysis"]["items"]["oneOf"]
    assert [each["properties"]["kind"]["const"] for each in items] == list(ANALYSES)
    assert all(each["required"][:2] == ["kind", "name"] for each in items)
