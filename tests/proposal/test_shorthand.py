"""Three lines: names in place of a policy, and every default said."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anonymizer import (
    AnonymizerWarning,
    Hierarchy,
    Intervals,
    Policy,
    PolicyError,
    Redaction,
    Solution,
    anonymize,
    make_manifest,
    verify,
)
from tests.proposal.test_proposal import DIFFERENT, ROWS, people

FRAME = people(
    zip=["10115", "10117", "20095", "20097"] * (ROWS // 4), ward=["A", "B"] * (ROWS // 2)
).astype(str)


def quietly(frame: pd.DataFrame = FRAME, **names: Any) -> Solution:
    """Anonymize without warnings about columns that are named nowhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnonymizerWarning)
        return anonymize(frame, **names)


def test_three_lines_make_a_release_that_verifies() -> None:
    solution = anonymize(FRAME, quasi=["age", "sex", "zip"], k=5, keep=["ward"])
    released = solution.to_frame()
    assert released.groupby(["age", "sex", "zip"], observed=True).size().min() >= 5
    policy = solution.problem.policy
    assert verify(released, policy, make_manifest(solution, released), against=FRAME).passed
    assert solution.defaults == ("Proposed hierarchies: 'age', 'sex', 'zip'.",)


def test_layers_and_a_limit_on_suppression_are_asked_for_in_the_call() -> None:
    frame = pd.DataFrame({"age": [*range(20, 60)] * 3, "sex": ["f", "m", "m"] * 40})
    names = {"quasi": ["age", "sex"], "layers": 2}
    policy = anonymize(frame, k=3, **names, suppression_limit=0.1).problem.policy
    assert (policy.release.layers, policy.release.suppression_limit) == (2, 0.1)
    with pytest.raises(PolicyError, match="without `quasi`"):
        anonymize(frame, suppression_limit=0.0)


def test_a_column_that_is_named_nowhere_is_removed_and_said() -> None:
    with pytest.warns(AnonymizerWarning, match="removed, because named nowhere: 'zip', 'ward'"):
        solution = anonymize(FRAME, quasi=["age", "sex"])
    assert solution.to_frame().columns.tolist() == ["age", "sex"]
    assert "k is 5." in solution.defaults
    assert "Removed, because named nowhere: 'zip', 'ward'." in solution.defaults


def test_a_stated_default_role_keeps_them_and_warns_of_what_identifies() -> None:
    frame = FRAME.assign(mail=[f"{value}@example.org" for value in DIFFERENT])
    with pytest.warns(AnonymizerWarning) as said:
        solution = anonymize(frame, quasi=["age", "sex"], k=5, default_role="insensitive")
    sentences = [str(warning.message) for warning in said]
    assert any("though it looks like a direct identifier: 'mail'" in each for each in sentences)
    assert any("though others may know it: 'zip'" in each for each in sentences)
    assert not any("'ward'" in each for each in sentences)
    assert list(solution.to_frame().columns) == list(frame.columns)


@pytest.mark.parametrize(
    "sex",
    [
        {"F": "person", "M": "person"},
        {"F": ["person", "being"], "M": ["person", "being"]},
        {"builder": "mapping", "values": ["F", "M"]},
        Hierarchy.from_rows("any", [("F", "*"), ("M", "*")]),
        None,
    ],
)
def test_a_hierarchy_is_given_where_it_is_used(sex: Any) -> None:
    zips = Redaction(values=("10115", "10117", "20095", "20097"), redact=(2, 3))
    solution = quietly(quasi={"age": Intervals((0, 99), widths=(10, 50)), "sex": sex, "zip": zips})
    assert set(solution.scheme) == {"age", "sex", "zip"}
    assert solution.problem.hierarchies[1].name == "sex"


def test_cut_points_cut_whole_numbers_and_decimals() -> None:
    frame = FRAME.assign(dose=[f"{row % 30 / 4}" for row in range(ROWS)])
    solution = quietly(frame, quasi={"age": [30, 60], "dose": [2, 5]}, k=30)
    assert set(solution.to_frame()["dose"]) <= {"< 2", "[2, 5)", ">= 5", "*"}
    assert set(solution.to_frame()["age"]) <= {"< 30", "30-59", "60+", "*"}


def test_the_same_hierarchies_may_stand_in_a_policy_in_a_dict_and_in_toml(tmp_path: Path) -> None:
    intervals = {"builder": "intervals", "domain": [0, 99], "widths": [10, 50]}
    keys = {
        "attributes": {
            "age": {"role": "quasi", "hierarchy": intervals},
            "sex": {"role": "quasi", "hierarchy": {"F": "*", "M": "*"}},
        },
        "risk": [{"model": "k-anonymity", "k": 5}],
        "data": {"default_role": "insensitive"},
    }
    (tmp_path / "policy.toml").write_text(
        """
        [data]
        default_role = "insensitive"
        [attributes]
        age.role = "quasi"
        age.hierarchy = { builder = "intervals", domain = [0, 99], widths = [10, 50] }
        sex = { role = "quasi", hierarchy = { F = "*", M = "*" } }
        [[risk]]
        model = "k-anonymity"
        k = 5
        """
    )
    from_dict = anonymize(FRAME, keys)
    from_file = anonymize(FRAME, Policy.read(tmp_path / "policy.toml"))
    assert from_dict.scheme == from_file.scheme
    assert from_dict.loss == from_file.loss


def test_people_are_counted_where_a_column_tells_whose_a_row_is() -> None:
    frame = FRAME.assign(patient_id=[f"P{row // 4}" for row in range(ROWS)])
    solution = quietly(frame, quasi=["age", "sex"], k=5)
    assert solution.problem.policy.data.id == "patient_id"
    assert f"'patient_id' tells whose each row is: {ROWS // 4} people." in solution.defaults
    assert "patient_id" not in solution.to_frame()


def test_a_named_identifier_that_repeats_tells_people_or_is_warned_of() -> None:
    frame = FRAME.assign(nickname=[f"n{row // 4}" for row in range(ROWS)])
    found = anonymize(frame, quasi=["age"], identifying=["nickname"], default_role="identifying")
    assert "'nickname' tells whose each row is: 100 people." in found.defaults  # by structure
    few = FRAME.assign(nickname=[f"n{max(row, 3)}" for row in range(ROWS)])
    with pytest.warns(AnonymizerWarning, match="the identifying column 'nickname' has 397"):
        anonymize(few, quasi=["age"], identifying=["nickname"], default_role="identifying")


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ({"quasi": ["age"], "k": 0}, "k must be at least 1, got 0"),
        ({"quasi": ["age"], "k": "five"}, "k must be a whole number"),
        ({"quasi": "age"}, "is not a list"),
        ({"quasi": []}, "no attribute has the role 'quasi'"),
        ({"quasi": ["agee"]}, "did you mean 'age'"),
        ({"k": 5}, "without `quasi`"),
        ({"quasi": ["age"], "policy": {}}, "stands for a policy"),
        ({"quasi": ["age"], "default_role": "quasi"}, "default_role: 'quasi' is not such a role"),
        ({"quasi": {"age": 5}}, "5 is not a hierarchy"),
        ({"quasi": {"age": {}}}, "this is empty"),
        ({"quasi": {"age": [65, 18]}}, "cut points are rising numbers"),
        ({"quasi": ["age"], "sensitive": ["age"]}, "two roles"),
    ],
)
def test_a_slip_is_one_policy_error(names: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PolicyError, match=sentence):
        quietly(**names)
