"""`[data] default_role`: what columns are that the policy does not name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anonymizer import (
    DataError,
    Policy,
    PolicyError,
    Problem,
    anonymize,
    apply,
    make_manifest,
    verify,
)
from anonymizer.policy import Role

FRAME = pd.DataFrame(
    {"who": list("abcdefgh"), "sex": list("FFMMFFMM"), "ward": list("AABBAABB"), "year": ["24"] * 8}
)


def policy(**data: Any) -> Policy:
    """A policy that names the sex alone."""
    return Policy(
        data=data,
        attributes={"sex": {"role": "quasi", "hierarchy": {"F": "*", "M": "*"}}},
        risk=[{"model": "k-anonymity", "k": 2}],
    )


def test_without_it_every_column_must_be_named() -> None:
    with pytest.raises(DataError, match="no role in the policy for 'who', 'ward', 'year'"):
        anonymize(FRAME, policy())


@pytest.mark.parametrize(
    ("role", "columns"),
    [
        ("identifying", ["sex"]),
        ("removed", ["sex"]),
        ("sensitive", ["who", "sex", "ward", "year"]),
        ("insensitive", ["who", "sex", "ward", "year"]),
    ],
)
@pytest.mark.filterwarnings("ignore:the dataframe. the identifying column")
def test_columns_that_are_not_named_have_it_and_the_release_verifies(
    role: str, columns: list[str]
) -> None:
    stated = policy(default_role=role)
    solution = anonymize(FRAME, stated)
    released = solution.to_frame()
    assert released.columns.tolist() == columns
    manifest = make_manifest(solution, released)
    assert manifest["policy"]["attributes"]["ward"] == {"role": role}
    assert verify(released, stated, manifest).passed
    assert verify(released, stated, manifest, against=FRAME).passed
    assert apply(FRAME, stated, solution.scheme).scheme == solution.scheme


@pytest.mark.filterwarnings("ignore:the dataframe. the identifying column")
def test_another_default_is_another_policy() -> None:
    solution = anonymize(FRAME, policy(default_role="identifying"))
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert not verify(released, policy(default_role="insensitive"), manifest).passed
    released["ward"] = "A"
    assert not verify(released, policy(default_role="identifying"), manifest).passed


def test_the_id_may_be_one_of_them_if_they_are_removed() -> None:
    problem = Problem.read(FRAME, policy(default_role="identifying", id="who"))
    assert problem.microdata.number_of_people == 8
    with pytest.raises(PolicyError, match="names 'who', which would be released"):
        policy(default_role="insensitive", id="who")


def test_a_problem_takes_the_same_policy_again() -> None:
    stated = policy(default_role="insensitive")
    problem = Problem.read(FRAME, stated)
    assert problem.policy.with_role(Role.INSENSITIVE) == ("who", "ward", "year")
    assert problem.with_policy(stated).lattice == problem.lattice


@pytest.mark.parametrize("role", ["quasi", "anything", 3])
def test_only_a_role_that_needs_nothing_else_can_be_the_default(role: Any) -> None:
    with pytest.raises(PolicyError, match=r"data\.default_role"):
        policy(default_role=role)


def test_a_policy_file_may_state_it(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(
        '[data]\ndefault_role = "insensitive"\n[attributes.sex]\nrole = "quasi"\n'
        'hierarchy = { F = "*", M = "*" }\n[[risk]]\nmodel = "k-anonymity"\nk = 2\n'
    )
    assert anonymize(FRAME, tmp_path / "policy.toml").records == 8


def test_a_removed_column_is_in_no_release_and_is_found_where_it_stayed() -> None:
    base = policy(default_role="insensitive")
    removed = {"who": {"role": "removed", "reason": "it tells too much"}}
    stated = Policy(**{**dict(base), "attributes": {**base.attributes, **removed}})
    solution = anonymize(FRAME, stated)
    released = solution.to_frame()
    assert released.columns.tolist() == ["sex", "ward", "year"]
    manifest = make_manifest(solution, released)
    assert verify(released, stated, manifest, against=FRAME).passed
    details = [check.detail for check in verify(FRAME, stated, manifest).checks]
    assert "removed 'who' is still there" in details
