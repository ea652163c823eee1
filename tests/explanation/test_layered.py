"""What is said of a release in layers is what the released table shows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Policy, anonymize, apply, explain
from anonymizer.explanation.explanation import Explanation
from anonymizer.explanation.layered import LayeredExplanation, bear_half
from anonymizer.solution.solution import Solution
from tests.solution.test_layered import LAYERS, OF_PEOPLE, write_all
from tests.wards import POLICY, patients, policy_with

QUASI = ["age", "sex", "zip"]


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return write_all(tmp_path, POLICY + LAYERS)


@pytest.fixture
def solution(policy: Policy) -> Solution:
    return anonymize(None, policy)


def explained(solution: Solution) -> LayeredExplanation:
    explanation = explain(solution)
    assert isinstance(explanation, LayeredExplanation)
    return explanation


def test_one_scheme_is_explained_by_those_around_it(tmp_path: Path) -> None:
    assert isinstance(explain(anonymize(None, write_all(tmp_path, POLICY))), Explanation)


def test_every_record_is_at_one_level_of_each_attribute(solution: Solution) -> None:
    explanation, released = explained(solution), solution.to_frame(seed=1)
    for records in explanation.levels.values():
        assert sum(records) == len(released)
    for hierarchy in solution.problem.hierarchies:
        # a value of this table is the label of one level alone
        counts = [int(released[hierarchy.name].isin(labels).sum()) for labels in hierarchy.labels]
        assert list(explanation.levels[hierarchy.name]) == counts


def test_the_classes_that_lost_most_are_classes_of_the_release(solution: Solution) -> None:
    explanation, released = explained(solution), solution.to_frame(seed=1)
    sizes = released.astype(str).groupby(QUASI).size().to_dict()
    losses = [each.loss for each in explanation.lost_most]
    assert losses == sorted(losses, reverse=True)
    for each in explanation.lost_most:
        assert sizes[tuple(each.generalized[name] for name in QUASI)] == each.records
    assert min(each.records for each in explanation.lost_most) >= 3


def test_the_losses_of_all_classes_make_up_the_arithmetic_loss(tmp_path: Path) -> None:
    text = POLICY + LAYERS + '\n[utility]\naggregate = "arithmetic"\n'
    frame = patients(12, seed=3)  # so few classes that all are shown
    solution = anonymize(None, write_all(tmp_path, text, frame))
    explanation = explained(solution)
    lost = sum(each.loss * each.records for each in explanation.lost_most)
    assert (lost + solution.suppressed) / 12 == pytest.approx(solution.loss)


def test_the_largest_layer_comes_first(solution: Solution) -> None:
    layers = explained(solution).layers
    assert {*map(str, layers)} == {*map(str, solution.layers)}
    assert [layer.records for layer in layers] == sorted(
        (layer.records for layer in layers), reverse=True
    )


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 5)), min_size=1, max_size=8))
def test_as_few_records_as_possible_bear_half_of_the_loss(pairs: list[tuple[int, int]]) -> None:
    lost, counts = np.array([loss / 8 for loss, _ in pairs]), np.array([n for _, n in pairs])
    each = sorted(np.repeat(lost, counts).tolist(), reverse=True)
    fewest = next(n for n in range(len(each) + 1) if sum(each[:n]) >= sum(each) / 2 - 1e-9)
    assert bear_half(lost, counts.astype(np.int32)) == fewest


@pytest.mark.parametrize("model", OF_PEOPLE)
def test_it_is_explained_under_every_model_of_single_people(model: str, tmp_path: Path) -> None:
    solution = anonymize(None, write_all(tmp_path, policy_with(OF_PEOPLE[model]) + LAYERS))
    explanation = explained(solution)
    assert json.loads(json.dumps(explanation.describe()))["quality"] == solution.quality
    assert explanation.narrowed == solution.narrowed


def test_given_layers_have_no_bound(policy: Policy, solution: Solution) -> None:
    assert explained(solution).bound == solution.bound
    assert explained(apply(None, policy, solution.schemes)).bound is None


def test_a_table_with_every_record_suppressed_is_explained(tmp_path: Path) -> None:
    text = policy_with('model = "k-anonymity"\nk = 60') + LAYERS
    text = text.replace('"age.toml"', '"age.toml", max_level = 1')
    solution = anonymize(None, write_all(tmp_path, text))
    assert solution.suppressed == solution.records
    assert explain(solution).describe()


def test_no_value_of_a_suppressed_record_is_shown(tmp_path: Path) -> None:
    frame = pd.concat(
        [patients(60), patients(1).assign(name="Zoe", age=99, zip="202")], ignore_index=True
    )
    text = POLICY.replace('"age.toml"', '"age.toml", max_level = 3') + LAYERS
    text = text.replace('"zip.toml"', '"zip.toml", max_level = 1')
    solution = anonymize(None, write_all(tmp_path, text, frame))
    assert solution.suppressed > 0
    shown = [value for each in explained(solution).lost_most for value in each.generalized.values()]
    assert not {"202", "20*", "99", "90-99"} & {*shown}
