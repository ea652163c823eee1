"""A person with several rows, from the policy to the verification."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer import (
    DataError,
    Policy,
    PolicyError,
    anonymize,
    explain,
    frontier,
    make_manifest,
    verify,
)
from anonymizer.hierarchy import Hierarchy

pytestmark = pytest.mark.quick

AGE = Hierarchy.from_rows("age", [(str(a), f"{a // 10}0s", "*") for a in range(20, 60)])
SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])


def visits(people: int = 90, seed: int = 4) -> pd.DataFrame:
    """Draw one to four visits of each person; age and sex stay the same but for one birthday."""
    random = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        age, sex = int(random.integers(20, 58)), random.choice(["F", "M"])
        for visit in range(int(random.integers(1, 5))):
            rows.append((f"P{person}", str(age + (visit > 2)), sex, f"D{visit}"))
    return pd.DataFrame(rows, columns=["patient", "age", "sex", "diagnosis"])


def policy(k: int = 4, **data: object) -> Policy:
    return Policy(
        data=data,
        attributes={
            "patient": {"role": "identifying"},
            "age": {"role": "quasi", "hierarchy": AGE},
            "sex": {"role": "quasi", "hierarchy": SEX},
            "diagnosis": {"role": "sensitive"},
        },
        risk=[{"model": "k-anonymity", "k": k}],
    )


def people_in_classes(frame: pd.DataFrame, solution) -> pd.Series:
    """The different people in each released class, with the original at hand."""
    microdata, release = solution.problem.microdata, solution.release
    gone = release.suppressed[microdata.tuple_of_row]
    labels = solution.outcome.classes.label_of_tuple[microdata.tuple_of_row]
    kept = pd.DataFrame({"class": labels, "patient": frame["patient"]})[~gone]
    return kept.groupby("class")["patient"].nunique()


def test_every_released_class_has_k_different_people() -> None:
    frame = visits()
    solution = anonymize(frame, policy(9, id="patient"))
    assert people_in_classes(frame, solution).min() >= 9
    assert solution.describe()["people"] == 90
    assert solution.before.people == 90
    assert solution.before.records == len(frame)
    with pytest.raises(PolicyError, match=r"'patient' \(90 values in .* id = \"patient\""):
        anonymize(frame, policy(9))
    by_rows = anonymize(frame, policy(9, rows_are_people=True))
    assert people_in_classes(frame, by_rows).min() < 9  # what is mended


def test_each_row_of_a_table_without_repeats_is_a_person() -> None:
    frame = visits().drop_duplicates("patient")
    one, other = anonymize(frame, policy(id="patient")), anonymize(frame, policy())
    assert (one.loss, one.suppressed, one.scheme) == (other.loss, other.suppressed, other.scheme)
    assert one.after == other.after


def test_verify_counts_people_with_the_original_and_says_that_it_cannot_without() -> None:
    frame = visits()
    solution = anonymize(frame, policy(id="patient"))
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    alone = verify(released, policy(id="patient"), manifest)
    assert not alone.passed
    assert any("does not tell whose its rows are" in check.detail for check in alone.checks)
    assert not alone.failures
    with_original = verify(released, policy(id="patient"), manifest, against=frame)
    assert all(check.passed for check in with_original.checks)  # nothing is left to be shown


def test_a_release_by_rows_does_not_verify_for_people() -> None:
    frame = visits()
    solution = anonymize(frame, policy(9, rows_are_people=True))
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert manifest["person_candidates"] == ["patient"]
    for against in (None, frame):
        by_rows = verify(released, policy(9), manifest, against=against)
        assert by_rows.passed
        assert by_rows.checks[-1].detail.startswith("rows were counted: 'patient' may tell")
    manifest["policy"]["data"] = {"id": "patient"}
    assert not verify(released, policy(9, id="patient"), manifest, against=frame).passed


def test_verify_takes_the_answer_that_the_run_was_given() -> None:
    frame = visits()
    solution = anonymize(frame, policy(), id="patient")
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    found = verify(released, policy(), manifest, against=frame)
    assert found.passed
    assert "people were counted" not in {check.claim for check in found.checks}
    with pytest.raises(PolicyError, match="'patient' tells whose each row is; change it there"):
        anonymize(frame, policy(id="patient"), rows_are_people=True)


def test_a_frontier_and_an_explanation_count_people() -> None:
    frame = visits()
    curve = frontier(frame, policy(id="patient"), values=[2, 3, 5])
    for point in curve.points:
        assert point.profile.smallest_class >= point.value
        assert (
            point.evaluation.loss == anonymize(frame, policy(int(point.value), id="patient")).loss
        )
    assert explain(anonymize(frame, policy(id="patient"))).describe()["blocking"]


def test_files_and_frames_count_the_same_people(tmp_path: Path) -> None:
    frame = visits()
    frame.to_csv(tmp_path / "visits.csv", index=False)
    frame.to_parquet(tmp_path / "visits.parquet", index=False)
    expected = anonymize(frame, policy(id="patient")).describe()
    for name in ("visits.csv", "visits.parquet"):
        assert anonymize(tmp_path / name, policy(id="patient")).describe() == expected


@pytest.mark.parametrize("model", ["average", "sample-uniqueness"])
def test_models_of_the_whole_table_count_people(model: str) -> None:
    keys = dict(policy(id="patient"))
    solution = anonymize(visits(), Policy(**{**keys, "risk": [{"model": model, "threshold": 0.1}]}))
    after = solution.after
    assert after.prosecutor.average <= 0.1 + 1e-12 or model != "average"
    assert after.sample_uniques / max(after.people, 1) <= 0.1 or model == "average"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"model": "k-anonymity", "k": 91}, "k = 91 is larger than the table, which has 90 people"),
        (
            {"model": "k-map", "k": 91, "population": 91, "significance": 1e-9},
            "k' = 91 is larger than the table, which has 90 people; lower k.",
        ),
        (
            {"model": "k-map", "k": 2, "population": 89},
            "the population of 89 is smaller than the table, which has 90 people; correct it.",
        ),
        (
            {"model": "p-uniqueness", "threshold": 0.1, "population": 89},
            "the population of 89 is smaller than the table, which has 90 people; correct it.",
        ),
    ],
)
def test_a_model_that_the_table_is_too_small_or_too_large_for_counts_people(
    model: dict[str, object], message: str
) -> None:
    keys = dict(policy(id="patient"))
    with pytest.raises(PolicyError, match=message):
        anonymize(visits(), Policy(**{**keys, "risk": [model]}))


def test_an_id_that_is_not_a_column_is_one_sentence() -> None:
    with pytest.raises(
        PolicyError, match=r"data.id names 'patiant', which is not a column; did you"
    ):
        policy(id="patiant")


def test_an_id_that_would_be_released_is_refused() -> None:
    with pytest.raises(PolicyError, match="would be released and put a person's rows together"):
        policy(id="diagnosis")


def test_an_id_with_missing_cells_is_refused() -> None:
    frame = visits()
    frame.loc[6, "patient"] = None
    with pytest.raises(DataError, match="row 7 has no 'patient', so it is not known whose it is"):
        anonymize(frame, policy(id="patient"))


def test_a_person_in_several_classes_counts_on_average_with_the_smallest() -> None:
    ages = [str(age) for age in range(20, 26)]
    frame = pd.DataFrame({"patient": [*"AAABBB"], "age": ages, "sex": "F", "diagnosis": "D"})
    solution = anonymize(frame, policy(k=1, id="patient"))
    assert solution.before.classes == 6  # three for each of two people, who are alone in them
    assert (solution.before.prosecutor.average, solution.before.marketer) == (1, 1)
