"""A frontier of releases in layers: every point is what a search by itself finds, and is released."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anonymizer import Policy, anonymize, make_manifest, verify
from anonymizer.errors import InfeasibleError, PolicyError
from anonymizer.frontiers.frontier import Frontier, frontier
from anonymizer.frontiers.points import Stage
from anonymizer.search import Status
from tests.solution.test_layered import LAYERS, OF_PEOPLE, policy_of_one_scheme, write_all
from tests.wards import POLICY, patients, policy_with, rows_of


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return write_all(tmp_path, POLICY + LAYERS)


@pytest.fixture
def found(policy: Policy) -> Frontier:
    return frontier(None, policy, [2, 3, 10])


def at_k(policy: Policy, k: int, **release: int) -> Policy:
    changed = policy.release.model_copy(update=release)
    return Policy(
        **{**dict(policy), "risk": [{"model": "k-anonymity", "k": k}], "release": changed}
    )


def test_a_point_is_what_anonymize_finds_at_its_threshold(policy: Policy, found: Frontier) -> None:
    assert [point.value for point in found.points] == [2, 3, 10]
    for point in found.points:
        alone = anonymize(patients(), at_k(policy, int(point.value)))
        assert point.quality == alone.quality
        assert point.evaluation.suppressed_records == alone.suppressed
        assert (point.proof.bound, point.gap) == (alone.bound, alone.gap)
        assert point.number_of_layers == len(alone.layers)
        assert point.profile == alone.after


def test_optimal_is_said_only_without_a_gap(policy: Policy) -> None:
    found = frontier(None, policy, [2, 3, 120])
    assert {point.status for point in found.points} == {Status.FEASIBLE, Status.OPTIMAL}
    for point in (*found.points, *found.by_layers):
        assert (point.status is Status.OPTIMAL) == (point.gap == 0)
        assert point.proof.bound <= point.evaluation.loss


def test_more_layers_lose_less_and_one_is_the_best_scheme(policy: Policy, found: Frontier) -> None:
    numbers = [point.changes["max_layers"] for point in found.by_layers]
    assert numbers == sorted(numbers)
    assert numbers[0] == 1
    assert all(
        point.number_of_layers <= n for n, point in zip(numbers, found.by_layers, strict=True)
    )
    losses = [point.evaluation.loss for point in found.by_layers]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] == pytest.approx(anonymize(None, policy_of_one_scheme(policy)).loss)
    as_many_as_help = anonymize(None, policy)
    assert losses[-1] == as_many_as_help.loss
    assert numbers[-1] == len(as_many_as_help.layers)


def test_a_number_of_layers_is_what_the_policy_with_that_most_gets(
    policy: Policy, found: Frontier
) -> None:
    for point in found.by_layers[:-1]:
        alone = anonymize(None, at_k(policy, 3, layers=point.changes["max_layers"]))
        assert alone.loss == point.evaluation.loss


def test_no_more_layers_than_the_policy_allows(tmp_path: Path) -> None:
    policy = write_all(tmp_path, POLICY + LAYERS.replace("true", "2"))
    found = frontier(None, policy, [3])
    assert [point.changes["max_layers"] for point in found.by_layers] == [1, 2]
    assert found.points[0].number_of_layers <= 2


@pytest.mark.parametrize("changes", [{}, {"max_layers": 2}])
def test_a_picked_release_verifies_under_its_policy(
    changes: dict[str, int], policy: Policy, found: Frontier
) -> None:
    solution = found.pick(3, **changes)
    released = solution.to_frame(seed=1)
    strict = at_k(policy, 3, **({"layers": 2} if changes else {}))
    original = policy.folder / "patients.csv"
    assert verify(released, strict, make_manifest(solution, released), against=original).passed
    assert rows_of(released) == rows_of(anonymize(original, strict).to_frame(seed=2))


@pytest.mark.parametrize(
    ("value", "changes", "reason"),
    [
        (7, {}, "there is no point at 7; there is one at 2, 3, 10, and with max_layers 1, 2"),
        (3, {"max_layers": 99}, "there is no point at 3 with max_layers 99"),
        (2, {"max_layers": 1}, "there is no point at 2 with max_layers 1"),
    ],
)
def test_a_point_that_is_not_there_is_said(
    value: float, changes: dict[str, int], reason: str, found: Frontier
) -> None:
    with pytest.raises(PolicyError, match=reason):
        found.pick(value, **changes)


def test_a_number_must_be_named_where_there_are_several(policy: Policy) -> None:
    with pytest.raises(PolicyError, match="several points at 3; name one max_layers"):
        frontier(None, policy, [2]).pick(3)


def test_what_no_layers_can_meet_is_infeasible(tmp_path: Path) -> None:
    text = POLICY.replace('"age.toml"', '"age.toml", max_level = 2') + LAYERS
    policy = write_all(tmp_path, text + "suppression_limit = 0.05\n")
    found = frontier(None, policy, [2, 119])
    assert [value for value, _ in found.infeasible] == [119]
    assert not found.unknown
    with pytest.raises(InfeasibleError, match="no threshold of the frontier can be met"):
        frontier(None, policy, [119])


@pytest.mark.parametrize("model", ["sources", "overall, the maximum", "k-map with a table"])
def test_the_risk_of_a_point_is_within_its_threshold(model: str, tmp_path: Path) -> None:
    policy = write_all(tmp_path, policy_with(OF_PEOPLE[model]) + LAYERS)
    values = [6] if model.startswith("k-map") else [0.2]
    (point,) = frontier(None, policy, values).points
    assert 0 < point.risk <= (1 / 6 if model.startswith("k-map") else 0.2) + 1e-12


def test_a_model_of_the_whole_table_is_refused_in_one_sentence(tmp_path: Path) -> None:
    policy = write_all(tmp_path, policy_with('model = "average"\nthreshold = 0.1') + LAYERS)
    with pytest.raises(PolicyError, match="limits a risk of the whole table under one scheme"):
        frontier(None, policy, [0.1])


def test_its_table_and_json_have_both_kinds_of_points(found: Frontier) -> None:
    table = found.to_frame()
    assert table["layers"].tolist() == [
        point.number_of_layers for point in (*found.points, *found.by_layers)
    ]
    assert table["max_layers"].notna().sum() == len(found.by_layers)
    described = json.loads(json.dumps(found.describe()))
    assert [point["max_layers"] for point in described["by_layers"]] == [
        point.changes["max_layers"] for point in found.by_layers
    ]


def test_every_threshold_is_announced(policy: Policy) -> None:
    stages: list[Stage] = []
    frontier(None, policy, [2, 3], on_stage=stages.append)
    assert {stage.value for stage in stages} == {2, 3}


def test_where_nothing_is_released_the_row_can_be_picked(tmp_path: Path) -> None:
    text = policy_with('model = "k-anonymity"\nk = 100').replace(
        '"sex.csv"', '"sex.csv", max_level = 0'
    )
    policy = write_all(tmp_path, text + LAYERS)
    found = frontier(None, policy, [100])
    assert [point.changes["max_layers"] for point in found.by_layers] == [1]
    assert found.pick(100, max_layers=1).suppressed == found.pick(100).suppressed == 120
