"""What layers give away, against what their manifest says."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizer import Policy, anonymize, attack, make_manifest
from anonymizer.attacks.downcoding import covers_several
from anonymizer.attacks.reading import read_setting
from anonymizer.attacks.setting import AttackPlan
from anonymizer.estimators.proportions import Rate
from tests import oracle
from tests.strategies import frame_of, hierarchies_of


def policy_of(problem: oracle.Problem, **parts: object) -> Policy:
    attributes = {h.name: {"role": "quasi", "hierarchy": h} for h in hierarchies_of(problem.trees)}
    return Policy(attributes=attributes, risk=[{"model": "k-anonymity", "k": problem.k}], **parts)


AGES = {str(age): (str(age), f"{age // 10}0s", "*") for age in range(20, 40)}


def table(ages: list[int]) -> tuple[pd.DataFrame, Policy]:
    problem = oracle.Problem(tuple((str(age),) for age in ages), (AGES,), 2)
    return frame_of(problem.rows, problem.trees), policy_of(problem)


def test_what_has_no_manifest_or_no_layers_is_not_narrowed_down() -> None:
    frame, policy = table([20, 21, 22, 23])
    solution = anonymize(frame, policy)
    released = solution.to_frame()
    assert "needs the manifest" in attack(released, policy, frame)["downcoding"].skipped
    manifest = make_manifest(solution, released)
    assert "one scheme" in attack(released, policy, frame, manifest=manifest)["downcoding"].skipped


def test_layers_give_away_what_their_manifest_says() -> None:
    random = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "a0": random.integers(20, 40, 60).astype(str),
            "a1": random.integers(20, 40, 60).astype(str),
        }
    )
    problem = oracle.Problem((("20", "20"),), (AGES, AGES), 2)
    policy = policy_of(problem, release={"layers": True})
    solution = anonymize(frame, policy)
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert solution.narrowed is not None
    assert solution.narrowed.cells > 0
    found = attack(released, policy, frame, manifest=manifest)["downcoding"]
    assert found.success.successes == solution.narrowed.cells
    assert found.details["by_attribute"] == solution.narrowed.by_attribute
    assert found.baseline.successes == 0
    assert found.baseline.trials == found.success.trials
    alike = Rate(
        found.success.successes, found.success.trials, len(released) / len(classes(released))
    )
    assert (
        found.success.estimate == alike.estimate
    )  # records of a class are not trials of their own


def classes(released: pd.DataFrame) -> set[tuple[str, ...]]:
    return set(released.itertuples(index=False, name=None))


def test_a_cell_covers_several_values_if_several_leaves_are_below_it() -> None:
    frame, policy = table([20, 21, 30, 30])
    released = pd.DataFrame({"a0": ["20s", "20s", "30", "*"]})
    setting = read_setting(released, frame, policy, None, AttackPlan())
    assert covers_several(setting).tolist() == [[True, True, False, True]]
