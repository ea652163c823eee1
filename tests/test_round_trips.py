"""What is saved and read again is what it was: dataframes with pandas, everything with pickle."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anonymizer import (
    KAnonymity,
    Policy,
    Problem,
    anonymize,
    apply,
    assess,
    explain,
    frontier,
    make_manifest,
    verify,
)
from tests.data.formats import KINDS, make, texts_in
from tests.data.test_contract import visits, visits_policy  # noqa: F401 - a fixture
from tests.wards import POLICY, patients, write_files


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy.read(write_files(tmp_path, policy=POLICY.replace('delimiter = ";"\n', "")))


SAVED: dict[str, Callable[[pd.DataFrame, Path], pd.DataFrame]] = {
    "CSV": lambda frame, path: (frame.to_csv(path, index=False), pd.read_csv(path))[1],
    "CSV of text": lambda frame, path: (
        frame.to_csv(path, index=False),
        pd.read_csv(path, dtype=str),
    )[1],
    "Parquet": lambda frame, path: (frame.to_parquet(path), pd.read_parquet(path))[1],
    "Feather": lambda frame, path: (frame.to_feather(path), pd.read_feather(path))[1],
    "Excel": lambda frame, path: (
        frame.to_excel(path.with_suffix(".xlsx"), index=False),
        pd.read_excel(path.with_suffix(".xlsx")),
    )[1],
    "pickle": lambda frame, path: (frame.to_pickle(path), pd.read_pickle(path))[1],
}


@pytest.mark.parametrize("kind", ["frame", ".csv", ".parquet", ".xlsx"])
@pytest.mark.parametrize("saved", SAVED)
def test_a_frame_that_pandas_saved_and_read_again_verifies(
    saved: str, kind: str, tmp_path: Path, policy: Policy
) -> None:
    data = make(kind, tmp_path, patients())
    solution = anonymize(data, policy)
    frame = solution.to_frame()
    manifest = make_manifest(solution, frame)
    again = SAVED[saved](frame, tmp_path / "saved")
    assert verify(again, policy, manifest, against=data).passed
    again = again.assign(days=99)
    assert not verify(again, policy, manifest, against=data).passed


@pytest.mark.filterwarnings("ignore:.*missing cells")
@pytest.mark.parametrize("saved", SAVED)
def test_so_does_one_with_missing_cells_decimals_and_days(
    saved: str,
    tmp_path: Path,
    visits_policy: Policy,  # noqa: F811
) -> None:
    solution = anonymize(visits(), visits_policy)
    frame = solution.to_frame()
    again = SAVED[saved](frame, tmp_path / "saved")
    checked = verify(again, visits_policy, make_manifest(solution, frame), against=visits())
    assert checked.failures == ()


@pytest.mark.parametrize("kind", KINDS)
def test_a_solution_makes_the_same_frame_each_time_and_after_pickling(
    kind: str, tmp_path: Path, policy: Policy
) -> None:
    solution = anonymize(make(kind, tmp_path, patients()), policy)
    first = texts_in(solution.to_frame())
    assert texts_in(solution.to_frame()) == first
    again = pickle.loads(pickle.dumps(solution))
    assert again.describe() == solution.describe()
    assert texts_in(again.to_frame()) == first
    assert apply(again.problem, None, again.scheme).loss == solution.loss


def test_everything_can_be_pickled_and_asked_again(policy: Policy) -> None:
    problem = Problem.read(patients(), policy)
    solution = anonymize(problem)
    frame = solution.to_frame()
    found = frontier(problem, None, [2, 3, 5])
    verified = verify(frame, policy, make_manifest(solution, frame), against=patients())
    values: list[Any] = [policy, verified]
    assert [pickle.loads(pickle.dumps(value)) for value in values] == values
    for described in (solution, found, explain(solution), assess(patients(), policy)):
        assert pickle.loads(pickle.dumps(described)).describe() == described.describe()
    again = pickle.loads(pickle.dumps(problem))
    assert anonymize(again).loss == solution.loss
    assert anonymize(again.with_models(KAnonymity(5))).loss == found.pick(5).loss
    assert pickle.loads(pickle.dumps(found)).pick(5).loss == found.pick(5).loss
