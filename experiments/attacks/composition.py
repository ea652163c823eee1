"""Two releases together, and releases in layers: what attackers learn beyond a single scheme."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer import Policy, anonymize, attack, make_manifest
from anonymizer.attacks.result import Attack
from experiments.attacks.people import SEED, People, Plan, policy_of
from experiments.attacks.releases import OnStep


def compose(people: People, folder: Path, on_step: OnStep) -> list[dict[str, Any]]:
    """Release last year's and this year's patients, half of whom are the same, under the same model.

    Last year, ZIP codes mattered three times as much; this year, ages do.
    """
    third = len(people.patients) // 3
    then, now = people.patients[: 2 * third], people.patients[third:]
    found = []
    for k in (2, 5, 10):
        on_step(f"composing two releases of {k}-anonymity")
        risk = {"model": "k-anonymity", "k": k}
        old_policy, new_policy = (
            policy_of(folder, risk).with_attributes({name: {"weight": 3.0}})
            for name in ("zip", "age")
        )
        old, new = anonymize(then, old_policy), anonymize(now, new_policy)
        both = attack(
            new.to_frame(SEED).astype(object), new_policy, now,
            earlier=old.to_frame(SEED).astype(object), earlier_policy=old_policy,
            earlier_against=then, people=1, seed=SEED,
        )["composition"]  # fmt: skip
        found.append({"k": k, **flat(both), **both.details})
    return found


def narrow(people: People, folder: Path, plan: Plan, on_step: OnStep) -> list[dict[str, Any]]:
    """Release small registers in layers, and count the cells that these let be narrowed down."""
    found = []
    for records in plan.small:
        for k in (2, 5, 10):
            on_step(f"layers of {k}-anonymity of {records} records")
            risk = {"model": "k-anonymity", "k": k}
            parts = {"release": {"layers": True, "suppression_limit": 1.0}}
            row = narrow_one(people.patients[:records], policy_of(folder, risk, **parts))
            found.append({"records": records, "k": k, **row})
    return found


def narrow_one(patients: pd.DataFrame, policy: Policy) -> dict[str, Any]:
    """Release a small register in layers, and narrow its cells down."""
    solution = anonymize(patients, policy)
    frame = solution.to_frame(SEED).astype(object)
    manifest = make_manifest(solution, frame)
    result = attack(frame, policy, patients, manifest=manifest, people=1, seed=SEED)["downcoding"]
    return {**flat(result), **{key: str(value) for key, value in result.details.items()}}


def flat(result: Attack) -> dict[str, Any]:
    """Write success, baseline and excess of an attack side by side."""
    row: dict[str, Any] = {"attack": result.name, "skipped": result.skipped or ""}
    if result.skipped is not None:
        return row
    excess, success = result.excess, result.success.estimate
    row |= {
        "successes": result.success.successes,
        "trials": result.success.trials,
        "success": success.value,
        "success_low": success.low,
        "success_high": success.high,
    }
    row |= {
        "baseline_successes": result.baseline.successes,
        "baseline_trials": result.baseline.trials,
        "baseline": result.baseline.estimate.value,
    }
    return row | {"excess": excess.value, "excess_low": excess.low, "excess_high": excess.high}
