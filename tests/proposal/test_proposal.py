"""Proposals: each column has a role and a reason, and what they make works at once."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anonymizer import (
    AnonymizerWarning,
    DataError,
    Policy,
    PolicyError,
    Proposal,
    anonymize,
    propose,
    write_proposal,
)
from anonymizer.errors import percent
from anonymizer.policy import Role
from anonymizer.proposal.decision import Confidence, Decision
from anonymizer.proposal.ranking import MOST_KNOWN, MOST_QUASI
from anonymizer.proposal.rules import SINGLES_OUT

RANDOM = np.random.default_rng(7)
ROWS = 400


def people(**others: Any) -> pd.DataFrame:
    """A table with an age, a sex and other columns."""
    random = np.random.default_rng(3)
    known = {"age": random.integers(20, 80, ROWS), "sex": random.choice(["F", "M"], ROWS)}
    return pd.DataFrame({**known, **others})


def quietly(data: Any, **options: Any) -> Proposal:
    """Propose without the warnings about what is kept."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnonymizerWarning)
        return propose(data, **options)


def decision(name: str, cells: Any, **options: Any) -> Decision:
    """What is decided of one column beside age and sex."""
    proposal = quietly(people(**{name: cells}), **options)
    return next(each for each in proposal.decisions if each.column == name)


