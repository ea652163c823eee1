"""Release: the files, and every claim about them verified at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from anonymizer.analyses.evidence import evidence_of
from anonymizer.comparison.comparison import compare
from anonymizer.data.staging import Staging
from anonymizer.decision.decision import decide
from anonymizer.errors import AnonymizerError
from anonymizer.explanation.explanation import explain
from anonymizer.report.decision import render_decision
from anonymizer.report.explanation import render_page
from anonymizer.report.provenance import provenance_of
from anonymizer.solution.manifest import stage_release
from anonymizer.solution.solution import Solution
from anonymizer.studio.folder import Folder
from anonymizer.verification.verification import verify

EXPLANATION, DECISION = "explanation.html", "decision.html"
PAGES = {EXPLANATION, DECISION}
"""What is written beside a release and can be read in the browser."""


def write(
    solution: Solution,
    folder: Folder,
    attacks: Mapping[str, Any] | None,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Write release, manifest and pages for whoever decides; read them back and verify every claim."""
    release, policy = solution.release, solution.problem.policy
    say("releasing")
    inputs = [Path(release.table.name), folder.policy, *policy.files]
    with Staging(folder.release, inputs) as staging:
        files = stage_release(solution, staging)
        explanation, comparison = explain(solution), compare(solution)
        released = staging.path(Path(files["release"]).name)
        made_of = provenance_of(policy, release.table, released)
        page = render_page(explanation, comparison, made_of)
        staging.path(EXPLANATION).write_text(page, encoding="utf-8")
        files["explanation"] = str(staging.folder / EXPLANATION)
        staging.remove(DECISION)  # that of an older release
    say("verifying")
    # from the files alone: nothing of what made the release is used
    found = verify(files["release"], folder.policy, against=policy.data_path)
    say("deciding")
    files["decision"] = str(write_decision(Path(files["release"]), solution, folder, attacks))
    return {
        "files": files,
        "passed": found.passed,
        "checks": [
            {"claim": check.claim, "holds": check.passed, "detail": check.detail}
            for check in found.checks
        ],
    }


def repeated(solution: Solution) -> dict[str, Any] | None:
    """Make the analyses that the policy states; None where there are none, or they cannot be made."""
    if not solution.problem.policy.analysis:
        return None
    try:
        return evidence_of(solution).describe()
    except AnonymizerError:  # the decision page says that no analysis was repeated
        return None


def write_decision(
    released: Path, solution: Solution, folder: Folder, attacks: Mapping[str, Any] | None
) -> Path:
    """Write the page for whoever answers for a release beside it; the release is read from its file."""
    policy = solution.problem.policy
    made = decide(
        released,
        policy,
        policy.data_path,
        context=folder.stated(),
        attacks=attacks,
        evidence=repeated(solution),
    )
    page = render_decision(made, provenance_of(policy, solution.release.table, released))
    with Staging(folder.release, [released, folder.policy, *policy.files]) as staging:
        staging.path(DECISION).write_text(page, encoding="utf-8")
    return folder.release / DECISION
