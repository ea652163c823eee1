"""What a release in layers gives away is a claim like any other."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from anonymizer import anonymize, apply, make_manifest, verify, write_release
from anonymizer.solution.solution import Solution
from tests.solution.test_layered import LAYERS, OF_PEOPLE, write_all
from tests.wards import patients, policy_with

pytestmark = pytest.mark.quick

CLAIM = "as many cells can be narrowed down as declared"


@pytest.fixture
def solution(tmp_path: Path) -> Solution:
    return anonymize(None, write_all(tmp_path, policy_with(OF_PEOPLE["k-anonymity"]) + LAYERS))


def test_the_cells_that_can_be_narrowed_down_are_counted_again(solution: Solution) -> None:
    narrowed, released = solution.narrowed, solution.to_frame()
    assert narrowed is not None
    assert narrowed.cells >= narrowed.records > 0
    verification = verify(released, solution.release.policy, make_manifest(solution, released))
    assert verification.passed
    assert CLAIM in {check.claim for check in verification.checks}


@pytest.mark.parametrize("wrong", ["cells", "records"])
def test_a_figure_made_smaller_is_found(wrong: str, solution: Solution) -> None:
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    manifest["narrowed"][wrong] -= 1
    (failure,) = verify(released, solution.release.policy, manifest).failures
    assert failure.claim == CLAIM


def test_a_figure_left_out_is_found(solution: Solution) -> None:
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    del manifest["narrowed"]
    (failure,) = verify(released, solution.release.policy, manifest).failures
    assert failure.claim == CLAIM


def test_nothing_is_claimed_where_a_model_may_take_part_of_a_class(tmp_path: Path) -> None:
    policy = write_all(tmp_path, policy_with(OF_PEOPLE["sources"]) + LAYERS)
    solution = anonymize(patients(), policy)
    assert solution.narrowed is None
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert manifest["narrowed"] is None
    assert verify(released, policy, manifest).passed


@pytest.mark.parametrize("suppressed", ["drop", "redact"])
def test_a_release_of_which_nothing_is_left_verifies(suppressed: str, tmp_path: Path) -> None:
    text = policy_with('model = "k-anonymity"\nk = 60') + LAYERS + f'suppressed = "{suppressed}"\n'
    policy = write_all(tmp_path, text.replace('"age.toml"', '"age.toml", max_level = 1'))
    solution = anonymize(None, policy)
    assert solution.suppressed == solution.records
    release = Path(write_release(solution, tmp_path / "out")["release"])
    assert verify(release, policy, against=tmp_path / "patients.csv").passed


@pytest.mark.parametrize("levels", [{}, {"min_level": 1}])
def test_a_release_that_is_one_class_without_a_value_verifies(
    levels: dict[str, int], tmp_path: Path
) -> None:
    (tmp_path / "sex.csv").write_text("F;*;*\nM;*;*\n")
    policy = {
        "data": {"delimiter": ";"},
        "attributes": {"sex": {"role": "quasi", "hierarchy": str(tmp_path / "sex.csv"), **levels}},
        "risk": [{"model": "k-anonymity", "k": 3}],
        "release": {"layers": True, "suppressed": "redact"},
    }
    frame = pd.DataFrame({"sex": ["F", "F", "M", "M"]})
    solution = anonymize(frame, policy)
    assert (solution.suppressed, len(solution.layers)) == (0, 1)
    released = solution.to_frame()
    found = verify(released, policy, make_manifest(solution, released), against=frame)
    assert found.passed, found.failures


def test_a_release_without_rows_is_not_the_one_declared(solution: Solution) -> None:
    released = solution.to_frame()
    found = verify(released.head(0), solution.release.policy, make_manifest(solution, released))
    assert not found.passed
    assert any(check.claim == "each layer has the records declared" for check in found.failures)


def test_a_release_that_is_redacted_throughout_is_not_the_one_declared(tmp_path: Path) -> None:
    text = policy_with(OF_PEOPLE["k-anonymity"]) + LAYERS + 'suppressed = "redact"\n'
    solution = anonymize(None, write_all(tmp_path, text))
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    released[["age", "sex", "zip"]] = "*"
    assert not verify(released, solution.release.policy, manifest).passed


def test_layers_that_release_nothing_of_other_records_verify(tmp_path: Path) -> None:
    policy = write_all(tmp_path, policy_with(OF_PEOPLE["k-anonymity"]) + LAYERS)
    few = patients(4)
    applied = apply(few, policy, [{"age": 0, "sex": 0, "zip": 0}])
    assert applied.suppressed == 4
    released = applied.to_frame()
    assert verify(released, policy, make_manifest(applied, released), against=few).passed


def test_a_loss_of_a_layer_made_smaller_is_found(solution: Solution) -> None:
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    manifest["layers"][-1]["loss"] -= 0.01
    (failure,) = verify(released, solution.release.policy, manifest).failures
    assert failure.claim == "each layer has the loss declared"


def test_a_scheme_that_is_not_the_coarsest_of_the_layers_is_found(solution: Solution) -> None:
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    manifest["scheme"] = dict.fromkeys(manifest["scheme"], 0)
    (failure,) = verify(released, solution.release.policy, manifest).failures
    assert failure.detail == "the scheme is not the highest level of any layer"


@pytest.mark.parametrize("layers", ["true", "2", "true\n[search]\ntime_limit = 0.0001\n"])
def test_a_bound_is_sought_again_and_a_higher_one_is_found(layers: str, tmp_path: Path) -> None:
    text = policy_with(OF_PEOPLE["k-anonymity"]) + LAYERS.replace("true", layers)
    policy = write_all(tmp_path, text)
    solution, original = anonymize(None, policy), tmp_path / "patients.csv"
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert verify(released, policy, manifest, against=original).passed
    best = anonymize(None, policy.without_limits())
    assert best.bound is not None
    assert 0 < best.bound < best.loss
    manifest["bound"] = (best.bound + solution.loss) / 2
    manifest["gap"] = solution.loss - manifest["bound"]
    (failure,) = verify(released, policy, manifest, against=original).failures
    assert failure.claim == "no release in layers has a loss below the bound"


@pytest.mark.parametrize("status", ["applied", "certain"])
def test_a_bound_comes_with_what_is_proven(status: str, solution: Solution) -> None:
    released = solution.to_frame()
    manifest = make_manifest(solution, released) | {"status": status}
    (failure,) = verify(released, solution.release.policy, manifest).failures
    assert failure.claim == "the proof fits the figures"


def test_a_layer_without_records_is_found(solution: Solution) -> None:
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    manifest["layers"].append({"scheme": manifest["scheme"], "records": 0, "loss": 0.0})
    (failure,) = verify(released, solution.release.policy, manifest).failures
    assert failure.claim == "each layer has the records declared"


def test_another_number_of_people_is_found(solution: Solution, tmp_path: Path) -> None:
    released, policy = solution.to_frame(), solution.release.policy
    manifest = make_manifest(solution, released)
    manifest["people"] += 1
    counts, figures = verify(released, policy, manifest, against=tmp_path / "patients.csv").failures
    assert "121 people in 120 records" in counts.detail
    assert "people" in figures.detail


@pytest.mark.parametrize("layers", [True, False])
def test_redacted_cells_and_a_level_called_the_same_are_one_value(
    layers: bool, tmp_path: Path
) -> None:
    text = policy_with('model = "k-anonymity"\nk = 12')
    text = text.replace('"sex.csv"', '"sex.csv", min_level = 1')
    text = text.replace('"age.toml"', '"age.toml", max_level = 1')
    text += LAYERS.replace("true", str(layers).lower()) + 'suppressed = "redact"\n'
    for table in (tmp_path / "patients.csv", tmp_path / "patients.parquet"):
        policy = write_all(tmp_path, text)
        solution = anonymize(table, policy)
        assert 0 < solution.suppressed < solution.records
        released = solution.to_frame()
        assert verify(released, policy, make_manifest(solution, released), against=table).passed