DIFFERENT = [f"v{number}" for number in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("x", DIFFERENT),
        ("x", list(range(10_000, 10_000 + ROWS))),
        ("x", [f"a{number % 9}@example.org" for number in range(ROWS)]),
        ("x", [f"{number % 200}.1.1.1" for number in range(ROWS)]),
        ("x", [f"word {number} and some more words here" for number in range(ROWS)]),
        ("Vorname", ["Ann", "Bo"] * (ROWS // 2)),
        ("patient_id", DIFFERENT),
        ("lat", [f"52.{number:05d}" for number in range(ROWS)]),
    ],
)
def test_direct_identifiers_are_removed(name: str, cells: list[Any]) -> None:
    assert decision(name, cells).role is Role.IDENTIFYING


@pytest.mark.parametrize(
    ("name", "cells", "role"),
    [
        ("diagnosis", ["flu", "asthma"] * (ROWS // 2), Role.SENSITIVE),
        ("x", ["I10.0", "E11.9"] * (ROWS // 2), Role.SENSITIVE),
        ("income", [f"{1000 + number / 7:.2f}" for number in range(ROWS)], Role.QUASI),
        ("x", [f"{number / 7:.3f}" for number in range(ROWS)], Role.QUASI),
        ("visit", [f"2024-{1 + n % 12:02d}-{1 + n % 28:02d}" for n in range(ROWS)], Role.QUASI),
        ("race", ["a", "b", "c", "d"] * (ROWS // 4), Role.QUASI),
        ("hospital_name", ["St. Mary", "Charité"] * (ROWS // 2), Role.QUASI),
        ("flag", ["yes", *["no"] * (ROWS - 1)], Role.INSENSITIVE),
        ("x", ["same"] * ROWS, Role.INSENSITIVE),
        ("x", [None] * ROWS, Role.REMOVED),
        ("member", ["yes", "no"] * (ROWS // 2), Role.QUASI),
    ],
)
def test_other_columns_get_the_role_that_fits(name: str, cells: list[Any], role: Role) -> None:
    assert decision(name, cells).role is role


def test_a_number_of_people_that_repeats_is_the_id_and_people_are_counted() -> None:
    proposal = quietly(people(patient_id=[f"P{row // 4}" for row in range(ROWS)]))
    assert proposal.id == "patient_id"
    assert proposal.people == ROWS // 4
    assert proposal.policy.data.id == "patient_id"


def test_quasi_identifiers_that_single_out_more_have_higher_figures() -> None:
    proposal = quietly(people(zip=RANDOM.integers(10_000, 10_200, ROWS).astype(str)))
    added = {each.column: each.figures.added or 0 for each in proposal.decisions}
    assert added["zip"] > added["age"] > added["sex"]


def test_what_the_user_says_stands_and_is_warned_of_where_it_singles_out() -> None:
    frame = people(code=DIFFERENT, zip=["1", "2"] * (ROWS // 2))
    with pytest.warns(AnonymizerWarning, match="'code' is kept as it is and nearly identifies"):
        proposal = propose(frame, keep=["code"], identifying=["zip"], k=3)
    by_name = {each.column: each for each in proposal.decisions}
    assert by_name["code"].role is Role.INSENSITIVE
    assert by_name["zip"].role is Role.IDENTIFYING
    assert by_name["code"].confidence is Confidence.GIVEN
    assert proposal.k == 3


def wide(columns: int, known: int = 0) -> pd.DataFrame:
    """A table of many columns, of which some have names that say that others know them."""
    random = np.random.default_rng(5)
    names = [f"x{number}" for number in range(columns - known)]
    names += [f"birth_{number}" for number in range(known)]
    spread = np.geomspace(3, 5_000, columns).astype(int)
    return pd.DataFrame(
        {name: random.integers(0, size, ROWS) for name, size in zip(names, spread, strict=True)}
    )


@pytest.mark.usefixtures("untried")
def test_of_many_columns_few_are_generalized_and_no_other_singles_out_in_silence() -> None:
    with pytest.warns(AnonymizerWarning) as said:
        proposal = propose(wide(60))
    assert len(proposal.with_role(Role.QUASI)) == MOST_QUASI
    kept = [each for each in proposal.decisions if each.role is Role.INSENSITIVE]
    assert kept
    assert all(each.figures.unique < SINGLES_OUT for each in kept)
    sentences = " ".join(str(warning.message) for warning in said)
    assert f"{percent(proposal.unique_by_kept)} of the people are unique" in sentences
    assert f"the {len(kept)} columns that are kept as they are" in sentences


@pytest.mark.usefixtures("untried")
def test_more_columns_are_generalized_where_others_may_know_them_and_none_of_them_is_kept() -> None:
    proposal = quietly(wide(20, known=15))
    assert len(proposal.with_role(Role.QUASI)) == MOST_KNOWN
    for each in proposal.decisions:
        if each.column.startswith("birth"):
            assert each.role in (Role.QUASI, Role.REMOVED)


def test_the_proposed_policy_meets_its_k_and_is_the_same_from_a_file(tmp_path: Path) -> None:
    frame = people(name=DIFFERENT, diagnosis=["flu", "asthma"] * (ROWS // 2))
    frame.to_csv(tmp_path / "people.csv", index=False)
    proposal = propose(tmp_path / "people.csv")
    files = write_proposal(proposal, tmp_path / "out")
    policy = Policy.read(files["policy"])
    solution = anonymize(None, policy)
    quasi = list(policy.quasi_identifiers)
    assert solution.to_frame().groupby(quasi, observed=True).size().min() >= 5
    assert solution.scheme == anonymize(frame, propose(frame).policy).scheme
    assert Path(files["page"]).read_text(encoding="utf-8").count("<tr>") > len(proposal.decisions)


def test_a_policy_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    proposal = propose(people())
    write_proposal(proposal, tmp_path)
    before = (tmp_path / "policy.toml").read_text(encoding="utf-8")
    with pytest.raises(PolicyError, match="is there already, and may have been edited; remove it"):
        write_proposal(proposal, tmp_path)
    assert (tmp_path / "policy.toml").read_text(encoding="utf-8") == before


def test_a_hierarchy_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "age.toml").write_text("mine")
    with pytest.raises(PolicyError, match=r"age\.toml is there already"):
        write_proposal(propose(people()), tmp_path)
    assert (tmp_path / "hierarchies" / "age.toml").read_text() == "mine"
    assert not (tmp_path / "policy.toml").exists()


def test_the_description_is_json_without_a_cell() -> None:
    frame = people(word=["marigold", "tansy"] * (ROWS // 2))
    text = json.dumps(quietly(frame).describe())
    assert "word" in text
    assert "marigold" not in text


def test_a_file_without_a_header_is_refused_and_shows_no_cell(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    people(name=["Ann", "Bob"] * (ROWS // 2)).to_csv(path, index=False, header=False)
    with pytest.raises(DataError, match="looks like a person's cells") as refused:
        propose(path)
    assert "Ann" not in str(refused.value)


def test_numbers_of_years_are_names_of_columns(tmp_path: Path) -> None:
    frame = people(**{"2019": range(ROWS), "2020": range(5, ROWS + 5)})
    frame.to_csv(tmp_path / "people.csv", index=False)
    assert quietly(tmp_path / "people.csv").with_role(Role.QUASI)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"quasi": ["agee"]}, "quasi: there is no column 'agee'; did you mean 'age'?"),
        ({"quasi": "age"}, r"quasi: 'age' is not a list; write \['age'\]"),
        ({"quasi": ["age"], "keep": ["age"]}, "two roles are given for 'age'"),
        ({"k": 0}, "k must be at least 1"),
    ],
)
def test_a_slip_is_one_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PolicyError, match=sentence):
        propose(people(), **options)


def test_where_nothing_can_be_generalized_that_is_said() -> None:
    with pytest.raises(PolicyError, match="name one with --quasi"):
        propose(pd.DataFrame({"name": DIFFERENT, "x": ["a"] * ROWS}))


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(DataError, match="no rows"):
        propose(pd.DataFrame({"age": []}))


def test_k_above_the_number_of_people_is_refused_at_once() -> None:
    frame = people(patient_id=[f"P{row // 4}" for row in range(ROWS)])
    with pytest.raises(
        PolicyError, match="k = 101 is larger than the number of people, 100; lower k"
    ):
        propose(frame, k=ROWS // 4 + 1)


def test_a_header_that_was_not_split_is_said(tmp_path: Path) -> None:
    people().to_csv(tmp_path / "people.csv", index=False, sep=";")
    with pytest.raises(
        DataError, match="one name with ';' in it; if that separates columns, write --delimiter ';'"
    ):
        propose(tmp_path / "people.csv", delimiter=",")
