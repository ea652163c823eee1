"""What an optimal scheme gives away: the replay against an exhaustive search that shares no code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings

from anonymizer import InfeasibleError, Policy, anonymize, attack, make_manifest
from anonymizer.attacks.downcoding import Replay, covers_several, summarize
from anonymizer.attacks.reading import read_setting
from anonymizer.attacks.setting import Plan
from tests import oracle
from tests.strategies import frame_of, hierarchies_of, problems


def policy_of(problem: oracle.Problem, **parts: object) -> Policy:
    attributes = {h.name: {"role": "quasi", "hierarchy": h} for h in hierarchies_of(problem.trees)}
    return Policy(attributes=attributes, risk=[{"model": "k-anonymity", "k": problem.k}], **parts)


@settings(max_examples=25)
@given(problems(max_attributes=2, max_rows=8, ranges=False))
def test_a_value_is_ruled_out_if_an_exhaustive_search_would_take_another_scheme(
    problem: oracle.Problem,
) -> None:
    problem = oracle.Problem(problem.rows, problem.trees, min(problem.k, len(problem.rows)))
    policy, frame = policy_of(problem), frame_of(problem.rows, problem.trees)
    try:
        solution = anonymize(frame, policy)
    except InfeasibleError:
        assume(False)
    released = solution.to_frame(seed=1)
    assume(len(released))
    manifest = make_manifest(solution, released)
    setting = read_setting(released, frame, policy, manifest, Plan())
    replay = Replay.of(setting)
    levels = tuple(solution.scheme.values())
    for at, column in enumerate(setting.cells.columns):
        for leaf, text in enumerate(column.hierarchy.leaves):
            old = problem.rows[0][at]
            if (
                text == old
                or problem.trees[at][text][levels[at]] != problem.trees[at][old][levels[at]]
            ):
                continue
            row = (*problem.rows[0][:at], text, *problem.rows[0][at + 1 :])
            best = oracle.best(replace(problem, rows=(row, *problem.rows[1:])))
            assert best is not None
            assert replay.ruled_out(0, column, leaf) == (best.levels != levels)


AGES = {str(age): (str(age), f"{age // 10}0s", "*") for age in range(20, 40)}


def table(ages: list[int]) -> tuple[pd.DataFrame, Policy]:
    problem = oracle.Problem(tuple((str(age),) for age in ages), (AGES,), 2)
    return frame_of(problem.rows, problem.trees), policy_of(problem)


def test_two_people_who_had_to_be_generalized_were_not_alike() -> None:
    frame, policy = table([20, 21])
    solution = anonymize(frame, policy)
    released = solution.to_frame()
    assert released["a0"].tolist() == ["20s", "20s"]
    manifest = make_manifest(solution, released)
    found = attack(released, policy, frame, manifest=manifest)["downcoding"]
    assert (found.success.successes, found.success.trials, found.baseline) == (2, 2, None)
    assert found.details["values_tried"] == 18
    assert found.details["values_ruled_out"] == 2
    assert found.details["pinned"] == 0
    assert found.details["by_attribute"] == {"a0": {"cells": 2, "narrowed": 2}}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"status": "feasible"}, "does not claim to be optimal"),
        ({"scheme": {"a0": 2}}, "does not give the released scheme"),
    ],
)
def test_what_is_not_optimal_is_not_replayed(change: dict[str, object], why: str) -> None:
    frame, policy = table([20, 21, 22, 23])
    solution = anonymize(frame, policy)
    released = solution.to_frame()
    manifest = {**make_manifest(solution, released), **change}
    assert why in attack(released, policy, frame, manifest=manifest)["downcoding"].skipped


def test_without_a_manifest_or_when_told_so_nothing_is_replayed() -> None:
    frame, policy = table([20, 21, 22, 23])
    solution = anonymize(frame, policy)
    released = solution.to_frame()
    assert "needs the manifest" in attack(released, policy, frame)["downcoding"].skipped
    manifest = make_manifest(solution, released)
    found = attack(released, policy, frame, manifest=manifest, replay=0)
    assert "no cells were asked for" in found["downcoding"].skipped


def test_layers_give_away_what_their_manifest_says() -> None:
    random = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "a0": random.integers(20, 40, 60).astype(str),
            "a1": random.integers(20, 40, 60).astype(str),
        }
    )
    problem = oracle.Problem((("20", "20"),), (AGES, AGES), 2)
    policy = policy_of(problem, release={"recoding": "layers"})
    solution = anonymize(frame, policy)
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert solution.narrowed is not None
    assert solution.narrowed.cells > 0
    found = attack(released, policy, frame, manifest=manifest)["downcoding"]
    assert found.success.successes == solution.narrowed.cells
    assert found.details["by_attribute"] == solution.narrowed.by_attribute


def test_a_cell_covers_several_values_if_several_leaves_are_below_it() -> None:
    frame, policy = table([20, 21, 30, 30])
    released = pd.DataFrame({"a0": ["20s", "20s", "30", "*"]})
    setting = read_setting(released, frame, policy, None, Plan())
    assert covers_several(setting).tolist() == [[True, True, False, True]]


def test_nothing_replayed_has_no_median() -> None:
    assert summarize([])["median_class"] is None
