"""Predictions: who is held out, and what is learned from."""

from __future__ import annotations

import numpy as np
import pytest

from anonymizer import evidence
from anonymizer.analyses import prediction
from anonymizer.analyses.pair import Pair
from anonymizer.policy.analysis import Prediction
from tests.analyses.people import PREDICTED, people, release


def stated(**keys: object) -> Prediction:
    return Prediction(**{key: each for key, each in {**PREDICTED, **keys}.items() if key != "kind"})


def test_nobody_is_learned_from_and_tested_on() -> None:
    frame = people(120)
    frame["person"] = [number // 3 for number in range(120)]  # three rows each
    solution = release(
        frame, [PREDICTED], (1, 0, 1), k=2,
        data={"id": "person"}, attributes={"person": {"role": "identifying"}},
    )  # fmt: skip
    pair = Pair(solution)
    analysis = stated(repeats=4)
    features = prediction.released_features(analysis, pair, pair.categories("ill"))
    draws = list(prediction.draws(analysis, pair))
    for held_out in draws:
        learned, tested = features.rows(held_out)
        assert not set(frame["person"][learned]) & set(frame["person"][tested])
        assert len(set(frame["person"][held_out])) == 12  # 0.3 of 40 people
        assert not (learned & ~pair.released).any()
    assert len({held_out.tobytes() for held_out in draws}) == 4


def test_every_run_has_the_same_figures() -> None:
    solution = release(people(), [{**PREDICTED, "repeats": 2}], (1, 0, 1), k=3)
    assert evidence(solution).describe() == evidence(solution).describe()


def test_the_majority_class_is_what_knows_nothing() -> None:
    frame = people()
    found = evidence(release(frame, [{**PREDICTED, "repeats": 3}]))["predicted"]
    majority = next(row for row in found.rows if row.model == "majority class")
    assert majority.before == pytest.approx(
        frame["ill"].value_counts(normalize=True).max(), abs=0.05
    )


def test_a_column_that_the_release_lost_no_longer_helps() -> None:
    frame = people(600)
    frame["ill"] = np.where(frame["sex"] == "M", "yes", "no")
    accepted = {"ill": {"role": "insensitive", "reveals": ["sex"]}}
    whole, lost = (
        evidence(release(frame, [PREDICTED], (0, level, 0), attributes=accepted))["predicted"]
        for level in (0, 1)
    )
    assert whole.value == whole.original == lost.original == 1
    assert lost.value is not None
    assert lost.value < 0.7


def test_held_out_records_are_original_so_that_a_threshold_inside_an_interval_shows() -> None:
    frame = people(600)
    frame["ill"] = np.where(frame["age"] < 45, "no", "yes")
    found = evidence(release(frame, [PREDICTED], (2, 0, 0)))["predicted"]  # 20-49 and 50-79
    assert found.original is not None
    assert found.original > 0.95
    assert found.value is not None
    assert found.value < 0.95


def test_a_release_with_one_class_allows_no_prediction() -> None:
    frame = people(100)
    frame["ill"] = np.where(frame["age"] == 20, "yes", "no")
    frame.loc[3, ["age", "ill"]] = [20, "yes"]
    frame = frame[(frame["age"] != 20) | (frame.index == 3)]
    found = evidence(release(frame, [PREDICTED], (0, 1, 2), k=2))["predicted"]
    assert found.value is None
    assert "too little to learn from" in found.findings[0]
