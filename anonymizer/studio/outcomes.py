"""Outcomes: what attackers find in the release, and what analyses say at every threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from anonymizer.analyses.evidence import stated_analyses
from anonymizer.analyses.frontier import label_of, run_all
from anonymizer.analyses.overlap import Coefficient
from anonymizer.analyses.result import Result
from anonymizer.attacks.attack import ATTACKS, attack
from anonymizer.attacks.result import Attacks
from anonymizer.data.coded import LoadedTable
from anonymizer.frontiers.frontier import Frontier
from anonymizer.report.attacks import sections as attack_sections
from anonymizer.report.frontier import draw_by_analysis
from anonymizer.solution.manifest import make_manifest
from anonymizer.solution.solution import Solution
from anonymizer.studio.figures import chart, describe_sections

OnStep = Callable[[str, float], None]
"""Told what comes next, and which share is done; raises where nobody waits any more."""

GIVEN_AWAY = (
    "Choosing a threshold by these figures lets results on the original decide what is released. "
    "Whoever learns that it was chosen so learns that other thresholds gave other results; no risk "
    "model counts that. Say first which thresholds are acceptable, choose among them alone, and state "
    "in the context of the decision page that it was done so."
)


def try_attacks(solution: Solution, table: LoadedTable, on_step: OnStep) -> Attacks:
    """Try every attack on the release, as it would be written."""
    released, policy = solution.to_frame(), solution.problem.policy
    manifest = make_manifest(solution, released)
    names = [*ATTACKS]
    return attack(
        released,
        policy,
        table,
        manifest=manifest,
        on_attack=lambda name: on_step(name, names.index(name) / len(names)),
    )


def describe_attacks(attacks: Attacks) -> dict[str, Any]:
    """Return attacks as sections, and how many of them succeed."""
    ahead = [each.name for each in attacks.tried if each.exceeds]
    return {
        "sections": describe_sections(attack_sections(attacks)),
        "ahead": ahead,
        "tried": len(attacks.tried),
    }


def compare_thresholds(frontier: Frontier, on_step: OnStep) -> dict[str, Any]:
    """Make the policy's analyses on the release of every point of a frontier."""
    policy = frontier.problem.policy
    stated_analyses(policy)
    found: list[Sequence[Result]] = []
    for place, point in enumerate(frontier.points):
        words = f"{frontier.parameter.name} = {point.value:g}"
        on_step(words, place / len(frontier.points))
        found.append(run_all(frontier, point, policy.analysis))
    known = with_figures(frontier, found)
    drawn = zip(known.figures.items(), draw_by_analysis(known), strict=True)
    return {
        "analyses": [
            {"name": name, "figure": figure, "chart": chart(picture)}
            for (name, figure), picture in drawn
        ],
        "points": [
            {
                "value": point.value,
                "quality": point.quality,
                "highest": point.profile.prosecutor.highest,
                "outcomes": [describe_outcome(result) for result in results],
            }
            for point, results in zip(frontier.points, found, strict=True)
        ],
        "given_away": GIVEN_AWAY,
    }


def with_figures(frontier: Frontier, found: Sequence[Sequence[Result]]) -> Frontier:
    """Return a frontier whose points have the figures of analyses that were made on them."""
    points = tuple(
        replace(point, figures={result.analysis.name: result.value for result in results})
        for point, results in zip(frontier.points, found, strict=True)
    )
    labels = {result.analysis.name: label_of(result) for result in found[0]}
    return replace(frontier, points=points, figures=labels)


def describe_outcome(result: Result) -> dict[str, Any]:
    """Return the figure of an analysis at a threshold, and what would be concluded otherwise there."""
    coefficients = [row for row in result.rows if isinstance(row, Coefficient)]
    changed = [f"{row.term} ({row.change})" for row in coefficients if row.change]
    return {
        "value": result.value,
        "coefficients": len(coefficients),
        "changed": changed,
        "findings": list(result.findings),
    }
