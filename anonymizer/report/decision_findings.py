"""Sections of the decision page on what was found out about a release: its worth, who was lost, attacks,
and how far stated figures may be wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from anonymizer.attacks.result import say_gain
from anonymizer.decision.decision import ReleaseDecision
from anonymizer.decision.sensitivity import Turning
from anonymizer.report.comparison import SUBGROUP_HEADER, subgroup_row
from anonymizer.report.page import share, whole
from anonymizer.report.sections import FigureTable, Section, Toned
from anonymizer.report.words import NOT_KNOWN, join, points
from anonymizer.risk.assumption import Unit

NO_ANALYSIS = Toned(
    "NO ANALYSIS WAS REPEATED on the release: give the figures of one with --evidence.", "missing"
)
NO_ATTACKS = Toned(
    "NO ATTACKS WERE TRIED on the release: give the figures of some with --attacks.", "missing"
)
"""What a reader must not miss."""
LARGEST = 1e15
"""No figure is larger; one that is not a number is not smaller either."""
SHOWN_SUBGROUPS = 8
SHOWN_ROWS = 14
"""So many attacks, analyses or stated figures are listed: the page stays within six."""


# --- utility ---


def utility_section(decision: ReleaseDecision) -> Section:
    """Say what the release is still worth."""
    solution, evidence = decision.solution, decision.evidence
    changed = sorted(decision.comparison.columns, key=lambda column: -column.distance)[:3]
    most = [f"{column.name} ({share(column.distance)})" for column in changed if column.distance]
    sentences = [
        f"The quality is {points(solution.quality)} points of 100 (one minus the loss). The loss of "
        "each attribute, and the share of its information that is left, are with its transformation.",
        f"The distribution changed most in {join(most)}." if most else "No distribution changed.",
    ]
    stated = [each.name for each in solution.problem.policy.analysis]
    if evidence is None:
        named = f" The policy states {join(stated)}." if stated else ""
        sentences.append(Toned(f"{NO_ANALYSIS}{named}", "missing"))
        return Section("Utility, by stated analysis", tuple(sentences))
    told = {row.get("name") for row in evidence["analyses"]}
    if rest := [name for name in stated if name not in told]:
        sentences.append(
            Toned(f"NOT REPEATED, though the policy states it: {join(rest)}.", "missing")
        )
    header = "analysis", "kind", "figure", "original", "release"
    rows = tuple(evidence_row(row) for row in evidence["analyses"][:SHOWN_ROWS])
    return Section("Utility, by stated analysis", tuple(sentences), (FigureTable(header, rows),))


def evidence_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Write an analysis as a row."""
    names = (str(row.get(key, "")) for key in ("name", "kind", "figure"))
    return *names, number(row.get("original")), number(row.get("value"))


def number(value: Any) -> str:
    """Write a figure of another command's; what it does not have is not known."""
    return f"{value:.4g}" if is_figure(value) else NOT_KNOWN


def is_figure(value: Any) -> bool:
    """Whether another command gave a figure that can be written."""
    return isinstance(value, int | float) and -LARGEST < value < LARGEST


def lost_section(decision: ReleaseDecision) -> Section:
    """Say who is missing from the release."""
    comparison = decision.comparison
    if comparison.suppressed == 0:
        return Section("Who was lost", ("No record is suppressed.",))
    found = comparison.subgroups()
    sentence = (
        f"{whole(comparison.suppressed)} of {whole(comparison.records)} records are suppressed "
        f"({share(comparison.share)}). Listed is who is suppressed more often than that, the most "
        "records too many first."
    )
    rows = tuple(map(subgroup_row, found[:SHOWN_SUBGROUPS]))
    figures = (FigureTable(SUBGROUP_HEADER, rows),) if rows else ()
    return Section("Who was lost", (sentence,), figures)


# --- attacks ---


def attacks_section(attacks: Mapping[str, Any] | None) -> Section:
    """Say which attacks were tried, and how often they succeeded."""
    title = "Residual attacks"
    if attacks is None:
        return Section(title, (NO_ATTACKS,))
    found = attacks["attacks"]
    tried = [row for row in found if "skipped" not in row]
    sentences = [
        conclusion(tried),
        "An attacker gains what is above the baseline: what could be guessed about people who are not in "
        "the release.",
    ]
    if skipped := [str(row.get("name")) for row in found if "skipped" in row]:
        sentences.append(f"Not tried: {join(skipped)}.")
    rows = tuple(attack_row(row) for row in tried[:SHOWN_ROWS])
    figures = (FigureTable(("attack", "what the attacker gains"), rows),) if rows else ()
    return Section(title, tuple(sentences), figures)


