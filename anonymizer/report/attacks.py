"""Attacks on a release in sentences and figures, for the terminal and as a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup
from rich.console import Group

from anonymizer.attacks.result import Attack, Attacks
from anonymizer.data.staging import Staging
from anonymizer.errors import percent
from anonymizer.estimators.intervals import Estimate
from anonymizer.report.chart import Ends, IntervalRow, draw_intervals
from anonymizer.report.page import whole, write_page
from anonymizer.report.provenance import Provenance
from anonymizer.report.sections import FigureTable, Picture, Section, quiet, show_sections
from anonymizer.report.words import join

HEADING = "What attackers can do with this release"
PAGE, FIGURES = "attacks.html", "attacks.json"
HEADER = "attack", "excess", "95 % interval", "success", "95 % interval", "baseline"
HOW = (
    "The excess is what the release adds: how often an attack works on people of the original (success), "
    "less how often it works on people who are not in the release (baseline). Its interval has to lie "
    "above zero before it counts."
)


def verdict(attacks: Attacks) -> str:
    """Say in one line how many attacks succeed beyond their baseline."""
    ahead = [each.name for each in attacks.tried if each.exceeds]
    if not ahead:
        return f"none of {len(attacks.tried)} attacks succeeds beyond its baseline"
    return (
        f"{len(ahead)} of {len(attacks.tried)} attacks succeed beyond their baseline: {join(ahead)}"
    )


def sections(attacks: Attacks) -> Sequence[Section]:
    """Show all attacks, then what each of them tried."""
    rows = tuple(map(row, attacks.tried))
    figures = (FigureTable(HEADER, rows),) if rows else ()
    pictures = (Picture(draw(attacks.tried), CAPTION),) if rows else ()
    line = verdict(attacks)
    overview = Section("Attacks", (f"{line[0].upper()}{line[1:]}.", HOW), figures, pictures)
    return [overview, *(detail_section(each) for each in attacks.results)]


def row(attack: Attack) -> tuple[str, ...]:
    """Write one attack as a row, what it gains first."""
    success, excess = attack.success.estimate, attack.excess
    baseline = percent(attack.baseline.estimate.value)
    figures = percent(excess.value), between(excess), percent(success.value), between(success)
    return attack.name, *figures, baseline


def between(found: Estimate) -> str:
    """Write an interval."""
    return f"{percent(found.low)} to {percent(found.high)}"


def detail_section(attack: Attack) -> Section:
    """Show the question of one attack, its people, and its other figures."""
    title = attack.name[0].upper() + attack.name[1:]
    if attack.skipped is not None:
        return Section(title, (attack.question, attack.finding))
    found = f"{attack.finding[:-1]}: {attack.baseline_of}."
    figures = [(words(key), value_of(value)) for key, value in attack.details.items()]
    shown = (FigureTable(("figure", "value"), tuple(figures), "Other figures"),) if figures else ()
    return Section(title, (found, attack.question), shown)


def words(key: str) -> str:
    """Write the name of a figure for people."""
    return key.replace("_", " ")


def value_of(value: Any) -> str:
    """Write a figure of any kind."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {value_of(inner)}" for key, inner in value.items())
    if value is None:
        return "none"
    return whole(value) if float(value).is_integer() else f"{value:.4g}"


CAPTION = "Success (blue) and baseline (grey) of each attack, with 95 % intervals"


def draw(attacks: Sequence[Attack]) -> Markup:
    """Draw success and baseline of each attack with their intervals, from 0 to 100 %."""
    rows = [
        IntervalRow(each.name, ends(each.baseline.estimate), ends(each.success.estimate))
        for each in attacks
    ]
    ticks = [(tick, percent(tick)) for tick in (0.0, 0.5, 1.0)]
    return draw_intervals(rows, CAPTION, ticks, names=32)


def ends(found: Estimate) -> Ends:
    """Return an estimate as it is drawn."""
    return Ends(found.low, found.value, found.high)


def render_text(attacks: Attacks) -> Group:
    """Show attacks on the terminal."""
    first = sections(attacks)[0]
    lines = tuple(
        f"{each.name}: {in_a_line(each.finding)}{count_alone(each)}" for each in attacks.results
    )
    return show_sections([first, *([Section("Attack by attack", lines)] if lines else [])])


def count_alone(attack: Attack) -> str:
    """Say how many people an attack on linked tables finds alone; nothing of other attacks."""
    few, alone = (attack.details.get(key) for key in ("in fewer than k", "alone"))
    if few is None or alone is None:
        return ""
    return (
        f" {alone['successes']:,} people are alone, {few['successes']:,} among fewer than "
        f"{attack.details['k']}."
    )


def in_a_line(finding: str) -> str:
    """Begin a finding with a small letter, as it stands after the name of its attack."""
    return finding[:1].lower() + finding[1:]


def render_page(attacks: Attacks, provenance: Provenance | None = None) -> str:
    """Write attacks as a page that stands alone."""
    lead = (
        f"{whole(attacks.records)} records of the original, {whole(attacks.released)} released rows, "
        f"seed {attacks.seed}."
    )
    secret = "For the steward, not for publication: it tells how to attack this release."
    return write_page(HEADING, [quiet(f"{lead} {secret}")], sections(attacks), provenance)


def stage_attacks(
    attacks: Attacks, staging: Staging, provenance: Provenance | None = None
) -> dict[str, str]:
    """Write the page and the JSON beside it; return where they will be, by kind."""
    staging.path(PAGE).write_text(render_page(attacks, provenance), encoding="utf-8")
    text = json.dumps(attacks.describe(), indent=1)
    staging.path(FIGURES).write_text(text + "\n", encoding="utf-8")
    return {"page": str(staging.folder / PAGE), "figures": str(staging.folder / FIGURES)}
