"""The solution of a study: the best scheme, released with new keys that tell nothing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer import (
    InfeasibleError,
    KAnonymity,
    Policy,
    PolicyError,
    ReleaseError,
    StudySolution,
    anonymize,
    make_study_manifest,
    verify,
    write_release,
    write_study,
)
from anonymizer.solution.study import KEY_LETTERS, LETTERS, random_keys
from tests.clinic import NAMES, POLICY, frames, write_clinic

LINKS = {("visit", "patient"): ("patient", "pid"), ("drug", "who"): ("patient", "pid")}
LINKS |= {("diagnosis", "visit"): ("visit", "visit_id")}


@pytest.fixture
def solution(tmp_path: Path) -> StudySolution:
    return anonymize(frames(), write_clinic(tmp_path))


def test_the_best_scheme_is_that_of_all_schemes(solution: StudySolution) -> None:
    problem = solution.problem
    best = min(problem.evaluator.evaluate(scheme).loss for scheme in problem.lattice)
    assert solution.loss == pytest.approx(best, abs=1e-12)
    assert solution.status == "optimal"
    assert solution.suppressed == solution.left_out.dropped


def test_released_rows_are_linked_as_before_and_keys_are_new(solution: StudySolution) -> None:
    released, original = solution.to_frames(), frames()
    assert list(released) == list(NAMES)
    for (table, column), (above, key) in LINKS.items():
        assert set(released[table][column]) <= set(released[above][key])
        assert not set(released[table][column]) & set(original[table][column])
    for name, figures in solution.tables.items():
        assert list(released[name].columns) == list(original[name].columns)
        assert len(released[name]) == figures["released"]
    per_person = released["visit"].merge(
        released["diagnosis"], left_on="visit_id", right_on="visit"
    )
    before = original["visit"].merge(original["diagnosis"], left_on="visit_id", right_on="visit")
    gone = original["patient"]["pid"][~solution.kept]
    assert len(per_person) == len(before[~before["patient"].isin(gone)])


def test_keys_are_equally_long_and_in_no_order(solution: StudySolution) -> None:
    released = solution.to_frames()
    keys = released["patient"]["pid"].tolist()
    assert all(len(key) == KEY_LETTERS and set(key) <= set(LETTERS) for key in keys)
    assert len(set(keys)) == len(keys)
    made = random_keys(3, "patient", 2000)
    ranks = np.argsort(np.argsort(made))
    assert abs(np.corrcoef(ranks, np.arange(2000))[0, 1]) < 0.1


def test_categories_do_not_list_keys_in_the_order_of_the_original(tmp_path: Path) -> None:
    # a column of categories stays one, and its categories must not tell who came first
    given = {name: frame.astype("category") for name, frame in frames().items()}
    released = anonymize(given, write_clinic(tmp_path)).to_frames()
    categories = list(released["patient"]["pid"].cat.categories)
    assert categories == sorted(categories)


def test_keys_are_fresh_for_every_solution_and_follow_from_a_seed(
    solution: StudySolution, tmp_path: Path
) -> None:
    other = anonymize(frames(), write_clinic(tmp_path / "other"))
    assert not set(solution.to_frames()["patient"]["pid"]) & set(
        other.to_frames()["patient"]["pid"]
    )
    for mine, theirs in zip(
        solution.to_frames(7).values(), other.to_frames(7).values(), strict=True
    ):
        pd.testing.assert_frame_equal(mine, theirs)


def test_what_is_said_is_what_is_counted(solution: StudySolution) -> None:
    described = json.loads(json.dumps(solution.describe()))
    assert {"scheme", "suppressed", "records", "loss", "bound", "gap", "risk"} <= described.keys()
    assert set(described["scheme"]) == {
        "sex", "born", "visit.kind", "diagnosis.code", "drug.name",
    }  # fmt: skip
    left = described["left_out"]
    released = solution.to_frames()
    visits = released["patient"].merge(
        released["visit"]["patient"].value_counts().rename("visits"),
        left_on="pid", right_index=True, how="left",
    ).fillna({"visits": 0})  # fmt: skip
    by = visits.groupby(["sex", "born", "visits"], observed=True).size()
    assert left["alone_by_number"]["visit"] == int((by == 1).sum())
    assert left["kept_columns"] == ["arm", "drug.dose"]
    assert repr(solution).startswith("StudySolution(optimal, quality 0.")
    assert "What the promise leaves out" in solution._repr_html_()


def test_a_limit_that_cannot_be_met_is_one_sentence(tmp_path: Path) -> None:
    text = POLICY.replace("k = 3", "k = 59") + "\n[search]\nsuppression_limit = 0.01\n"
    with pytest.raises(InfeasibleError, match=r"would drop .* of 60 people .* lower k or power"):
        anonymize(frames(), write_clinic(tmp_path, text))


def test_a_search_that_is_stopped_says_how_far_the_optimum_may_be(tmp_path: Path) -> None:
    text = POLICY + "\n[search]\nevaluation_limit = 2\n"
    found = anonymize(frames(), write_clinic(tmp_path, text))
    assert found.status == "feasible"
    assert found.gap > 0


def test_a_study_cannot_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="cannot be resumed"):
        anonymize(None, write_clinic(tmp_path), resume=object())  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_are_named_as_the_tables_and_the_keys_stay_elsewhere(
    tmp_path: Path, kind: str
) -> None:
    policy = write_clinic(tmp_path, POLICY + f'\n[release]\nfile = "{kind}"\n')
    solution, out = anonymize(None, policy), tmp_path / "out"
    files = write_study(solution, out, keys=tmp_path / "keys.csv")
    assert {path.name for path in out.iterdir()} == {
        "manifest.json", *(f"{name}.{kind}" for name in NAMES),
    }  # fmt: skip
    assert set(files) == {*NAMES, "manifest", "keys"}
    assert (tmp_path / "keys.csv").stat().st_mode & 0o777 == 0o600
    keys = pd.read_csv(tmp_path / "keys.csv")
    assert keys.groupby("table").size().to_dict() == {
        name: solution.tables[name]["released"] for name in ("patient", "visit")
    }
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["keys"]["diagnosis"] == {"visit": "visit"}
    assert not any("S-0" in (out / f"{name}.csv").read_text() for name in NAMES if kind == "csv")
    checks = verify(out, policy, against=tmp_path, keys=tmp_path / "keys.csv").checks
    assert all(check.passed for check in checks), [c for c in checks if not c.passed]


def test_files_of_an_earlier_release_go_and_the_input_stays(tmp_path: Path) -> None:
    policy, out = write_clinic(tmp_path), tmp_path / "out"
    write_study(anonymize(None, policy), out)
    parquet = Policy.read(policy).with_release(file="parquet")
    write_study(anonymize(None, parquet), out)
    assert not list(out.glob("*.csv"))
    flat = Policy.read(policy).model_copy(update={"tables": {}, "risk": (KAnonymity(3),)})
    write_release(anonymize(None, flat), out)
    assert {path.name for path in out.iterdir()} == {"manifest.json", "release.csv"}
    write_study(anonymize(None, parquet), out)
    assert not (out / "release.csv").exists()
    with pytest.raises(ReleaseError, match="would be overwritten"):
        write_study(anonymize(None, policy), tmp_path)
    with pytest.raises(ReleaseError, match="the keys would stand beside the release"):
        write_study(anonymize(None, policy), out, keys=out / "keys.csv")


def test_dataframes_are_verified_with_their_manifest(
    solution: StudySolution, tmp_path: Path
) -> None:
    released = solution.to_frames()
    manifest = make_study_manifest(solution, released)
    assert verify(released, tmp_path / "policy.toml", manifest, against=frames()).passed
