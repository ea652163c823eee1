"""A linkage that looks wrong is a warning, in an assessment and in a run alike."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer import AnonymizerWarning, Policy, Statement, anonymize, assess
from anonymizer.hierarchy import Hierarchy

SEX = Hierarchy.from_rows("sex", [("Female", "*"), ("Male", "*"), ("male", "*")])


def policy(role: dict[str, object], statement: Statement) -> Policy:
    return Policy(
        attributes={
            "sex": role,
            "age": {
                "role": "quasi",
                "hierarchy": Hierarchy.from_rows("age", [("1", "*"), ("2", "*")]),
            },
            "id": {"role": "identifying"},
        },
        risk=[{"model": "sources", "statement": statement}],
    )


QUASI = {"role": "quasi", "hierarchy": SEX}


def patients() -> pd.DataFrame:
    sex = ["Male"] * 67 + ["Female"] * 33
    return pd.DataFrame({"sex": sex, "age": "1", "id": np.arange(100).astype(str)})


def voters(tmp_path: Path, frame: pd.DataFrame, **keys: object) -> Statement:
    frame.to_csv(tmp_path / "voters.csv", index=False)
    source = {"name": "voters", "keys": ["sex"], "path": "voters.csv", **keys}
    return Statement(source=[source], folder=tmp_path)


@pytest.mark.usefixtures("values_shown")
@pytest.mark.parametrize("role", [{"role": "insensitive"}, QUASI])
def test_a_value_in_another_case_is_named_with_those_who_do_not_match(tmp_path, role) -> None:
    statement = voters(tmp_path, pd.DataFrame({"sex": ["male"] * 50 + ["Female"] * 50}))
    expected = (
        r"67 of 100 people \(67 %\) match nobody there and .*; 'Male' of 'sex' is 'male' there"
    )
    with pytest.warns(AnonymizerWarning, match=expected):
        found = assess(patients(), policy(role, statement), statement=statement).findings
    assert found is not None
    assert found.sources[0].linkage is not None
    assert len(found.sources[0].linkage.warnings) == 1
    assert found.sources[0].linkage.unmatched == 67
    if role is QUASI:
        with pytest.warns(AnonymizerWarning, match=expected):
            anonymize(patients(), policy(role, statement))


def test_a_large_unmatched_share_is_a_warning_and_a_small_one_is_not(tmp_path) -> None:
    statement = voters(tmp_path, pd.DataFrame({"sex": ["Female"] * 50}))
    with pytest.warns(
        AnonymizerWarning, match=r"\(67 %\) match nobody there.*write the keys alike"
    ):
        anonymize(patients(), policy(QUASI, statement))
    statement = voters(tmp_path, pd.DataFrame({"sex": ["Male"] * 50}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        anonymize(patients(), policy(QUASI, statement))


def test_people_who_are_listed_twice_count_once_by_an_id_and_are_a_warning_without(
    tmp_path,
) -> None:
    names = [f"name {number % 30}" for number in range(90)]
    frame = pd.DataFrame({"sex": ["Male"] * 60 + ["Female"] * 30, "name": names})
    statement = voters(tmp_path, frame)
    expected = (
        r"30 rows are the same as an earlier one in every column, and each row counts as a person"
    )
    with pytest.warns(AnonymizerWarning, match=expected):
        anonymize(patients(), policy(QUASI, statement))
    statement = voters(tmp_path, frame, id="name")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = assess(patients(), policy(QUASI, statement), statement=statement).findings
    assert found is not None
    assert found.sources[0].linkage is not None
    assert found.sources[0].linkage.external_people == 30
    assert found.sources[0].probabilities.highest == 1 / (33 * 30)


def test_a_column_that_is_called_as_the_id_of_the_table_and_repeats_is_a_warning(tmp_path) -> None:
    frame = pd.DataFrame({"sex": ["Male", "Male", "Female"], "id": ["1", "1", "2"]})
    stated = voters(tmp_path, frame)
    statement = stated.model_copy(update={"id": "id"})
    with pytest.warns(
        AnonymizerWarning, match=r"1 rows have a 'id' that an earlier one has.*add id = "
    ):
        assess(patients(), policy(QUASI, statement), statement=statement)


def test_equal_rows_of_a_table_of_keys_alone_are_different_people(tmp_path) -> None:
    statement = voters(tmp_path, pd.DataFrame({"sex": ["Male"] * 50 + ["Female"] * 50}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assess(patients(), policy(QUASI, statement), statement=statement)
