"""assess --apply: a plan carried out, with a policy that its release can be verified by."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonymizer.errors import PolicyError
from anonymizer.validation import write_document

if TYPE_CHECKING:
    from anonymizer.assessment.findings import ProcedureFindings
    from anonymizer.data.staging import Staging
    from anonymizer.policy import Policy
    from anonymizer.risk import RiskModel

POLICY = "plan.toml"


def apply_plan(
    findings: ProcedureFindings | None, staging: Staging, data: Path | None
) -> dict[str, str]:
    """Write the release of the plan, its manifest and its policy; return where they will be, by kind."""
    from anonymizer.solution.manifest import stage_release

    if findings is None or findings.plan is None:
        raise PolicyError(why_no_plan(findings))
    solution = findings.plan.solution
    if solution is None:
        raise PolicyError(f"--apply: there is no plan: {findings.plan.reason}")
    files = stage_release(solution, staging)
    stage_policy(solution.problem.policy, staging, data)
    return {**files, "policy": str(staging.folder / POLICY)}


def why_no_plan(findings: ProcedureFindings | None) -> str:
    """Say that nobody is above a threshold, and how to release the table all the same."""
    nobody = "--apply: nobody is above a threshold, so there is no plan"
    told = max((s.given_away for s in findings.sources), default=0) if findings is not None else 0
    if told:
        return (
            f"{nobody}, but small cells tell a sensitive value of {told:,} people; add a risk model for "
            "it, such as distinct-l, to the policy, and use `anonymizer run`."
        )
    return f"{nobody}; release the table with `anonymizer run`."


def stage_policy(policy: Policy, staging: Staging, data: Path | None) -> None:
    """Write a policy as a TOML file, and those of its hierarchies that are in no file beside it."""
    document = {
        "data": describe_data(policy, staging, data),
        "attributes": describe_attributes(policy, staging),
        "risk": [describe_model(model, policy, staging) for model in policy.risk],
        "utility": policy.describe()["utility"],
        "release": dict(policy.release),
    }
    staging.path(POLICY).write_text(write_document(document), encoding="utf-8")


def relative(path: str | Path, policy: Policy, staging: Staging) -> str:
    """Write a path of a policy as it is seen from the folder that is written to."""
    return os.path.relpath((policy.folder / path).resolve(), staging.folder.resolve())


def describe_data(policy: Policy, staging: Staging, data: Path | None) -> dict[str, Any]:
    """Return where the table is."""
    path = policy.data_path if data is None else data
    table = None if path is None else relative(path.resolve(), policy, staging)
    read = policy.data.model_dump(include={"delimiter", "encoding", "sheet", "id"})
    return {"path": table, **read}


def describe_attributes(policy: Policy, staging: Staging) -> dict[str, Any]:
    """Return what each column is; a hierarchy that is in no file gets one."""
    from anonymizer.hierarchy import Hierarchy, write_arx

    described = {}
    for number, (name, attribute) in enumerate(policy.attributes.items()):
        keys = attribute.describe()
        if isinstance(attribute.hierarchy, Hierarchy):
            keys["hierarchy"] = f"hierarchy-{number}.csv"
            write_arx(attribute.hierarchy, staging.path(keys["hierarchy"]))
        elif attribute.hierarchy is not None:
            keys["hierarchy"] = relative(attribute.hierarchy, policy, staging)
        described[name] = keys
    return described


def describe_model(model: RiskModel, policy: Policy, staging: Staging) -> dict[str, Any]:
    """Return the parameters of a model; the file it names, where that is."""
    statement = model.files(Path())[0]
    named = {"model": model.name, **model.describe()}
    return {**named, "statement": relative(statement, policy, staging)}