def conclusion(tried: list[Mapping[str, Any]]) -> str:
    """Say what the attacks come to, in one sentence."""
    excess = {str(row.get("name", "")): part_of(row, "excess") for row in tried}
    low = {name: known(each.get("low")) for name, each in excess.items()}
    unknown = [name for name, each in low.items() if math.isnan(each)]
    ahead = {name: known(excess[name].get("value")) for name, each in low.items() if each > 0}
    said = f"None of {len(low)} attacks gains anything beyond chance."
    if ahead:
        most = max(ahead, key=lambda name: ahead[name])
        gain = share(ahead[most]).removesuffix(" %")
        said = (
            f"{len(ahead)} of {len(low)} attacks gain something beyond chance; the most is {gain} "
            f"percentage points, by {most}."
        )
    if not tried:
        return Toned("None of the attacks could be tried.", "missing")
    if unknown:
        said += f" Not known: {join(unknown)}."
    return Toned(said, "bad" if ahead or unknown else "good")


def attack_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Write an attack as a row: its name, and what it gains."""
    success, baseline, excess = (part_of(row, key) for key in ("success", "baseline", "excess"))
    value, low, high = (known(excess.get(key)) for key in ("value", "low", "high"))
    shares = rate(success.get("value")), rate(baseline.get("value"))
    return str(row.get("name", "")), say_gain((value, low, high), *shares)


def known(value: Any) -> float:
    """Return a figure of another command's; NaN where it has none."""
    return float(value) if is_figure(value) else math.nan


def part_of(row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return a table of figures; nothing where there is none."""
    part = row.get(key)
    return part if isinstance(part, Mapping) else {}


def rate(value: Any) -> str:
    """Write a share that another command found."""
    return share(known(value))


# --- sensitivity ---


def sensitivity_section(decision: ReleaseDecision) -> Section:
    """Say how far a stated figure may be wrong before the verdict turns."""
    title = "How far stated figures may be wrong"
    turnings = decision.turnings
    if decision.solution.layers:
        return Section(title, ("Not measured for a release in layers.",))
    if not turnings:
        return Section(title, ("No model of the policy rests on a figure that somebody stated.",))
    sentences = (
        "One figure at a time is changed, the release stays as it is: within these values the policy is "
        "still met. Where several figures are wrong at once, less is enough to turn the verdict.",
    )
    header = "stated figure", "stated", "met from", "met up to", "may be wrong by"
    rows = tuple(turning_row(turning) for turning in turnings[:SHOWN_ROWS])
    rest = len(turnings) - SHOWN_ROWS
    more = (f"{rest} more are in decision.json.",) if rest > 0 else ()
    return Section(title, (*sentences, *more), (FigureTable(header, rows),))


def turning_row(turning: Turning) -> tuple[str, ...]:
    """Write a stated figure as a row."""
    write = people if turning.unit is Unit.PEOPLE else "{:.4g}".format
    if not turning.holds:
        return turning.figure, write(turning.stated), "-", "-", "the policy is not met as stated"
    low = "any" if turning.lowest is None else write(turning.lowest)
    high = "any" if turning.highest is None else write(turning.highest)
    return turning.figure, write(turning.stated), low, high, margin(turning)


def people(number: float) -> str:
    """Write a number of people."""
    return whole(number)


def margin(turning: Turning) -> str:
    """Say by which factor a figure may be wrong."""
    if turning.stated <= 0:
        return "any amount" if turning.highest is None else "-"
    ends = [end for end in (turning.lowest, turning.highest) if end is not None]
    return join([change(end / turning.stated) for end in ends]) if ends else "any amount"


def change(ratio: float) -> str:
    """Say how far one figure is from another, given their ratio.

    >>> change(0.75), change(1.2), change(4), change(1)
    ('25.0 % lower', '20.0 % higher', '4 times as high', 'not at all')
    """
    if ratio == 1:
        return "not at all"
    if ratio >= 2:
        return f"{ratio:.3g} times as high"
    return f"{share(1 - ratio)} lower" if ratio < 1 else f"{share(ratio - 1)} higher"
