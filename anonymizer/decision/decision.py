"""decide: a release, its original and what is stated about it, put together for whoever decides."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anonymizer.comparison.comparison import Comparison, compare
from anonymizer.decision.context import PUBLIC_CLASS, PUBLIC_THRESHOLD, Context
from anonymizer.decision.record import criteria_of, versions_of
from anonymizer.decision.sensitivity import Turning, find_turnings
from anonymizer.decision.threshold import ThresholdDerivation, derive_threshold
from anonymizer.errors import ReleaseError
from anonymizer.estimators.intervals import Interval
from anonymizer.policy import PolicyLike, Role
from anonymizer.problem import Source, load_policy
from anonymizer.problem.tables import refuse_linked
from anonymizer.risk import Remaining, RiskModel
from anonymizer.solution.manifest import find_manifest
from anonymizer.solution.solution import Solution
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.verification.applied import applied_again
from anonymizer.verification.claims import Verification
from anonymizer.verification.verification import verify


@dataclass(frozen=True, slots=True)
class ModelRisk:
    """What a risk model says of the table and of its release."""

    model: str
    initial: float | None
    """Its risk of the table as it is; None where it is not measured, or cannot be estimated."""
    residual: float | None
    interval: Interval | None
    """Of the residual risk, at 95 % confidence; None where it is counted, not estimated."""
    met: bool | None
    """None where it is known by the verification alone."""

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Technique:
    """What was done to one column."""

    name: str
    role: Role
    reason: str | None
    """Why it has its role; None where the policy does not say."""
    level: int | None
    """Of its hierarchy; None for a column that is not generalized, or has several levels in layers."""
    top: int | None
    values_before: int | None
    """How many different values it had; None where they were not counted."""
    values_after: int | None
    loss: float | None

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {**asdict(self), "role": self.role.value}


@dataclass(frozen=True, slots=True)
class ReleaseDecision:
    """All that whoever answers for a release has to know."""

    name: str
    """The released file, without its folder."""
    context: Context
    solution: Solution
    manifest: Mapping[str, Any]
    verification: Verification
    comparison: Comparison
    techniques: tuple[Technique, ...]
    risks: tuple[ModelRisk, ...]
    turnings: tuple[Turning, ...]
    attacks: Mapping[str, Any] | None
    """What `anonymizer attack` wrote; None where no attack was tried."""
    evidence: Mapping[str, Any] | None
    """What `anonymizer evidence` wrote; None where no analysis was made."""

    @property
    def acceptable(self) -> bool:
        """Whether no claim fails, and every model and the threshold of the context are met."""
        models = all(risk.met is not False for risk in self.risks)
        return not self.verification.failures and models and self.threshold.met is not False

    @property
    def threshold(self) -> ThresholdDerivation:
        """What the context says of the highest risk that may be left."""
        return derive_threshold(self.context, self.highest)

    @property
    def highest(self) -> float:
        """The highest risk of anybody in the release, for whoever knows that they are in it."""
        return self.solution.after.prosecutor.highest

    @property
    def within_public_threshold(self) -> bool:
        """Whether that is within the figure that is named for public release."""
        return self.highest <= 1 / PUBLIC_CLASS

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        solution = self.solution
        return {
            "release": self.name,
            "acceptable": self.acceptable,
            "context": self.context.describe(),
            "public_threshold": PUBLIC_THRESHOLD,
            "within_public_threshold": self.within_public_threshold,
            "threshold": self.threshold.describe(),
            "criteria": criteria_of(self.manifest),
            "versions": versions_of(self.manifest),
            "techniques": [each.describe() for each in self.techniques],
            "models": [each.describe() for each in self.risks],
            "risk": {"before": asdict(solution.before), "after": asdict(solution.after)},
            "quality": solution.quality,
            "records": solution.records,
            "suppressed": solution.suppressed,
            "subgroups": self.comparison.describe()["subgroups"],
            "sensitivity": [each.describe() for each in self.turnings],
            "checks": [asdict(check) for check in self.verification.checks],
            "attacks": self.attacks,
            "evidence": self.evidence,
        }


def decide(
    released: str | Path,
    policy: PolicyLike,
    original: Source = None,
    manifest: str | Path | None = None,
    context: Context | None = None,
    attacks: Mapping[str, Any] | None = None,
    evidence: Mapping[str, Any] | None = None,
) -> ReleaseDecision:
    """Put together what is known of a released file; the original is the policy's unless it is given.

    A ReleaseError says if the file is not what its scheme makes of the original.
    """
    if not Path(released).exists():
        raise ReleaseError(f"{released}: there is no such release; check the path.")
    loaded = load_policy(policy)
    refuse_linked(loaded)
    claimed = find_manifest(released, manifest, "decide")
    solution = applied_again(Path(released), original, loaded, claimed)
    comparison = compare(solution)
    return ReleaseDecision(
        name=Path(released).name,
        context=context or Context(),
        solution=solution,
        manifest=claimed,
        verification=verify(released, loaded, claimed),
        comparison=comparison,
        techniques=tuple(techniques_of(solution, comparison)),
        risks=risks_of(solution),
        turnings=find_turnings(solution),
        attacks=attacks,
        evidence=evidence,
    )


def techniques_of(solution: Solution, comparison: Comparison) -> list[Technique]:
    """Say for each column of the table what was done to it."""
    policy, losses = solution.problem.policy, solution.attribute_loss
    tops = {h.name: h.height - 1 for h in solution.problem.hierarchies}
    compared = {column.name: column for column in comparison.columns}
    found = []
    for name in solution.release.table.columns:
        levels = {scheme[name] for scheme in solution.schemes if name in scheme}
        column = compared.get(name)
        found.append(
            Technique(
                name,
                policy.attributes[name].role,
                policy.attributes[name].reason,
                levels.pop() if len(levels) == 1 else None,
                tops.get(name),
                None if column is None else column.values_before,
                None if column is None else column.values_after,
                losses.get(name),
            )
        )
    return found


def risks_of(solution: Solution) -> tuple[ModelRisk, ...]:
    """Ask each model for its risk of the table as it is, and of the release."""
    models, microdata = solution.problem.models, solution.problem.microdata
    if (
        solution.layers
    ):  # a model looks at one scheme; of layers, the verification says if it is met
        return tuple(ModelRisk(str(model), None, None, None, None) for model in models)
    untouched = partition(microdata, (0,) * len(microdata.attributes))
    before = remaining_of(solution, untouched, np.zeros(untouched.sizes.size, np.bool_))
    after = remaining_of(solution, solution.outcome.classes, solution.outcome.suppressed)
    return tuple(risk_of(model, before, after) for model in models)


def remaining_of(
    solution: Solution, classes: EquivalenceClasses, suppressed: np.ndarray[Any, Any]
) -> Remaining:
    """Return classes as a model looks at them."""
    return Remaining(solution.problem.microdata, classes, suppressed)


def risk_of(model: RiskModel, before: Remaining, after: Remaining) -> ModelRisk:
    """Ask one model."""
    initial, residual = model.residual_risk(before), model.residual_risk(after)
    return ModelRisk(
        str(model),
        initial if math.isfinite(initial) else None,
        residual if math.isfinite(residual) else None,
        model.risk_interval(after),
        bool(model.passes(after)),
    )


def read_figures(path: str | Path, key: str, command: str) -> dict[str, Any]:
    """Read what another command wrote, with a list under a key; a ReleaseError says if it is not that."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        found = json.loads(text, parse_constant=refuse_constant)
        rows = found[key]
        sound = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    except OSError as error:
        raise ReleaseError(
            f"{path}: it cannot be read ({error.strerror}); check the path."
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise ReleaseError(
            f"{path}: this is not what `anonymizer {command}` writes; name that file."
        )
    return dict(found)


def refuse_constant(name: str) -> float:
    """Raise a ValueError for NaN and infinities, which JSON does not have."""
    raise ValueError(f"{name} is not JSON")
